/** Reads the chat: from the page's own state, or from the open panel if there is none. */
import type { ChatMessage } from '../../../packages/core/meeting/meeting.ts'
import { contentOf } from '../../shared/page/chat/chat-content.ts'
import { ChatLog } from '../../shared/page/chat/chat-log.ts'
import { isVisible } from '../../shared/page/dom/visible-text.ts'
import { pageNow } from '../../shared/page/page-clock.ts'
import type { ChatState, PageEvent } from '../../shared/page/types.ts'
import { createMessageReader, readMessages, readStore, type StoreMessage } from './store.ts'
import type { PageConfig } from './types.ts'

/** At most so many messages of one panel are read. */
const MAX_SHOWN = 500
/** The time, the marks and the text for screen readers. */
const BESIDE_THE_TEXT = '.timestamp, .sr-only, [aria-hidden="true"]'

/** The meeting's messages, oldest first. `read` reads them from the page's own state. */
function readChat(selectors: PageConfig['selectors'], read: () => StoreMessage[] = readMessages): ChatMessage[] {
  return readStore() ? read() : readPanel(selectors)
}

function readPanel(selectors: PageConfig['selectors']): ChatMessage[] {
  let sender = 'Unknown'
  return [...document.querySelectorAll(selectors.chatMessage ?? ':not(*)')].slice(-MAX_SHOWN).flatMap((element) => {
    const isOwn = element.classList.contains('local')
    // Only the first message of a sender's group has the name.
    const named = element.querySelector(selectors.chatSender ?? ':not(*)')?.textContent?.trim()
    if (named) sender = named.slice(0, 256)
    const id = element.closest('[id]')?.id ?? ''
    const holder = element.querySelector(selectors.chatMessageText ?? ':not(*)')
    if (id === '' || !holder || element.matches('.lobbymessage, .error')) return []
    const direct = element.matches('.privatemessage') && { isDirect: true }
    const content = contentOf(holder, { without: BESIDE_THE_TEXT })
    return [{ id, senderId: null, senderName: sender, at: pageNow(), isOwn, ...content, ...direct }]
  })
}

function chatState(selectors: PageConfig['selectors'], box: HTMLTextAreaElement | null): ChatState {
  const panels = [...document.querySelectorAll(selectors.chatPanel ?? ':not(*)')]
  return {
    isPanelOpen: panels.some(isVisible),
    box: box && { isEnabled: !box.disabled && !box.readOnly, value: box.value },
    own: readChat(selectors)
      .filter(({ isOwn }) => isOwn)
      .map(({ id, text }) => ({ id, text })),
  }
}

export function createChat({ selectors, botName }: PageConfig, emit: (event: PageEvent) => void) {
  const log = new ChatLog()
  const readStored = createMessageReader()

  function read(at: number): void {
    for (const line of readChat(selectors, readStored)) {
      const senderName = line.isOwn ? botName : line.senderName
      const event = log.add('channel', { ...line, senderName, at: Math.min(line.at, at) }, at)
      if (event) emit(event)
    }
  }

  return {
    /** Emits the messages that are new or changed. */
    read,
    state(box: HTMLTextAreaElement | null): ChatState {
      // The panel may be closed again before the next poll.
      read(pageNow())
      return chatState(selectors, box)
    },
  }
}
