/** The folder of one service: its lock, its keys, and beside them database and recordings. */

import { type ChildProcess, spawn } from 'node:child_process'
import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CHILD_PATH } from '@standin/wire/process/child-path.ts'
import { makeFolder } from '@standin/wire/process/make-folder.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'
import type { ServiceConfig } from '../config/config.ts'

/** How long a service or a command waits for a command that uses the folder. */
const COMMAND_PATIENCE_MS = 60_000
const LOOK_AGAIN_MS = 100
/** Of `flock`, where another process holds the lock. */
const HELD_EXIT_CODE = 75

/** A running service holds the folder for as long as it runs; a command of the shell for as long as it takes. */
export type Holder = 'service' | 'command'

export interface DataFolderHold {
  release(): Promise<void>
}

/** Thrown where a service that runs holds the folder. */
export class DataFolderInUse extends Error {
  constructor(folder: string, pid: number | null) {
    super(
      `Another service${pid === null ? '' : ` (process ${pid})`} runs on the data folder ${folder}. ` +
        'Stop it first, or choose another folder with --data',
    )
    this.name = 'DataFolderInUse'
  }
}

/** Makes the folder if it is missing. Rejects with a sentence if that fails. */
export async function makeDataFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder, 0o700)
  } catch (error) {
    throw new Error(`The data folder ${folder} cannot be used: ${(error as Error).message}`, { cause: error })
  }
}

/** Of Node, of PostgreSQL and of its programs. A page that fits in part has PostgreSQL's hint alone. */
const NO_ROOM = /no space left on device|check free disk space|disk quota exceeded|ENOSPC|EDQUOT/i
/** PostgreSQL's class of what a server lacks, such as room on its own disk. */
const LACK_OF_SERVER = /^53...$/

/** Does the step. Rejects with a sentence if it fails because the disk of the data folder is full. */
export async function withRoom<T>(
  { dataFolder, databaseUrl }: Pick<ServiceConfig, 'dataFolder' | 'databaseUrl'>,
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step()
  } catch (error) {
    const isElsewhere = databaseUrl !== null && LACK_OF_SERVER.test(String((error as { code?: unknown }).code))
    if (isElsewhere || !NO_ROOM.test(messageOf(error))) throw error
    const cure = 'Free some space, or choose another folder with --data'
    throw new Error(`The disk of the data folder ${dataFolder} is full. ${cure}`, { cause: error })
  }
}

/**
 * Takes the folder's lock. Rejects with `DataFolderInUse` if a service holds it; a command is waited for.
 * The kernel releases the lock when this process ends, also by SIGKILL, and keeps containers that share the folder apart.
 */
export async function holdDataFolder(folder: string, holder: Holder): Promise<DataFolderHold> {
  const file = join(folder, 'service.lock')
  const patience = AbortSignal.timeout(COMMAND_PATIENCE_MS)
  for (;;) {
    const lock = await takeLock(file)
    if (lock !== null) {
      await writeFile(`${file}.holder`, JSON.stringify({ pid: process.pid, holder }), { mode: 0o600 })
      return { release: () => endLock(lock) }
    }
    const other = await readHolder(`${file}.holder`)
    if (other?.holder !== 'command' || patience.aborted) throw new DataFolderInUse(folder, other?.pid ?? null)
    await sleep(LOOK_AGAIN_MS)
  }
}

/**
 * `flock` locks the file and becomes `cat`, which ends with its input: when this process ends. Its own process group keeps
 * Ctrl-C from it. Null if another process holds the lock.
 */
async function takeLock(file: string): Promise<ChildProcess | null> {
  const options = ['--nonblock', '--no-fork', '--conflict-exit-code', String(HELD_EXIT_CODE), file, 'cat']
  const lock = spawn('flock', options, {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    env: { PATH: CHILD_PATH },
  })
  let complaint = ''
  lock.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text
  })
  lock.stdin.on('error', () => {})
  const isLocked = await new Promise<boolean>((resolve, reject) => {
    lock.once('error', (error) => reject(new Error(`flock could not be started: ${error.message}`, { cause: error })))
    lock.once('exit', (code) => {
      if (code === HELD_EXIT_CODE) resolve(false)
      else reject(new Error(`The lock ${file} could not be taken: ${complaint.trim() || `flock ended with ${code}`}`))
    })
    // `cat` answers once it runs, and it runs once the file is locked.
    lock.stdout.once('data', () => resolve(true))
    lock.stdin.write('\n')
  })
  if (!isLocked) return null
  lock.unref()
  for (const stream of [lock.stdin, lock.stdout, lock.stderr]) (stream as unknown as { unref(): void }).unref()
  return lock
}

async function endLock(lock: ChildProcess): Promise<void> {
  if (lock.exitCode !== null || lock.signalCode !== null) return
  const ended = new Promise<void>((resolve) => lock.once('exit', () => resolve()))
  lock.ref()
  lock.stdin?.end()
  await ended
}

async function readHolder(file: string): Promise<{ pid: number; holder: Holder } | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as { pid: number; holder: Holder }
  } catch {
    // The holder has not written it yet.
    return null
  }
}

export const apiKeyFile = (folder: string): string => join(folder, 'api-key')
/** Where commands on this machine find the API. */
export const addressFile = (folder: string): string => join(folder, 'address')
export const secretKeysFile = (folder: string): string => join(folder, 'secret-keys')

/** Null if there is none. */
export async function readSecretFile(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim() || null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Mode 0600; afterwards the file has the whole text or does not exist. Rejects with the name of the file. */
export async function writeSecretFile(file: string, text: string): Promise<void> {
  const fresh = `${file}.${process.pid}.new`
  try {
    await writeFile(fresh, `${text}\n`, { mode: 0o600, flush: true })
    await chmod(fresh, 0o600)
    await rename(fresh, file)
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => {})
    throw new Error(`${file} cannot be written: ${messageOf(error)}`, { cause: error })
  }
}
