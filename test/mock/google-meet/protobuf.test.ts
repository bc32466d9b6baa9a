import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { encode } from '../../../mock/google-meet/protobuf.ts'
import { collectionEvent } from '../../../mock/google-meet/roster.ts'
import { messagesAt, numberAt, readProtobuf, textAt } from './read-protobuf.ts'

test('numbers of every size, text and nested fields survive the wire', () => {
  const bytes = encode([
    [1, 0],
    [2, 300],
    [3, 4_294_967_295],
    [4, 1_795_235_817_382_000n],
    [5, 'Cléo 👋'],
    [16, [[7, 'inner']]],
    [200, new Uint8Array([1, 2, 3])],
  ])
  const read = readProtobuf(bytes)
  expect([1, 2, 3, 4].map((number) => numberAt(read, number))).toEqual([0, 300, 4_294_967_295, 1_795_235_817_382_000])
  expect(textAt(read, 5)).toBe('Cléo 👋')
  expect(messagesAt(read, 16).map((inner) => textAt(inner, 7))).toEqual(['inner'])
  expect(Buffer.from(read.get(200)![0] as Uint8Array).toString('hex')).toBe('010203')
})

test('matches bytes written by the rules of the format', () => {
  // Field 1 varint 150 and field 2 "testing", as the format's own documentation encodes them.
  expect([
    ...encode([
      [1, 150],
      [2, 'testing'],
    ]),
  ]).toEqual([0x08, 0x96, 0x01, 0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67])
})

test('a presentation is a separate device with the sharer as its parent', () => {
  const person = {
    device: 'spaces/s/devices/1',
    name: 'Ann',
    status: 1,
    isSelf: false,
    isHost: true,
    parent: null,
  } as const
  const share = { ...person, device: 'spaces/s/devices/9', isHost: false, parent: person.device }
  const read = readProtobuf(gunzipSync(collectionEvent([person, share], [])))
  const users = messagesAt(read, 1, 2, 13, 1, 2)
  expect(users.map((user) => [textAt(user, 1), textAt(user, 21)])).toEqual([
    ['spaces/s/devices/1', null],
    ['spaces/s/devices/9', 'spaces/s/devices/1'],
  ])
})
