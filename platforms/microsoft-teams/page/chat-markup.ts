/**
 * A message's markup, in the chat pane and as the service sends it, which are the same
 * (docs/platform-notes/microsoft-teams.md#chat).
 */
import { contentOf, type WrittenContent } from '../../shared/page/chat/chat-content.ts'

const SCHEMA = 'schema.skype.com'
/** Quoted before an answer; `itemid` is the id of the message that is answered. */
const QUOTE = `blockquote[itemtype*="${SCHEMA}/Reply"]`
const MENTION = `[itemtype*="${SCHEMA}/Mention"], at`

export function writtenIn(element: Element): WrittenContent & { replyTo?: string } {
  const replyTo = element.querySelector(QUOTE)?.getAttribute('itemid')
  return {
    ...contentOf(element, { without: QUOTE, mention: MENTION }),
    ...(replyTo && { replyTo: replyTo.slice(0, 200) }),
  }
}
