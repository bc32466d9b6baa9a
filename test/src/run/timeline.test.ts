import { expect, test } from 'vitest'
import type { MeetingEvent } from '../../../core/meeting/meeting.ts'
import { Timeline } from '../../../src/run/timeline.ts'

const START = 1_000_000
const running = () => [{ startedAt: START, endedAt: null }]
const speaks = (participantId: string, isSpeaking: boolean, second: number): MeetingEvent => ({
  type: 'speaking',
  participantId,
  isSpeaking,
  source: 'csrc',
  confidence: 0.9,
  at: START + second * 1000,
})
const joins = (id: string, name: string, second = 0): MeetingEvent => ({
  type: 'participant_joined',
  participant: { id, name },
  at: START + second * 1000,
})

test('two people of one name are two people', () => {
  const timeline = new Timeline(running)
  timeline.onEvent(joins('a', 'Alex'))
  timeline.onEvent(joins('b', 'Alex'))
  timeline.onEvent(speaks('b', true, 1))
  timeline.onEvent(speaks('b', false, 2))
  expect(timeline.participants().map(({ id, name }) => [id, name])).toEqual([
    [1, 'Alex'],
    [2, 'Alex'],
  ])
  expect(timeline.diarization().map(({ user_id }) => user_id)).toEqual([2])
})

test('people may speak over each other', () => {
  const timeline = new Timeline(running)
  timeline.onEvent(speaks('a', true, 1))
  timeline.onEvent(speaks('b', true, 2))
  timeline.onEvent(speaks('a', false, 3))
  timeline.onEvent(speaks('b', false, 4))
  expect(timeline.diarization().map(({ start_time, end_time }) => [start_time, end_time])).toEqual([
    [1, 3],
    [2, 4],
  ])
})

test('a breath does not cut a turn in two, a silence does', () => {
  const timeline = new Timeline(running)
  for (const event of [speaks('a', true, 1), speaks('a', false, 2), speaks('a', true, 2.2), speaks('a', false, 3)])
    timeline.onEvent(event)
  for (const event of [speaks('a', true, 4), speaks('a', false, 5)]) timeline.onEvent(event)
  expect(timeline.diarization().map(({ start_time, end_time }) => [start_time, end_time])).toEqual([
    [1, 3],
    [4, 5],
  ])
})

test('a turn is reported with its best signal', () => {
  const timeline = new Timeline(running)
  timeline.onEvent({ ...speaks('a', true, 1), source: 'page', confidence: 0.6 } as MeetingEvent)
  timeline.onEvent(speaks('a', false, 3))
  timeline.onEvent({ ...speaks('a', true, 5), confidence: 0.98 } as MeetingEvent)
  timeline.onEvent({ ...speaks('a', false, 6), source: 'page', confidence: 0.6 } as MeetingEvent)
  expect(timeline.diarization().map(({ source, confidence }) => [source, confidence])).toEqual([
    ['csrc', 0.9],
    ['csrc', 0.98],
  ])
})

test('what was met once lasts for a moment, and a late word does not end a turn before it began', () => {
  const timeline = new Timeline(running)
  timeline.onEvent(speaks('a', true, 1))
  timeline.onEvent(speaks('a', false, 1))
  timeline.onEvent(speaks('b', true, 2))
  timeline.onEvent({ type: 'participant_left', participantId: 'b', at: START + 1500 })
  expect(timeline.diarization().map(({ start_time, end_time }) => [start_time, end_time])).toEqual([
    [1, 1.1],
    [2, 2.1],
  ])
})

test('the recording knows where its first name is missing', () => {
  const timeline = new Timeline(() => [
    { startedAt: START, endedAt: START + 30_000 },
    { startedAt: START + 40_000, endedAt: START + 60_000 },
  ])
  timeline.onEvent(joins('a', 'Ann'))
  timeline.onSound(true, START)
  for (const event of [speaks('a', true, 0), speaks('a', false, 12)]) timeline.onEvent(event)
  timeline.onSound(false, START + 14_000)
  // In the second span an unmarked participant speaks, and Ann at its end.
  timeline.onSound(true, START + 45_000)
  for (const event of [speaks('a', true, 52), speaks('a', false, 60)]) timeline.onEvent(event)
  timeline.close(START + 60_000)
  expect(timeline.speechQuality()).toMatchObject({ speech_without_name_seconds: 7, first_unnamed_at: 35 })
})

test('a participant who speaks before the roster names them is Unknown, and gets the name afterwards', () => {
  const timeline = new Timeline(running)
  timeline.onEvent(speaks('a', true, 1))
  expect(timeline.person('a').name).toBe('Unknown')
  timeline.onEvent(joins('a', 'Ann', 2))
  timeline.onEvent(speaks('a', false, 3))
  expect(timeline.diarization()[0]?.speaker).toBe('Ann')
})

test('leaving ends the turn and the visit; coming back is a second visit of the same person', () => {
  const timeline = new Timeline(running)
  timeline.onEvent(joins('a', 'Ann', 1))
  timeline.onEvent(speaks('a', true, 2))
  timeline.onEvent({ type: 'participant_left', participantId: 'a', at: START + 4000 })
  timeline.onEvent(joins('a', 'Ann', 6))
  timeline.close(START + 9000)
  expect(timeline.participantsFile()).toMatchObject([
    {
      id: 1,
      visits: [
        { joined_offset: 1, left_offset: 4 },
        { joined_offset: 6, left_offset: 9 },
      ],
      speaking_seconds: 2,
    },
  ])
})

test('a participant who leaves spoke until the last sound, which is reported after the leaving', () => {
  const timeline = new Timeline(running)
  timeline.onEvent(speaks('a', true, 1))
  timeline.onEvent({ type: 'participant_left', participantId: 'a', at: START + 4000 })
  timeline.onEvent(speaks('a', false, 3.2))
  expect(timeline.diarization()).toMatchObject([{ start_time: 1, end_time: 3.2 }])
})

test('what was said before the first frame is not in the recording', () => {
  const timeline = new Timeline(running)
  timeline.onEvent(speaks('a', true, -5))
  timeline.onEvent(speaks('a', false, 2))
  expect(timeline.diarization()).toMatchObject([{ start_time: 0, end_time: 2 }])
})

test('a rename is the name of everything', () => {
  const timeline = new Timeline(running)
  timeline.onEvent(joins('a', 'Phone'))
  timeline.onEvent(speaks('a', true, 1))
  timeline.onEvent({
    type: 'participant_changed',
    participant: { id: 'a', name: 'Ann', isHost: true },
    at: START + 2000,
  })
  timeline.close(START + 3000)
  expect(timeline.diarization()[0]?.speaker).toBe('Ann')
  expect(timeline.speakers()).toEqual([{ id: 1, name: 'Ann', platform_id: 'a', is_host: true }])
})
