/** Recognition without a network: an engine in a separate process, with a model that the operator installed. */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { extname, isAbsolute, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { CHILD_PATH } from '@standin/wire/process/child-path.ts'
import { ProviderError } from '../providers/provider-error.ts'
import { type OpenSession, openTurns, type SessionListener } from '../turn-connection.ts'
import type { Recognized, SpeechProvider, Word } from '../types.ts'
import { findModel } from './sherpa.ts'

export interface LocalOptions {
  /** The folder of a model. */
  models: string
  /** A package or the path of a module. */
  engine: string
}

const SAMPLE_RATE = 16_000
/** A large model on a slow disk. */
const LOAD_MS = 120_000
/** Turns that wait for the engine while a file is recognized. */
const MAX_AHEAD = 2
/** Of a turn of half a minute, on a machine that is slower than speech. */
const FILE_PATIENCE_MS = 10 * 60_000
const MESSAGE_BYTES = (SAMPLE_RATE / 10) * 2
/** The engine's process, beside this file, in whichever form this file has. */
const PROCESS = join(import.meta.dirname, `engine-process${extname(import.meta.filename)}`)

/** Why this engine cannot work here, in one sentence; null if it can, as far as is known without starting it. */
export function localProblem({ models, engine }: LocalOptions): string | null {
  try {
    if (engine === 'sherpa-onnx-node') findModel(models)
    else if (!existsSync(models)) return `The folder of speech models does not exist: ${models}`
    createRequire(import.meta.url).resolve(engine)
    return null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') return (error as Error).message
    const cure = isAbsolute(engine) ? 'check STANDIN_SPEECH_ENGINE' : `install it: npm install ${engine}`
    return `The speech engine ${engine} is not installed; ${cure}.`
  }
}

/** The process, started for the first session and again after its death. */
class EngineProcess {
  readonly #options: LocalOptions
  readonly #sessions = new Map<number, SessionListener>()
  #child: Promise<ChildProcess> | null = null
  /** The same, from its first moment on. */
  #running: ChildProcess | null = null
  #count = 0

  constructor(options: LocalOptions) {
    this.#options = options
  }

  readonly open: OpenSession = async (listener, signal) => {
    this.#child ??= this.#start()
    const child = await this.#child
    signal.throwIfAborted()
    const session = ++this.#count
    this.#sessions.set(session, listener)
    const send = (event: object) => void (child.connected && child.send({ session, event }))
    return {
      endsAt: Number.POSITIVE_INFINITY,
      send,
      ping: () => {},
      close: () => {
        if (!this.#sessions.delete(session)) return
        send({ type: 'close' })
        // An engine without sessions costs its whole memory.
        if (this.#sessions.size === 0) this.#stop(child)
      },
    }
  }

  #stop(child: ChildProcess): void {
    this.#child = null
    this.#running = null
    child.disconnect()
    child.kill('SIGKILL')
  }

  #start(): Promise<ChildProcess> {
    const { engine, models } = this.#options
    const started = Promise.withResolvers<ChildProcess>()
    // It does not inherit our environment, which may hold secrets.
    const env = { PATH: CHILD_PATH, LC_ALL: 'C.UTF-8' }
    const child = fork(PROCESS, [engine, models], { env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
    this.#running = child
    let lastLine = ''
    child.stderr!.on('data', (data: Buffer) => {
      lastLine = (lastLine + data).trim().split('\n').at(-1)!.slice(-300)
    })
    const fail = (reason: string, isTransient: boolean) => {
      if (this.#running !== child) return
      this.#child = null
      this.#running = null
      clearTimeout(timer)
      child.kill('SIGKILL')
      started.reject(new ProviderError(reason, { isTransient }))
      const lost = [...this.#sessions.values()]
      this.#sessions.clear()
      for (const listener of lost) listener.onLost(reason)
    }
    const timer = setTimeout(() => fail('the speech engine did not start in time', true), LOAD_MS)
    child.on('error', (error) => fail(`the speech engine could not be started: ${error.message}`, false))
    child.on('exit', (code, signal) => fail(`the speech engine ended (${signal ?? code}) ${lastLine}`.trim(), true))
    child.on(
      'message',
      ({ session, event }: { session: number; event: { type: string; message?: string; sampleRate?: number } }) => {
        if (session !== 0) this.#sessions.get(session)?.onEvent(event)
        else if (event.type === 'failed') fail(`the speech engine cannot be used: ${event.message}`, false)
        else if (event.sampleRate !== SAMPLE_RATE) fail(`the speech engine does not take ${SAMPLE_RATE} Hz`, false)
        else {
          clearTimeout(timer)
          started.resolve(child)
        }
      },
    )
    return started.promise
  }
}

export function createLocal(options: LocalOptions): SpeechProvider {
  const live = new EngineProcess(options)
  return {
    name: 'local',
    live: {
      sampleRate: SAMPLE_RATE,
      open: (listener, signal) => openTurns(live.open, { sampleRate: SAMPLE_RATE, language: null }, listener, signal),
    },
    afterwards: { maxSeconds: Number.POSITIVE_INFINITY, transcribe },
  }

  async function transcribe(file: string, signal: AbortSignal): Promise<Recognized> {
    const words: Word[] = []
    const raw: unknown[] = []
    const lost = Promise.withResolvers<never>()
    lost.promise.catch(() => {})
    let language: string | null = null
    const turns = await openTurns(
      new EngineProcess(options).open,
      { sampleRate: SAMPLE_RATE, language: null, patienceMs: FILE_PATIENCE_MS },
      {
        heard(heard) {
          if (!heard.isFinal) return
          words.push(...heard.words)
          raw.push(heard.raw)
          language ??= heard.language
        },
        lost: (reason) => lost.reject(new ProviderError(reason, { isTransient: false })),
      },
      signal,
    )
    try {
      const feed = async () => {
        for await (const message of soundOf(file, signal)) {
          turns.send(message)
          while (turns.waiting > MAX_AHEAD) await delay(20, undefined, { signal })
        }
        if (!(await turns.finish(AbortSignal.any([signal, AbortSignal.timeout(FILE_PATIENCE_MS)]))))
          throw new ProviderError('the speech engine did not give all words', { isTransient: false })
      }
      await Promise.race([feed(), lost.promise])
      return { raw, words, language }
    } finally {
      turns.close()
    }
  }
}

/** The sound of a file as live sound comes: a tenth of a second each. */
async function* soundOf(file: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const format = ['-f', 's16le', '-ar', String(SAMPLE_RATE), '-ac', '1', 'pipe:1']
  const args = ['-v', 'error', '-nostdin', '-i', file, ...format]
  const child = spawn('ffmpeg', args, { env: { PATH: CHILD_PATH }, stdio: ['ignore', 'pipe', 'ignore'], signal })
  const ended = new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(null))
    child.on('close', resolve)
  })
  let rest: Buffer = Buffer.alloc(0)
  for await (const bytes of child.stdout) {
    rest = rest.byteLength === 0 ? bytes : Buffer.concat([rest, bytes])
    for (; rest.byteLength >= MESSAGE_BYTES; rest = rest.subarray(MESSAGE_BYTES)) yield rest.subarray(0, MESSAGE_BYTES)
  }
  if ((await ended) !== 0) throw new ProviderError('the sound could not be decoded', { isTransient: false })
  if (rest.byteLength > 1) yield rest
}
