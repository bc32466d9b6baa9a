import { expect, test } from 'vitest'
import type { PageEvent } from '../../../../platforms/shared/page/types.ts'
import { MeetingMemory } from '../../../../src/run/memory/meeting-memory.ts'

const joined = (id: string, name: string, at = 0): PageEvent => ({
  type: 'participant_joined',
  participant: { id, name, isHost: false },
  at,
})
const speaking = (participantId: string, isSpeaking: boolean, at: number): PageEvent => ({
  type: 'speaking',
  participantId,
  isSpeaking,
  source: 'page',
  confidence: 0.6,
  at,
})
const message = (id: string, senderId: string | null): PageEvent => ({
  type: 'chat_message',
  message: { id, senderId, senderName: 'Ann', text: 'hi', at: 0, isOwn: false },
})
const types = (events: { type: string }[]) => events.map(({ type }) => type)

test('a page that stays tells everything as it is', () => {
  const memory = new MeetingMemory()
  const events = [joined('a', 'Ann'), speaking('a', true, 1), message('m', 'a')]
  expect(memory.remember(events)).toEqual(events)
  expect(memory.settle(0, 60_000)).toEqual([])
})

test('participants whom a new document reports again neither leave nor join', () => {
  const memory = new MeetingMemory()
  memory.remember([joined('a', 'Ann'), joined('b', 'Ben')])
  expect(memory.renew(1000, 5000)).toEqual([])
  expect(memory.remember([joined('a', 'Ann'), joined('b', 'Ben B.')])).toMatchObject([
    { type: 'participant_changed', participant: { id: 'b', name: 'Ben B.' } },
  ])
  expect(memory.settle(2, 60_000)).toEqual([])
})

test('a turn and a shared screen that were open end with the last look at the old document', () => {
  const memory = new MeetingMemory()
  memory.remember([
    joined('a', 'Ann'),
    speaking('a', true, 100),
    { type: 'screen_share', participantId: 'a', isSharing: true, at: 200 },
  ])
  expect(memory.renew(1000, 5000)).toMatchObject([
    { type: 'speaking', participantId: 'a', isSpeaking: false, at: 1000 },
    { type: 'screen_share', participantId: 'a', isSharing: false, at: 1000 },
  ])
  expect(memory.renew(1000, 6000)).toEqual([])
})

test('a participant who is not reported again has left, but only once the new document shows who is present', () => {
  const memory = new MeetingMemory()
  memory.remember([joined('a', 'Ann'), joined('b', 'Ben')])
  memory.renew(1000, 5000)
  memory.remember([joined('a', 'Ann')])
  expect(memory.settle(1, 10_000), 'there is time').toEqual([])
  expect(memory.settle(null, 60_000), 'unknown is not gone').toEqual([])
  expect(memory.settle(1, 60_000)).toEqual([{ type: 'participant_left', participantId: 'b', at: 60_000 }])
  expect(types(memory.remember([joined('b', 'Ben')])), 'and may come again').toEqual(['participant_joined'])
})

test('the only participant of a name keeps the id under which they were first reported', () => {
  const memory = new MeetingMemory()
  memory.remember([joined('page:Ann', 'Ann')])
  memory.renew(1000, 5000)
  expect(
    memory.remember([joined('8:orgid:1', 'Ann'), speaking('8:orgid:1', true, 6000), message('m', '8:orgid:1')]),
  ).toMatchObject([
    { type: 'speaking', participantId: 'page:Ann' },
    { type: 'chat_message', message: { senderId: 'page:Ann' } },
  ])
  const voice = { type: 'voice', isHeard: true, at: 6500 } as const
  const left = { type: 'participant_left', at: 7000 } as const
  const known = (participantId: string) => [voice, left].map((event) => ({ ...event, participantId }))
  expect(memory.remember(known('8:orgid:1'))).toEqual(known('page:Ann'))
})

test('two of one name are not mistaken for each other', () => {
  const memory = new MeetingMemory()
  memory.remember([joined('1', 'Alex'), joined('2', 'Alex')])
  memory.renew(1000, 5000)
  expect(types(memory.remember([joined('x', 'Alex'), joined('y', 'Alex')]))).toEqual([
    'participant_joined',
    'participant_joined',
  ])
  expect(memory.settle(2, 60_000).map((event) => 'participantId' in event && event.participantId)).toEqual(['1', '2'])
})

test('a message is reported once, although the page is reloaded', () => {
  const memory = new MeetingMemory()
  expect(memory.remember([message('m', null)])).toHaveLength(1)
  memory.renew(1000, 5000)
  expect(memory.remember([message('m', null)])).toEqual([])
})

test('a hand that stays up over documents is reported once; one that is down in the new document was lowered', () => {
  const memory = new MeetingMemory()
  const hand = (participantId: string, isRaised: boolean, at: number): PageEvent => {
    return { type: 'hand_raised', participantId, name: participantId, isRaised, at }
  }
  memory.remember([joined('a', 'Ann'), joined('b', 'Ben'), hand('a', true, 1), hand('b', true, 1)])
  memory.renew(1000, 5000)
  expect(types(memory.remember([joined('a', 'Ann'), joined('b', 'Ben'), hand('a', true, 6000)]))).toEqual([])
  expect(memory.settle(2, 9000)).toEqual([])
  expect(memory.settle(2, 20_000)).toMatchObject([{ participantId: 'b', isRaised: false }])
  expect(memory.remember([hand('a', false, 21_000), hand('b', true, 22_000)])).toMatchObject([
    { participantId: 'a', isRaised: false },
    { participantId: 'b', isRaised: true },
  ])
})
