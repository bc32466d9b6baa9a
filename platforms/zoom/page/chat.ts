/** The meeting's chat as the panel shows it. */
import { ChatLog } from '../../shared/page/chat/chat-log.ts'
import { seenAt } from '../../shared/page/chat/chat-time.ts'
import type { EventQueue } from '../../shared/page/link.ts'
import { pageNow } from '../../shared/page/page-clock.ts'
import type { ChatState, PageEvent } from '../../shared/page/types.ts'
import { ChatBacklog } from './chat-backlog.ts'
import { createChatReader, type PanelMessage } from './chat-panel.ts'
import type { Elements } from './elements.ts'
import type { Roster } from './roster.ts'
import type { PageConfig } from './types.ts'

/** Interval at which the list turns back by one page while older messages are missing. Milliseconds. */
const TURN_EVERY_MS = 60

export interface ChatParts {
  config: PageConfig
  elements: Elements
  roster: Roster
  queue: Pick<EventQueue, 'hasBegun' | 'miss'>
  emit(event: PageEvent): void
}

export function createChat({ config, elements, roster, queue, emit }: ChatParts) {
  const log = new ChatLog()
  const reader = createChatReader(elements)
  const backlog = new ChatBacklog<PanelMessage>()
  let turning: ReturnType<typeof setTimeout> | undefined

  function read(at: number): void {
    if (!reader.isDrawn()) return
    backlog.add(reader.read(at))
    const isOver = elements.first('chatPanel') === null
    if (queue.hasBegun && !isOver && !reader.catchUp((id) => log.knows(id))) {
      // Between two polls a flood brings more rows than one page of the list has.
      clearTimeout(turning)
      turning = setTimeout(() => read(pageNow()), TURN_EVERY_MS)
      return
    }
    queue.miss(reader.missed())
    for (const { message, notAfter } of backlog.drain((id) => log.reportedAt(id))) handle(message, notAfter, at)
    for (const id of reader.deleted()) {
      const event = log.delete(id, at)
      if (event) emit(event)
    }
  }

  function handle(line: PanelMessage, notAfter: number | null, at: number): void {
    if (line.userId !== null && line.userId > 1) {
      if (line.sender === null) roster.takeOwn(line.userId)
      else roster.takeSender(line.userId, line.sender)
    }
    const known = line.userId === null ? null : roster.ofUser(line.userId)
    const sender = line.sender === null ? null : (known ?? roster.named(line.sender))
    const message = {
      id: line.id,
      senderId: sender?.id ?? null,
      senderName: line.sender ?? config.botName,
      at: Math.min(seenAt(line.shownAt, at), notAfter ?? at),
      isOwn: line.sender === null,
      ...line.content,
      ...(line.isDirect && { isDirect: true }),
      ...(line.isEdited && { isEdited: true }),
    }
    const event = log.add('panel', message, at)
    if (event) emit(event)
  }

  /** A host may allow only direct messages. The bot writes to everyone. */
  function goesToEveryone(): boolean {
    const receiver = elements.drawn('chatReceiverButton')
    const isEnglish = /^en\b/i.test(document.documentElement.lang)
    return !receiver || !isEnglish || elements.says('everyone', elements.label(receiver))
  }

  return {
    /** Emits the messages that are new, changed or deleted. */
    read,
    state(): ChatState {
      const box = elements.find('chatBox') as HTMLElement | null
      const isTextArea = box instanceof HTMLTextAreaElement
      const isEditable = isTextArea ? !box.disabled && !box.readOnly : box?.isContentEditable === true
      const isEnabled = isEditable && goesToEveryone()
      const value = isTextArea ? box.value : (box?.textContent ?? '')
      return {
        isPanelOpen: elements.drawn('chatPanel') !== null,
        box: box && { isEnabled, value },
        own: reader
          .read(pageNow())
          .filter(({ sender }) => sender === null)
          .map(({ id, content }) => ({ id, text: content.text })),
      }
    },
  }
}
