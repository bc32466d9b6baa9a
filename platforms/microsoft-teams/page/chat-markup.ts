/**
 * Reads a message's markup, which is the same in the chat pane and in the service's messages
 * (docs/platform-notes/microsoft-teams.md#chat).
 */
import { contentOf, type WrittenContent } from '../../shared/page/chat/chat-content.ts'
import { plain, textWithout } from '../../shared/page/dom/visible-text.ts'

const SCHEMA = 'schema.skype.com'
/** The quote at the beginning of a reply; `itemid` is the id of the quoted message. */
const REPLY = `blockquote[itemtype*="${SCHEMA}/Reply"]`
/** The pane's newer form of a quote, which has no id. */
const CARD = '[data-tid="quoted-reply-card"]'
const CARD_TIME = '[data-tid="quoted-reply-timestamp"]'
const CARD_TEXT = '[data-tid="quoted-reply-preview-content"]'
const QUOTE = `${REPLY}, [data-track-module-name="messageQuotedReply"], ${CARD}`
const REACTIONS = '[data-tid="diverse-reaction-pill-button"]'
const MENTION = `[itemtype*="${SCHEMA}/Mention"], at`

export interface Quoted {
  author: string
  /** The page may show only its beginning. */
  text: string
}

export function writtenIn(element: Element): WrittenContent & { replyTo?: string } {
  const replyTo = element.querySelector(REPLY)?.getAttribute('itemid')
  const content = contentOf(element, { without: `${QUOTE}, ${REACTIONS}`, mention: MENTION })
  return {
    ...content,
    text: content.text || withoutWords(element),
    ...(replyTo && { replyTo: replyTo.slice(0, 200) }),
  }
}

/** The message that a reply quotes, if the quote has no id. */
export function quotedIn(element: Element): Quoted | null {
  const card = element.querySelector(CARD)
  const preview = card?.querySelector(CARD_TEXT)
  if (!card || !preview) return null
  const { text } = contentOf(preview)
  const author = plain(textWithout(card, `${CARD_TIME}, ${CARD_TEXT}, svg, button`))
  return text === '' ? null : { author, text: text.replace(/(?:\.{3}|…)$/, '') }
}

/** Names the content of a message that has no words. */
function withoutWords(element: Element): string {
  const has = (selector: string) => [...element.querySelectorAll(selector)].some((part) => part.closest(QUOTE) === null)
  if (has('img, video')) return '[image]'
  return has('attachment') ? '[attachment]' : ''
}
