/** Reads messages of the chat panel. They stay in the page, and grow, while the panel is closed. */
import { contentOf, type WrittenContent } from '../../shared/page/chat/chat-content.ts'
import { instantOf } from '../../shared/page/chat/chat-time.ts'
import { plain } from '../../shared/page/dom/visible-text.ts'
import type { PageConfig } from './types.ts'

export interface PanelMessage {
  id: string
  /** Null for the bot's own message. */
  sender: string | null
  content: WrittenContent
  /** UTC milliseconds by the shown time, which has minutes only; null where none is shown. */
  shownAt: number | null
}

type Selectors = PageConfig['selectors']
type Says = (label: string, text: string) => boolean

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
  const lines = header ? leafTexts(header, icons) : []
  const time = lines.map((line) => TIME.exec(plain(line))).find((match) => match !== null)
  const sender = lines.find((line) => !TIME.test(plain(line)) && !says('you', line)) ?? null
  const shownAt = time ? instantOf(time[1]!, time[2]!, time[3], now) : null
  return { id: id.slice(0, 200), sender: sender?.slice(0, 256) ?? null, content, shownAt }
}

/** The bot's own newest messages. */
export function ownMessages(selectors: Selectors, says: Says, most: number): { id: string; text: string }[] {
  const newest = [...document.querySelectorAll(selectors.chatMessage ?? ':not(*)')].slice(-most)
  return newest.flatMap((element) => {
    const message = readPanelMessage(element, selectors, says, Date.now())
    return message && message.sender === null ? [{ id: message.id, text: message.content.text }] : []
  })
}

/** The first part of a sender's group; it contains no message. */
function headerOf(message: Element, selectors: Selectors): Element | null {
  const group = message.closest(selectors.chatGroup ?? ':not(*)')
  if (group) return group.firstElementChild
  let parent = message.parentElement
  for (let level = 0; parent && level < 6; level++, parent = parent.parentElement) {
    const first = parent.firstElementChild
    if (first && !first.matches('[data-message-id]') && !first.querySelector('[data-message-id]')) return first
  }
  return null
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
