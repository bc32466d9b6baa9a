/** Reads the messages in the chat pane. It is a virtual list: rows come and go, and exist only while it is open. */
import type { ChatContent } from '../../../packages/core/meeting/meeting.ts'
import { textWithout } from '../../shared/page/dom/visible-text.ts'
import { type Quoted, quotedIn, writtenIn } from './chat-markup.ts'
import type { PageConfig } from './types.ts'

export interface PaneMessage {
  id: string
  /** Null for the bot's own message. */
  sender: string | null
  content: Pick<ChatContent, 'text' | 'isCut' | 'links' | 'replyTo' | 'isDeleted'>
  /** The message that this one answers, if its quote has no id. */
  quoted: Quoted | null
  /** UTC milliseconds. */
  at: number | null
}

export function readChatPane(selectors: PageConfig['selectors']): PaneMessage[] {
  const select = (name: string) => selectors[name] ?? ':not(*)'
  const found: PaneMessage[] = []
  let author = ''
  for (const item of document.querySelectorAll(select('chatItem'))) {
    if (item.querySelector(select('chatSystem'))) {
      author = ''
      continue
    }
    for (const message of item.querySelectorAll(select('chatMessage'))) {
      const id = message.getAttribute('data-mid')
      const body = message.querySelector(select('chatText'))
      const isOwn = message.closest(select('chatOwn')) !== null || item.querySelector(select('chatOwn')) !== null
      const named = message.querySelector(select('chatAuthor')) ?? authorBefore(message, item, select)
      // Only the first of several messages in a row has the name.
      author = isOwn ? '' : (named ? textWithout(named, select('icon')) : '') || author || labelledAuthor(message, item)
      if (!id) continue
      const said = { id, sender: isOwn ? null : author, at: instantOf(message, item, id) }
      if (isDeleted(message, item, select)) {
        found.push({ ...said, content: { text: '', isDeleted: true }, quoted: null })
        continue
      }
      if (!body) continue
      const content = writtenIn(body)
      // The quote may be next to the text.
      if (content.text !== '') found.push({ ...said, content, quoted: content.replyTo ? null : quotedIn(message) })
    }
  }
  return found
}

const isBefore = (one: Element, other: Element) =>
  (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0

/** An item of several messages may have a name before each, outside of them. */
function authorBefore(message: Element, item: Element, select: (name: string) => string): Element | null {
  const names = [...item.querySelectorAll(select('chatAuthor'))]
  const apart = names.filter((name) => name.closest(select('chatMessage')) === null)
  return apart.findLast((name) => isBefore(name, message)) ?? names[0] ?? null
}

/** The mark is in the message, or beside it in its item: then it belongs to the message before it, or to the first. */
function isDeleted(message: Element, item: Element, select: (name: string) => string): boolean {
  if (message.querySelector(select('chatDeleted'))) return true
  const messages = [...item.querySelectorAll(select('chatMessage'))]
  return [...item.querySelectorAll(select('chatDeleted'))]
    .filter((mark) => mark.closest(select('chatMessage')) === null)
    .some((mark) => (messages.findLast((earlier) => isBefore(earlier, mark)) ?? messages[0]) === message)
}

/** "Name, 10:42 AM, text" for screen readers. */
function labelledAuthor(message: Element, item: Element): string {
  const label = message.getAttribute('aria-label') ?? item.getAttribute('aria-label') ?? ''
  return /^(.{1,200}?), \d{1,2}[:.]\d{2}/.exec(label)?.[1] ?? ''
}

function instantOf(message: Element, item: Element, id: string): number | null {
  const shown = (message.querySelector('time[datetime]') ?? item.querySelector('time[datetime]'))?.getAttribute(
    'datetime',
  )
  const time = shown ? Date.parse(shown) : Number.NaN
  if (Number.isFinite(time)) return time
  // The id is the time at which the service accepted the message.
  return /^\d{13}$/.test(id) ? Number(id) : null
}
