/**
 * Finds deleted messages: rows of the chat's list come and go as it is scrolled, but no row can be missing between two
 * neighbors of the list that are both in the page. Pure.
 */

/** A list that is being rendered may lack a row for a moment. */
const LOOKS = 3
const MAX_MESSAGES = 2000

export class ChatOrder {
  /** Ids in the order of the list. */
  #known: string[] = []
  readonly #missing = new Map<string, number>()

  /** `shown` are the rows of one poll, without gaps, in their order. Returns the rows that were deleted. */
  update(shown: readonly string[]): string[] {
    const places = new Map(this.#known.map((id, place) => [id, place]))
    const missing = new Set<string>()
    for (const [index, id] of shown.entries()) {
      const [before, here] = [places.get(shown[index - 1] ?? ''), places.get(id)]
      if (before === undefined || here === undefined) continue
      for (let place = before + 1; place < here; place++) missing.add(this.#known[place]!)
    }
    for (const id of this.#missing.keys()) if (!missing.has(id)) this.#missing.delete(id)
    const gone: string[] = []
    for (const id of missing) {
      const looks = (this.#missing.get(id) ?? 0) + 1
      this.#missing.set(id, looks)
      if (looks >= LOOKS) gone.push(id)
    }
    for (const id of gone) this.#missing.delete(id)
    this.#known = this.#known.filter((id) => !gone.includes(id))
    this.#learn(shown)
    return gone
  }

  /** New rows follow the nearest known row before them, or precede the first known row after them. */
  #learn(shown: readonly string[]): void {
    const known = new Set(this.#known)
    if (shown.every((id) => known.has(id))) return
    const first = shown.findIndex((id) => known.has(id))
    if (first < 0) {
      // The two lists have no row in common, so the rows between them are unknown.
      this.#known = [...shown]
      return
    }
    let place = this.#known.indexOf(shown[first]!)
    this.#known.splice(place, 0, ...shown.slice(0, first))
    place += first
    for (const id of shown.slice(first)) {
      if (known.has(id)) place = this.#known.indexOf(id)
      else this.#known.splice(++place, 0, id)
    }
    if (this.#known.length > MAX_MESSAGES) this.#known.splice(0, this.#known.length - MAX_MESSAGES)
  }
}
