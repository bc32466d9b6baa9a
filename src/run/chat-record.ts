/** The current chat, and all reactions and raised hands, for events and for the files about them. */

import type { BotEvent, ChatContentFields, Person } from '@standin/wire/events.ts'
import { utc } from '@standin/wire/time/written-time.ts'
import type { ChatContent, ChatMessage, MeetingEvent } from '../../packages/core/meeting/meeting.ts'

/**
 * Messages beyond this number are reported but not kept for the files: a page that floods its chat fills neither memory
 * nor disk. They are counted.
 */
const MAX_MESSAGES = 20_000
const MAX_REACTIONS = 20_000
/** The bot's messages that only the page or only the bot has reported; older ones are not matched any more. */
const MAX_UNPAIRED = 100

/** Source of a message's offset and of participant numbers. */
export interface Whereabouts {
  /** Seconds of the recording at a UTC instant; null if it was not recorded. */
  offset(at: number): number | null
  /** Null for a participant whom the roster never named. */
  known(platformId: string | null): Person | null
}

/** An entry of `chat_messages.json`. It does not contain the text of a deleted message. */
export interface ChatFileEntry extends Omit<ChatContentFields, 'is_edited'> {
  message_id: string
  sender_name: string
  /** Null for the bot's own messages (as the specification says) and for senders the roster never named. */
  sender_id: number | null
  timestamp: string
  is_own: boolean
  offset: number | null
  is_direct?: boolean
  /** Null if it was edited before the bot saw it. */
  edited_at?: string | null
  deleted_at?: string
}

/** One line of `reactions.jsonl`. */
export type ReactionLine = { name: string; user_id: number | null; timestamp: string; offset: number | null } & (
  | { type: 'reaction'; emoji: string }
  | { type: 'hand'; is_raised: boolean }
)

type Written = Extract<BotEvent, { type: 'chat_message' }>

interface Entry {
  message: ChatMessage
  senderId: number | null
  editedAt: number | null
  deletedAt: number | null
}

export class ChatRecord {
  readonly #where: Whereabouts
  readonly #entries = new Map<string, Entry>()
  readonly #reactions: { at: number; line: ReactionLine }[] = []
  /** Ids under which the page shows what the bot wrote, to ours. */
  readonly #ownIds = new Map<string, string>()
  /** The bot's messages that only one of page and bot has reported. */
  readonly #unpaired: { id: string; text: string; isPages: boolean }[] = []
  #sent = 0
  #missing = 0

  constructor(where: Whereabouts) {
    this.#where = where
  }

