/**
 * Live sound, both ways: the meeting's sound and who speaks go to `streaming.output`; what comes from `streaming.input`
 * (and back from the output) is spoken into the meeting. Nothing here can hold up the meeting or its recording.
 */
import type { LookupFunction } from 'node:net'
import type { Person, StreamingUsage } from '@standin/wire/events.ts'
import { jsonText } from '@standin/wire/text/json-text.ts'
import { backoff } from '@standin/wire/time/backoff.ts'
import { aborted, endsWithin } from '@standin/wire/time/deadline.ts'
import { BotError } from '../../packages/core/errors.ts'
import type { Logger } from '../../packages/core/logger.ts'
import type { CapturedAudio, CaptureEnvironment, Clock, Mouth, Streaming } from '../../packages/core/ports.ts'
import { restartLoop } from '../../packages/core/process/restart-loop.ts'
import type { Supervised } from '../../packages/core/process/supervised.ts'
import {
  asksToClear,
  type Handshake,
  MESSAGE_MS,
  messageBytes,
  PROTOCOL_VERSION,
  type SpeakerMessage,
} from './messages.ts'
import { Outlet } from './outlet.ts'
import { captureSink, createCutter } from './pulse.ts'
import { hostOf, SOCKET_TIMING, type SocketTiming, StreamSocket } from './socket.ts'
import { SteadySound } from './steady-sound.ts'

export interface StreamingOptions {
  input: string | null
  output: string | null
  /** Samples per second. */
  sampleRate: number
  /** Speaks what comes in; at the same rate. */
  mouth: Mouth
  /** The meeting's sound comes from its page, by `onMix`; otherwise, or if the page stays silent, from the sound server. */
  hearsPage?: boolean
  /** How long the first connections are tried for. Milliseconds. */
  setUpMs: number
  /** Whether an address that cannot be reached is a failure, or only a notice. */
  isRequired: boolean
  botId: string
  /** For what ffmpeg wants to write. */
  folder: string
  clock: Clock
  logger: Logger
  /** Sends a notice of one sentence to the bot's events. */
  notice(message: string): void
  timing?: Partial<SocketTiming>
  /** How addresses are resolved; where private ones are refused, this refuses them. */
  dialing?: { lookup?: LookupFunction }
  /** Replaced by tests that have no sound server. */
  sound?: { capture: typeof captureSink }
}

export { createMouth } from './mouth.ts'
export { captureSink }

/** A sound process that exited is restarted after this; it exits with the sound server, whose restart takes some time. */
const SOUND_RETRY_MS = 2_000

/** Milliseconds between two notices about lost sockets; the pauses double. */
const NOTICE_PAUSES = { first: 30_000, max: 600_000 }

/**
 * If the sound server had sound for so long while the page's tracks were silent, at once or in all turns of one person
 * who spoke alone, the page plays its sound in another way. Longer than a chime of the page, and than the recorder takes to report silence.
 */
const DEAF_MS = 6_000
const WATCH_EVERY_MS = 500
/** A piece of the page's sound arrives within this. */
const LATE_MS = 300

export interface HearingStreaming extends Streaming {
  /** Receives sound captured in the meeting's page; none is sent before `start`. */
  onMix(sound: CapturedAudio): void
  /** Whether the recorder captures sound; `at` in UTC milliseconds. */
  noteCapture(isAudible: boolean, at: number): void
}

export function createStreaming(options: StreamingOptions): HearingStreaming {
  return new LiveStreaming(options)
}

class LiveStreaming implements HearingStreaming {
  readonly #options: StreamingOptions
  readonly #over = new AbortController()
  readonly #sockets: StreamSocket[] = []
  readonly #speaking = new Map<number, SpeakerMessage>()
  #output: StreamSocket | null = null
  #outlet: Outlet | null = null
  #isPaused = false
  /** Messages of sound since the start, sent or not. */
  #heard = 0
  /** Null while the sound server is streamed. */
  #page: SteadySound | null = null
  /** Since when the sound server has sound; null while it is silent. */
  #audibleSince: number | null = null

  constructor(options: StreamingOptions) {
    this.#options = options
  }

  onMix(sound: CapturedAudio): void {
    this.#page?.add(sound)
  }

  noteCapture(isAudible: boolean, at: number): void {
    this.#audibleSince = isAudible ? (this.#audibleSince ?? at) : null
  }

