/** The chat. Its nodes exist only after the panel was opened once; then they stay and grow while it is closed. */

import { shownText } from '../../shared/page/chat-text.ts'
import { box, h, setAttribute } from '../../shared/page/dom.ts'
import { button, type Context } from './context.ts'
import type { ChatLine } from './protocol.ts'

export interface ChatPanel {
  opener: HTMLElement
  panel: HTMLElement
  add(line: ChatLine): void
  setEnabled(enabled: boolean): void
  close(): void
}

const SAME_GROUP_MS = 60_000

export function chatPanel(context: Context, toggle: (panel: HTMLElement) => void): ChatPanel {
  const { cls, words, settings, say, media } = context
  const lines: ChatLine[] = []
  let enabled = settings.chat === 'on'
  let built: ReturnType<typeof build> | null = null
  let last: { messages: HTMLElement; line: ChatLine } | null = null
  const container = h('div', { 'data-panel-container-id': 'sidePanel2' })
  const panel = h('aside', { 'aria-label': words('Side panel'), class: cls('panel'), hidden: true }, container)
  const opener = button(context, { icon: 'chat', attributes: { 'data-panel-id': 2 } }, () => open())
  setUnread(false)

  function setUnread(unread: boolean): void {
    setAttribute(opener, 'aria-label', words('Chat with everyone') + (unread ? words(' - New message') : ''))
  }

  function open(): void {
    toggle(panel)
    setUnread(false)
    if (built) return
    built = build()
    container.append(built.root)
    for (const line of lines) append(line)
  }

  function build() {
    const list = h('div', { jsname: 'xySENc', 'aria-live': 'polite', class: cls('chatList') })
    const input = h('textarea', {
      'aria-label': words('Send a message'),
      placeholder: words('Send a message'),
      maxlength: 500,
      rows: 1,
      class: cls('chatBox'),
    })
    const send = button(
      context,
      { label: words('Send a message'), icon: 'send', attributes: { disabled: true, jsname: 'SoqoBf' } },
      () => submit(),
    ) as HTMLButtonElement
    input.addEventListener('input', () => {
      send.disabled = input.value.trim() === ''
    })
    input.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
      event.preventDefault()
      submit()
    })
    const submit = () => {
      const text = input.value.trim()
      if (text === '' || !enabled || input.disabled) return
      // The real client sends over a data channel if there is one.
      if (!media.sendMessage(text)) say({ say: 'chat', text })
      input.value = ''
      send.disabled = true
    }
    const compose = box(cls('compose'), input, send)
    const root = box(
      cls('chat'),
      h('div', { role: 'heading', 'aria-level': 2 }, words('In-call messages')),
      h('div', words('Messages can only be seen by people in the call and are deleted when the call ends')),
      ...(settings.chat === 'continuous'
        ? [h('iframe', { title: 'Chat', src: 'about:blank' })]
        : [list, enabled && compose]),
    )
    return { root, list, compose, input, send }
  }

  function append(line: ChatLine): void {
    if (!built) return
    const joins =
      last !== null && last.line.device === line.device && line.at - last.line.at < SAME_GROUP_MS ? last.messages : null
    const messages = joins ?? h('div')
    if (!joins) built.list.append(groupOf(context, line, messages))
    messages.append(...messageOf(context, line))
    last = { messages, line }
    built.list.scrollTop = built.list.scrollHeight
  }

  const byKey = (event: KeyboardEvent) => {
    if (event.ctrlKey && event.altKey && event.key.toLowerCase() === 'c') open()
  }
  document.addEventListener('keydown', byKey)
  return {
    opener,
    panel,
    add(line) {
      lines.push(line)
      append(line)
      if (line.device === null || !panel.hidden) return
      setUnread(true)
      context.toast(`${line.name} says in chat: ${line.text}`)
    },
    setEnabled(next) {
      enabled = next
      if (!built) return
      if (enabled) built.root.append(built.compose)
      else if (settings.seed % 2 === 0) built.compose.remove()
      built.input.disabled = !enabled
      built.send.disabled = true
    },
    close: () => document.removeEventListener('keydown', byKey),
  }
}

/** One child holds the picture, the header and the messages. The page's own groups have no picture and name no sender. */
function groupOf({ cls }: Context, line: ChatLine, messages: HTMLElement): HTMLElement {
  const time = new Date(line.at).toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit' })
  return h(
    'div',
    { jsname: 'Ypafjf', class: line.device === null ? `${cls('chatGroup')} ${cls('chatOwnGroup')}` : cls('chatGroup') },
    h(
      'div',
      line.device !== null && h('img', { alt: '' }),
      h(
        'div',
        box(
          cls('chatHeader'),
          line.device !== null && box(cls('chatSender'), line.name),
          h('div', { jsname: 'biJjHb', class: cls('chatTime') }, time.replace(/\s/, '\u202f')),
        ),
        messages,
      ),
    ),
  )
}

/** The message and, where pins are on, the overlay button that carries the same id. */
function messageOf(context: Context, line: ChatLine): HTMLElement[] {
  const { cls, words, settings } = context
  const message = h(
    'div',
    { 'data-message-id': line.id, class: cls('chatMessage') },
    h(
      'div',
      { jsname: 'dTKtvb' },
      h('div', { jscontroller: 'RrV5Ic', 'data-is-tv': 'false' }, ...shownText(line.text, line)),
    ),
  )
  if (!settings.chatPins) return [message]
  const pin = button(context, {
    label: words('Pin message'),
    icon: 'keep',
    attributes: { jsname: 'iJEnyb', 'data-message-id': line.id },
  })
  return [h('div', message, pin, h('div', words('Hover over a message to pin it')))]
}
