/** One recording of the tone-and-flash source, the fault that is injected, and the remaining file. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { CaptureEnvironment } from '../../packages/core/ports.ts'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'
import { readS3Object } from '../../src/storage/bucket.ts'
import type { StorageConfig } from '../../src/storage/index.ts'
import { oneChild } from '../../test/media/capture-environment.ts'
import { startToneAndFlash } from '../../test/media/tone-and-flash.ts'
import { type S3Server, startS3Server, storageOf, variablesOf } from '../../test/servers/s3-server.ts'
import type { Plan } from './bot.ts'
import { judge, type Verdict } from './check.ts'

export type Accident =
  | { what: 'kill'; victim: 'bot' | 'ffmpeg' | 'Xvfb' | 'pulseaudio'; place: 'folder' | 's3' }
  | { what: 's3 refuses and comes back' | 's3 stalls' | 's3 is away, and the bot is killed' | 'the disk is full' }

type Fact =
  | { type: 'environment'; environment: CaptureEnvironment }
  | { type: 'progress'; seconds: number }
  | { type: 'end'; failure: string | null; files: string[]; problem: string | null }

/** Small parts, so that a recording of seconds has many, and short timeouts for a silent server. */
const PART_BYTES = 64 * 1024
const TUNING = { partBytes: PART_BYTES, idleMs: 2_000 }
const DISK_BYTES = 512 * 1024
const PATIENCE_MS = 120_000
const MAX_BYTES = 2 ** 30
const run = promisify(execFile)

export async function recordWith(
  accident: Accident,
  folder: string,
): Promise<{ verdict: Verdict | null; note: string }> {
  const isS3 = accident.what === 'kill' ? accident.place === 's3' : accident.what.startsWith('s3')
  const server = isS3 ? await startS3Server({ smallestPart: PART_BYTES }) : null
  const out = accident.what === 'the disk is full' ? await smallDisk(join(folder, 'full')) : folder
  if (out === null) return { verdict: null, note: 'no file system may be mounted here' }
  const botId = randomUUID()
  const workFolder = join(out, botId)
  mkdirSync(workFolder, { recursive: true })
  const storage: StorageConfig = server ? storageOf(server) : { type: 'folder', path: out }
  const bot = new Bot({ storage, botId, workFolder, tuning: TUNING })
  try {
    const source = await startToneAndFlash(await bot.environment())
    try {
      await bot.recorded(3 + Math.random() * 6)
      const { until, note } = await happen(accident, bot, server)
      if (bot.wasKilled) await recover(workFolder, server)
      const path = server ? join(workFolder, 'stored.mp4') : join(workFolder, 'video.mp4')
      if (server) writeFileSync(path, await readS3Object(storageOf(server), `${botId}/video.mp4`, MAX_BYTES, soon()))
      return { verdict: await judge(path, until), note }
    } finally {
      source.close()
    }
  } catch (error) {
    const complaint = `${error instanceof Error ? error.message : error}`.split('\n')[0]!
    const nothing = { plays: false, seeks: false, seconds: 0, lostSeconds: Number.NaN, holeSeconds: Number.NaN }
    return { verdict: { ...nothing, complaint }, note: bot.errors.slice(-300) }
  } finally {
    await bot.dispose()
    await server?.close()
  }
}

