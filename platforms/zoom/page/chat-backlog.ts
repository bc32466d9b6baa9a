/** Messages that were read and not reported yet, in the order of the list, even if a row was rendered late. Pure. */

export interface Waiting<Message> {
  message: Message
  /** UTC milliseconds of a later message that was reported; null if there is none. This message is not newer. */
  notAfter: number | null
}

export class ChatBacklog<Message extends { id: string }> {
  #waiting: Message[] = []

  /** `shown` are the rows of one poll, in the order of the list. */
  add(shown: readonly Message[]): void {
    const places = new Map(this.#waiting.map(({ id }, place) => [id, place]))
    const first = shown.findIndex(({ id }) => places.has(id))
    if (first < 0) {
      // After a turn back the list shows messages from before those that were read already.
      this.#waiting = [...shown, ...this.#waiting]
      return
    }
    // New rows follow the known row before them; rows outside of the view keep their place.
    const behind = new Map<string, Message[]>()
    let known = shown[first]!.id
    for (const message of shown.slice(first)) {
      if (places.has(message.id)) known = message.id
      else behind.set(known, [...(behind.get(known) ?? []), message])
    }
    const before = new Map([[shown[first]!.id, shown.slice(0, first)]])
    this.#waiting = this.#waiting.flatMap((message) => [
      ...(before.get(message.id) ?? []),
      message,
      ...(behind.get(message.id) ?? []),
    ])
  }

  /** Takes them all out. `toldAt` is the instant with which a message was reported; null for one that was not. */
  drain(reportedAt: (id: string) => number | null): Waiting<Message>[] {
    const drained: Waiting<Message>[] = []
    let notAfter: number | null = null
    for (const message of this.#waiting.splice(0).reverse()) {
      const at = reportedAt(message.id)
      if (at !== null) notAfter = at
      // Files are in the order of time, and the list's times have minutes only.
      else if (notAfter !== null) notAfter -= 1
      drained.push({ message, notAfter })
    }
    return drained.reverse()
  }
}
