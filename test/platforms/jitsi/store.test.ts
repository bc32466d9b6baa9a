import { afterEach, beforeAll, expect, test } from 'vitest'
import { createMessageReader, readMessages, readReactions, readStore } from '../../../platforms/jitsi/page/store.ts'

class Track {}
class Stream {}
const page = globalThis as unknown as Record<string, unknown>

beforeAll(() => {
  Object.assign(page, { MediaStreamTrack: Track, MediaStream: Stream })
})
afterEach(() => {
  delete page.APP
})

function show(slices: Record<string, unknown>, isJoined?: unknown): void {
  const state = Object.fromEntries(Object.entries(slices).map(([name, slice]) => [`features/${name}`, slice]))
  page.APP = {
    store: { getState: () => state },
    ...(isJoined === undefined ? {} : { conference: { isJoined: () => isJoined } }),
  }
}

test('no such state, or one that breaks, is no state', () => {
  expect(readStore()).toBeNull()
  page.APP = {
    store: {
      getState: () => {
        throw new Error('torn down')
      },
    },
  }
  expect(readStore()).toBeNull()
  page.APP = { store: { getState: () => 'no state' } }
  expect(readStore()).toBeNull()
})

test('fields that another version lacks are missing in the answer', () => {
  show({})
  expect(readStore()).toMatchObject({
    isJoined: false,
    selfId: null,
    people: [],
    tracks: [],
    failure: null,
    microphone: null,
  })
  show({ 'base/participants': 7, 'base/conference': null, 'base/tracks': 'none', chat: { messages: 3 } })
  expect(readStore()).toMatchObject({ isJoined: false, people: [], tracks: [] })
  expect(readMessages()).toEqual([])
})

test('the meeting is joined when the page says so, not when it holds one', () => {
  const conference = { conference: {}, error: { name: 'conference.max_users' } }
  show({ 'base/conference': conference }, false)
  expect(readStore()).toMatchObject({ isJoined: false, failure: 'conference.max_users' })
  show({ 'base/conference': conference }, true)
  expect(readStore()?.isJoined).toBe(true)
  show({ 'base/conference': conference })
  expect(readStore()?.isJoined).toBe(true)
  show({ 'base/conference': {} }, true)
  expect(readStore()?.isJoined).toBe(false)
})

test('only participants count: no screens, no videos, and a name that is too long is cut', () => {
  const remote = new Map<string, unknown>([
    ['a', { id: 'a', name: ' Ann ', role: 'moderator' }],
    ['a-v1', { id: 'a-v1', name: 'Ann', fakeParticipant: 'RemoteScreenShare' }],
    ['b', { id: 'b', name: 'x'.repeat(9999) }],
    ['c', { id: 'c' }],
    ['d', null],
    ['e', { name: 'No id' }],
  ])
  show({ 'base/participants': { local: { id: 'me' }, remote, dominantSpeaker: 'a' } })
  const store = readStore()
  expect(store).toMatchObject({ selfId: 'me', dominantId: 'a' })
  expect(store?.people.map(({ id, name, isHost }) => [id, name.length, isHost])).toEqual([
    ['a', 3, true],
    ['b', 256, false],
    ['c', 'Unknown'.length, false],
  ])
})

test('tracks of others, by owner and kind', () => {
  const jitsiTrack = { getTrack: () => new Track(), getOriginalStream: () => new Stream() }
  const of = (more: object) => ({ participantId: 'a', muted: false, jitsiTrack, ...more })
  show({
    'base/tracks': [
      of({ mediaType: 'audio' }),
      of({ mediaType: 'video', videoType: 'camera', muted: true }),
      of({ mediaType: 'screenshare' }),
      of({ mediaType: 'video', videoType: 'desktop' }),
      of({ mediaType: 'video', local: true }),
      of({ mediaType: 'smell' }),
      of({
        mediaType: 'audio',
        jitsiTrack: {
          getTrack: () => {
            throw new Error('gone')
          },
          getOriginalStream: () => 'no stream',
        },
      }),
    ],
  })
  const tracks = readStore()?.tracks ?? []
  expect(tracks.map(({ kind, isMuted }) => [kind, isMuted])).toEqual([
    ['audio', false],
    ['video', true],
    ['screen', false],
    ['screen', false],
    ['audio', false],
  ])
  expect(tracks[0]?.track).toBeInstanceOf(Track)
  expect(tracks.at(-1)).toMatchObject({ track: null, stream: null })
})

