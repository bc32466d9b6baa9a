/** Knows when a picture is painted with all its tiles. */

export class Painting {
  readonly #nextFrame: (callback: () => void) => void
  /** Null while nothing is shown. */
  readonly #isComplete: () => boolean | null
  readonly #waiting = new Set<() => void>()
  #changes = 0
  #isSettling = false
  #isDone = false

  constructor(nextFrame: (callback: () => void) => void, isComplete: () => boolean | null) {
    this.#nextFrame = nextFrame
    this.#isComplete = isComplete
  }

  get isDone(): boolean {
    return this.#isDone
  }

  change(): void {
    this.#changes++
    this.#isDone = false
  }

  whenDone(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve))
  }

  /** The second frame begins when the first one, with the latest picture in it, was handed to the screen. */
  settle(): void {
    if (this.#isDone) this.#resolve()
    if (this.#isDone || this.#isSettling) return
    this.#isSettling = true
    const before = this.#changes
    this.#nextFrame(() =>
      this.#nextFrame(() => {
        this.#isSettling = false
        const isComplete = this.#isComplete()
        if (isComplete === null) return
        if (before !== this.#changes || !isComplete) {
          this.settle()
          return
        }
        this.#isDone = true
        this.#resolve()
      }),
    )
  }

  #resolve(): void {
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }
}
