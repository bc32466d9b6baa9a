/**
 * Merges chat messages from two sources that report the same ones: the meeting's channel and the chat panel. Pure. The
 * first report wins; ids decide, and where the sources use different ids, equal text of the same sender is paired one
 * to one. A later difference in either source is a change of the message.
 */
import type { ChatContent, ChatMessage } from '../../../../packages/core/meeting/meeting.ts'
import type { PageEvent } from '../types.ts'

export type ChatSource = 'channel' | 'panel'

/** Messages that are remembered; an older one is reported again if it is shown again. */
const MAX_MESSAGES = 20_000
/** Messages that may still appear under another id in the other source. */
const MAX_SINGLE = 500

interface Entry {
  /** The id under which it was reported. */
  id: string
  message: ChatMessage
  content: ChatContent
  /** Content that each source showed last. */
  shown: Partial<Record<ChatSource, string>>
}

export class ChatLog {
  readonly #entries = new Map<string, Entry>()
  /** Messages that only one source has reported so far, the oldest first. */
  readonly #single: { source: ChatSource; entry: Entry }[] = []

  /** The event of a message that is new or has changed; null for one without news. */
  add(source: ChatSource, message: ChatMessage, at: number, otherIds: readonly string[] = []): PageEvent | null {
    const ids = [message.id, ...otherIds]
    const content = contentOf(message)
    const key = JSON.stringify(content)
    const entry = this.#find(source, ids, message)
    if (!entry) {
      // Deleted before the bot saw it: there is nothing to report.
      if (message.isDeleted) return null
      const added: Entry = { id: message.id, message, content, shown: { [source]: key } }
      this.#remember(ids, added)
      this.#single.push({ source, entry: added })
      if (this.#single.length > MAX_SINGLE) this.#single.shift()
      return { type: 'chat_message', message }
    }
    this.#remember(ids, entry)
    const before = entry.shown[source]
    if (before === key || entry.content.isDeleted) return null
    entry.shown[source] = key
    const next = merged(entry.content, content, before === undefined ? null : (JSON.parse(before) as ChatContent))
    if (next === null) return null
    entry.content = next
    return { type: 'chat_message_changed', messageId: entry.id, content: next, at }
  }

  /** The platform shows or reports the message as deleted; null for one that was never reported. */
  delete(id: string, at: number): PageEvent | null {
    const entry = this.#entries.get(id)
    if (!entry || entry.content.isDeleted) return null
    entry.content = DELETED
    return { type: 'chat_message_changed', messageId: entry.id, content: DELETED, at }
  }

  knows(id: string): boolean {
    return this.#entries.has(id)
  }

  /** Whether the message was reported as the bot's own. */
  isOwn(id: string): boolean {
    return this.#entries.get(id)?.message.isOwn === true
  }

  /** The id of the latest message of this sender that begins with this text; null if none was reported. */
  saidBy(senderName: string, text: string): string | null {
    const wanted = squeezed(text)
    const entry = [...this.#entries.values()].findLast(
      ({ message, content }) => message.senderName === senderName && squeezed(content.text).startsWith(wanted),
    )
    return entry?.id ?? null
  }

  /** UTC milliseconds; null for a message that was not reported. */
  reportedAt(id: string): number | null {
    return this.#entries.get(id)?.message.at ?? null
  }

  /** The id under which a message was reported, for references to it. */
  reportedId(id: string): string {
    return this.#entries.get(id)?.id ?? id
  }

  #find(source: ChatSource, ids: readonly string[], message: ChatMessage): Entry | null {
    const byId = ids.map((id) => this.#entries.get(id)).find((entry) => entry !== undefined)
    const place = this.#single.findIndex(
      (single) => single.source !== source && (byId ? single.entry === byId : isSame(single.entry.message, message)),
    )
    const single = place < 0 ? undefined : this.#single.splice(place, 1)[0]
    return byId ?? single?.entry ?? null
  }

  #remember(ids: readonly string[], entry: Entry): void {
    for (const id of ids) this.#entries.set(id, entry)
    while (this.#entries.size > MAX_MESSAGES) this.#entries.delete(this.#entries.keys().next().value ?? '')
  }
}

const DELETED: ChatContent = { text: '', isDeleted: true }

/**
 * The new content of a message that was reported as `reported`; null if it is unchanged. `before` is the content that
 * the source showed last, null if it shows the message for the first time: then it may write the same text another
 * way.
 */
function merged(reported: ChatContent, shown: ChatContent, before: ChatContent | null): ChatContent | null {
  if (shown.isDeleted) return DELETED
  const isOther = squeezed(shown.text) !== squeezed(reported.text)
  const isEdited =
    isOther && (before === null ? shown.isEdited === true : squeezed(shown.text) !== squeezed(before.text))
  // A source without links, files or reactions does not remove them.
  const next: ChatContent = { ...reported, ...withoutText(shown), ...(isEdited && { ...shown, isEdited: true }) }
  if (before?.reactions && !shown.reactions) next.reactions = []
  if (!isEdited && reported.links) next.links = richer(reported.links, shown.links)
  return sameExtras(next, reported) && !isEdited ? null : next
}

/** Links with a text say more than addresses that were found in plain text. */
function richer(reported: ChatContent['links'], shown: ChatContent['links']): ChatContent['links'] {
  const hasWords = (links: ChatContent['links']) => links?.some(({ text, url }) => text !== url) ?? false
  return hasWords(shown) && !hasWords(reported) ? shown : reported
}

function sameExtras(one: ChatContent, other: ChatContent): boolean {
  return JSON.stringify(extrasOf(one)) === JSON.stringify(extrasOf(other))
}

function extrasOf({ links = [], files = [], reactions = [], replyTo, isEdited = false }: ChatContent) {
  return { links, files, reactions, replyTo, isEdited }
}

function withoutText({ text, isCut, ...rest }: ChatContent): Partial<ChatContent> {
  return rest
}

function contentOf({ id, senderId, senderName, at, isOwn, isDirect, ...content }: ChatMessage): ChatContent {
  return content
}

function isSame(one: ChatMessage, other: ChatMessage): boolean {
  if (squeezed(one.text) !== squeezed(other.text) || one.isOwn !== other.isOwn) return false
  return one.senderId === null || other.senderId === null || one.senderId === other.senderId
}

/** The panel turns line ends into other nodes, so white space is ignored in comparisons. */
function squeezed(text: string): string {
  return text.replace(/\s+/g, '')
}
