/** The files of one bot of the process launcher, and the evidence in them. */
import { access, mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RecordingMode } from '@standin/wire/codes.ts'
import type { EndEvidence, LaunchState } from '../../../platform/ports.ts'
import { endWithout, exitOf, NEVER_STARTED } from '../shared/evidence.ts'
import { LOG_TAIL_BYTES, Tail } from '../shared/log-tail.ts'
import { isAlive, outOfMemoryKills, type ProcessIdentity, parseStat, processesWith, processWorld } from './proc.ts'

/** Variable by which a bot's process is found where its folder does not name it. */
export const NAME_VARIABLE = 'STANDIN_LAUNCH_NAME'
/** A supervisor needs milliseconds for its first steps. After this time without them it is gone. */
const FIRST_STEPS_MS = 30_000

/** Written before the bot is started. Holds no secret. */
export interface FolderFacts {
  botId: string
  attempt: number
  name: string
  boot: string
  namespace: string
  mode: RecordingMode
  /** Kills for lack of memory in the service's group until then; null if the kernel does not say. */
  outOfMemoryKills: number | null
}

/** On the disk before the bot is started: without it a bot would run that the next start does not find. */
export async function writeFacts(folder: string, facts: FolderFacts): Promise<void> {
  await writeFile(join(folder, 'launch.json'), JSON.stringify(facts), { mode: 0o600, flush: true })
  const entry = await open(folder)
  try {
    await entry.sync()
  } finally {
    await entry.close()
  }
}

/** Null if the folder is of no bot, or its start was interrupted before anything was started. */
export async function readFacts(folder: string): Promise<FolderFacts | null> {
  const text = await readText(folder, 'launch.json')
  try {
    return text === null ? null : (JSON.parse(text) as FolderFacts)
  } catch {
    return null
  }
}

/**
 * Whether the folder was reserved for a bot of which nothing was started: the service ended in between, or the disk was
 * full. Rejects if that cannot be read.
 */
export async function isHalfMade(folder: string): Promise<boolean> {
  if ((await readFacts(folder)) !== null) return false
  // The supervisor makes this folder first. Without readable facts it is what is left of a bot that ran.
  return !(await readdir(folder)).includes('claimed')
}

/** The bot's own process; null before it was started. */
async function botProcess(folder: string): Promise<ProcessIdentity | null> {
  return parseStat((await readText(folder, 'bot')) ?? '')
}

async function supervisorProcess(folder: string): Promise<ProcessIdentity | null> {
  return parseStat((await readText(folder, 'supervisor')) ?? '')
}

/** Marks a signal as ours. A supervisor that has not started its bot yet finds the mark and sends the signal itself. */
export async function markSignal(folder: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  await writeFile(join(folder, signal === 'SIGKILL' ? 'killed' : 'stopped'), '', { mode: 0o600 })
}

/** The processes that a signal has to go to. None if the supervisor is going to send it. */
export async function processesToSignal(folder: string, name: string): Promise<ProcessIdentity[]> {
  const bot = await botProcess(folder)
  if (bot !== null) return (await isAlive(bot)) ? [bot] : []
  const supervisor = await supervisorProcess(folder)
  if (supervisor === null || (await isAlive(supervisor))) return []
  return processesWith(NAME_VARIABLE, name)
}

export async function hasEnded(folder: string): Promise<boolean> {
  return exists(join(folder, 'exit'))
}

/** Removes job files that were not read: they hold secrets. */
export async function removeJobs(folder: string, names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => rm(join(folder, name), { force: true })))
}

export async function stateOf(folder: string): Promise<LaunchState> {
  const facts = await readFacts(folder)
  if (facts === null) return { state: 'absent' }
  if (await hasEnded(folder)) return { state: 'ended', evidence: await evidenceOf(folder, facts) }

  const world = await processWorld()
  if (world.boot !== facts.boot) return goneWithout(folder, 'The machine was restarted while the bot ran')
  if (world.namespace !== facts.namespace) {
    return { state: 'unknown', reason: 'The bot was started in another container, whose processes cannot be seen' }
  }
  const bot = await botProcess(folder)
  const supervisor = await supervisorProcess(folder)
  if (bot !== null && (await isAlive(bot))) return { state: 'running' }
  if (supervisor !== null && (await isAlive(supervisor))) return { state: 'running' }
  // Between the end of the bot and the supervisor's last line.
  if (await hasEnded(folder)) return { state: 'ended', evidence: await evidenceOf(folder, facts) }
  if (bot !== null) return goneWithout(folder, 'The bot and its supervisor are gone; how they ended is not known')
  if ((await ageMs(folder)) < FIRST_STEPS_MS) return { state: 'unknown', reason: 'The bot is being started' }
  if ((await processesWith(NAME_VARIABLE, facts.name)).length > 0) return { state: 'running' }
  if (supervisor !== null) return goneWithout(folder, 'The supervisor ended before it started the bot')
  // A supervisor that finds this folder starts nothing.
  const isOurs = await mkdir(join(folder, 'claimed')).then(
    () => true,
    () => false,
  )
  if (isOurs) return goneWithout(folder, NEVER_STARTED)
  if ((await ageMs(join(folder, 'claimed'))) < FIRST_STEPS_MS)
    return { state: 'unknown', reason: 'The bot is being started' }
  return goneWithout(folder, 'The supervisor ended before it started the bot')
}

async function goneWithout(folder: string, reason: string): Promise<LaunchState> {
  return { state: 'ended', evidence: { ...endWithout(reason), logTail: await logTail(folder) } }
}

async function evidenceOf(folder: string, facts: FolderFacts): Promise<EndEvidence> {
  const status = Number((await readText(folder, 'exit'))?.trim())
  const endedAt = (await stat(join(folder, 'exit'))).mtime
  const { exitCode, signal, how } = exitOf(status)
  const wasOurs = signal === 'SIGKILL' && (await exists(join(folder, 'killed')))
  const kills = outOfMemoryKills((await readText(folder, 'oom')) ?? '')
  const hasKernelKilled = kills !== null && facts.outOfMemoryKills !== null && kills > facts.outOfMemoryKills
  const isOutOfMemory = signal === 'SIGKILL' && !wasOurs && hasKernelKilled
  return {
    exitCode,
    signal,
    isOutOfMemory,
    reason: reasonOf(how, { isOutOfMemory, isKilled: signal === 'SIGKILL', wasOurs }),
    endedAt,
    logTail: await logTail(folder),
  }
}

function reasonOf(
  how: string,
  { isOutOfMemory, isKilled, wasOurs }: { isOutOfMemory: boolean; isKilled: boolean; wasOurs: boolean },
): string {
  if (isOutOfMemory) return 'The kernel killed the bot for lack of memory'
  if (isKilled) return wasOurs ? 'The service killed the bot' : 'The bot was killed from outside'
  return how
}

/** The end of both outputs. A character that is cut in half is left out. */
async function logTail(folder: string): Promise<string | null> {
  const file = await open(join(folder, 'log')).catch(() => null)
  if (file === null) return null
  try {
    const { size } = await file.stat()
    // The byte before the tail shows that the log is longer.
    const length = Math.min(size, LOG_TAIL_BYTES + 1)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length)
    const tail = new Tail()
    tail.add(buffer.subarray(0, bytesRead))
    return tail.text()
  } finally {
    await file.close()
  }
}

async function ageMs(path: string): Promise<number> {
  const facts = await stat(path).catch(() => null)
  return facts === null ? 0 : Date.now() - facts.mtimeMs
}

async function readText(folder: string, name: string): Promise<string | null> {
  return readFile(join(folder, name), 'utf8').catch(() => null)
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
