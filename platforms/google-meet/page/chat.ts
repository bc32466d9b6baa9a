/** The meeting's chat from its two sources, the data channel and the panel, as one. */
import { plainContent } from '../../shared/page/chat/chat-content.ts'
import { ChatLog } from '../../shared/page/chat/chat-log.ts'
import { seenAt } from '../../shared/page/chat/chat-time.ts'
import { watchChangedNodes } from '../../shared/page/dom/changed-nodes.ts'
import { isVisible } from '../../shared/page/dom/visible-text.ts'
import type { ChatState, PageEvent } from '../../shared/page/types.ts'
import { ownMessages, readPanelMessage } from './chat-panel.ts'
import type { ChatRecord } from './collections.ts'
import type { Elements } from './elements.ts'
import type { Roster } from './roster.ts'
import type { PageConfig } from './types.ts'

/** Panel messages that one poll reads at most. */
const MAX_MESSAGES = 200
/** The bot's own messages that the driver receives. */
const MAX_OWN = 30
/** Ids of lost messages that are kept. */
const MAX_LOST = 5000

export interface ChatParts {
  config: PageConfig
  elements: Elements
  roster: Roster
  emit(event: PageEvent): void
  /** Counts messages that left the page before they could be read. */
  miss(count: number): void
}

export function createChat({ config, elements, roster, emit, miss }: ChatParts) {
  const { selectors, botName } = config
  const panel = selectors.chatPanel ?? ':not(*)'
  const log = new ChatLog()
  const messages = watchChangedNodes(panel, selectors.chatMessage ?? ':not(*)')
  /** Ids of the messages that were counted as lost. */
  const lost = new Set<string>()

  /** A removed row may be drawn again under the same id, and the channel may have carried its message. */
  function countLost(): void {
    for (const element of messages.gone()) {
      const id = element.getAttribute('data-message-id')
      if (!id || lost.has(id) || log.knows(id)) continue
      if (document.querySelector(`[data-message-id="${CSS.escape(id)}"]`)) continue
      lost.add(id)
      if (lost.size > MAX_LOST) lost.delete(lost.values().next().value ?? '')
      miss(1)
    }
  }

  return {
    handleRecord(record: ChatRecord, at: number): void {
      const { id, deviceId } = record
      const isOwn = deviceId !== null && roster.isSelf(deviceId)
      const senderName = isOwn ? botName : ((deviceId && roster.nameOf(deviceId)) ?? 'Unknown')
      const content = plainContent(record.text)
      const message = { id, senderId: deviceId, senderName, at: record.at ?? at, isOwn, ...content }
      const event = log.add('channel', message, at)
      if (event) emit(event)
    },
    /** Emits the panel's messages that are new or changed. */
    read(at: number): void {
      for (const element of messages.read(MAX_MESSAGES)) {
        const line = readPanelMessage(element, selectors, elements.says, at)
        if (!line) continue
        const message = {
          id: line.id,
          senderId: line.sender === null ? roster.ownId() : (roster.named(line.sender)?.id ?? null),
          senderName: line.sender ?? botName,
          at: seenAt(line.shownAt, at),
          isOwn: line.sender === null,
          ...line.content,
        }
        const event = log.add('panel', message, at)
        if (event) emit(event)
      }
      countLost()
    },
    state(): ChatState {
      const box = elements.find('chatBox') as HTMLTextAreaElement | null
      const shown = [...document.querySelectorAll(panel)].filter(isVisible)
      return {
        isPanelOpen: box !== null || shown.length > 0,
        // Continuous chat is a conversation of Google Chat, in a frame.
        isElsewhere: box === null && shown.some((open) => [...open.querySelectorAll('iframe')].some(isVisible)),
        box: box && { isEnabled: !box.disabled && !box.readOnly, value: box.value },
        own: ownMessages(selectors, elements.says, MAX_OWN),
      }
    },
  }
}
