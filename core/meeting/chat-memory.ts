/** Remembers which messages were reported, so that a page that lists all of them again reports only changes. Pure. */
import type { ChatContent, ChatMessage, MeetingEvent } from './meeting.ts'

/** A meeting with more messages forgets the first ones, and reports them again if its page does. */
const MOST_MESSAGES = 20_000
/** Two texts that are the same so far count as the same. Characters. */
const COMPARED = 500

/** One message has the same instant in every document, but for what a page rounds. Milliseconds. */
const SAME_INSTANT_MS = 2000

interface Told {
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
  readonly #told = new Map<string, Told>()
  /** Messages of earlier documents that the current one has not listed yet, by their text. */
  #earlier = new Map<string, Told[]>()

  /** Another document tells from now on; it may have other ids for the same messages. */
  renew(): void {
    this.#earlier = new Map()
    for (const told of new Set(this.#told.values())) {
      const same = this.#earlier.get(told.text)
      if (same) same.push(told)
      else this.#earlier.set(told.text, [told])
    }
  }

  /** The message, its changes since the last look, or no event. */
  remember(message: ChatMessage, now: number): MeetingEvent[] {
    const after = wordsOf(message)
    const told = this.#told.get(message.id) ?? this.#underAnotherId(message, after.text)
    if (!told) {
      const { id, senderName, at } = message
      this.#keep(id, { id, senderName, at, ...after })
      return [{ type: 'chat_message', message }]
    }
    // Another reader of the page may write the same text another way, so a new one counts where it says so.
    const isEdited = message.isEdited === true && told.text !== after.text
    const isDeleted = after.isDeleted && !told.isDeleted
    const isReacted = message.reactions !== undefined && told.reactions !== after.reactions
    if (!isEdited && !isDeleted && !isReacted) return []
    Object.assign(told, after)
    const { id, senderId, senderName, at, isOwn, isDirect, ...content } = message
    return [{ type: 'chat_message_changed', messageId: told.id, content, at: now }]
  }

  /** The id under which the message was reported. */
  changed(messageId: string, content: ChatContent): string {
    const told = this.#told.get(messageId)
    if (told) Object.assign(told, wordsOf(content))
    return told?.id ?? messageId
  }

  /** Equal words of one sender are as many messages as there were. */
  #underAnotherId({ id, senderName, at }: ChatMessage, text: string): Told | undefined {
    const same = this.#earlier.get(text) ?? []
    const place = same.findIndex(
      (told) => told.senderName === senderName && Math.abs(told.at - at) <= SAME_INSTANT_MS && !told.isDeleted,
    )
    const told = place < 0 ? undefined : same.splice(place, 1)[0]
    if (told) this.#keep(id, told)
    return told
  }

  #keep(id: string, told: Told): void {
    this.#told.set(id, told)
    if (this.#told.size > MOST_MESSAGES) this.#told.delete(this.#told.keys().next().value as string)
  }
}

function wordsOf({
  text,
  reactions = [],
  isDeleted = false,
}: ChatContent): Pick<Told, 'text' | 'reactions' | 'isDeleted'> {
  return {
    text: text.replace(/\s+/g, '').slice(0, COMPARED),
    reactions: reactions
      .map(({ emoji, count }) => `${emoji} ${count}`)
      .sort()
      .join(),
    isDeleted,
  }
}
