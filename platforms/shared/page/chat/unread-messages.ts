/**
 * Counts the messages of a meeting's own channels that the script cannot read, so that a platform which changes its
 * protocol is noticed in the first meeting. Pure.
 */

/** A channel whose first messages all have no known content has changed its fields. */
const EMPTY_MESSAGES = 10

export type UnreadMessages = ReturnType<typeof createUnreadMessages>

export function createUnreadMessages() {
  const channels = new Map<string, { read: number; empty: number; unread: number }>()
  return {
    /** `empty`: well formed, but without anything that the script knows. `unread`: not well formed, or too long. */
    note(channel: string, result: 'read' | 'empty' | 'unread'): void {
      const counted = channels.get(channel) ?? { read: 0, empty: 0, unread: 0 }
      channels.set(channel, counted)
      counted[result] += 1
    },
    /** Messages that could not be read, by channel; channels without any are left out. */
    counts(): Readonly<Record<string, number>> {
      const counts: Record<string, number> = {}
      for (const [channel, { read, empty, unread }] of channels) {
        const count = unread + (read === 0 && empty >= EMPTY_MESSAGES ? empty : 0)
        if (count > 0) counts[channel] = count
      }
      return counts
    },
  }
}

/** A message that does not have its channel's format. */
export class UnreadMessage extends Error {
  constructor(what: string) {
    super(what)
    this.name = 'UnreadMessage'
  }
}
