/** The chat as the page knows it: from its own state, or from the open panel where there is none. */
import type { ChatState } from '../../shared/page/types.ts'
import { isVisible } from '../../shared/page/visible-text.ts'
import { readMessages, readStore, type StoreMessage } from './store.ts'
import type { PageConfig } from './types.ts'

/** More than this in one panel is not read. */
const MOST_SHOWN = 500

/** The meeting's messages, oldest first. */
export function readChat(selectors: PageConfig['selectors']): StoreMessage[] {
  return readStore() ? readMessages() : readPanel(selectors)
}

function readPanel(selectors: PageConfig['selectors']): StoreMessage[] {
  let sender = 'Unknown'
  return [...document.querySelectorAll(selectors.chatMessage ?? ':not(*)')].slice(-MOST_SHOWN).flatMap((element) => {
    const isOwn = element.classList.contains('local')
    // Only the first message of somebody's group has the name.
    const named = element.querySelector(selectors.chatSender ?? ':not(*)')?.textContent?.trim()
    if (named) sender = named.slice(0, 256)
    const id = element.closest('[id]')?.id ?? ''
    const holder = element.querySelector(selectors.chatMessageText ?? ':not(*)')
    const isPrivate = element.matches('.privatemessage, .lobbymessage, .error')
    if (id === '' || !holder || isPrivate) return []
    return [{ id, senderId: null, senderName: sender, text: saidIn(holder), at: Date.now(), isOwn }]
  })
}

/** Without the time, the marks and what is there for screen readers only. */
function saidIn(holder: Element): string {
  const copy = holder.cloneNode(true) as Element
  for (const extra of copy.querySelectorAll('.timestamp, .sr-only, [aria-hidden="true"]')) extra.remove()
  return (copy.textContent ?? '').trim().slice(0, 10_000)
}

export function chatState(selectors: PageConfig['selectors'], box: HTMLTextAreaElement | null): ChatState {
  const panels = [...document.querySelectorAll(selectors.chatPanel ?? ':not(*)')]
  return {
    isPanelOpen: panels.some(isVisible),
    box: box && { isEnabled: !box.disabled && !box.readOnly, value: box.value },
    own: readChat(selectors)
      .filter(({ isOwn }) => isOwn)
      .map(({ id, text }) => ({ id, text })),
  }
}
