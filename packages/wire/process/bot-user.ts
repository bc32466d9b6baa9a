/**
 * The user of bots where root starts them. They open strangers' pages, and as root Chromium has no sandbox, so a defect of
 * Chromium would give the whole machine away. The user of the service's own PostgreSQL is looked for in the same way.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname } from 'node:path'
import { CHILD_PATH } from './child-path.ts'
import { SANDBOX_CURE, sandboxObstacle } from './chromium-sandbox.ts'
import { CommandMistake } from './command-output.ts'

/** `scripts/setup.sh` makes it. */
const DEFAULT_NAME = 'standin-bot'

export interface BotUser {
  name: string
  uid: number
  gid: number
}

/** A weaker mode that was chosen, and how the operator gets the better one. Without full stops. */
export interface Weakness {
  fault: string
  cure: string
}

export interface BotUserChoice {
  /** Null: the user of this process. */
  user: BotUser | null
  weakness: Weakness | null
}

/** The two settings of the operator; docs/operating.md explains them. */
export interface RootSettings {
  STANDIN_BOT_USER?: string | undefined
  STANDIN_ALLOW_ROOT?: string | undefined
}

/**
 * Who bots run as. As root: the user of STANDIN_BOT_USER, else `standin-bot`, if that user may enter and read this program
 * and the `paths`; otherwise root, with a weakness. `prepare` opens paths to the user first. Rejects with a sentence if the
 * operator named a user that cannot be used.
 */
export async function chooseBotUser(
  settings: RootSettings,
  paths: readonly string[],
  prepare: (user: BotUser) => Promise<void>,
): Promise<BotUserChoice> {
  if (process.geteuid?.() !== 0) return { user: null, weakness: null }
  if (settings.STANDIN_ALLOW_ROOT === '1')
    return asRoot({ fault: 'STANDIN_ALLOW_ROOT=1 says so', cure: 'Remove the setting' })
  const named = settings.STANDIN_BOT_USER || null
  const found = await usableUser(named ?? DEFAULT_NAME, [process.execPath, import.meta.filename, ...paths], prepare)
  if ('uid' in found) return { user: found, weakness: null }
  if (named !== null) throw new CommandMistake(`STANDIN_BOT_USER: ${found.fault}. ${found.cure}.`)
  return asRoot(found)
}

function asRoot({ fault, cure }: Weakness): BotUserChoice {
  return { user: null, weakness: { fault: `bots and Chromium run as root, without a sandbox: ${fault}`, cure } }
}

/** The choice's weakness, else that of Chromium's sandbox; null if bots run as they should. */
export async function weaknessOf({ user, weakness }: BotUserChoice): Promise<Weakness | null> {
  if (weakness !== null) return weakness
  const obstacle = await sandboxObstacle(user)
  return obstacle === null ? null : { fault: `Chromium runs without its own sandbox: ${obstacle}`, cure: SANDBOX_CURE }
}

export const sentenceOf = ({ fault, cure }: Weakness): string => `${fault[0]!.toUpperCase()}${fault.slice(1)}. ${cure}.`

async function usableUser(
  name: string,
  paths: readonly string[],
  prepare: (user: BotUser) => Promise<void>,
): Promise<BotUser | Weakness> {
  const user = await findUser(name)
  if (user === null)
    return {
      fault: `this machine has no user ${name}`,
      cure: 'Run sh scripts/setup.sh as root, or name another user in STANDIN_BOT_USER',
    }
  if (user.uid === 0) return { fault: `${name} is root`, cure: 'Name another user' }
  await prepare(user)
  return (await obstacleFor(user, paths)) ?? user
}

/** Why programs of root cannot run as the user with these paths; null if they can. Paths that do not exist are passed over. */
export async function obstacleFor(user: BotUser, paths: readonly string[]): Promise<Weakness | null> {
  const closed = await firstClosed(user, paths)
  if (closed === null) return null
  if (closed.code === 'EPERM')
    return { fault: 'this process may not change its user', cure: 'Give it CAP_SETUID and CAP_SETGID' }
  return {
    fault: `the user ${user.name} may not enter or read ${closed.path}`,
    cure: 'Use a place that others may enter, such as /opt, or open that one to the user',
  }
}

/** Asks the system, which may know users from other places than /etc/passwd. Null if there is no such user. */
export async function findUser(name: string): Promise<BotUser | null> {
  if (!/^[a-z_][\w.-]*\$?$/i.test(name)) return null
  const { output } = await ask('getent', ['passwd', name])
  const [, , uid, gid] = output.trim().split(':')
  return uid && gid ? { name, uid: Number(uid), gid: Number(gid) } : null
}

const CLOSED = `for path; do
  if [ -d "$path" ]; then [ -x "$path" ]; else [ -r "$path" ]; fi || { printf %s "$path"; exit 1; }
done`

/** The system itself decides, since access lists and mounts count too. */
async function firstClosed(user: BotUser, paths: readonly string[]): Promise<{ code?: unknown; path: string } | null> {
  const all = new Set(paths.filter((path) => existsSync(path)).flatMap((path) => [...foldersAbove(path), path]))
  const { error, output } = await ask('/bin/sh', ['-c', CLOSED, 'sh', ...all], user)
  return error && { code: error.code, path: output }
}

function foldersAbove(path: string): string[] {
  const folder = dirname(path)
  return folder === path ? [] : [...foldersAbove(folder), folder]
}

interface Answer {
  error: { code?: unknown } | null
  output: string
}

function ask(program: string, args: string[], user?: BotUser): Promise<Answer> {
  const as = user && { uid: user.uid, gid: user.gid }
  return new Promise((resolve) => {
    execFile(program, args, { ...as, cwd: '/', env: { PATH: CHILD_PATH } }, (error, output) =>
      resolve({ error, output: String(output) }),
    )
  })
}

/**
 * Lets the user pass through a folder of ours, by its group; the list of entries stays closed. A folder that its owner opened
 * to a group, and our home, stay as they are: `chooseBotUser` then names them.
 */
export async function letPass({ gid }: BotUser, folder: string): Promise<void> {
  const { mode, uid } = await stat(folder)
  if (uid !== process.geteuid?.() || (mode & 0o071) !== 0 || folder === homedir()) return
  await chown(folder, uid, gid)
  await chmod(folder, (mode & 0o7777) | 0o010)
}
