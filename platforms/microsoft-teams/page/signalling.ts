/**
 * Decodes the meeting's WebSocket messages: who joined and left, and that the call is over
 * (docs/platform-notes/microsoft-teams.md#roster-messages and #end-messages).
 */
import { UnreadMessage } from '../../shared/page/chat/unread-messages.ts'
import { type Json, listOf, numberOf, objectOf, parsed, textOf } from './json.ts'

export interface StreamRecord {
  type: 'audio' | 'video' | 'screen'
  /** For sound the contributing source. */
  sourceId: number
  isSent: boolean
}

/** One person; a field is null if this message does not have it. */
export interface PersonRecord {
  mri: string
  name: string | null
  isIn: boolean | null
  isHost: boolean | null
  streams: StreamRecord[] | null
}

export type SignallingMessage =
  | { kind: 'roster'; callId: string | null; people: PersonRecord[] }
  | { kind: 'end'; callId: string | null; subCode: number; senderMri: string | null }

/** Longer frames are ignored, and so are bodies that are longer after unpacking. Characters. */
const MAX_FRAME = 2_000_000
const MAX_BODY = 8_000_000
const TYPES: Readonly<Record<string, StreamRecord['type']>> = {
  audio: 'audio',
  video: 'video',
  'applicationsharing-video': 'screen',
}

/**
 * A text frame of the push socket; null for one that is not about people or the end. Rejects if the frame is about
 * them and cannot be read.
 */
export async function readFrame(frame: string): Promise<SignallingMessage | null> {
  if (!/^\d+:::\{/.test(frame)) return null
  if (frame.length > MAX_FRAME) throw new UnreadMessage('The frame is too long')
  const envelope = objectOf(parsed(frame.slice(frame.indexOf('{'))))
  const url = textOf(envelope?.url, 2000)
  if (!envelope) throw new UnreadMessage('The frame holds no JSON')
  if (url === null) return null
  const isRoster = /\/rosterUpdate\/?$/i.test(url)
  if (!isRoster && !/conversation\/conversationEnd\/?$/i.test(url)) return null
  const body = await bodyOf(envelope.body)
  if (!body) throw new UnreadMessage('The body is neither JSON nor packed JSON')
  const callId = textOf(objectOf(envelope.headers)?.['X-Microsoft-Skype-Chain-ID'])
  if (isRoster) return { kind: 'roster', callId, people: peopleOf(body) }
  const subCode = numberOf(body.subCode)
  if (subCode === null) throw new UnreadMessage('The end has no code')
  return { kind: 'end', callId, subCode, senderMri: textOf(objectOf(body.sender)?.id) }
}

export function peopleOf(body: Json): PersonRecord[] {
  const people = objectOf(body.participants) ?? {}
  return Object.entries(people)
    .slice(0, 1000)
    .flatMap(([key, value]) => {
      const person = objectOf(value)
      if (!person) return []
      const details = objectOf(person.details)
      const mri = textOf(details?.id) ?? key
      const role = textOf(person.meetingRole)
      return [
        {
          mri,
          name: textOf(details?.displayName),
          isIn: stateOf(person.state),
          isHost: role === null ? null : role === 'organizer',
          streams: streamsOf(person.endpoints),
        },
      ]
    })
}

function stateOf(state: unknown): boolean | null {
  return state === 'active' ? true : state === 'inactive' ? false : null
}

function streamsOf(endpoints: unknown): StreamRecord[] | null {
  const all = objectOf(endpoints)
  return all && Object.values(all).flatMap((endpoint) => streamsIn(objectOf(objectOf(endpoint)?.call)?.mediaStreams))
}

export function streamsIn(list: unknown): StreamRecord[] {
  return listOf(list, 50).flatMap((item) => {
    const stream = objectOf(item)
    const type = TYPES[textOf(stream?.type) ?? '']
    const sourceId = numberOf(stream?.sourceId)
    if (!type || sourceId === null) return []
    return [{ type, sourceId, isSent: stream?.direction === 'sendrecv' || stream?.direction === 'sendonly' }]
  })
}

/** Plain JSON, or base64 of zlib of it. */
async function bodyOf(body: unknown): Promise<Json | null> {
  const direct = objectOf(body)
  if (direct) return direct
  const text = textOf(body, MAX_FRAME)
  if (text === null) return null
  if (text.trimStart().startsWith('{')) return objectOf(parsed(text))
  try {
    const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0))
    return objectOf(parsed(await inflated(bytes)))
  } catch {
    // Neither form: an unknown message.
    return null
  }
}

async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text
    text += value
    if (text.length > MAX_BODY) {
      await reader.cancel()
      throw new Error('The message unpacks to too much')
    }
  }
}
