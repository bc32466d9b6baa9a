/** One message of the chat as the list shows it (docs/platform-notes/zoom.md#chat). */

import { shownText } from '../../shared/page/chat-text.ts'
import { box, h } from '../../shared/page/dom.ts'
import type { ChatLine } from './protocol.ts'
import { CLASS, TEXT } from './table.ts'
import type { VirtualRow } from './virtual-list.ts'
import type { Words } from './words.ts'

const HEADER_HEIGHT = 26
const LINE_HEIGHT = 20
const PADDING = 10
const LETTERS_PER_LINE = 40

/** A line of the system between messages. It is not a message. */
export interface SystemLine {
  system: string
}

export function chatRows(lines: readonly (ChatLine | SystemLine)[], words: Words, lang: string): VirtualRow[] {
  let before: ChatLine | null = null
  return lines.map((line, index) => {
    if ('system' in line) {
      return {
        key: `s${index}`,
        height: PADDING + linesOf(line.system) * LINE_HEIGHT,
        make: () => systemRow(line, index),
      }
    }
    const former: ChatLine | null = before
    before = line
    // Consecutive messages of one sender have one header, on the first row. An edited message has a separate header
    // that says so.
    const begins =
      former?.senderNode !== line.senderNode || former.privateTo !== line.privateTo || line.isEdited === true
    return {
      key: `${line.id} ${line.isEdited ? line.text : ''}`,
      height: PADDING + (begins ? HEADER_HEIGHT : 0) + linesOf(line.text) * LINE_HEIGHT,
      make: () => messageRow(line, index, begins, words, lang),
    }
  })
}

function linesOf(text: string): number {
  return text.split('\n').reduce((sum, part) => sum + Math.max(1, Math.ceil([...part].length / LETTERS_PER_LINE)), 0)
}

function systemRow({ system }: SystemLine, index: number): HTMLElement {
  return h(
    'div',
    { class: `${CLASS.chatRow} ${CLASS.chatSystemRow}`, id: `chat-item-container-${index}` },
    box(CLASS.chatSystemText, system),
  )
}

function messageRow(line: ChatLine, index: number, begins: boolean, words: Words, lang: string): HTMLElement {
  const sender = line.isOwn ? words(TEXT.you) : line.senderName
  const receiver = line.privateTo ?? words(TEXT.everyone)
  const time = new Date(line.at).toLocaleTimeString(lang, { hour: 'numeric', minute: '2-digit' })
  const isPrivate = line.privateTo !== null
  const header =
    begins &&
    box(
      CLASS.chatHeader,
      h(
        'span',
        { class: CLASS.chatSender, title: sender, 'data-userid': line.senderNode, 'data-name': line.senderName },
        sender,
      ),
      h('span', { class: CLASS.chatTo }, words(TEXT.to)),
      h('span', { class: CLASS.chatReceiver, 'data-userid': isPrivate ? line.senderNode : 0 }, receiver),
      isPrivate && h('span', ` ${words(TEXT.privately)}`),
      h('span', { class: CLASS.chatTime }, line.isEdited ? `${time} ${words(TEXT.edited)}` : time),
    )
  const whose = line.isOwn ? 'self' : 'others'
  const text = h(
    'div',
    {
      id: line.id,
      class: `${CLASS.chatTextBox} ${CLASS.chatTextBox}--${whose} ${CLASS.chatText} ${CLASS.chatText}--${whose}`,
    },
    ...line.text.split('\n').map((part) => h('p', ...shownText(part, line))),
  )
  return h(
    'div',
    { class: CLASS.chatRow, id: `chat-item-container-${index}`, 'data-id': line.id, 'data-index': index },
    header,
    h(
      'div',
      {
        class: CLASS.chatMessage,
        id: `chat-message-content-${index}`,
        role: 'row',
        tabindex: -1,
        'aria-label': `${sender} to ${receiver}${isPrivate ? ` ${words(TEXT.privately)}` : ''}, ${time}, ${line.text}`,
      },
      text,
    ),
  )
}
