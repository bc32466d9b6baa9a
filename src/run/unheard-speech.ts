/** Speech that marks or sources of the page prove, as far as nothing of it was heard. Pure; UTC milliseconds. */

interface Turn {
  from: number
  /** Null while the person speaks. */
  to: number | null
}

export class UnheardSpeech {
  readonly #turns = new Map<string, Turn[]>()

  /** A turn of this person began or ended at `at`. */
  speak(id: string, isSpeaking: boolean, at: number): void {
    const turns = this.#turns.get(id) ?? []
    const last = turns.at(-1)
    if (isSpeaking && last?.to !== null) turns.push({ from: at, to: null })
    else if (!isSpeaking && last?.to === null) last.to = Math.max(last.from, at)
    this.#turns.set(id, turns)
  }

  /** Until `at` speech was heard, or there was no need to hear it: that of one person, or of all. */
  heard(at: number, only?: string): void {
    for (const [id, turns] of this.#turns) {
      if (only !== undefined && id !== only) continue
      const left = turns.filter(({ to }) => to === null || to > at)
      for (const turn of left) turn.from = Math.max(turn.from, at)
      this.#turns.set(id, left)
    }
  }

  /** Nothing is known any more of who speaks. */
  forget(): void {
    this.#turns.clear()
  }

  /** Since when people speak unheard, and for how long in all until `now`; null if they do not. */
  since(from: number, now: number, only?: string): { at: number; ms: number } | null {
    const all = only === undefined ? [...this.#turns.values()].flat() : (this.#turns.get(only) ?? [])
    const stretches = all
      .map(({ from: start, to }) => ({ start: Math.max(start, from), end: to ?? now }))
      .filter(({ start, end }) => end > start)
      .sort((one, other) => one.start - other.start)
    let [ms, until] = [0, Number.NEGATIVE_INFINITY]
    for (const { start, end } of stretches) {
      ms += Math.max(0, end - Math.max(start, until))
      until = Math.max(until, end)
    }
    return ms === 0 ? null : { at: stretches[0]!.start, ms }
  }

  /** Those of whom something is known. */
  people(): string[] {
    return [...this.#turns.keys()]
  }
}
