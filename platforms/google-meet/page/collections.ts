/** Reads the meeting's own channel: who is there, which sound and picture is whose, and the chat. */
import { UnreadMessage } from '../../shared/page/chat/unread-messages.ts'
import { type Fields, messagesAt, numberAt, readFields, textAt } from './protobuf.ts'

export interface UserRecord {
  id: string
  name: string
  /** 1 in the meeting, 6 not in it, 7 removed; null if the record does not say. */
  status: number | null
  isSelf: boolean
  isHost: boolean
  /** Set for a presentation: the device that shares. */
  parentId: string | null
}

export interface OutputRecord {
  kind: 'audio' | 'video'
  /** For sound the contributing source, for pictures the id of the stream. */
  streamId: string
  deviceId: string
  isDisabled: boolean
}

export interface ChatRecord {
  id: string
  deviceId: string | null
  /** UTC milliseconds. */
  at: number | null
  text: string
}

export interface CollectionUpdate {
  users: UserRecord[]
  outputs: OutputRecord[]
  chat: ChatRecord[]
}

/** A message of the `collections` channel. Rejects for anything else. */
export async function decodeCollection(data: ArrayBuffer): Promise<CollectionUpdate> {
  const fields = readFields(await inflate(new Uint8Array(data)))
  if (!fields) throw new UnreadMessage('No message of the collections channel')
  const body = messagesAt(fields, [1, 2])
  return {
    users: body.flatMap((message) => messagesAt(message, [13, 1, 2])).flatMap(userOf),
    outputs: body.flatMap((message) => messagesAt(message, [3, 2])).flatMap(outputOf),
    chat: body.flatMap((message) => messagesAt(message, [13, 4, 2])).flatMap(chatOf),
  }
}

/** The answer to the HTTP call that asks for the whole roster. Throws for another answer. */
export function decodeSync(base64: string): UserRecord[] {
  const bytes = Uint8Array.from(atob(base64.trim()), (letter) => letter.charCodeAt(0))
  const fields = readFields(bytes)
  if (!fields) throw new UnreadMessage('No answer with a roster')
  return messagesAt(fields, [2, 2, 2]).flatMap(userOf)
}

export async function inflate(bytes: Uint8Array): Promise<Uint8Array> {
  const format = bytes[0] === 0x1f && bytes[1] === 0x8b ? 'gzip' : bytes[0] === 0x78 ? 'deflate' : null
  if (format === null) return bytes
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream(format))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

function userOf(fields: Fields): UserRecord[] {
  const id = textAt(fields, 1)
  if (!id) return []
  const status = numberAt(fields, 4)
  return [
    {
      id,
      name: textAt(fields, 2) || textAt(fields, 29) || '',
      status: status === null ? null : Number(status),
      isSelf: fields.has(7),
      isHost: fields.has(34) && numberAt(fields, 34) !== 0n,
      parentId: textAt(fields, 21) || null,
    },
  ]
}

function outputOf(fields: Fields): OutputRecord[] {
  const kind = { 1: 'audio', 2: 'video' }[String(numberAt(fields, 2))] as OutputRecord['kind'] | undefined
  const streamId = textAt(fields, 4) ?? numberAt(fields, 4)?.toString()
  const deviceId = textAt(fields, 6)
  if (!kind || !streamId || !deviceId) return []
  return [{ kind, streamId, deviceId, isDisabled: (numberAt(fields, 10, 1) ?? 0n) !== 0n }]
}

function chatOf(fields: Fields): ChatRecord[] {
  const id = textAt(fields, 1)
  const text = textAt(fields, 5, 1)
  if (!id || text === null) return []
  return [{ id, deviceId: textAt(fields, 2), at: milliseconds(numberAt(fields, 3)), text }]
}

/**
 * The unit is not documented: seconds, milli-, micro- and nanoseconds are distinguished by their size in this century.
 */
function milliseconds(value: bigint | null): number | null {
  if (value === null || value <= 0n) return null
  if (value > 10n ** 17n) return Number(value / 1_000_000n)
  if (value > 10n ** 14n) return Number(value / 1000n)
  if (value > 10n ** 11n) return Number(value)
  return Number(value) * 1000
}
