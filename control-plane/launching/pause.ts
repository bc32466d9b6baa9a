/** The rest of a loop between two rounds, which may be cut short. A wake-up during a round is not lost. */
export class PauseBetweenRounds {
  #isWoken = false
  #end: (() => void) | null = null

  wake(): void {
    this.#isWoken = true
    this.#end?.()
  }

  async rest(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      if (this.#isWoken) return resolve()
      const timer = setTimeout(resolve, ms)
      this.#end = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#end = null
    this.#isWoken = false
  }
}
