/** Reads messages of the chat panel. They stay in the page, and grow, while the panel is closed. */
import { contentOf, type WrittenContent } from '../../shared/page/chat/chat-content.ts'
import { instantOf } from '../../shared/page/chat/chat-time.ts'
import { plain } from '../../shared/page/dom/visible-text.ts'
import { pageNow } from '../../shared/page/page-clock.ts'
import type { PageConfig } from './types.ts'

export interface PanelMessage {
  id: string
  /** Null for the bot's own message. */
  sender: string | null
  content: WrittenContent
  /** UTC milliseconds by the shown time, which has minutes only; null if none is shown. */
  shownAt: number | null
}

type Selectors = PageConfig['selectors']
type Says = (label: string, text: string) => boolean

/** Elements around a message that are searched for its header. */
const MAX_LEVELS = 8
const MESSAGE_OR_BUTTON = '[data-message-id], button'
const TIME = /^(\d{1,2}):(\d{2})(?:\s?([ap])\.?m\.?)?$/i

/** Null for an element that is no message, such as a hint of the page. */
export function readPanelMessage(element: Element, selectors: Selectors, says: Says, now: number): PanelMessage | null {
  const icons = selectors.icon ?? 'i'
  const id = element.getAttribute('data-message-id')
  if (!id) return null
  const holder = element.querySelector(selectors.chatMessageText ?? ':not(*)') ?? element
  const content = contentOf(holder, { without: icons })
  if (content.text === '' || says('pinHint', content.text)) return null
  const header = headerOf(element, selectors)
  const times = header ? leafTexts(header, icons) : []
  const time = times.map((line) => TIME.exec(plain(line))).find((match) => match !== null)
  // A time in another language's form is no name either.
  const names = header ? leafTexts(header, `${icons}, ${selectors.chatTime ?? ':not(*)'}`) : []
  const sender = names.find((line) => !TIME.test(plain(line)) && !says('you', line)) ?? null
  const shownAt = time ? instantOf(time[1]!, time[2]!, time[3], now) : null
  return { id: id.slice(0, 200), sender: sender?.slice(0, 256) ?? null, content, shownAt }
}

/** The bot's own newest messages. */
export function ownMessages(selectors: Selectors, says: Says, most: number): { id: string; text: string }[] {
  const newest = [...document.querySelectorAll(selectors.chatMessage ?? ':not(*)')].slice(-most)
  return newest.flatMap((element) => {
    const message = readPanelMessage(element, selectors, says, pageNow())
    return message && message.sender === null ? [{ id: message.id, text: message.content.text }] : []
  })
}

/**
 * The name and the time above a message: the nearest earlier sibling, of the message or of an element around it in the
 * group, that holds no message. A picture or a notice may stand between; only the header has a time.
 */
function headerOf(message: Element, selectors: Selectors): Element | null {
  const group = message.closest(selectors.chatGroup ?? ':not(*)')
  const time = selectors.chatTime ?? ':not(*)'
  const icons = selectors.icon ?? 'i'
  const hasTime = (part: Element) =>
    part.matches(time) ||
    part.querySelector(time) !== null ||
    leafTexts(part, icons).some((line) => TIME.test(plain(line)))
  let nearest: Element | null = null
  let inside: Element | null = message
  for (let level = 0; inside && inside !== group && level < MAX_LEVELS; level++, inside = inside.parentElement) {
    for (let part = inside.previousElementSibling; part; part = part.previousElementSibling) {
      if (part.matches(MESSAGE_OR_BUTTON) || part.querySelector('[data-message-id]')) continue
      if (hasTime(part)) return part
      if (leafTexts(part, icons).length > 0) nearest ??= part
    }
  }
  // Without a group, a part without a time may belong to the panel.
  return group ? nearest : null
}

function leafTexts(element: Element, icons: string): string[] {
  const texts: string[] = []
  const walk = (node: Node) => {
    if (node.nodeType === Node.TEXT_NODE) {
      const text = node.nodeValue?.trim()
      if (text) texts.push(text)
    } else if (node.nodeType === Node.ELEMENT_NODE && !(node as Element).matches(icons)) {
      for (const child of node.childNodes) walk(child)
    }
  }
  walk(element)
  return texts
}
