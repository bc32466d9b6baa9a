/** The sound of an answer: played as it comes, held and played on, or cut, with the milliseconds that people heard. */
import type { Mouth } from '../../packages/core/ports.ts'
import type { HeardPart } from './types.ts'

const PIECE_MS = 100
/** What is not played yet; an answer that is longer by more is cut off. */
const MAX_WAITING_MS = 300_000

interface Piece {
  item: string
  sound: Buffer
  /** Bytes that people heard. */
  heard: number
}

export class AnswerSound {
  readonly #mouth: Pick<Mouth, 'sampleRate' | 'play' | 'clear'>
  readonly #onBegun: () => void
  readonly #onDropped: () => void
  readonly #onOver: () => void
  #pieces: Piece[] = []
  #playing = new Set<Promise<void>>()
  #isHeld = false
  #isWhole = false
  #hasBegun = false
  /** All answers together, in seconds. */
  #spokenSeconds = 0

  /** `onDropped`: another part of the bot cleared the microphone. `onOver`: all of it was played, or there was nothing. */
  constructor(
    mouth: Pick<Mouth, 'sampleRate' | 'play' | 'clear'>,
    { onBegun, onDropped, onOver }: { onBegun(): void; onDropped(): void; onOver(): void },
  ) {
    this.#mouth = mouth
    this.#onBegun = onBegun
    this.#onDropped = onDropped
    this.#onOver = onOver
  }

  get spokenSeconds(): number {
    return this.#spokenSeconds
  }

  /** Of the answer's sound that is not played, as far as it is there. */
  get waitingMs(): number {
    return this.#pieces.reduce((sum, { sound, heard }) => sum + this.#ms(sound.byteLength - heard), 0)
  }

  /** Null while more may come. */
  get leftMs(): number | null {
    return this.#isWhole ? this.waitingMs : null
  }

  add(item: string, sound: Buffer): void {
    const whole = sound.byteLength - (sound.byteLength % 2)
    if (whole === 0 || this.#isWhole || this.waitingMs > MAX_WAITING_MS) return
    const bytes = Math.round((this.#mouth.sampleRate * PIECE_MS) / 1000) * 2
    for (let at = 0; at < whole; at += bytes) {
      const piece = { item, sound: sound.subarray(at, Math.min(at + bytes, whole)), heard: 0 }
      this.#pieces.push(piece)
      if (!this.#isHeld) this.#play(piece)
    }
    if (!this.#isHeld) this.#begin()
  }

  /** Keeps back what comes, until `resume`. */
  wait(): void {
    this.#isHeld = true
  }

  /** No more comes. */
  complete(): void {
    this.#isWhole = true
    this.#mayEnd()
  }

  /** Rejects if the page cannot be silenced; what was played is known all the same. */
  async hold(): Promise<void> {
    this.#isHeld = true
    await this.#mouth.clear().finally(() => Promise.all(this.#playing))
  }

  resume(): void {
    this.#isHeld = false
    for (const piece of this.#pieces) if (piece.heard < piece.sound.byteLength) this.#play(piece)
    if (this.#pieces.length > 0) this.#begin()
    this.#mayEnd()
  }

  /** Resolves with what people heard of each part. */
  async cut(): Promise<HeardPart[]> {
    // What cannot be silenced is gone with its page.
    if (this.#pieces.length > 0 && !this.#isHeld) await this.hold().catch(() => {})
    const parts = Map.groupBy(this.#pieces, ({ item }) => item)
    const heard = [...parts].map(([item, pieces]) => ({
      item,
      ms: Math.floor(pieces.reduce((sum, piece) => sum + this.#ms(piece.heard), 0)),
    }))
    this.#reset()
    return heard
  }

  #reset(): void {
    this.#pieces = []
    this.#isWhole = false
    this.#isHeld = false
    this.#hasBegun = false
  }

  #begin(): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    this.#onBegun()
  }

  #play(piece: Piece): void {
    const playing = this.#mouth.play(piece.sound.subarray(piece.heard)).then((seconds) => {
      this.#playing.delete(playing)
      this.#spokenSeconds += seconds
      const bytes = Math.round(seconds * this.#mouth.sampleRate) * 2
      piece.heard = Math.min(piece.sound.byteLength, piece.heard + bytes)
      if (this.#isHeld || !this.#pieces.includes(piece)) return
      if (piece.heard === piece.sound.byteLength) this.#mayEnd()
      else {
        // The microphone is clear already.
        this.#isHeld = true
        this.#onDropped()
      }
    })
    this.#playing.add(playing)
  }

  #mayEnd(): void {
    if (!this.#isWhole || this.#isHeld || this.#playing.size > 0) return
    this.#reset()
    this.#onOver()
  }

  #ms(bytes: number): number {
    return (bytes / 2 / this.#mouth.sampleRate) * 1000
  }
}
