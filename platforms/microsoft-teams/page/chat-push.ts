/**
 * Reads the chat messages that the client itself receives, with its pane open or closed. The client passes batches to a
 * handler that it binds by name, and the script reads them there (docs/platform-notes/microsoft-teams.md#chat). An
 * edit, a deletion or a reaction arrives as the complete message again, with the same ids.
 */
import type { ChatContent, ChatFile } from '../../../packages/core/meeting/meeting.ts'
import { harmlessAddress, plainContent } from '../../shared/page/chat/chat-content.ts'
import { wrapMethod } from '../../shared/page/dom/patch-native.ts'
import { writtenIn } from './chat-markup.ts'
import { listOf, objectOf, parsed, textOf } from './json.ts'
import { parsedMarkup } from './parsed-markup.ts'

export interface PushedMessage {
  id: string
  /** Other ids of the same message; rows of the chat pane have the service's own. */
  otherIds: string[]
  /** The platform's key of the sender. */
  mri: string
  name: string
  content: Omit<ChatContent, 'reactions'>
  /** Null if the message has no field for reactions. */
  reactions: PushedReaction[] | null
  /** UTC milliseconds; null if the message does not say. */
  at: number | null
}

export interface PushedReaction {
  emoji: string
  mris: string[]
}

const HANDLER = 'onMessageReceived'
const WRITTEN = /^(?:Text|RichText(?:\/(?:Html|Sms|Media_Card))?)$/
const LONGEST = 100_000
const MAX_FILES = 50
const MAX_REACTIONS = 50
/** Names that the service gives to the usual reactions; others begin with their code points. */
const EMOJI: Readonly<Record<string, string>> = {
  like: '👍',
  heart: '❤️',
  laugh: '😆',
  surprised: '😮',
  sad: '😢',
  angry: '😡',
}

/** To be called at document start. */
export function listenToChat(heard: (messages: PushedMessage[]) => void, unread: (error: unknown) => void): void {
  wrapMethod(Function.prototype, 'bind', (native, self, given) => {
    const bound = native(...given)
    if (typeof self !== 'function' || self.name !== HANDLER || typeof bound !== 'function') return bound
    return new Proxy(bound, {
      apply(target, owner, batch) {
        try {
          heard(messagesIn(batch[0]))
        } catch (error) {
          unread(error)
        }
        return Reflect.apply(target, owner, batch)
      },
    })
  })
}

function messagesIn(batch: unknown): PushedMessage[] {
  const events = listOf(objectOf(objectOf(batch)?.data)?.chatServiceBatchEvent)
  return events.flatMap((event): PushedMessage[] => {
    const message = objectOf(objectOf(event)?.message)
    const [id, ...otherIds] = [message?.clientMessageId, message?.id, message?.skypeEditedId].flatMap(
      (value) => textOf(value) || [],
    )
    const type = textOf(message?.messageType) ?? ''
    if (!message || !id || !WRITTEN.test(type)) return []
    const properties = jsonOf(message.properties)
    const content = contentIn(textOf(message.content, LONGEST), type, properties)
    if (!content) return []
    const arrived = Date.parse(textOf(message.originalArrivalTime) ?? '')
    return [
      {
        id,
        otherIds,
        mri: (textOf(message.from) ?? '').split('/contacts/').at(-1) ?? '',
        name: textOf(message.imDisplayName) ?? '',
        content,
        reactions: reactionsIn(properties?.emotions),
        at: Number.isFinite(arrived) ? arrived : null,
      },
    ]
  })
}

/** Null for a message without content that was not deleted. */
function contentIn(
  markup: string | null,
  type: string,
  properties: ReturnType<typeof objectOf>,
): PushedMessage['content'] | null {
  if (properties?.deletetime || properties?.deleteTime) return { text: '', isDeleted: true }
  if (markup === null) return null
  const files = filesIn(properties?.files)
  const written = type === 'Text' ? plainContent(markup) : writtenIn(parsedMarkup(markup))
  const cards = listOf(typeof properties?.cards === 'string' ? parsed(properties.cards) : properties?.cards)
  const isCard = cards.length > 0 || type === 'RichText/Media_Card'
  if (isCard && (written.text === '' || written.text === '[attachment]')) written.text = '[card]'
  if (written.text === '' && files.length === 0) return null
  return {
    ...written,
    // The file's name says more.
    ...(files.length > 0 && written.text === '[attachment]' && { text: '' }),
    ...(files.length > 0 && { files }),
    ...(Boolean(properties?.edittime || properties?.editTime) && { isEdited: true }),
  }
}

function filesIn(value: unknown): ChatFile[] {
  const files = listOf(typeof value === 'string' ? parsed(value) : value, MAX_FILES)
  return files.flatMap((entry) => {
    const file = objectOf(entry)
    const name = textOf(file?.fileName) || textOf(file?.title)
    if (!name) return []
    const bytes = Number(file?.size ?? Number.NaN)
    const url = harmlessAddress(textOf(file?.objectUrl, 2000))
    return [{ name, url, bytes: Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : null }]
  })
}

function reactionsIn(value: unknown): PushedReaction[] | null {
  const emotions = typeof value === 'string' ? parsed(value) : value
  if (!Array.isArray(emotions)) return null
  return listOf(emotions, MAX_REACTIONS).flatMap((entry) => {
    const emotion = objectOf(entry)
    const key = textOf(emotion?.key, 100)
    const mris = listOf(emotion?.users).flatMap((user) => textOf(objectOf(user)?.mri) ?? [])
    return key && mris.length > 0 ? [{ emoji: emojiOf(key), mris }] : []
  })
}

/** Such as `like`, or `1f389_partypopper`. */
function emojiOf(key: string): string {
  const known = EMOJI[key.replace(/-tone\d$/, '')]
  if (known) return known
  const points = /^([\da-f]{4,6}(?:-[\da-f]{4,6})*)_/i.exec(key)?.[1]
  if (!points) return /^\p{Extended_Pictographic}/u.test(key) ? key : `:${key}:`
  const codes = points.split('-').map((code) => Number.parseInt(code, 16))
  return codes.every((code) => code <= 0x10ffff) ? String.fromCodePoint(...codes) : `:${key}:`
}

function jsonOf(value: unknown): ReturnType<typeof objectOf> {
  return objectOf(typeof value === 'string' && value.length <= LONGEST ? parsed(value) : value)
}
