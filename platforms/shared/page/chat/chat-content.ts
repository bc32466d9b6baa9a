/** Reads a message as people wrote it: from the elements that show it, or from plain text. */
import type { ChatContent, ChatLink } from '../../../../packages/core/meeting/meeting.ts'

/** Characters. */
const MAX_TEXT = 20_000
const MAX_ADDRESS = 2000
const MAX_LABEL = 500
const MAX_LINKS = 50
/** A message of more nodes is not read to its end. */
const MAX_NODES = 5000

const BLOCKS = /^(?:P|DIV|LI|BLOCKQUOTE|PRE|H[1-6]|TR)$/
const NEVER = /^(?:SVG|STYLE|SCRIPT|BUTTON|TEMPLATE)$/i
/** Trailing punctuation belongs to the sentence, not to the address. */
const ADDRESS = /https?:\/\/[^\s<>"]+[^\s<>"'.,;:!?)\]}]/g
const HARMLESS = /^(?:https?|mailto):$/

/** Selectors of a platform's parts of a message. */
export interface ContentParts {
  /** Left out: icons, times, pins, quoted messages. */
  without?: string
  /** A person's name, which becomes `@Name`. */
  mention?: string
}

export type WrittenContent = Pick<ChatContent, 'text' | 'isCut' | 'links'>

/** Line ends and emoji are elements in a page; they are text again here. */
export function contentOf(element: Element, { without, mention }: ContentParts = {}): WrittenContent {
  let text = ''
  let nodes = 0
  let isCut = false
  const links: ChatLink[] = []
  const newLine = () => {
    if (text !== '' && !text.endsWith('\n')) text += '\n'
  }
  const walk = (node: Node) => {
    if (isCut) return
    if (text.length > MAX_TEXT || ++nodes > MAX_NODES) {
      isCut = true
      return
    }
    if (node.nodeType === Node.TEXT_NODE) text += node.nodeValue ?? ''
    if (node.nodeType !== Node.ELEMENT_NODE) return
    const part = node as Element
    const { tagName } = part
    if (NEVER.test(tagName) || (without && part.matches(without))) return
    if (tagName === 'IMG' || tagName === 'EMOJI') {
      text += part.getAttribute('alt') ?? ''
      return
    }
    if (tagName === 'BR') text += '\n'
    const isBlock = BLOCKS.test(tagName)
    if (isBlock) newLine()
    const from = text.length
    if (mention && part.matches(mention) && !part.textContent?.trimStart().startsWith('@')) text += '@'
    for (const child of part.childNodes) walk(child)
    if (tagName === 'A') noteLink(links, text.slice(from), part.getAttribute('href'))
    if (isBlock) newLine()
  }
  for (const child of element.childNodes) walk(child)
  return trimmed(text, links, isCut)
}

/** Text that came without markup; addresses in it are links. */
export function plainContent(written: string): WrittenContent {
  const links: ChatLink[] = []
  for (const [address] of written.slice(0, MAX_TEXT).matchAll(ADDRESS)) noteLink(links, address, address)
  return trimmed(written, links, false)
}

/** Null for an unsafe address, such as `javascript:` or `data:`, and for text that is no address. */
export function harmlessAddress(href: string | null): string | null {
  if (href === null || href.length > MAX_ADDRESS || !URL.canParse(href)) return null
  const url = new URL(href)
  return HARMLESS.test(url.protocol) ? url.href : null
}

function noteLink(links: ChatLink[], shown: string, href: string | null): void {
  const url = harmlessAddress(href)
  if (url === null || links.length >= MAX_LINKS) return
  links.push({ text: shown.replace(/\s+/g, ' ').trim().slice(0, MAX_LABEL), url })
}

function trimmed(written: string, links: ChatLink[], isCutAlready: boolean): WrittenContent {
  const whole = written
    .replace(/\u00a0/g, ' ')
    .replace(/[\u200b\ufeff]/g, '')
    .replace(/[ \t]+\n/g, '\n')
    .trim()
  const isCut = isCutAlready || whole.length > MAX_TEXT
  // The cut never splits a character.
  const text = whole.slice(0, MAX_TEXT).replace(/[\ud800-\udbff]$/, '')
  return { text, ...(isCut && { isCut }), ...(links.length > 0 && { links }) }
}
