/** The recognizers of a machine, each a process with one thread, and the queue of turns in front of them. */
import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { extname, join } from 'node:path'
import { CHILD_PATH } from '@standin/wire/process/child-path.ts'
import type { EngineText } from './engine.ts'

/** Ends of live turns come first, then texts of open turns, then stored recordings. */
export const URGENCIES = ['live', 'partial', 'stored'] as const
export type Urgency = (typeof URGENCIES)[number]

export interface RecognizerOptions {
  /** A package or the path of a module. */
  engine: string
  models: string
  /** Processes; absent: half of the cores. */
  count?: number
  /** A process with more memory is replaced between two turns. Bytes. */
  maxMemory?: number
  /** A process that had nothing to do for so long gives its memory back, unless it is held. */
  idleMs?: number
  /** After which partial texts are left out, and after which the end of a live turn is given up. */
  lateMs?: number
  tooLateMs?: number
  /** A process that gives no answer for so long is ended, as if it had crashed. */
  turnMs?: number
}

interface Job {
  samples: Float32Array
  urgency: Urgency
  since: number
  isRetried: boolean
  resolve(text: EngineText | null): void
  reject(error: Error): void
}

/** The model cannot be used at all; the sentence is for the operator. */
export class UnusableModel extends Error {}

/** The end of a live turn has no words in time: its meeting is recognized afterwards. */
export class TooLate extends Error {}

/** A large model on a slow disk. */
const LOAD_MS = 120_000
const MAX_MEMORY = 600_000_000
/** Texts of open turns are left out while the end of a turn has waited so long. */
const LATE_MS = 3_000
/** Live words that come later are of no use to those who read along. */
const TOO_LATE_MS = 10_000
/** A turn of half a minute takes a few seconds on a free core. */
const TURN_MS = 5 * 60_000
/** A loaded model takes more memory than all else of a service. */
const IDLE_MS = 5 * 60_000
/** Between two starts after a crash. */
const PAUSE_MS = 1_000
/** sherpa ends the process if the files are no model of the kind that their names say, and aborts it if they are damaged. */
const FAULTS: ReadonlySet<string> = new Set(['SIGABRT', 'SIGSEGV', 'SIGILL', 'SIGBUS', 'SIGFPE'])
/** Before its reason: file, function and line of sherpa, or the name of the exception. */
const SOURCE = /^(?:.*what\(\):\s*|\S+\.(?:cc|h):\S*?\d+:?\s*)/
const PROCESS = join(import.meta.dirname, `recognizer-process${extname(import.meta.filename)}`)

export class Recognizers {
  readonly #options: RecognizerOptions
  readonly #queues: Record<Urgency, Job[]> = { live: [], partial: [], stored: [] }
  readonly #workers: Worker[]
  #holders = 0
  #isClosed = false
  /** For `/metrics`. */
  readonly counts = { turns: 0, seconds: 0, busyMs: 0, dropped: 0, renewed: 0, crashed: 0, tooLate: 0 }

  constructor(options: RecognizerOptions) {
    this.#options = options
    const count = options.count ?? Math.max(1, Math.floor(availableParallelism() / 2))
    this.#workers = Array.from({ length: count }, () => new Worker(options))
  }

  /** Resolves when one recognizer has loaded its model. Rejects with UnusableModel. */
  async ready(): Promise<void> {
    await this.#workers[0]!.start()
  }

