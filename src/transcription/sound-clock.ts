/** When a moment of streamed sound was heard. Pure. */

interface Anchor {
  /** Seconds of the stream. */
  second: number
  /** UTC milliseconds of the stream's second 0, if it had always run on like this. */
  zeroAt: number
}

/** Messages come in bursts on a busy machine; what comes this much later than foreseen does not continue the stream. */
const LATE_MS = 2_000

export class SoundClock {
  readonly #anchors: Anchor[] = []
  #continues = false

  /** The next sound does not continue the previous one: after a pause, or after lost sound. */
  break(): void {
    this.#continues = false
  }

  /** Sound of the stream's seconds `from` to `to` has just come. */
  add(from: number, to: number, arrivedAt: number): void {
    const zeroAt = arrivedAt - to * 1000
    const last = this.#anchors.at(-1)
    if (!this.#continues || last === undefined || zeroAt > last.zeroAt + LATE_MS) {
      this.#anchors.push({ second: from, zeroAt })
      this.#continues = true
    } else if (zeroAt < last.zeroAt) {
      // Sound never comes early: the quickest message is nearest to the truth.
      last.zeroAt = zeroAt
    }
  }

  /** UTC milliseconds. */
  instant(second: number): number {
    const anchor = this.#anchors.findLast((one) => one.second <= second + 0.001) ?? this.#anchors[0]
    return (anchor?.zeroAt ?? 0) + second * 1000
  }
}