  /** The event to report; null for none, such as a message that is known already. */
  record(event: MeetingEvent): BotEvent | null {
    switch (event.type) {
      case 'chat_message': {
        const { message } = event
        // The bot's own messages are noted where they are sent; the page's id of one serves its later changes.
        if (message.isOwn) this.#pair(message.id, message.text, true)
        if (message.isOwn || this.#entries.has(message.id)) return null
        return this.#add(message)
      }
      case 'chat_message_changed':
        return this.#change(event.messageId, event.content, event.at)
      case 'reaction': {
        const { emoji, name, at } = event
        this.#keep(at, { type: 'reaction', emoji, ...this.#whoAndWhen(event) })
        return { type: 'reaction', ...this.#reported(event), name, emoji }
      }
      case 'hand_raised': {
        const { isRaised, name, at } = event
        this.#keep(at, { type: 'hand', is_raised: isRaised, ...this.#whoAndWhen(event) })
        return { type: 'hand_raised', ...this.#reported(event), name, is_raised: isRaised }
      }
      default:
        return null
    }
  }

  /** A message of the bot, once the meeting shows it. */
  takeOwn(senderName: string, text: string, at: number): Written {
    this.#sent += 1
    const id = `own-${this.#sent}`
    this.#pair(id, text, false)
    return this.#add({ id, senderId: null, senderName, text, at, isOwn: true })
  }

  /** Messages that were reported and are not among `messages`. */
  get missing(): number {
    return this.#missing
  }

  /** In order of time. */
  messages(): ChatFileEntry[] {
    return [...this.#entries.values()]
      .sort((one, other) => one.message.at - other.message.at)
      .map(({ message, senderId, editedAt, deletedAt }) => {
        const { is_edited, ...content } = this.#fields(message)
        return {
          message_id: message.id,
          sender_name: message.senderName,
          sender_id: senderId,
          timestamp: utc(message.at),
          is_own: message.isOwn,
          offset: this.#where.offset(message.at),
          ...content,
          ...(message.isDirect && { is_direct: true }),
          ...(is_edited && { edited_at: editedAt === null ? null : utc(editedAt) }),
          ...(deletedAt !== null && { deleted_at: utc(deletedAt) }),
        }
      })
  }

  /** In order of time. */
  reactions(): ReactionLine[] {
    return [...this.#reactions].sort((one, other) => one.at - other.at).map(({ line }) => line)
  }

  #add(message: ChatMessage): Written {
    const senderId = message.isOwn ? null : (this.#where.known(message.senderId)?.id ?? null)
    if (this.#entries.size < MAX_MESSAGES)
      this.#entries.set(message.id, {
        message,
        senderId,
        editedAt: null,
        deletedAt: message.isDeleted ? message.at : null,
      })
    else this.#missing += 1
    return {
      type: 'chat_message',
      message_id: message.id,
      sender_id: senderId,
      sender_name: message.senderName,
      timestamp: utc(message.at),
      is_own: message.isOwn,
      ...(message.isDirect && { is_direct: true }),
      ...this.#fields(message),
    }
  }

  #change(id: string, content: ChatContent, at: number): BotEvent | null {
    const messageId = this.#ownIds.get(id) ?? id
    const entry = this.#entries.get(messageId)
    // This message was not reported, so its change is not reported either.
    if (!entry && this.#entries.size < MAX_MESSAGES) return null
    if (entry) {
      const { senderName, senderId, at: sentAt, isOwn, isDirect } = entry.message
      if (content.text !== entry.message.text && !content.isDeleted) entry.editedAt = at
      if (content.isDeleted) entry.deletedAt ??= at
      entry.message = { id: messageId, senderName, senderId, at: sentAt, isOwn, isDirect, ...content }
    }
    return {
      type: 'chat_message_changed',
      message_id: messageId,
      timestamp: utc(at),
      is_deleted: content.isDeleted === true,
      ...this.#fields(content),
    }
  }

  #fields({ text, isCut, links, files, reactions, replyTo, isEdited, isDeleted }: ChatContent): ChatContentFields {
    if (isDeleted) return { text: '' }
    return {
      text,
      ...(isCut && { is_cut: true }),
      ...(isEdited && { is_edited: true }),
      ...(replyTo !== undefined && { reply_to: this.#ownIds.get(replyTo) ?? replyTo }),
      ...(links?.length && { links: links.map((link) => ({ text: link.text, url: link.url })) }),
      ...(files?.length && { files: files.map(({ name, url, bytes }) => ({ name, url, bytes })) }),
      ...(reactions?.length && {
        reactions: reactions.map(({ emoji, count, participantIds }) => ({
          emoji,
          count,
          user_ids: participantIds.flatMap((id) => this.#where.known(id)?.id ?? []),
        })),
      }),
    }
  }

  /** The page and the bot have different ids for the same message; equal texts are paired in order. */
  #pair(id: string, text: string, isPages: boolean): void {
    if (this.#ownIds.has(id)) return
    const squeezed = text.replace(/\s+/g, '')
    const other = this.#unpaired.findIndex((one) => one.isPages !== isPages && one.text === squeezed)
    if (other < 0) {
      this.#unpaired.push({ id, text: squeezed, isPages })
      if (this.#unpaired.length > MAX_UNPAIRED) this.#unpaired.shift()
      return
    }
    const counterpart = this.#unpaired.splice(other, 1)[0]!.id
    if (isPages) this.#ownIds.set(id, counterpart)
    else this.#ownIds.set(counterpart, id)
  }

  #keep(at: number, line: ReactionLine): void {
    if (this.#reactions.length < MAX_REACTIONS) this.#reactions.push({ at, line })
  }

  #whoAndWhen({ participantId, name, at }: { participantId: string | null; name: string; at: number }) {
    return {
      name,
      user_id: this.#where.known(participantId)?.id ?? null,
      timestamp: utc(at),
      offset: this.#where.offset(at),
    }
  }

  #reported({ participantId, at }: { participantId: string | null; at: number }) {
    const person = this.#where.known(participantId)
    return { participant: person && { ...person }, timestamp: utc(at), offset: this.#where.offset(at) }
  }
}