test("what people wrote is the meeting's chat, with what the page knows of it", () => {
  const of = (more: object) => ({
    messageId: 'm',
    participantId: 'a',
    displayName: 'Ann',
    messageType: 'remote',
    message: 'Hi',
    timestamp: 5,
    ...more,
  })
  show({
    chat: {
      messages: [
        of({}),
        of({ messageType: 'local', messageId: 'own' }),
        of({ privateMessage: true, messageId: 'private' }),
        of({
          messageId: 'rich',
          message: 'see https://example.org/x.',
          isEdited: true,
          replyToMessageId: 'm',
          reactions: new Map([['👍', new Set(['a', 'b'])]]),
          fileMetadata: { fileName: 'plan.pdf', fileSize: 12 },
        }),
        of({ lobbyChat: true }),
        of({ isReaction: true, messageId: 'up', message: ':thumbs_up::clap:' }),
        of({ messageType: 'system' }),
        of({ messageType: 'error' }),
        of({ message: '' }),
        of({ messageId: undefined }),
      ],
    },
  })
  const plain = { senderId: 'a', senderName: 'Ann', text: 'Hi', at: 5, isOwn: false, reactions: [] }
  expect(readMessages()).toEqual([
    { ...plain, id: 'm' },
    { ...plain, id: 'own', isOwn: true },
    { ...plain, id: 'private', isDirect: true },
    {
      ...plain,
      id: 'rich',
      text: 'see https://example.org/x.',
      links: [{ text: 'https://example.org/x', url: 'https://example.org/x' }],
      files: [{ name: 'plan.pdf', url: null, bytes: 12 }],
      reactions: [{ emoji: '👍', count: 2, participantIds: ['a', 'b'] }],
      replyTo: 'm',
      isEdited: true,
    },
  ])
  expect(readReactions()).toEqual([{ id: 'up', senderId: 'a', senderName: 'Ann', emojis: ['👍', '👏'], at: 5 }])
})

test('devices, by a yes or no or by a count of reasons', () => {
  show({ 'base/media': { audio: { muted: true }, video: { muted: 0 } } })
  expect(readStore()).toMatchObject({ microphone: 'off', camera: 'on' })
  show({ 'base/media': { audio: { muted: false }, video: { muted: 4 } } })
  expect(readStore()).toMatchObject({ microphone: 'on', camera: 'off' })
})

test('10,000 messages in four looks are all read, and a changed message is read again', () => {
  const read = createMessageReader()
  const messages: object[] = []
  const seen = new Set<string>()
  for (let number = 0; number < 10_000; number++) {
    messages.push({ messageId: String(number), messageType: 'remote', message: `text ${number}`, displayName: 'Ann' })
    if ((number + 1) % 2500 !== 0) continue
    show({ chat: { messages: [...messages] } })
    for (const { id } of read()) seen.add(id)
  }
  expect(seen.size).toBe(10_000)
  messages[17] = { ...messages[17], reactions: new Map([['👍', new Set(['a'])]]) }
  show({ chat: { messages: [...messages] } })
  expect(read().map(({ id }) => id)).toContain('17')
})

test('breakout rooms are open while people are in another room than the bot', () => {
  const room = (id: string, ...people: string[]) => ({
    id,
    participants: Object.fromEntries(people.map((it) => [it, {}])),
  })
  const areOpen = (rooms: unknown, own: unknown = 'main') => {
    show({ 'base/conference': { conference: { getName: () => own } }, 'breakout-rooms': { rooms } }, true)
    return readStore()?.areRoomsOpen
  }
  expect(areOpen({})).toBe(false)
  expect(areOpen({ a: room('main', 'bot', 'Ann') })).toBe(false)
  expect(areOpen({ a: room('main', 'bot'), b: room('one') })).toBe(false)
  expect(areOpen({ a: room('main', 'bot'), b: room('one', 'Ann') })).toBe(true)
  expect(areOpen({ a: room('main', 'Ann'), b: room('one', 'bot') }, 'one')).toBe(true)
  expect(areOpen({ a: room('main', 'bot'), b: room('one', 'Ann') }, null), 'the room of the bot is unknown').toBe(false)
  expect(areOpen(7)).toBe(false)
})
