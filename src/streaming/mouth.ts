/** What the bot says: into the meeting through its microphone, and once into the recording. */
import { messageOf } from '@standin/wire/text/error-text.ts'
import type { Logger } from '../../packages/core/logger.ts'
import { CAPTURE_SAMPLE_RATE } from '../../packages/core/meeting/capture-sample-rate.ts'
import type { CaptureEnvironment, Clock, InMeeting, Mouth } from '../../packages/core/ports.ts'
import { restartLoop } from '../../packages/core/process/restart-loop.ts'
import type { Supervised } from '../../packages/core/process/supervised.ts'
import { CLOSE_AFTER_MS, Inlet, TURN_ENDS_AFTER_MS } from './inlet.ts'
import { BYTES_PER_SAMPLE, secondsOf } from './messages.ts'
import { speakIntoRecording } from './pulse.ts'

export interface MouthOptions {
  sampleRate: number
  /** For what ffmpeg wants to write. */
  folder: string
  clock: Clock
  logger: Logger
  /** Replaced by tests that have no sound server. */
  speak?: typeof speakIntoRecording
}

/** A sound process that exited is restarted after this; it exits with the sound server, whose restart takes some time. */
const RETRY_MS = 2_000

/** How late a page's voice is in the recording. */
const LEAD_MS = 150
const LEAD = Buffer.alloc((LEAD_MS * CAPTURE_SAMPLE_RATE * BYTES_PER_SAMPLE) / 1000)
/** Peak of a page's silence: -60 dBFS. */
const SILENCE = 32

export function createMouth(options: MouthOptions): Mouth {
  const { sampleRate, folder, clock, logger, speak = speakIntoRecording } = options
  const over = new AbortController()
  let inlet: Inlet | null = null
  let place: CaptureEnvironment | null = null
  let clears = 0
  let showsPage = false
  /** UTC milliseconds of the end of the page's latest piece. */
  let overheardUntil = 0
  let onTurn: (isSpeaking: boolean, at: number) => void = () => {}
  const turns = commonTurns((isSpeaking, at) => onTurn(isSpeaking, at))
  const said = intoRecording(sampleRate)
  const shown = intoRecording(CAPTURE_SAMPLE_RATE)
  const page = new PageTurns(clock, (isSpeaking, at) => turns('page', isSpeaking, at))

  /** A way into the recording, which starts when it is needed. */
  function intoRecording(rate: number) {
    let voice: Supervised | null = null
    let begun: Promise<void> | null = null
    /** Resolves when the first process runs, or could not be started. */
    function keep(environment: CaptureEnvironment): Promise<void> {
      const first = Promise.withResolvers<void>()
      // Where the meeting is streamed, the bot has a sink apart from the meeting's: the stream must not have its voice.
      const voiceSink = environment.voiceSink ?? environment.pulseSink
      const start = async () => {
        voice = await speak({ ...environment, voiceSink }, rate, folder).finally(first.resolve)
        // A pipe that broke: the process says why.
        voice.stdin!.on('error', (error) => logger.debug("The recording has not the bot's voice", { error }))
        return voice
      }
      const onBroken = (reason: string) => logger.warn("The bot's voice for the recording broke off", { reason })
      void restartLoop({ start, retryMs: RETRY_MS, clock, signal: over.signal, onBroken })
      return first.promise
    }
    return {
      async start() {
        if (place === null) return
        begun ??= keep(place)
        await begun
      },
      write(samples: Uint8Array) {
        if (voice?.stdin?.writable) voice.stdin.write(samples)
      },
      stop: () => voice?.stop(),
    }
  }

  return {
    sampleRate,
    get isStarted() {
      return inlet !== null
    },
    start(environment, meeting: InMeeting) {
      inlet = new Inlet({
        speaker: meeting,
        alsoHear: (samples) => said.write(Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)),
        onTurn: (isSpeaking, at) => turns('said', isSpeaking, at),
        ...{ sampleRate, clock, logger },
      })
      place = environment
      // The first word of a socket comes at any moment; a bot that says nothing needs no process.
      if (environment.voiceSink !== undefined) void said.start()
      if (showsPage) void shown.start()
    },
    prepare: () => void said.start(),
    stream: (sound) => inlet?.stream(sound),
    async play(sound) {
      const before = clears
      await said.start()
      return clears === before && inlet !== null ? inlet.play(sound) : 0
    },
    prepareToOverhear() {
      showsPage = true
      void shown.start()
    },
    overhear({ samples, at }) {
      if (inlet === null || over.signal.aborted) return
      const until = at + secondsOf(samples.byteLength, CAPTURE_SAMPLE_RATE) * 1000
      // Pieces come as they are played, unevenly: silence before the first keeps them together.
      if (at - overheardUntil > LEAD_MS) shown.write(LEAD)
      shown.write(samples)
      overheardUntil = until
      if (isAudible(samples)) page.hear(at, until, over.signal)
    },
    async clear() {
      clears++
      await inlet?.clear()
    },
    get isOpen() {
      return page.isOpen || (inlet?.isOpen ?? false)
    },
    onTurn(listener) {
      onTurn = listener
    },
    get figures() {
      return inlet?.figures ?? { playedSeconds: 0, refusedSeconds: 0 }
    },
    async close() {
      over.abort()
      await inlet?.close().catch((error) => logger.warn('The voice did not end in order', { error: messageOf(error) }))
      await Promise.all([said.stop(), shown.stop()])
    },
  }
}

/** The turn of a bot that says something while its page sounds is one. */
function commonTurns(onTurn: (isSpeaking: boolean, at: number) => void) {
  const speaking = new Set<'said' | 'page'>()
  return (source: 'said' | 'page', isSpeaking: boolean, at: number) => {
    const before = speaking.size
    if (isSpeaking) speaking.add(source)
    else speaking.delete(source)
    if (Math.min(before, speaking.size) === 0 && before !== speaking.size) onTurn(isSpeaking, at)
  }
}

/** The turns of a page, which sends no sound while it is silent. */
class PageTurns {
  readonly #clock: Clock
  readonly #onTurn: (isSpeaking: boolean, at: number) => void
  /** UTC milliseconds of the end of its latest sound. */
  #until = Number.NEGATIVE_INFINITY
  #isInTurn = false

  constructor(clock: Clock, onTurn: (isSpeaking: boolean, at: number) => void) {
    this.#clock = clock
    this.#onTurn = onTurn
  }

  get isOpen(): boolean {
    return this.#clock.now() - this.#until < CLOSE_AFTER_MS
  }

  hear(at: number, until: number, signal: AbortSignal): void {
    this.#until = until
    if (this.#isInTurn) return
    this.#isInTurn = true
    this.#onTurn(true, at)
    void this.#watch(signal)
  }

  async #watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#clock.now() - this.#until < TURN_ENDS_AFTER_MS)
      await this.#clock.sleep(TURN_ENDS_AFTER_MS / 5, signal).catch(() => {})
    this.#isInTurn = false
    this.#onTurn(false, this.#until)
  }
}

function isAudible(samples: Buffer): boolean {
  for (let at = 0; at + 1 < samples.byteLength; at += BYTES_PER_SAMPLE)
    if (Math.abs(samples.readInt16LE(at)) > SILENCE) return true
  return false
}