  /** A live session: the model is loaded when its first turn ends, and stays so until the result is called. */
  hold(): () => void {
    this.#holders++
    for (const worker of this.#workers) clearTimeout(worker.idle)
    // A model that cannot be loaded is the answer to the first turn.
    void this.ready().catch(() => {})
    return () => {
      this.#holders--
      for (const worker of this.#workers) if (!worker.isBusy) this.#rest(worker)
    }
  }

  /** Milliseconds that the oldest turn of this kind has waited. */
  waited(urgency: Urgency): number {
    const first = this.#queues[urgency][0]
    return first === undefined ? 0 : performance.now() - first.since
  }

  get memory(): number {
    return this.#workers.reduce((sum, worker) => sum + worker.memory, 0)
  }

  /**
   * Null: the text of an open turn for which there is no time. Rejects with TooLate, and if a turn ends two processes, and
   * after `close`.
   */
  recognize(samples: Float32Array, urgency: Urgency, signal: AbortSignal): Promise<EngineText | null> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed || signal.aborted) {
        reject(new Error('The recognizer is closed.'))
        return
      }
      const leave = (reason: Error) => {
        const at = this.#queues[urgency].indexOf(job)
        if (at !== -1) this.#queues[urgency].splice(at, 1)
        job.reject(reason)
      }
      const onAbort = () => leave(signal.reason)
      const onLate = () => {
        this.counts.tooLate++
        leave(new TooLate('Speech is recognized more slowly here than it is spoken.'))
      }
      const { tooLateMs = TOO_LATE_MS } = this.#options
      const timer = urgency === 'live' ? setTimeout(onLate, tooLateMs).unref() : undefined
      // A live session has one signal for all of its turns.
      const settled =
        <T>(settle: (value: T) => void) =>
        (value: T) => {
          signal.removeEventListener('abort', onAbort)
          clearTimeout(timer)
          settle(value)
        }
      const since = performance.now()
      const job = { samples, urgency, since, isRetried: false, resolve: settled(resolve), reject: settled(reject) }
      this.#queues[urgency].push(job)
      signal.addEventListener('abort', onAbort, { once: true })
      this.#next()
    })
  }

  close(): void {
    this.#isClosed = true
    for (const worker of this.#workers) {
      clearTimeout(worker.idle)
      worker.stop()
    }
    for (const queue of Object.values(this.#queues))
      for (const job of queue.splice(0)) job.reject(new Error('The recognizer is closed.'))
  }

  #take(): Job | undefined {
    const { live, partial, stored } = this.#queues
    if (this.waited('live') > (this.#options.lateMs ?? LATE_MS))
      for (const job of partial.splice(0)) {
        this.counts.dropped++
        job.resolve(null)
      }
    return live.shift() ?? partial.shift() ?? stored.shift()
  }

  #next(): void {
    const worker = this.#workers.find(({ isBusy }) => !isBusy)
    if (worker === undefined || this.#isClosed) return
    const job = this.#take()
    if (job !== undefined) void this.#run(worker, job)
  }

  async #run(worker: Worker, job: Job): Promise<void> {
    worker.isBusy = true
    clearTimeout(worker.idle)
    const from = performance.now()
    try {
      const text = await worker.recognize(job.samples)
      this.counts.turns++
      this.counts.seconds += job.samples.length / 16_000
      this.counts.busyMs += performance.now() - from
      job.resolve(text)
      if (worker.memory > (this.#options.maxMemory ?? MAX_MEMORY)) {
        this.counts.renewed++
        worker.stop()
      }
    } catch (error) {
      if (error instanceof UnusableModel || job.isRetried || this.#isClosed) job.reject(error as Error)
      else {
        this.counts.crashed++
        job.isRetried = true
        this.#queues[job.urgency].unshift(job)
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref())
      }
    } finally {
      worker.isBusy = false
      this.#rest(worker)
      this.#next()
    }
  }

  #rest(worker: Worker): void {
    clearTimeout(worker.idle)
    if (this.#holders > 0) return
    worker.idle = setTimeout(() => worker.stop(), this.#options.idleMs ?? IDLE_MS).unref()
  }
}

type Message =
  | { type: 'ready' }
  | { type: 'failed'; message: string }
  | { type: 'text'; text: EngineText | { problem: string }; memory: number }

class Worker {
  readonly #options: RecognizerOptions
  #child: Promise<ChildProcess> | null = null
  #running: ChildProcess | null = null
  #answer: ((message: Message | Error) => void) | null = null
  isBusy = false
  idle: NodeJS.Timeout | undefined
  memory = 0

  constructor(options: RecognizerOptions) {
    this.#options = options
  }

  start(): Promise<ChildProcess> {
    this.#child ??= this.#start()
    return this.#child
  }

  async recognize(samples: Float32Array): Promise<EngineText> {
    const child = await this.start()
    const limit = setTimeout(() => child.kill('SIGKILL'), this.#options.turnMs ?? TURN_MS).unref()
    const answer = await new Promise<Message | Error>((resolve) => {
      this.#answer = resolve
      child.send({ samples }, (error) => error && resolve(error))
    })
    clearTimeout(limit)
    this.#answer = null
    if (answer instanceof Error) throw answer
    if (answer.type !== 'text') throw new Error('The recognizer gave no answer.')
    this.memory = answer.memory
    if ('problem' in answer.text) throw new Error(answer.text.problem)
    return answer.text
  }

  stop(): void {
    const child = this.#running
    this.#forget()
    child?.kill('SIGKILL')
  }

  #forget(): void {
    this.#child = null
    this.#running = null
    this.memory = 0
  }

  #start(): Promise<ChildProcess> {
    const { engine, models } = this.#options
    const started = Promise.withResolvers<ChildProcess>()
    const child = fork(PROCESS, [engine, models], {
      // It does not inherit our environment, which may hold secrets.
      env: { PATH: CHILD_PATH, LC_ALL: 'C.UTF-8' },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
    })
    this.#running = child
    let lastLine = ''
    child.stderr!.on('data', (data: Buffer) => {
      lastLine = (lastLine + data).trim().split('\n').at(-1)!.slice(-300)
    })
    let isReady = false
    const fail = (error: Error) => {
      clearTimeout(timer)
      started.reject(error)
      this.#answer?.(error)
      if (this.#running === child) this.#forget()
      child.kill('SIGKILL')
    }
    const timer = setTimeout(() => fail(new Error('The speech engine did not start in time.')), LOAD_MS)
    child.on('error', (error) => fail(new Error(`The speech engine could not be started: ${error.message}`)))
    child.on('exit', (code, signal) => {
      const why = lastLine.replace(SOURCE, '').trim()
      if (!isReady && (signal === null || FAULTS.has(signal)))
        return fail(
          new UnusableModel(
            `The speech engine ${engine} cannot load the model in ${models}: ${why || (signal ?? code)}`,
          ),
        )
      fail(new Error(`The speech engine ended (${signal ?? code}) ${why}`.trim()))
    })
    child.on('message', (message: Message) => {
      if (message.type === 'failed')
        return fail(new UnusableModel(`The speech engine cannot be used: ${message.message}`))
      if (message.type === 'text') return this.#answer?.(message)
      isReady = true
      clearTimeout(timer)
      started.resolve(child)
    })
    return started.promise
  }
}
