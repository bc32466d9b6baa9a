import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { collectionEvent, type RosterUser, syncAnswer } from '../../../packages/mock/google-meet/roster.ts'
import { decodeCollection, decodeSync } from '../../../platforms/google-meet/page/collections.ts'
import { messagesAt, numberAt, readFields, textAt } from '../../../platforms/google-meet/page/protobuf.ts'
import { Roster } from '../../../platforms/google-meet/page/roster.ts'
import type { PageEvent } from '../../../platforms/shared/page/types.ts'

const bufferOf = (bytes: Uint8Array): ArrayBuffer =>
  bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer

const user = (device: string, more: Partial<RosterUser> = {}): RosterUser => ({
  device,
  name: device.toUpperCase(),
  status: 1,
  isSelf: false,
  isHost: false,
  parent: null,
  ...more,
})

describe('protobuf', () => {
  test('varints, texts, nested messages and fixed numbers are read', () => {
    // 1: 300, 2: "hi", 3: { 1: 1 }, 4: fixed32 7, 5: fixed64 8
    const bytes = [8, 0xac, 2, 18, 2, 104, 105, 26, 2, 8, 1, 37, 7, 0, 0, 0, 41, 8, 0, 0, 0, 0, 0, 0, 0]
    const fields = readFields(Uint8Array.from(bytes))!
    expect(numberAt(fields, 1)).toBe(300n)
    expect(textAt(fields, 2)).toBe('hi')
    expect(numberAt(fields, 3, 1)).toBe(1n)
    expect(numberAt(fields, 4)).toBe(7n)
    expect(numberAt(fields, 5)).toBe(8n)
    expect(messagesAt(fields, [9])).toEqual([])
  })

  test.each([
    ['a cut varint', [8, 0xff]],
    ['a length past the end', [18, 200, 1, 1]],
    ['a field of number 0', [0, 1]],
    ['a group, which is not in use', [11]],
    ['a cut fixed number', [37, 1]],
    ['an endless varint', [8, ...Array(11).fill(0xff)]],
  ])('%s is no message', (_name, bytes) => {
    expect(readFields(Uint8Array.from(bytes))).toBeNull()
  })
})

describe('collections', () => {
  const users = [user('self', { isSelf: true }), user('ann', { isHost: true }), user('share', { parent: 'ann' })]
  const outputs = [{ kind: 'audio' as const, streamId: '4711', device: 'ann', disabled: true }]
  const chat = [{ id: 'm1', device: 'ann', at: 1_790_000_000_123, text: 'Grüße 👋' }]

  test('people, outputs and chat come out of a packed message', async () => {
    const update = await decodeCollection(bufferOf(collectionEvent(users, outputs, chat)))
    expect(
      update?.users.map(({ id, isSelf, isHost, parentId, status }) => [id, isSelf, isHost, parentId, status]),
    ).toEqual([
      ['self', true, false, null, 1],
      ['ann', false, true, null, 1],
      ['share', false, false, 'ann', 1],
    ])
    expect(update?.outputs).toEqual([{ kind: 'audio', streamId: '4711', deviceId: 'ann', isDisabled: true }])
    expect(update?.chat).toEqual([{ id: 'm1', deviceId: 'ann', at: 1_790_000_000_123, text: 'Grüße 👋' }])
  })

  test('the other packing, none at all, and rubbish', async () => {
    const bytes = Uint8Array.from([10, 2, 18, 0])
    expect(await decodeCollection(bufferOf(new Uint8Array(deflateSync(bytes))))).toEqual({
      users: [],
      outputs: [],
      chat: [],
    })
    expect(await decodeCollection(bufferOf(bytes))).toEqual({ users: [], outputs: [], chat: [] })
    await expect(decodeCollection(bufferOf(Uint8Array.from([255, 255, 255])))).rejects.toThrow()
    await expect(decodeCollection(bufferOf(Uint8Array.from([0x1f, 0x8b, 1, 2, 3])))).rejects.toThrow()
  })

  test('the HTTP form of the roster', () => {
    expect(decodeSync(syncAnswer(users)).map(({ id }) => id)).toEqual(['self', 'ann', 'share'])
    expect(() => decodeSync('<html>not base64</html>')).toThrow()
    expect(() => decodeSync(btoa('no protobuf'))).toThrow()
  })
})

