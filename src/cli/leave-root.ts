/** A bot that root starts becomes another user before it opens a stranger's page, or starts any other program. */
import { accessSync, constants } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { type BotUser, chooseBotUser, sentenceOf, weaknessOf } from '@standin/wire/process/bot-user.ts'
import type { Io, RootNeed } from '@standin/wire/process/command-io.ts'
import { giveBotFolder, mkdirsToPass } from '../../packages/core/process/mkdirs.ts'
import { asJobProblem } from '../storage-problem.ts'

/** How often a bot below npx looks for its parent. */
const LOOK_MS = 500

/**
 * Changes the user of this process for good. What it holds in memory stays, such as a job with secrets, and no other process
 * of that user can read it there. `environment` is that of this process. Writes a line if it stays root, or if Chromium has
 * no sandbox. Throws InvalidJob where a folder cannot be prepared, and CommandMistake where the user that the operator named
 * cannot be used.
 */
export async function leaveRoot(
  { folder, reads = [] }: RootNeed,
  environment: Io['environment'],
  errors: Io['errors'],
): Promise<void> {
  const parents = folder ? [dirname(folder)] : []
  const openParents = async (user: BotUser) => {
    for (const parent of parents) await asJobProblem(mkdirsToPass(user, parent))
  }
  const choice = await chooseBotUser(environment, [...parents, ...reads], openParents)
  if (choice.user !== null) {
    if (folder) await asJobProblem(giveBotFolder(folder, choice.user))
    become(choice.user)
    if (!isWritable(tmpdir())) delete environment.TMPDIR
    if (environment.npm_lifecycle_event === 'npx') endWithParent()
  }
  const weakness = await weaknessOf({ ...choice, user: null })
  if (weakness !== null) errors.write(`${sentenceOf(weakness)}\n`)
}

function become({ uid, gid }: BotUser): void {
  process.setgroups!([gid])
  process.setgid!(gid)
  process.setuid!(uid)
}

/** The kernel forgets the signal at the end of the parent (bin/standin) when the user changes. */
function endWithParent(): void {
  const parent = process.ppid
  const looking = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(looking)
    process.kill(process.pid, 'SIGTERM')
  }, LOOK_MS)
  looking.unref()
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}
