/** Chat through the SDK: messages of others come by its event, the bot's own are known from the answer to its call. */

import type { ChatFile } from '../../../../packages/core/meeting/meeting.ts'
import { plainContent } from '../../../shared/page/chat/chat-content.ts'
import type { ChatState, PageChatMessage } from '../../../shared/page/types.ts'
import { fieldOf, numberOf, personOf } from './facts.ts'
import type { SdkAnswer } from './types.ts'

const NAME_LENGTH = 256
/** The SDK's answer where chat is off for this participant; docs/platform-notes/zoom.md#sdk-chat. */
const SWITCHED_OFF = /restrict|no_privilege|webinar/i

export function createSdkChat() {
  const own: ChatState['own'] = []
  let received = 0
  let isEnabled = true
  let standing = ''
  return {
    /**
     * A message of another participant; null for data that is no message. The event never reports the bot's own messages.
     */
    received(data: unknown, at: number, ownIds: ReadonlySet<number>): PageChatMessage | null {
      const content = fieldOf(data, 'content')
      const files = fieldOf(data, 'type') === 'file' ? filesOf(fieldOf(content, 'file')) : []
      const written = plainContent(textOf(fieldOf(content, 'text')))
      if (written.text === '' && files.length === 0) return null
      received++
      const senderId = numberOf(fieldOf(data, 'senderId'))
      const messageId = fieldOf(content, 'messageId')
      const name = fieldOf(data, 'sender')
      return {
        id:
          typeof messageId === 'string' && messageId !== '' ? messageId.slice(0, NAME_LENGTH) : `received-${received}`,
        senderId: senderId === null ? null : String(personOf(senderId)),
        senderName: typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, NAME_LENGTH) : 'Unknown',
        at,
        isOwn: false,
        ...written,
        ...(files.length > 0 && { files }),
        ...(isTo(ownIds, fieldOf(data, 'receiverId')) && { isDirect: true }),
      }
    },
    /** The result of sending a message of the bot: its id, or null if it was not sent. */
    sent(text: string, answer: SdkAnswer): string | null {
      standing = answer.ok ? '' : text
      isEnabled = answer.ok || !SWITCHED_OFF.test(answer.text)
      if (!answer.ok) return null
      const id = `sent-${own.length + 1}`
      own.push({ id, text })
      return id
    },
    state: (): ChatState => ({ isPanelOpen: true, box: { isEnabled, value: standing }, own: own.slice(-20) }),
  }
}

/** Whether the bot is the receiver; for a message to everyone it is 0 or missing (docs/platform-notes/zoom.md#sdk-chat). */
function isTo(ownIds: ReadonlySet<number>, receiver: unknown): boolean {
  const id = numberOf(receiver)
  return id !== null && ownIds.has(personOf(id))
}

/** A file is reported by its name; it is not fetched. */
function filesOf(file: unknown): ChatFile[] {
  const name = textOf(fieldOf(file, 'fileName')).slice(0, NAME_LENGTH)
  const bytes = numberOf(fieldOf(file, 'fileSize'))
  return name === '' ? [] : [{ name, url: null, bytes: bytes !== null && Number.isSafeInteger(bytes) ? bytes : null }]
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
