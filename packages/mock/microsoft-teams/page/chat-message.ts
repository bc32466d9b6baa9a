/** A chat message as markup: in the pane, and as the service sends it (docs/platform-notes/microsoft-teams.md#chat). */
import { shownText } from '../../shared/page/chat-text.ts'
import { h } from '../../shared/page/dom.ts'
import type { ChatLine } from './protocol.ts'

const SCHEMA = 'http://schema.skype.com'

/** The paragraphs of a message, a quotation of the message that it answers before them. */
function messageNodes({ text, links, mentions, replyTo }: ChatLine, quoted: string): Node[] {
  const quote =
    replyTo !== undefined &&
    h(
      'blockquote',
      { itemscope: true, itemtype: `${SCHEMA}/Reply`, itemid: replyTo },
      h('strong', { itemprop: 'mri' }, 'Somebody'),
      h('p', { itemprop: 'preview' }, quoted),
    )
  const look = {
    links,
    mentions,
    mention: (name: string) => h('span', { itemscope: true, itemtype: `${SCHEMA}/Mention` }, name),
    emoji: (character: string) => h('img', { itemtype: `${SCHEMA}/Emoji`, alt: character }),
  }
  return [...(quote ? [quote] : []), ...text.split('\n').map((line) => h('p', ...shownText(line, look)))]
}

/** The message in the pane: the quotation is a card without the id of the message. */
export function shownNodes(line: ChatLine, quoted: ChatLine | undefined): Node[] {
  if (line.replyTo === undefined) return messageNodes(line, '')
  const card = h(
    'div',
    { 'data-track-module-name': 'messageQuotedReply' },
    h(
      'div',
      { 'data-tid': 'quoted-reply-card' },
      h('span', quoted?.name ?? 'Somebody'),
      h('span', { 'data-tid': 'quoted-reply-timestamp' }, '9:10 AM'),
      h('span', { 'data-tid': 'quoted-reply-preview-content' }, quoted?.text ?? ''),
    ),
  )
  return [card, ...messageNodes({ ...line, replyTo: undefined }, '')]
}

/** The message as a batch has it. Lists are JSON within JSON; an edit or a deletion keeps the message's ids. */
export function messageOf(line: ChatLine, quoted: string): Record<string, unknown> {
  const { id, clientId, mri, name, at, file, reactions, isEdited, isDeleted } = line
  const content = h('div', ...(isDeleted ? [] : messageNodes(line, quoted))).innerHTML
  return {
    id,
    clientMessageId: clientId,
    from: mri ?? '',
    content,
    imDisplayName: name,
    originalArrivalTime: new Date(at).toISOString(),
    messageType: mri === null ? 'ThreadActivity/AddMember' : 'RichText/Html',
    properties: {
      ...(isEdited && { edittime: String(Date.now()) }),
      ...(isDeleted && { deletetime: String(Date.now()) }),
      ...(file && { files: JSON.stringify([{ fileName: file.name, objectUrl: file.url, size: file.bytes }]) }),
      ...(reactions && {
        emotions: reactions.map(({ key, users }) => ({ key, users: users.map((user) => ({ mri: user, time: at })) })),
      }),
    },
  }
}
