/**
 * Chat as the client itself gets it, whether or not its pane is open: batches are handed to a handler that is bound by
 * name, which is where they can be seen (field notes 4.8).
 */
import { wrapMethod } from '../../shared/page/native-look.ts'
import { writtenIn } from './chat-pane.ts'
import { listOf, objectOf, textOf } from './json.ts'

export interface PushedMessage {
  id: string
  /** The platform's key of the sender. */
  mri: string
  name: string
  text: string
  /** UTC milliseconds; null where the message does not say. */
  at: number | null
}

const HANDLER = 'onMessageReceived'
const WRITTEN = /^(?:Text|RichText(?:\/(?:Html|Sms))?)$/
const LONGEST = 100_000

/** To be called at document start. */
export function listenToChat(heard: (messages: PushedMessage[]) => void): void {
  wrapMethod(Function.prototype, 'bind', (native, self, given) => {
    const bound = native(...given)
    if (typeof self !== 'function' || self.name !== HANDLER || typeof bound !== 'function') return bound
    return new Proxy(bound, {
      apply(target, owner, batch) {
        try {
          heard(messagesIn(batch[0]))
        } catch (error) {
          console.warn('A batch of chat messages was not understood', error)
        }
        return Reflect.apply(target, owner, batch)
      },
    })
  })
}

export function messagesIn(batch: unknown): PushedMessage[] {
  const events = listOf(objectOf(objectOf(batch)?.data)?.chatServiceBatchEvent)
  return events.flatMap((event) => {
    const message = objectOf(objectOf(event)?.message)
    const id = textOf(message?.clientMessageId)
    const content = textOf(message?.content, LONGEST)
    const type = textOf(message?.messageType) ?? ''
    if (!id || content === null || !WRITTEN.test(type)) return []
    const text = type === 'Text' ? content : textOfMarkup(content)
    if (text === '') return []
    const arrived = Date.parse(textOf(message?.originalArrivalTime) ?? '')
    return [
      {
        id,
        mri: textOf(message?.from) ?? '',
        name: textOf(message?.imDisplayName) ?? '',
        text,
        at: Number.isFinite(arrived) ? arrived : null,
      },
    ]
  })
}

/** A document apart: nothing in it runs or loads. */
function textOfMarkup(markup: string): string {
  try {
    return writtenIn(new DOMParser().parseFromString(markup, 'text/html').body)
  } catch {
    // The page's policy keeps texts from being parsed; what stands in the chat pane is read all the same.
    return ''
  }
}
