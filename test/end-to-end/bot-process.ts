/** A whole bot in its own process, as `standin join` runs it, against a mock meeting; with its events as they come. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import type { BotEvent, FinalReport, NumberedEvent, Transcript } from '@standin/wire/events.ts'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'
import type { MockPlatformName } from '../../packages/mock/index.ts'
import type { MockMeeting, MockServer } from '../../packages/mock/types.ts'

const PATIENCE_MS = 90_000

export class BotProcess {
  readonly botId = randomUUID()
  readonly events: NumberedEvent[] = []
  /** Words that were still to change. */
  readonly partials: Transcript[] = []
  readonly process: ChildProcess
  readonly exitCode: Promise<number | null>
  readonly #out: string
  #errors = ''
  #listeners = new Set<() => void>()

  constructor(
    server: MockServer,
    meeting: MockMeeting,
    options: {
      out: string
      arguments?: string[]
      job?: Record<string, unknown>
      environment?: Record<string, string>
      /** Default: the sources, as they are. */
      program?: readonly [string, ...string[]]
    },
  ) {
    this.#out = options.out
    const job = {
      bot_id: this.botId,
      meeting_url: meeting.url,
      storage: { type: 'folder', path: options.out },
      ...options.job,
    }
    const mappings = server.hosts.flatMap((host) => ['--map-host', `${host}=${server.address}`])
    const [command, ...before] = options.program ?? [process.execPath, join(packageRoot, 'src/cli/index.ts')]
    this.process = spawn(command, [...before, 'join', '--json', ...mappings, ...(options.arguments ?? [])], {
      env: {
        ...process.env,
        // The servers of the tests are on this machine.
        STANDIN_PRIVATE_ADDRESSES: 'allow',
        ...options.environment,
        STANDIN_JOB: JSON.stringify(job),
        STANDIN_LOG_LEVEL: 'debug',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.exitCode = once(this.process, 'exit').then(([code]) => code as number | null)
    this.process.stderr!.on('data', (chunk) => {
      this.#errors += String(chunk)
    })
    createInterface({ input: this.process.stdout! }).on('line', (line) => {
      const reported = JSON.parse(line) as NumberedEvent | { type: 'partial_transcript'; transcript: Transcript }
      if (reported.type === 'event') this.events.push(reported)
      else this.partials.push(reported.transcript)
      for (const listener of this.#listeners) listener()
    })
    void this.exitCode.then(() => {
      for (const listener of this.#listeners) listener()
    })
  }

  /** The recording's folder. */
  get folder(): string {
    return join(this.#out, this.botId)
  }

  /** Such as `video.mp4`. */
  file(name: string): string {
    return join(this.folder, name)
  }

  /** The same file while it is written, which plays as far as it goes. */
  growing(name: string): string {
    const entry = readdirSync(this.file('spool')).find((found) => found.startsWith(name))
    return this.file(`spool/${entry}/growing`)
  }

  json<T = unknown>(name: string): T {
    return JSON.parse(readFileSync(this.file(name), 'utf8')) as T
  }

  lines<T = unknown>(name: string): T[] {
    const text = readFileSync(this.file(name), 'utf8').trim()
    return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line) as T)
  }

  files(): string[] {
    return readdirSync(this.folder).sort()
  }

  /** Lines of the bot's log with this message, the oldest first. */
  logged(message: string): Record<string, unknown>[] {
    return this.lines<Record<string, unknown>>('standin.log').filter((line) => line.message === message)
  }

  statuses(): string[] {
    return this.events.flatMap(({ event }) => (event.type === 'status_change' ? [event.status] : []))
  }

  /** The first event that fits, past or to come; rejects with what was seen when the bot ends or time runs out. */
  whenEvent<T extends BotEvent['type']>(
    type: T,
    fits: (event: Extract<BotEvent, { type: T }>) => boolean = () => true,
    patienceMs = PATIENCE_MS,
  ): Promise<NumberedEvent & { event: Extract<BotEvent, { type: T }> }> {
    const find = () =>
      this.events.find(({ event }) => event.type === type && fits(event as Extract<BotEvent, { type: T }>)) as
        | (NumberedEvent & { event: Extract<BotEvent, { type: T }> })
        | undefined
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => end(() => reject(this.#unmet(type))), patienceMs)
      const look = () => {
        const found = find()
        if (found) end(() => resolve(found))
        else if (this.process.exitCode !== null) end(() => reject(this.#unmet(type)))
      }
      const end = (settle: () => void) => {
        clearTimeout(timer)
        this.#listeners.delete(look)
        settle()
      }
      this.#listeners.add(look)
      look()
    })
  }

  whenStatus(status: string): Promise<unknown> {
    return this.whenEvent('status_change', (event) => event.status === status)
  }

  /** The process's exit, its code, and its last word. Rejects if a signal ended the process. */
  async ended(): Promise<{ exitCode: number; report: FinalReport | undefined }> {
    const exitCode = await this.exitCode
    if (exitCode === null)
      throw new Error(`The bot was ended by ${this.process.signalCode}.\n${this.#errors.slice(-4000)}`)
    const report = this.events.find(({ event }) => event.type === 'final_report')?.event as FinalReport | undefined
    return { exitCode, report }
  }

  kill(signal: NodeJS.Signals): void {
    this.process.kill(signal)
  }

  /** Pids of the bot's descendants whose command line contains `text`. */
  children(text: string): number[] {
    return descendants(this.process.pid!).filter((pid) => commandLine(pid).includes(text))
  }

  /** For the end of a test that failed in the middle. */
  async dispose(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      this.process.kill('SIGKILL')
      await this.exitCode
    }
  }

  #unmet(type: string): Error {
    const seen = this.events.map(({ event }) => ('status' in event ? `${event.type}:${event.status}` : event.type))
    return new Error(`No fitting ${type} came.\nSeen: ${seen.join(', ')}\n${this.#errors.slice(-4000)}`)
  }
}

/** Arguments with which a bot accepts a link of this mock: an operator's own Jitsi Meet server can have any name. */
export function platformArguments(platform: MockPlatformName, meeting: MockMeeting): string[] {
  return platform === 'jitsi' ? ['--jitsi-host', new URL(meeting.url).hostname] : []
}

export function descendants(root: number): number[] {
  const parents = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const stat = readOrEmpty(`/proc/${name}/stat`)
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    parents.set(parent, [...(parents.get(parent) ?? []), Number(name)])
  }
  const found: number[] = []
  const queue = [root]
  for (let pid = queue.shift(); pid !== undefined; pid = queue.shift()) {
    const children = parents.get(pid) ?? []
    found.push(...children)
    queue.push(...children)
  }
  return found
}

function commandLine(pid: number): string {
  return readOrEmpty(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Recovers what a bot left, as an operator does it. */
export async function recover(folder: string, environment: Record<string, string> = {}): Promise<void> {
  const program = join(packageRoot, 'src/cli/index.ts')
  await promisify(execFile)(process.execPath, [program, 'recover', folder], { env: { ...process.env, ...environment } })
}
