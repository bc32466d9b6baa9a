/** The chat at the side. Its nodes are there only while it is open. */

import { shownText } from '../../shared/page/chat-text.ts'
import { box, h } from '../../shared/page/dom.ts'
import { type Context, textButton, toolButton } from './context.ts'
import type { ChatLine } from './protocol.ts'

export interface ChatPanel {
  /** Null if the server has no chat. */
  button: HTMLElement | null
  place: HTMLElement
  add(line: ChatLine): void
  change(line: ChatLine): void
  setAllowed(isAllowed: boolean): void
}

const SAME_GROUP_MS = 60_000
/** Seconds after a private message in which the page asks before a public one. */
const PRIVACY_S = 20

export function chatPanel(context: Context): ChatPanel {
  const { words, settings, state, say, dialogs } = context
  const place = box('chat-place')
  const badge = h('span', { class: 'badge-round', hidden: true })
  let isAllowed = settings.chat === 'on'
  let list: HTMLElement | null = null
  let unread = 0
  const button = toolButton('', '💬', () => setOpen(!state.isChatOpen))
  setOpen(false)

  function setOpen(isOpen: boolean): void {
    state.isChatOpen = isOpen
    const isOld = settings.labels === 'old'
    button.label(words(isOld ? 'old.chat' : isOpen ? 'toolbar.closeChat' : 'toolbar.openChat'))
    button.press(isOpen)
    place.replaceChildren()
    list = null
    if (!isOpen) return
    unread = 0
    badge.hidden = true
    list = h('div', { id: 'chatconversation', role: 'log' })
    place.append(panel(list))
    for (const line of state.lines) append(list, line)
  }

  function panel(conversation: HTMLElement): HTMLElement {
    const close = h(
      'div',
      { class: 'jitsi-icon chat-close-button', role: 'button', 'aria-label': words('toolbar.closeChat') },
      '×',
    )
    close.addEventListener('click', () => setOpen(false))
    return h(
      'div',
      { id: 'sideToolbarContainer', class: 'sideToolbarContainer' },
      box('chat-header', h('h2', words('chat.title')), close),
      h(
        'div',
        { role: 'tablist' },
        h('button', { id: 'chat-tab', role: 'tab' }, words('chat.title')),
        h('button', { id: 'polls-tab', role: 'tab' }, words('chat.tabs.polls')),
      ),
      conversation,
      isAllowed ? composer() : box('sendDisabled', words('chat.disabled')),
    )
  }

  function composer(): HTMLElement {
    const input = h('textarea', {
      id: 'chat-input-messagebox',
      rows: 1,
      maxlength: 5000,
      placeholder: words('chat.messagebox'),
      'aria-label': words('chat.messagebox'),
    })
    const submit = () => {
      const text = input.value.trim()
      if (text === '') return
      const last = state.lines.findLast(({ endpoint }) => endpoint !== null)
      const isAnswer = last?.isDirect === true && Date.now() - last.at < PRIVACY_S * settings.secondMs
      if (isAnswer) dialogs.askForWhom(() => say({ say: 'chat', text }))
      else say({ say: 'chat', text })
      input.value = ''
    }
    input.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
      event.preventDefault()
      submit()
    })
    return h('div', { id: 'chat-input' }, box('smiley-input', input), textButton(words('chat.sendButton'), submit))
  }

  function append(conversation: HTMLElement, line: ChatLine): void {
    const earlier = state.lines[state.lines.indexOf(line) - 1]
    const isFirst = earlier?.endpoint !== line.endpoint || line.at - earlier.at > SAME_GROUP_MS
    const time = new Date(line.at).toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit' })
    const isOwn = line.endpoint === null
    const message = box(
      `chatmessage ${isOwn ? 'local' : 'remote'}${line.isDirect ? ' privatemessage' : ''}`,
      box(
        'messagecontent',
        isFirst && h('div', { class: 'display-name', 'aria-hidden': 'true' }, isOwn ? state.botName : line.name),
        box('usermessage', h('span', { class: 'sr-only' }, `${line.name}: `), ...shownText(line.text, line)),
        box('timestamp', time),
      ),
    )
    conversation.append(h('div', { id: line.id, class: `chatmessage-wrapper ${isOwn ? 'local' : 'remote'}` }, message))
    conversation.scrollTop = conversation.scrollHeight
  }

  return {
    button: settings.chat === 'off' ? null : box('toolbar-button-with-badge', button.root, badge),
    place,
    add(line) {
      state.lines.push(line)
      if (list) append(list, line)
      else if (line.endpoint !== null) {
        badge.textContent = String(++unread)
        badge.hidden = false
      }
    },
    change(line) {
      const place = state.lines.findIndex(({ id }) => id === line.id)
      if (place < 0) return
      state.lines[place] = line
      if (state.isChatOpen) setOpen(true)
    },
    setAllowed(allowed) {
      isAllowed = allowed
      if (state.isChatOpen) setOpen(true)
    },
  }
}
