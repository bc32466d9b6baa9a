/**
 * Chat messages from two sources that tell the same ones: the meeting's channel and the chat panel. Pure. The first to
 * tell wins; ids decide, and where the sources use different ids, equal text of the same sender is paired one to one.
 */
import type { PageChatMessage } from './types.ts'

export type ChatSource = 'channel' | 'panel'

export class ChatLog {
  readonly #ids = new Set<string>()
  /** Messages that only one source has told so far. */
  #single: { source: ChatSource; message: PageChatMessage }[] = []

  /** True for a message that was not known. */
  take(source: ChatSource, message: PageChatMessage): boolean {
    const known = this.#ids.has(message.id)
    const counterpart = this.#single.findIndex(
      (other) =>
        other.source !== source && (other.message.id === message.id || (!known && isSame(other.message, message))),
    )
    this.#ids.add(message.id)
    if (counterpart >= 0) {
      this.#single.splice(counterpart, 1)
      return false
    }
    if (known) return false
    this.#single.push({ source, message })
    return true
  }

  knows(id: string): boolean {
    return this.#ids.has(id)
  }
}

function isSame(one: PageChatMessage, other: PageChatMessage): boolean {
  if (squeezed(one.text) !== squeezed(other.text) || one.isOwn !== other.isOwn) return false
  return one.senderId === null || other.senderId === null || one.senderId === other.senderId
}

/** The panel turns line ends into other nodes, so white space is not compared. */
export function squeezed(text: string): string {
  return text.replace(/\s+/g, '')
}
