/** Decides which sound a recognizer gets, and where its turns end: at pauses, on request, and before a turn is too long. Pure. */

/** Nothing louder was said: the recorder's noise floor of -50 dB, of 32,767. */
const QUIET = 104
/** A pause of this length ends a turn. Seconds. */
const PAUSE = 0.6
/** Words begin softly, so a turn gets this much of the silence before it. */
const LEAD = 0.3
/** From here on a turn ends at the first weak sound, which is between words more often than in one, */
const LONG = 15
const WEAK_SHARE = 0.2
/** and here it ends in any case. */
const MAX = 30
/** Recognizers refuse shorter turns. */
const MIN = 0.2

export interface Heard {
  /** Sound for the recognizer, oldest first. */
  samples: Uint8Array[]
  /** The first of these begins a turn. */
  begins: boolean
  /** The turn ends with the last of these. */
  ends: boolean
  isVoice: boolean
}

export class TurnCutter {
  readonly #sampleRate: number
  #lead: { samples: Uint8Array; seconds: number }[] = []
  #leadSeconds = 0
  /** Of the open turn; null if there is none. */
  #length: number | null = null
  #quiet = 0
  #peak = 0

  constructor(sampleRate: number) {
    this.#sampleRate = sampleRate
  }

  get isOpen(): boolean {
    return this.#length !== null
  }

  /** Whether the open turn may end here. */
  get mayEnd(): boolean {
    return this.#length !== null && this.#length >= MIN
  }

  add(samples: Uint8Array): Heard {
    const seconds = samples.byteLength / 2 / this.#sampleRate
    const peak = peakOf(samples)
    const isVoice = peak > QUIET
    const begins = this.#length === null
    if (begins && !isVoice) {
      this.#keepLead(samples, seconds)
      return { samples: [], begins: false, ends: false, isVoice }
    }
    const all = [...this.#lead.splice(0).map((piece) => piece.samples), samples]
    this.#length = (this.#length ?? this.#leadSeconds) + seconds
    this.#leadSeconds = 0
    this.#quiet = isVoice ? 0 : this.#quiet + seconds
    this.#peak = Math.max(this.#peak, peak)
    const isWeak = this.#length >= LONG && peak < this.#peak * WEAK_SHARE
    const ends = this.#quiet >= PAUSE || isWeak || this.#length >= MAX
    if (ends) this.end()
    return { samples: all, begins, ends, isVoice }
  }

  /** The open turn is over. */
  end(): void {
    this.#length = null
    this.#quiet = 0
    this.#peak = 0
  }

  #keepLead(samples: Uint8Array, seconds: number): void {
    this.#lead.push({ samples, seconds })
    this.#leadSeconds += seconds
    while (this.#leadSeconds - this.#lead[0]!.seconds >= LEAD) this.#leadSeconds -= this.#lead.shift()!.seconds
  }
}

function peakOf(samples: Uint8Array): number {
  const view = new DataView(samples.buffer, samples.byteOffset, samples.byteLength)
  let peak = 0
  for (let at = 0; at + 1 < samples.byteLength; at += 2) peak = Math.max(peak, Math.abs(view.getInt16(at, true)))
  return peak
}
