/**
 * Messages of the `collections` channel, the `captions` channel and the roster call, in the platform's field numbers.
 */
import { gzipSync } from 'node:zlib'

type Field = [number: number, value: number | bigint | string | Uint8Array | Field[]]

/** Numbers become varints; strings, bytes and nested fields are length-delimited. */
function encode(fields: Field[]): Uint8Array {
  const parts = fields.flatMap(([number, value]) => {
    if (typeof value === 'number' || typeof value === 'bigint') return [varint(number * 8), varint(value)]
    const bytes = Array.isArray(value) ? encode(value) : typeof value === 'string' ? Buffer.from(value, 'utf8') : value
    return [varint(number * 8 + 2), varint(bytes.length), bytes]
  })
  return Buffer.concat(parts)
}

function varint(value: number | bigint): Uint8Array {
  const bytes: number[] = []
  let rest = BigInt(value)
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128)
    rest >>= 7n
  }
  bytes.push(Number(rest))
  return Uint8Array.from(bytes)
}

/** In the meeting, no longer in it, removed from it. */
export type UserStatus = 1 | 6 | 7

export interface RosterUser {
  device: string
  name: string
  status: UserStatus
  isSelf: boolean
  isHost: boolean
  /** Set for a presentation: the device that shares. */
  parent: string | null
}

export interface RosterOutput {
  kind: 'audio' | 'video'
  /** Numeric text; of a sound it is the contributing source. */
  streamId: string
  device: string
  disabled: boolean
}

export interface RosterChat {
  id: string
  device: string
  at: number
  text: string
}

/** One message of the `collections` channel. */
export function collectionEvent(users: RosterUser[], outputs: RosterOutput[], chat: RosterChat[] = []): Uint8Array {
  const body: Field[] = []
  if (outputs.length > 0) body.push([3, outputs.map((output): Field => [2, outputFields(output)])])
  const people: Field[] = []
  if (users.length > 0) people.push([1, users.map((user): Field => [2, userFields(user)])])
  for (const line of chat) people.push([4, [[2, chatFields(line)]]])
  if (people.length > 0) body.push([13, people])
  return gzipSync(encode([[1, [[2, body]]]]))
}

/** The answer to SyncMeetingSpaceCollections, base64. */
export function syncAnswer(users: RosterUser[]): string {
  const records = users.map((user): Field => [2, userFields(user)])
  return Buffer.from(encode([[2, [[2, records]]]])).toString('base64')
}

export function captionEvent(caption: { device: string; row: number; version: number; text: string }): Uint8Array {
  return gzipSync(
    encode([
      [
        1,
        [
          [1, caption.device],
          [2, caption.row],
          [3, caption.version],
          [4, 0],
          [6, caption.text],
          [8, 1],
        ],
      ],
    ]),
  )
}

function outputFields({ kind, streamId, device, disabled }: RosterOutput): Field[] {
  return [
    [2, kind === 'audio' ? 1 : 2],
    [4, streamId],
    [6, device],
    [10, [[1, disabled ? 1 : 0]]],
  ]
}

function userFields(user: RosterUser): Field[] {
  const fields: Field[] = [
    [1, user.device],
    [2, user.name],
    [3, `https://lh3.googleusercontent.com/a/${encodeURIComponent(user.device)}`],
    [4, user.status],
  ]
  if (user.isSelf) fields.push([7, 'users/self'])
  if (user.parent !== null) fields.push([21, user.parent])
  fields.push([29, user.name.split(' ')[0] ?? user.name])
  if (user.isHost) fields.push([34, 1])
  return fields
}

function chatFields({ id, device, at, text }: RosterChat): Field[] {
  return [
    [1, id],
    [2, device],
    [3, BigInt(at) * 1000n],
    [5, [[1, text]]],
  ]
}
