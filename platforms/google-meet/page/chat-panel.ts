/** Reads the messages that the chat panel shows. They stay in the page, and grow, while the panel is closed. */
import { plain, textWithout } from '../../shared/page/visible-text.ts'
import type { PageConfig } from './types.ts'

export interface PanelMessage {
  id: string
  /** Null for our own. */
  sender: string | null
  text: string
  /** UTC milliseconds by the shown time, which has minutes only; null where none is shown. */
  shownAt: number | null
}

const TIME = /^(\d{1,2}):(\d{2})(?:\s?([ap])\.?m\.?)?$/i

export function readChatPanel(
  selectors: PageConfig['selectors'],
  says: (label: string, text: string) => boolean,
  now: number,
): PanelMessage[] {
  const icons = selectors.icon ?? 'i'
  const found = new Map<string, PanelMessage>()
  for (const element of document.querySelectorAll(selectors.chatMessage ?? ':not(*)')) {
    const id = element.getAttribute('data-message-id')
    if (!id || found.has(id)) continue
    const holder = element.querySelector(selectors.chatMessageText ?? ':not(*)')
    const text = holder ? textOf(holder, icons) : textWithout(element, `${icons}, button`)
    if (text === '' || says('pinHint', text)) continue
    const header = headerOf(element, selectors)
    const lines = header ? leafTexts(header, icons) : []
    const time = lines.map((line) => TIME.exec(plain(line))).find((match) => match !== null)
    const sender = lines.find((line) => !TIME.test(plain(line)) && !says('you', line)) ?? null
    found.set(id, { id, sender, text, shownAt: time ? instantOf(time, now) : null })
  }
  return [...found.values()]
}

/** The first part of a sender's group; it holds no message itself. */
function headerOf(message: Element, selectors: PageConfig['selectors']): Element | null {
  const group = message.closest(selectors.chatGroup ?? ':not(*)')
  if (group) return group.firstElementChild
  let parent = message.parentElement
  for (let level = 0; parent && level < 6; level++, parent = parent.parentElement) {
    const first = parent.firstElementChild
    if (first && !first.matches('[data-message-id]') && !first.querySelector('[data-message-id]')) return first
  }
  return null
}

/** Line breaks inside a message are elements; they are text again here. */
function textOf(element: Element, icons: string): string {
  let text = ''
  const walk = (node: Node) => {
    if (node.nodeType === Node.TEXT_NODE) text += node.nodeValue ?? ''
    else if (node.nodeType === Node.ELEMENT_NODE && !(node as Element).matches(icons)) {
      if ((node as Element).tagName === 'BR') text += '\n'
      for (const child of node.childNodes) walk(child)
    }
  }
  walk(element)
  return text.trim()
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

/** The shown time is local and today's, or yesterday's just after midnight. */
function instantOf([, hours, minutes, half]: RegExpExecArray, now: number): number {
  const date = new Date(now)
  let hour = Number(hours)
  if (half) hour = (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  date.setHours(hour, Number(minutes), 0, 0)
  return date.getTime() > now ? date.getTime() - 86_400_000 : date.getTime()
}
