/** Parts of one recording: the gaps between them, and the places of their events in the whole. */
import { type BotEvent, type NumberedEvent, numberedEventSchema } from '@standin/wire/events.ts'
import { expect, test } from 'vitest'
import { joinEvents } from '../../../src/run/joined/events.ts'
import { gapsBetween } from '../../../src/run/joined/gaps.ts'
import { factsOfPart } from '../../../src/run/joined/part.ts'

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
  const joined = joinEvents({ botId: BOT_ID, parts: [part, part], gapsBefore: [null, null], numberOf: (_, id) => id })
  expect(joined.map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
  expect(joined[1]!.event).toMatchObject(words)
  expect(joined[3]!.event).toMatchObject({ ...words, start: 11, end: 12.5 })
})
