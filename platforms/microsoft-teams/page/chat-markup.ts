/**
 * Reads a message's markup, which is the same in the chat pane and in the service's messages
 * (docs/platform-notes/microsoft-teams.md#chat).
 */
import { contentOf, type WrittenContent } from '../../shared/page/chat/chat-content.ts'

const SCHEMA = 'schema.skype.com'
/** The quote at the beginning of a reply; `itemid` is the id of the quoted message. */
const QUOTE = `blockquote[itemtype*="${SCHEMA}/Reply"]`
const MENTION = `[itemtype*="${SCHEMA}/Mention"], at`

export function writtenIn(element: Element): WrittenContent & { replyTo?: string } {
  const replyTo = element.querySelector(QUOTE)?.getAttribute('itemid')
  return {
    ...contentOf(element, { without: QUOTE, mention: MENTION }),
    ...(replyTo && { replyTo: replyTo.slice(0, 200) }),
  }
}
