/** Sound on its way in: taken as it comes, given to the meeting a little ahead of its time, and dropped on request. */
import type { Logger } from '../../packages/core/logger.ts'
import type { Clock, MeetingDriver, Mouth } from '../../packages/core/ports.ts'
import { BYTES_PER_SAMPLE, secondsOf } from './messages.ts'

/** Sound beyond this queue is refused: an answer that is two minutes late is useless. */
export const MAX_QUEUED_SECONDS = 120
/** How far ahead of its time the page gets sound. Long enough for a busy machine, short enough to be interrupted. */
const AHEAD_SECONDS = 0.2
const PIECE_MS = 40
/** The microphone stays open between sentences. */
export const CLOSE_AFTER_MS = 3_000
/** A shorter pause is a breath inside a turn. */
export const TURN_ENDS_AFTER_MS = 500

/** Where sound is played: the meeting's microphone, and the recording, which does not hear the microphone. */
interface Speaker extends Pick<MeetingDriver, 'playSound' | 'clearSound' | 'closeMicrophone'> {}

export interface InletParts {
  speaker: Speaker
  /** Hears each piece as it is played, so that the recording has the bot's own voice. */
  alsoHear(samples: Int16Array): void
  sampleRate: number
  /** As `Mouth.onTurn`. */
  onTurn(isSpeaking: boolean, at: number): void
  clock: Clock
  logger: Logger
}

/** A whole piece of sound, by its place in all the sound that was taken. Bytes. */
interface Whole {
  start: number
  end: number
  resolve(seconds: number): void
}

export class Inlet implements Pick<Mouth, 'stream' | 'play' | 'clear' | 'isOpen' | 'figures' | 'close'> {
  readonly #parts: InletParts
  readonly #over = new AbortController()
  #queue: { sound: Buffer; isLive: boolean }[] = []
  #queuedBytes = 0
  readonly #wholes = new Set<Whole>()
  /** Of all sound that the page was given. */
  #givenBytes = 0
  /** When the page will have played it. UTC milliseconds. */
  #playedAt = 0
  #isInTurn = false
  /** An odd byte at the end of a message belongs to the first sample of the next. */
  #oddByte: Buffer | null = null
  #refusedBytes = 0
  #playedBytes = 0
  #playing: Promise<void> | null = null
  #isOpen = false

  constructor(parts: InletParts) {
    this.#parts = parts
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  get figures(): { playedSeconds: number; refusedSeconds: number } {
    const { sampleRate } = this.#parts
    return {
      playedSeconds: secondsOf(this.#playedBytes, sampleRate),
      refusedSeconds: secondsOf(this.#refusedBytes, sampleRate),
    }
  }

  stream(message: Buffer): void {
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
    this.#add(bytes.subarray(0, taken), true)
  }

  play(sound: Buffer): Promise<number> {
    if (this.#over.signal.aborted || sound.byteLength === 0) return Promise.resolve(0)
    const { promise, resolve } = Promise.withResolvers<number>()
    const start = this.#givenBytes + this.#queuedBytes
    this.#wholes.add({ start, end: start + sound.byteLength, resolve })
    this.#add(sound, false)
    return promise
  }

  async clear(): Promise<void> {
    this.#drop()
    await this.#parts.speaker.clearSound()
  }

  async close(): Promise<void> {
    this.#over.abort()
    await this.#playing
    this.#drop()
    await this.#closeMicrophone()
  }

  #add(sound: Buffer, isLive: boolean): void {
    this.#queue.push({ sound, isLive })
    this.#queuedBytes += sound.byteLength
    this.#goOn()
  }

  #goOn(): void {
    this.#playing ??= this.#run().finally(() => {
      this.#playing = null
      // It came while the microphone was closed.
      if (this.#queue.length > 0 && !this.#over.signal.aborted) this.#goOn()
    })
  }

  /** Drops what the page was not given. The page still has what it was given, until it is cleared. */
  #drop(): void {
    for (const whole of this.#wholes) this.#settle(whole)
    this.#queue = []
    this.#queuedBytes = 0
    this.#oddByte = null
    this.#playedAt = Math.min(this.#playedAt, this.#parts.clock.now())
    this.#endTurn(this.#playedAt)
  }

  #settle(whole: Whole): void {
    const { start, end, resolve } = whole
    this.#wholes.delete(whole)
    const heard = Math.min(Math.max(0, this.#heardBytes - start), end - start)
    resolve(secondsOf(heard, this.#parts.sampleRate))
  }

  /** Of all sound, what the page has played by now. */
  get #heardBytes(): number {
    const { clock, sampleRate } = this.#parts
    const aheadSeconds = Math.max(0, this.#playedAt - clock.now()) / 1000
    return this.#givenBytes - aheadSeconds * sampleRate * BYTES_PER_SAMPLE
  }

  #endTurn(at: number): void {
    if (!this.#isInTurn) return
    this.#isInTurn = false
    this.#parts.onTurn(false, at)
  }

  async #run(): Promise<void> {
    const { speaker, clock, logger, sampleRate } = this.#parts
    const { signal } = this.#over
    let idleSince: number | null = null
    try {
      while (!signal.aborted) {
        for (const whole of this.#wholes) if (whole.end <= this.#heardBytes) this.#settle(whole)
        const next = this.#next()
        if (next === null) {
          idleSince ??= clock.now()
          if (clock.now() - this.#playedAt >= TURN_ENDS_AFTER_MS) this.#endTurn(this.#playedAt)
          if (clock.now() - idleSince > CLOSE_AFTER_MS) break
          await clock.sleep(PIECE_MS / 2, signal)
          continue
        }
        idleSince = null
        this.#isOpen = true
        const { piece, isLive } = next
        this.#parts.alsoHear(piece)
        const queuedSeconds = await speaker.playSound(piece, sampleRate)
        if (isLive) this.#playedBytes += piece.byteLength
        this.#playedAt = clock.now() + queuedSeconds * 1000
        if (!this.#isInTurn) {
          this.#isInTurn = true
          this.#parts.onTurn(true, this.#playedAt - secondsOf(piece.byteLength, sampleRate) * 1000)
        }
        const spareMs = (queuedSeconds - AHEAD_SECONDS) * 1000
        if (spareMs > 0) await clock.sleep(Math.min(spareMs, 1000), signal)
      }
    } catch (error) {
      // A page that is gone plays nothing; the meeting's own watch says what became of it.
      if (!signal.aborted) logger.warn('Sound could not be played into the meeting', { error })
      this.#drop()
    }
    await this.#closeMicrophone()
  }

  /** At most one piece; what is left of a message waits. */
  #next(): { piece: Int16Array; isLive: boolean } | null {
    const first = this.#queue[0]
    if (first === undefined) return null
    const { sound, isLive } = first
    const most = Math.round((this.#parts.sampleRate * PIECE_MS) / 1000) * BYTES_PER_SAMPLE
    const piece = sound.subarray(0, most)
    if (piece.byteLength === sound.byteLength) this.#queue.shift()
    else first.sound = sound.subarray(most)
    this.#queuedBytes -= piece.byteLength
    this.#givenBytes += piece.byteLength
    // A copy, because the message's place in memory may not be that of a sample.
    return { piece: new Int16Array(Uint8Array.from(piece).buffer), isLive }
  }

  async #closeMicrophone(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    await this.#parts.speaker
      .closeMicrophone()
      .catch((error) => this.#parts.logger.warn('The microphone could not be closed', { error }))
  }
}
