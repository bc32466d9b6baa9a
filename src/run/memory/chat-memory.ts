/** Remembers which messages were reported, so that a page that lists all of them again reports only changes. Pure. */
import type { ChatContent, ChatMessage, MeetingEvent } from '../../../packages/core/meeting/meeting.ts'

/** A meeting with more messages forgets the first ones, and reports them again if its page does. */
const MAX_MESSAGES = 20_000
/** Two texts that are the same so far count as the same. Characters. */
const COMPARED = 500

/** One message has the same instant in every document, but for what a page rounds. Milliseconds. */
const SAME_INSTANT_MS = 2000

interface Reported {
  /** The id under which it was reported. */
  id: string
  senderName: string
  at: number
  text: string
  reactions: string
  isDeleted: boolean
}

export class ChatMemory {
  /** By every id that a document has for it. */
  readonly #reported = new Map<string, Reported>()
  /** Messages of earlier documents that the current one has not listed yet, by their text. */
  #earlier = new Map<string, Reported[]>()

  /** A new document lists the messages again, perhaps with other ids. */
  renew(): void {
    this.#earlier = new Map()
    for (const reported of new Set(this.#reported.values())) {
      const same = this.#earlier.get(reported.text)
      if (same) same.push(reported)
      else this.#earlier.set(reported.text, [reported])
    }
  }

  /** The message, its changes since the last look, or no event. */
  remember(message: ChatMessage, now: number): MeetingEvent[] {
    const after = wordsOf(message)
    const reported = this.#reported.get(message.id) ?? this.#underAnotherId(message, after.text)
    if (!reported) {
      const { id, senderName, at } = message
      this.#keep(id, { id, senderName, at, ...after })
      return [{ type: 'chat_message', message }]
    }
    // Another reader of the page may write the same text another way, so a new one counts where it says so.
    const isEdited = message.isEdited === true && reported.text !== after.text
    const isDeleted = after.isDeleted && !reported.isDeleted
    const isReacted = message.reactions !== undefined && reported.reactions !== after.reactions
    if (!isEdited && !isDeleted && !isReacted) return []
    Object.assign(reported, after)
    const { id, senderId, senderName, at, isOwn, isDirect, ...content } = message
    return [{ type: 'chat_message_changed', messageId: reported.id, content, at: now }]
  }

  /** The id under which the message was reported. */
  changed(messageId: string, content: ChatContent): string {
    const reported = this.#reported.get(messageId)
    if (reported) Object.assign(reported, wordsOf(content))
    return reported?.id ?? messageId
  }

  /** Equal words of one sender are as many messages as there were. */
  #underAnotherId({ id, senderName, at }: ChatMessage, text: string): Reported | undefined {
    const same = this.#earlier.get(text) ?? []
    const place = same.findIndex(
      (reported) =>
        reported.senderName === senderName && Math.abs(reported.at - at) <= SAME_INSTANT_MS && !reported.isDeleted,
    )
    const reported = place < 0 ? undefined : same.splice(place, 1)[0]
    if (reported) this.#keep(id, reported)
    return reported
  }

  #keep(id: string, reported: Reported): void {
    this.#reported.set(id, reported)
    if (this.#reported.size > MAX_MESSAGES) this.#reported.delete(this.#reported.keys().next().value as string)
  }
}

function wordsOf({
  text,
  reactions = [],
  isDeleted = false,
}: ChatContent): Pick<Reported, 'text' | 'reactions' | 'isDeleted'> {
  return {
    text: text.replace(/\s+/g, '').slice(0, COMPARED),
    reactions: reactions
      .map(({ emoji, count }) => `${emoji} ${count}`)
      .sort()
      .join(),
    isDeleted,
  }
}