  async connect(signal: AbortSignal): Promise<void> {
    const { input, output, mouth, clock, logger, setUpMs } = this.#options
    const parts = {
      clock,
      logger,
      timing: { ...SOCKET_TIMING, ...this.#options.timing },
      dialing: this.#options.dialing ?? {},
    }
    const common = {
      onSound: (samples: Buffer) => mouth.stream(samples),
      onText: (text: string) => {
        if (asksToClear(text)) mouth.clear().catch((error) => logger.warn('The queue was not cleared', { error }))
      },
    }
    if (output !== null) {
      const onLost = this.#noticeOfLosses(output)
      const socket = new StreamSocket(output, { ...common, onLost, onOpen: () => this.#greet(socket, true) }, parts)
      this.#output = socket
      this.#outlet = new Outlet(socket)
      this.#sockets.push(socket)
    }
    if (input !== null && input !== output) {
      const onLost = this.#noticeOfLosses(input)
      const socket = new StreamSocket(input, { ...common, onLost, onOpen: () => this.#greet(socket, false) }, parts)
      this.#sockets.push(socket)
    }
    const isOver = aborted(AbortSignal.any([signal, this.#over.signal]))
    const settled = Promise.race([Promise.all(this.#sockets.map(({ whenLasting }) => whenLasting)), isOver])
    if (await endsWithin(clock, setUpMs, settled)) return
    // Those that opened at last may last.
    const areOpen = this.#sockets.every(({ isOpen, hasLasted }) => isOpen || hasLasted)
    if (areOpen && (await endsWithin(clock, parts.timing.lastsMs, settled))) return
    const reasons = this.#sockets
      .filter(({ hasLasted }) => !hasLasted)
      .map(({ host, lastReason }) => `${host}: ${lastReason}`)
    const sentence = `The streaming sockets did not open and stay open within ${setUpMs / 1000} s (${reasons.join('; ')}).`
    if (this.#options.isRequired) throw new BotError('STREAMING_SETUP_FAILED', sentence, { step: 'streaming' })
    this.#options.notice(sentence)
  }

  async start(environment: CaptureEnvironment): Promise<void> {
    if (this.#outlet === null) return
    if (this.#options.hearsPage === true) void this.#forwardPageAudio(environment)
    else void this.#keepHearing(environment)
  }

  onSpeaker(person: Person, isSpeaking: boolean, at: number): void {
    const message = { name: person.name, id: person.id, timestamp: at / 1000, isSpeaking }
    if (isSpeaking) this.#speaking.set(person.id, message)
    else if (!this.#speaking.delete(person.id)) return
    if (!this.#isPaused) this.#output?.send(jsonText([message]))
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#emitSpeakers()
  }

  usage(): StreamingUsage {
    return {
      input_seconds: this.#options.mouth.figures.playedSeconds,
      output_seconds: this.#outlet?.figures.sentSeconds ?? 0,
    }
  }

  async close(): Promise<void> {
    this.#over.abort()
    await Promise.all(this.#sockets.map((socket) => socket.close()))
    const figures = { ...this.#outlet?.figures, ...this.#options.mouth.figures }
    this.#options.logger.info('Streaming ends', figures)
  }

  /** The first loss is told at once, those that follow together, ever less often. */
  #noticeOfLosses(address: string): (reason: string) => void {
    const { clock, notice } = this.#options
    let [losses, notices, lastAt] = [0, 0, 0]
    return (reason) => {
      losses++
      const now = clock.now()
      if (notices > 0 && now - lastAt < backoff({ ...NOTICE_PAUSES, jitter: 0 }, notices)) return
      const count = losses > 1 ? ` It was lost ${losses} times since the last notice.` : ''
      notice(`The streaming socket of ${hostOf(address)} was lost: ${reason}.${count}`)
      ;[losses, notices, lastAt] = [0, notices + 1, now]
    }
  }

  #greet(socket: StreamSocket, isOutput: boolean): void {
    const { botId, sampleRate } = this.#options
    const handshake: Handshake = {
      protocol_version: PROTOCOL_VERSION,
      bot_id: botId,
      offset: (this.#heard * MESSAGE_MS) / 1000,
      sample_rate: sampleRate,
    }
    socket.send(jsonText(handshake))
    if (isOutput) this.#emitSpeakers()
  }

  #emitSpeakers(): void {
    if (this.#speaking.size > 0) this.#output?.send(jsonText([...this.#speaking.values()]))
  }

  /** Streams the page's sound for as long as it is the meeting's. */
  async #forwardPageAudio(environment: CaptureEnvironment): Promise<void> {
    const { mouth, clock, logger, sampleRate, notice } = this.#options
    const cut = createCutter(messageBytes(sampleRate), (message) => this.#send(message))
    const deaf = new AbortController()
    const { signal } = this.#over
    const page = new SteadySound(sampleRate, cut)
    this.#page = page
    const running = page.run(clock, AbortSignal.any([deaf.signal, signal]))
    // The sound server plays the bot's own voice too.
    let spokeAt = 0
    /** Of each person's turns without sound of the page: milliseconds. */
    const unheard = new Map<number, number>()
    let alone: { id: number | null; since: number } = { id: null, since: 0 }
    while (!signal.aborted && !deaf.signal.aborted) {
      await clock.sleep(WATCH_EVERY_MS, signal).catch(() => {})
      const now = clock.now()
      if (mouth.isOpen) spokeAt = now
      const silentSince = Math.max(this.#audibleSince ?? now, page.lastHeardAt ?? 0, spokeAt)
      const id = this.#speaking.size === 1 && spokeAt !== now ? [...this.#speaking.keys()][0]! : null
      if (id !== alone.id) alone = { id, since: now }
      // What the one before said may still arrive.
      else if (id !== null && (page.lastHeardAt ?? 0) > alone.since + LATE_MS) unheard.delete(id)
      else if (id !== null && this.#audibleSince !== null) unheard.set(id, (unheard.get(id) ?? 0) + WATCH_EVERY_MS)
      if (now - silentSince >= DEAF_MS || Math.max(0, ...unheard.values()) >= DEAF_MS) deaf.abort()
    }
    await running
    this.#page = null
    if (signal.aborted) return
    const sentence = 'The page plays the meeting in a way that its tracks do not carry'
    logger.warn(sentence)
    notice(`${sentence}: the live sound comes from the sound server now, some hundredths of a second later.`)
    await this.#keepHearing(environment)
  }

  #send(message: Buffer): void {
    this.#heard++
    if (!this.#isPaused) this.#outlet?.push(message)
  }

  #keepHearing(environment: CaptureEnvironment): Promise<void> {
    const { sampleRate, folder, sound = { capture: captureSink } } = this.#options
    const send = (message: Buffer) => this.#send(message)
    return this.#keep('The sound for streaming', () => sound.capture(environment, sampleRate, folder, send))
  }

  #keep(what: string, start: () => Promise<Supervised>): Promise<void> {
    const { clock, logger } = this.#options
    const onBroken = (reason: string) => logger.warn(`${what} broke off`, { reason })
    return restartLoop({ start, retryMs: SOUND_RETRY_MS, clock, signal: this.#over.signal, onBroken })
  }
}
