/** Chat through the SDK: what others wrote comes by its event, what the bot wrote is known by the answer to its call. */
import type { ChatState, PageChatMessage } from '../../../shared/page/types.ts'
import { fieldOf, numberOf, personOf } from './facts.ts'
import type { SdkAnswer } from './types.ts'

const TEXT_LENGTH = 4096
const NAME_LENGTH = 256
/** What the SDK answers where chat is off for this participant; zoom.md 2.12. */
const SWITCHED_OFF = /restrict|no_privilege|webinar/i

export interface SdkChat {
  /** A message of somebody else; null for what is no message. The event never tells the bot's own ones. */
  received(data: unknown, at: number): PageChatMessage | null
  /** What became of a message of the bot: its id, or null where it was not sent. */
  sent(text: string, answer: SdkAnswer): string | null
  state(): ChatState
}

export function createSdkChat(): SdkChat {
  const own: ChatState['own'] = []
  let received = 0
  let isEnabled = true
  let standing = ''
  return {
    received(data, at) {
      const content = fieldOf(data, 'content')
      const text = textOf(fieldOf(data, 'type'), content)
      if (text === '') return null
      received++
      const senderId = numberOf(fieldOf(data, 'senderId'))
      const messageId = fieldOf(content, 'messageId')
      const name = fieldOf(data, 'sender')
      return {
        id:
          typeof messageId === 'string' && messageId !== '' ? messageId.slice(0, NAME_LENGTH) : `received-${received}`,
        senderId: senderId === null ? null : String(personOf(senderId)),
        senderName: typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, NAME_LENGTH) : 'Unknown',
        text,
        at,
        isOwn: false,
      }
    },
    sent(text, answer) {
      standing = answer.ok ? '' : text
      isEnabled = answer.ok || !SWITCHED_OFF.test(answer.text)
      if (!answer.ok) return null
      const id = `sent-${own.length + 1}`
      own.push({ id, text })
      return id
    },
    state: () => ({ isPanelOpen: true, box: { isEnabled, value: standing }, own: own.slice(-20) }),
  }
}

/** A file is told by its name; nothing is fetched. */
function textOf(type: unknown, content: unknown): string {
  const text = type === 'file' ? fieldOf(fieldOf(content, 'file'), 'fileName') : fieldOf(content, 'text')
  return typeof text === 'string' ? text.slice(0, TEXT_LENGTH) : ''
}
