/** Removes the bot's secrets from everything it leaves behind: page source, console lines, signs. */

/** Shorter values would hide ordinary words; the passcode of a meeting is at least this long. */
const SHORTEST = 4

export class Secrets {
  readonly #values = new Set<string>()

  /** From now on this value is hidden, also in its form within an address. */
  keep(...values: readonly (string | null | undefined)[]): void {
    for (const value of values) {
      if (!value || value.length < SHORTEST) continue
      this.#values.add(value)
      this.#values.add(encodeURIComponent(value))
    }
  }

  hide(text: string): string {
    let hidden = text
    // Longer ones first: one may be a part of another.
    for (const value of [...this.#values].sort((one, other) => other.length - one.length))
      hidden = hidden.replaceAll(value, '[redacted]')
    return hidden
  }
}
