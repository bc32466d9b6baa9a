/** Decides which sound a recognizer gets, and where its turns end: at pauses, on request, and before a turn is too long. Pure. */
import { peakOf } from '../../packages/core/meeting/peak.ts'

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
/** Of another speaker the bot learns so late at most; the change is where the sound was weakest since then, */
const LOOK_BACK = 1
/** over so long, as between two words. */
const GAP = 0.12
const STEP = 0.01

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
  /** The last sound of the open turn. */
  #recent = Buffer.alloc(0)

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
    this.#recent = Buffer.concat([this.#recent, ...all]).subarray(-2 * LOOK_BACK * this.#sampleRate)
    this.#length = (this.#length ?? this.#leadSeconds) + seconds
    this.#leadSeconds = 0
    this.#quiet = isVoice ? 0 : this.#quiet + seconds
    this.#peak = Math.max(this.#peak, peak)
    const isWeak = this.#length >= LONG && peak < this.#peak * WEAK_SHARE
    const ends = this.#quiet >= PAUSE || isWeak || this.#length >= MAX
    if (ends) this.end()
    return { samples: all, begins, ends, isVoice }
  }

  /** The open turn is over, but for its last seconds, which begin the next one. */
  end(rest = 0): void {
    this.#length = rest === 0 ? null : rest
    this.#quiet = 0
    this.#recent = this.#recent.subarray(this.#recent.byteLength - 2 * Math.round(rest * this.#sampleRate))
    this.#peak = peakOf(this.#recent)
  }

  /** Seconds since the weakest moment of the last second. */
  get sinceWeakest(): number {
    const step = Math.round(STEP * this.#sampleRate)
    const levels = Array.from({ length: Math.floor(this.#recent.byteLength / 2 / step) }, (_, index) =>
      meanOf(this.#recent.subarray(index * step * 2, (index + 1) * step * 2)),
    )
    const width = Math.round(GAP / STEP)
    const gaps = levels.slice(width).map((_, at) => levels.slice(at, at + width).reduce((sum, level) => sum + level, 0))
    const lowest = Math.min(...gaps)
    // In the middle of a gap that is longer.
    const [first, last] = [gaps.indexOf(lowest), gaps.lastIndexOf(lowest)]
    return first === -1 ? 0 : (levels.length - (first + last + width) / 2) * STEP
  }

  #keepLead(samples: Uint8Array, seconds: number): void {
    this.#lead.push({ samples, seconds })
    this.#leadSeconds += seconds
    while (this.#leadSeconds - this.#lead[0]!.seconds >= LEAD) this.#leadSeconds -= this.#lead.shift()!.seconds
  }
}

function meanOf(samples: Buffer): number {
  let sum = 0
  for (let at = 0; at + 1 < samples.byteLength; at += 2) sum += Math.abs(samples.readInt16LE(at))
  return sum / (samples.byteLength / 2)
}
