/** Merges the meeting's chat from its two sources: the service's messages and the rows of the pane. */
import type { ChatMessage, ChatReaction } from '../../../packages/core/meeting/meeting.ts'
import { ChatLog } from '../../shared/page/chat/chat-log.ts'
import type { Wording } from '../../shared/page/dom/wording.ts'
import { pageNow } from '../../shared/page/page-clock.ts'
import { signalNotes } from '../../shared/page/signals.ts'
import type { ChatState, PageEvent } from '../../shared/page/types.ts'
import { type Quoted, writtenIn } from './chat-markup.ts'
import { type PaneMessage, readChatPane } from './chat-pane.ts'
import type { PushedMessage, PushedReaction } from './chat-push.ts'
import { isOwnName, nameOf } from './names.ts'
import type { People } from './people.ts'
import type { PageConfig } from './types.ts'

const signals = signalNotes<'teams'>()

interface Parts {
  config: PageConfig
  people: People
  wording: Wording
  emit(event: PageEvent): void
}

type Content = Pick<ChatMessage, 'text' | 'replyTo'>

/** Replies whose quoted message was looked for. */
const MAX_REPLIES = 2000

export function createChat({ config, people, wording, emit }: Parts) {
  const log = new ChatLog()
  /** Ids of the messages that replies of the pane answer; null if none is known. */
  const answered = new Map<string, string | null>()

  /** The rows of the pane; the mark of an own message may be missing, and the service knows the sender. */
  function rows(): PaneMessage[] {
    return readChatPane(config.selectors).map((row) => {
      const isOwn = [
        signals.note('own_message.mark', row.sender === null),
        signals.note('own_message.channel', log.isOwn(row.id)),
      ].includes(true)
      return isOwn ? { ...row, sender: null } : row
    })
  }

  /** Looked for once, because later messages may say the same. */
  function replyTo(id: string, quoted: Quoted): string | null {
    const known = answered.get(id)
    if (known !== undefined) return known
    const found = log.saidBy(nameOf(quoted.author, wording.says), quoted.text)
    answered.set(id, found)
    if (answered.size > MAX_REPLIES) answered.delete(answered.keys().next().value ?? '')
    return found
  }

  function messageOf(
    id: string,
    content: Content,
    at: number,
    isOwn: boolean,
    sender: string,
    senderId: string | null,
  ) {
    return {
      ...content,
      ...(content.replyTo && { replyTo: log.reportedId(content.replyTo) }),
      id,
      senderId: isOwn ? null : senderId,
      senderName: isOwn ? config.botName : sender || 'Unknown',
      at,
      isOwn,
    }
  }

  function reactionOf({ emoji, mris }: PushedReaction): ChatReaction {
    return { emoji, count: mris.length, participantIds: mris.flatMap((mri) => people.idOfMri(mri) ?? []) }
  }

  return {
    addPushed(messages: readonly PushedMessage[]): void {
      const now = pageNow()
      for (const { id, otherIds, mri, name, content, reactions, at } of messages) {
        const isOwn = people.selfMri === null ? isOwnName(name, config.botName, wording.says) : mri === people.selfMri
        const sender = nameOf(name, wording.says)
        const senderId = people.idOfMri(mri) ?? people.idOfName(sender)
        const message = messageOf(id, content, Math.min(at ?? now, now), isOwn, sender, senderId)
        const whole = reactions ? { ...message, reactions: reactions.map(reactionOf) } : message
        const news = log.add('channel', whole, now, otherIds)
        if (news) emit(news)
      }
    },
    /** One poll of the pane. */
    read(at: number): void {
      for (const { id, sender, content: shown, quoted, at: shownAt } of rows()) {
        const answers = quoted && replyTo(id, quoted)
        const content = answers ? { ...shown, replyTo: answers } : shown
        const name = nameOf(sender ?? '', wording.says)
        const message = messageOf(
          id,
          content,
          Math.min(shownAt ?? at, at),
          sender === null,
          name,
          people.idOfName(name),
        )
        const news = log.add('panel', message, at)
        if (news) emit(news)
      }
    },
    state(box: Element | null, { isOpen, isOff }: { isOpen: boolean; isOff: boolean }): ChatState {
      const own = rows().filter(({ sender, content }) => sender === null && !content.isDeleted)
      return {
        isPanelOpen: isOpen || box !== null,
        isOff: isOff && box === null,
        box: box && { isEnabled: true, value: writtenIn(box).text },
        own: own.map(({ id, content }) => ({ id, text: content.text })),
      }
    },
  }
}