describe('roster', () => {
  function roster(botName = 'Bot') {
    const events: PageEvent[] = []
    return { events, roster: new Roster(botName, (event) => events.push(event)) }
  }
  const record = (id: string, more: object = {}) => ({
    id,
    name: id.toUpperCase(),
    status: 1,
    isSelf: false,
    isHost: false,
    parentId: null,
    ...more,
  })
  const reported = (events: PageEvent[]) =>
    events.map((event) =>
      event.type === 'participant_left'
        ? `-${event.participantId}`
        : 'participant' in event
          ? `${event.type === 'participant_joined' ? '+' : '~'}${event.participant.id}`
          : event.type === 'screen_share'
            ? `${event.isSharing ? '>' : '<'}${event.participantId}`
            : event.type,
    )

  test('no participant is reported before admission, and all who are present are reported at admission', () => {
    const { roster: people, events } = roster()
    people.takeUsers([record('me', { isSelf: true }), record('ann'), record('gone', { status: 6 })], 'channel', 1)
    expect(events).toEqual([])
    people.begin(2)
    expect(reported(events)).toEqual(['+ann'])
    expect(people.ownStatus).toBe(1)
  })

  test.each([true, false])(
    "a presentation of the bot, with its mark or not, is nobody's, and its end not the bot's",
    (isSelf) => {
      const { roster: people, events } = roster()
      people.begin(0)
      people.takeUsers([record('me', { isSelf: true })], 'channel', 1)
      for (const status of [1, 6]) people.takeUsers([record('own', { isSelf, status, parentId: 'me' })], 'channel', 2)
      expect([people.ownStatus, people.ownId(), reported(events)]).toEqual([1, 'me', []])
    },
  )

  test('leaving, coming back, a new name, and a removal', () => {
    const { roster: people, events } = roster()
    people.begin(0)
    people.takeUsers([record('me', { isSelf: true }), record('ann')], 'channel', 1)
    people.takeUsers([record('ann', { status: 6 })], 'channel', 2)
    people.takeUsers([record('ann')], 'channel', 3)
    people.takeUsers([record('ann', { name: 'Ann B' })], 'channel', 4)
    people.takeUsers([record('ann', { status: 7 })], 'channel', 5)
    expect(reported(events)).toEqual(['+ann', '-ann', '+ann', '~ann', '-ann'])
  })

  test('the slow HTTP form does not bring back a participant whom the channel saw leave', () => {
    const { roster: people, events } = roster()
    people.begin(0)
    people.takeUsers([record('me', { isSelf: true }), record('ann')], 'channel', 1)
    people.takeUsers([record('ann', { status: 6 })], 'channel', 2)
    people.takeUsers([record('ann'), record('bob')], 'http', 3)
    expect(reported(events)).toEqual(['+ann', '-ann', '+bob'])
  })

  test('who left before the channel began is missed by the page, once it counts fewer people', () => {
    const { roster: people, events } = roster()
    people.begin(0)
    people.takeUsers([record('me', { isSelf: true }), record('ann'), record('bob')], 'http', 1)
    people.takeUsers([record('me', { isSelf: true }), record('ann')], 'channel', 2)
    const seen = [{ id: 'ann', name: 'Ann', isSelf: false }]
    for (let look = 0; look < 5; look++) people.takePage(seen, new Map(), null, 3 + look)
    for (let look = 0; look < 5; look++) people.takePage(seen, new Map(), 3, 10 + look)
    expect(reported(events)).toEqual(['+ann', '+bob'])
    for (let look = 0; look < 3; look++) people.takePage([], new Map(), 2, 20 + look)
    expect(reported(events)).toEqual(['+ann', '+bob', '-bob'])
  })

  test.each<[string, string[], number | null, string[]]>([
    ['shows all others is gone, and back once it is shown', ['ann'], 2, ['-bob', '+bob']],
    ['may not show may be there, if another one may be gone', [], 2, []],
    ['counts may be out of sight', ['ann'], 3, []],
    ['does not count is there', ['ann'], null, []],
  ])('a participant of the channel whom the page %s', (_what, shown, count, expected) => {
    const { roster: people, events } = roster()
    people.begin(0)
    people.takeUsers([record('me', { isSelf: true }), record('ann'), record('bob')], 'channel', 1)
    const seen = (ids: string[]) => ids.map((id) => ({ id, name: id, isSelf: false }))
    for (let look = 0; look < 39; look++) people.takePage(seen(shown), new Map(), count, 2)
    expect(reported(events)).toEqual(['+ann', '+bob'])
    for (let look = 0; look < 10; look++) people.takePage(seen(shown), new Map(), count, 3)
    people.takePage(seen(['ann', 'bob']), new Map(), 3, 4)
    expect(reported(events)).toEqual(['+ann', '+bob', ...expected])
  })

  test('a shared screen is reported for its sharer and is not a participant', () => {
    const { roster: people, events } = roster()
    people.begin(0)
    people.takeUsers([record('me', { isSelf: true }), record('ann')], 'channel', 1)
    people.takeUsers([record('screen', { parentId: 'ann' })], 'channel', 2)
    people.takeUsers([record('screen', { parentId: 'ann', status: 6 })], 'channel', 3)
    expect(reported(events)).toEqual(['+ann', '>ann', '<ann'])
  })

  test('without a roster the page names people; out of sight is not gone while the count covers them', () => {
    const { roster: people, events } = roster()
    people.begin(0)
    const seen = (...ids: string[]) => ids.map((id) => ({ id, name: id, isSelf: id === 'me' }))
    people.takePage(seen('me', 'ann', 'bob'), new Map(), 3, 1)
    for (let look = 0; look < 5; look++) people.takePage(seen('me', 'ann'), new Map(), 3, 2 + look)
    expect(reported(events)).toEqual(['+ann', '+bob'])
    for (let look = 0; look < 3; look++) people.takePage(seen('me', 'ann'), new Map(), 2, 10 + look)
    expect(reported(events)).toEqual(['+ann', '+bob', '-bob'])
  })

  test("while the bot's own device is unknown no participant is reported, and later none with the name of the bot", () => {
    const { roster: people, events } = roster('Bot')
    people.begin(0)
    people.takePage(
      [
        { id: 'x', name: 'Bot', isSelf: false },
        { id: 'ann', name: 'Ann', isSelf: false },
      ],
      new Map(),
      2,
      1,
    )
    expect(events).toEqual([])
    people.takePage(
      [
        { id: 'x', name: 'Bot', isSelf: false },
        { id: 'ann', name: 'Ann', isSelf: false },
      ],
      new Map(),
      2,
      9000,
    )
    expect(reported(events)).toEqual(['+ann'])
  })

  test('what the roster says of our device outweighs a mark in the page', () => {
    const { roster: people, events } = roster()
    people.begin(0)
    people.takePage([{ id: 'ann', name: 'Ann', isSelf: true }], new Map(), null, 1)
    people.takeUsers([record('me', { isSelf: true }), record('ann')], 'channel', 2)
    expect(reported(events)).toEqual(['+ann'])
    expect(people.ownId()).toBe('me')
  })

  test('a source of sound leads to its people, never to us or to one who left', () => {
    const { roster: people } = roster()
    people.takeUsers(
      [record('me', { isSelf: true }), record('ann'), record('bob'), record('left', { status: 6 })],
      'channel',
      1,
    )
    const output = (deviceId: string) => ({ kind: 'audio' as const, streamId: '7', deviceId, isDisabled: false })
    people.takeOutputs(['me', 'ann', 'bob', 'left'].map(output))
    expect(people.ownersOfSource(7)).toEqual(['ann', 'bob'])
    expect(people.ownersOfSource(8)).toEqual([])
  })
})