/** Resolves when the bot is gone, with the instant up to which its recording should go. */
async function happen(accident: Accident, bot: Bot, server: S3Server | null): Promise<{ until: number; note: string }> {
  const kill = async (pid: number) => {
    process.kill(pid, 'SIGKILL')
    const until = Date.now()
    const end = await bot.end()
    return { until, note: inShort(end?.failure) }
  }
  switch (accident.what) {
    case 'kill':
      return kill(accident.victim === 'bot' ? bot.pid : await oneChild(accident.victim, bot.pid))
    case 's3 refuses and comes back': {
      await server!.goDown()
      await sleep(4_000)
      await server!.comeBack()
      break
    }
    case 's3 stalls': {
      server!.fail({ operation: 'UploadPart', times: 2, effect: { kind: 'stall' } })
      await sleep(4_000)
      break
    }
    case 's3 is away, and the bot is killed': {
      await server!.goDown()
      await sleep(2_000)
      const killed = await kill(bot.pid)
      await server!.comeBack()
      return killed
    }
    case 'the disk is full': {
      const end = await bot.end()
      if (end?.failure === null) throw new Error('The disk never was full')
      // The recording ends when the disk is full. It should contain all that the bot had recorded when it reported the
      // error.
      return { until: bot.lastProgressAt, note: inShort(end?.failure) }
    }
  }
  await sleep(1_000)
  const until = Date.now()
  process.kill(bot.pid, 'SIGINT')
  const end = await bot.end()
  return { until, note: inShort(end?.failure ?? end?.problem) }
}

class Bot {
  readonly #child: ChildProcess
  readonly #exit: Promise<unknown>
  readonly #facts: Fact[] = []
  readonly #listeners = new Set<() => void>()
  errors = ''
  lastProgressAt = 0

  constructor(plan: Plan) {
    this.#child = spawn(process.execPath, [join(packageRoot, 'bench/kills/bot.ts'), JSON.stringify(plan)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#exit = once(this.#child, 'exit').then(() => this.#emit())
    this.#child.stderr!.on('data', (text) => {
      this.errors += String(text)
    })
    createInterface({ input: this.#child.stdout! }).on('line', (line) => {
      const fact = JSON.parse(line) as Fact
      this.#facts.push(fact)
      if (fact.type === 'progress') this.lastProgressAt = Date.now()
      this.#emit()
    })
  }

  get pid(): number {
    return this.#child.pid!
  }

  get wasKilled(): boolean {
    return this.#child.signalCode === 'SIGKILL'
  }

  async environment(): Promise<CaptureEnvironment> {
    return this.#when((facts) => facts.flatMap((fact) => (fact.type === 'environment' ? [fact.environment] : []))[0])
  }

  async recorded(seconds: number): Promise<void> {
    await this.#when((facts) => facts.some((fact) => fact.type === 'progress' && fact.seconds >= seconds) || undefined)
  }

  /** Its last message, or null if there was none. */
  async end(): Promise<Extract<Fact, { type: 'end' }> | null> {
    const late = sleep(PATIENCE_MS, 'late', { ref: false })
    if ((await Promise.race([this.#exit, late])) === 'late') throw new Error('The bot did not end')
    return this.#facts.find((fact) => fact.type === 'end') ?? null
  }

  async dispose(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.kill('SIGKILL')
    await this.#exit
  }

  #emit(): void {
    for (const listener of this.#listeners) listener()
  }

  async #when<Found>(find: (facts: readonly Fact[]) => Found | undefined): Promise<Found> {
    for (;;) {
      const found = find(this.#facts)
      if (found !== undefined) return found
      if (this.#child.exitCode !== null || this.#child.signalCode !== null)
        throw new Error(`The bot ended: ${this.errors.trim().split('\n').at(-1)}`)
      await new Promise<void>((resolve) => {
        const listener = () => {
          this.#listeners.delete(listener)
          resolve()
        }
        this.#listeners.add(listener)
      })
    }
  }
}

/** As an operator does it. */
async function recover(workFolder: string, server: S3Server | null): Promise<void> {
  await run(process.execPath, [join(packageRoot, 'src/cli/index.ts'), 'recover', workFolder], {
    env: { ...process.env, ...(server && variablesOf(server)) },
    timeout: PATIENCE_MS,
  })
}

/** A file system of few megabytes; null if none may be mounted. */
async function smallDisk(folder: string): Promise<string | null> {
  mkdirSync(folder, { recursive: true })
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', folder])
    return folder
  } catch {
    return null
  }
}

/** The first part of a crashed process's last message. The log has the whole message. */
function inShort(sentence: string | null | undefined): string {
  return (sentence ?? '').split(': ')[0]!
}

function soon(): AbortSignal {
  return AbortSignal.timeout(PATIENCE_MS)
}
