/** Sound on its way in: taken as it comes, given to the meeting a little ahead of its time, and dropped when told. */
import type { Logger } from '../../packages/core/logger.ts'
import type { Clock, MeetingDriver } from '../../packages/core/ports.ts'
import { BYTES_PER_SAMPLE, secondsOf } from './messages.ts'

/** Sound beyond this queue is refused: an answer that is two minutes late is useless. */
export const MAX_QUEUED_SECONDS = 120
/** How far ahead of its time the page gets sound. Long enough for a busy machine, short enough to be interrupted. */
const AHEAD_SECONDS = 0.2
const PIECE_MS = 40
/** The microphone stays open between sentences. */
const CLOSE_AFTER_MS = 3_000

/** Where sound is played: the meeting's microphone, and the recording, which does not hear the microphone. */
interface Speaker extends Pick<MeetingDriver, 'playSound' | 'clearSound' | 'closeMicrophone'> {}

export interface InletParts {
  speaker: Speaker
  /** Hears each piece as it is played, so that the recording has the bot's own voice. */
  alsoHear(samples: Int16Array): void
  sampleRate: number
  clock: Clock
  logger: Logger
}

export class Inlet {
  readonly #parts: InletParts
  readonly #over = new AbortController()
  #queue: Buffer[] = []
  #queuedBytes = 0
  /** An odd byte at the end of a message belongs to the first sample of the next. */
  #oddByte: Buffer | null = null
  #refusedBytes = 0
  #playedBytes = 0
  #playing: Promise<void> | null = null
  #isOpen = false

  constructor(parts: InletParts) {
    this.#parts = parts
  }

  /** Sound of the bot is being played, or was within the last seconds. */
  get isSpeaking(): boolean {
    return this.#isOpen
  }

  get figures(): { playedSeconds: number; refusedSeconds: number } {
    const { sampleRate } = this.#parts
    return {
      playedSeconds: secondsOf(this.#playedBytes, sampleRate),
      refusedSeconds: secondsOf(this.#refusedBytes, sampleRate),
    }
  }

  /** Any amount of sound at any pace. */
  onMessage(message: Buffer): void {
    if (this.#over.signal.aborted) return
    const bytes = this.#oddByte === null ? message : Buffer.concat([this.#oddByte, message])
    const whole = bytes.byteLength - (bytes.byteLength % BYTES_PER_SAMPLE)
    this.#oddByte = whole === bytes.byteLength ? null : Buffer.from(bytes.subarray(whole))
    const limit = MAX_QUEUED_SECONDS * this.#parts.sampleRate * BYTES_PER_SAMPLE
    const taken = Math.min(whole, Math.max(0, limit - this.#queuedBytes))
    if (taken < whole) {
      if (this.#refusedBytes === 0)
        this.#parts.logger.warn('More sound came than can be queued', { MAX_QUEUED_SECONDS })
      this.#refusedBytes += whole - taken
    }
    if (taken === 0) return
    this.#queue.push(bytes.subarray(0, taken))
    this.#queuedBytes += taken
    this.#playing ??= this.#play().finally(() => {
      this.#playing = null
    })
  }

  /** Interrupts the bot's voice: queued sound is discarded. */
  async clear(): Promise<void> {
    this.#queue = []
    this.#queuedBytes = 0
    this.#oddByte = null
    await this.#parts.speaker.clearSound()
  }

  /** Repeatable, never rejects. */
  async close(): Promise<void> {
    this.#over.abort()
    await this.#playing
    await this.#closeMicrophone()
  }

  async #play(): Promise<void> {
    const { speaker, clock, logger, sampleRate } = this.#parts
    const { signal } = this.#over
    let idleSince: number | null = null
    try {
      while (!signal.aborted) {
        const piece = this.#next()
        if (piece === null) {
          idleSince ??= clock.now()
          if (clock.now() - idleSince > CLOSE_AFTER_MS) break
          await clock.sleep(PIECE_MS / 2, signal)
          continue
        }
        idleSince = null
        this.#isOpen = true
        this.#parts.alsoHear(piece)
        const queuedSeconds = await speaker.playSound(piece, sampleRate)
        this.#playedBytes += piece.byteLength
        const spareMs = (queuedSeconds - AHEAD_SECONDS) * 1000
        if (spareMs > 0) await clock.sleep(Math.min(spareMs, 1000), signal)
      }
    } catch (error) {
      // A page that is gone plays nothing; the meeting's own watch says what became of it.
      if (!signal.aborted) logger.warn('Sound could not be played into the meeting', { error })
      this.#queue = []
      this.#queuedBytes = 0
    }
    await this.#closeMicrophone()
  }

  /** At most one piece; what is left of a message waits. */
  #next(): Int16Array | null {
    const first = this.#queue[0]
    if (first === undefined) return null
    const most = Math.round((this.#parts.sampleRate * PIECE_MS) / 1000) * BYTES_PER_SAMPLE
    const piece = first.subarray(0, most)
    if (piece.byteLength === first.byteLength) this.#queue.shift()
    else this.#queue[0] = first.subarray(most)
    this.#queuedBytes -= piece.byteLength
    // A copy, because the message's place in memory may not be that of a sample.
    return new Int16Array(Uint8Array.from(piece).buffer)
  }

  async #closeMicrophone(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    await this.#parts.speaker
      .closeMicrophone()
      .catch((error) => this.#parts.logger.warn('The microphone could not be closed', { error }))
  }
}
