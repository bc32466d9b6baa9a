/** Parts of one recording: the gaps between them, and the places of their events in the whole. */
import { type BotEvent, type NumberedEvent, numberedEventSchema } from '@standin/wire/events.ts'
import { expect, test } from 'vitest'
import { joinEvents } from '../../../src/run/joined/events.ts'
import { gapsBetween } from '../../../src/run/joined/gaps.ts'
import { factsOfPart } from '../../../src/run/joined/part.ts'
import { joinPeople } from '../../../src/run/joined/people.ts'

const BOT_ID = '5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11'
const START = Date.parse('2026-11-27T09:00:00.000Z')
const utc = (seconds: number) => new Date(START + seconds * 1000).toISOString()

function journal(...events: [number, object][]): NumberedEvent[] {
  return events.map(([at, event], place) =>
    numberedEventSchema.parse({ type: 'event', seq: place + 1, bot_id: BOT_ID, at: utc(at), event: event as BotEvent }),
  )
}
const status = (name: string) => ({ type: 'status_change', status: name })
const later = factsOfPart(journal([20, status('in_call_recording')]), null, 5)
const gapsAfter = (...events: [number, object][]) =>
  gapsBetween([factsOfPart(journal(...events), null, 10), later], null)

const GAP = { started_at: utc(10), ended_at: utc(14), offset: 10, seconds: 4, reason: 'encoder_died' }

test('the time from the end of a part to the next one is a gap', () => {
  const gap = { started_at: utc(10), ended_at: utc(20), offset: 10, seconds: 10, reason: 'bot_died' }
  expect(gapsAfter([0, status('in_call_recording')])).toEqual([null, gap])
  expect(
    gapsAfter([0, status('in_call_recording')], [4, status('recording_paused')], [6, status('recording_resumed')]),
  ).toEqual([null, { ...gap, started_at: utc(12), seconds: 8 }])
})

test('a gap of the sound alone is in the recorded time, and cuts nothing', () => {
  const lost = { started_at: utc(3), ended_at: utc(5), offset: 3, seconds: 2, reason: 'sound_lost' as const }
  const events = journal([0, status('in_call_recording')], [5, { type: 'recording_gap', ...lost }])
  const { spans, gaps } = factsOfPart(events, null, 10)
  expect(spans).toEqual([{ startedAt: START, endedAt: START + 10_000 }])
  expect(gaps).toEqual([lost])
})

test('after a part that ended in a pause nothing is missing', () => {
  expect(gapsAfter([0, status('in_call_recording')], [10, status('recording_paused')])).toEqual([null, null])
})

const joins = (id: number, name: string) => ({
  type: 'participant_joined',
  participant: { id, name, platform_id: name },
  offset: null,
})

test.each<[string, [number, object][], number]>([
  ['the end of its recording', [], 10],
  ['the end of the gap with which it ended', [[15, { type: 'recording_gap', ...GAP }]], 14],
  [
    'the end of the pause in which it ended',
    [
      [10, status('recording_paused')],
      [15, joins(2, 'Ben')],
    ],
    15,
  ],
])('the people of a part were there until %s', (_, more, left) => {
  const part = factsOfPart(journal([0, status('in_call_recording')], [1, joins(1, 'Ann')], ...more), null, 10)
  for (const parts of [[part], [part, later]])
    for (const { visits } of joinPeople(parts).timeline.participantsFile())
      expect(visits).toMatchObject([{ left_at: utc(left) }])
})

test('places of a later part are moved by the length of the parts before it, at both ends', () => {
  const words = {
    type: 'transcript',
    text: 'yes',
    is_final: true,
    speaker: null,
    start: 1,
    end: 2.5,
    language: null,
  }
  const part = factsOfPart(journal([0, status('in_call_recording')], [3, words]), null, 10)
  const joined = joinEvents({
    ...joinPeople([part, part]),
    botId: BOT_ID,
    parts: [part, part],
    gapsBefore: [null, null],
  })
  expect(joined.map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
  expect(joined[1]!.event).toMatchObject(words)
  expect(joined[3]!.event).toMatchObject({ ...words, start: 11, end: 12.5 })
})

test("in the whole recording, the messages of each part's bot have different ids", () => {
  const message = (message_id: string, at: number, more: object) => ({
    ...{ type: 'chat_message', message_id, sender_id: null, sender_name: 'Ann', is_own: false, timestamp: utc(at) },
    ...more,
  })
  const own = (text: string, at: number) => message('own-1', at, { text, is_own: true })
  const reactions = [{ emoji: '👍', count: 1, user_ids: [] }]
  const parts = [
    factsOfPart(journal([2, own('one', 2)]), null, 10),
    factsOfPart(
      journal(
        [22, own('two', 22)],
        [
          23,
          {
            type: 'chat_message_changed',
            message_id: 'own-1',
            timestamp: utc(23),
            is_deleted: false,
            text: 'two',
            reactions,
          },
        ],
        [24, message('m1', 24, { text: 'Why?', reply_to: 'own-1' })],
      ),
      null,
      10,
    ),
  ]
  const people = joinPeople(parts)
  const messages = people.chat.messages()
  expect(messages).toMatchObject([{ text: 'one' }, { text: 'two', reactions }, { reply_to: messages[1]!.message_id }])
  expect(messages[0]).not.toHaveProperty('reactions')
  const ids = messages.map(({ message_id }) => message_id)
  const joined = joinEvents({ ...people, botId: BOT_ID, parts, gapsBefore: [null, null] })
  const seen = joined.map(({ event }) => 'message_id' in event && event.message_id)
  expect(seen).toEqual([ids[0], ids[1], ids[1], ids[2]])
})
