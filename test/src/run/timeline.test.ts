import { expect, test } from 'vitest'
import type { MeetingEvent } from '../../../packages/core/meeting/meeting.ts'
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
const leaves = (participantId: string, second: number): MeetingEvent => ({
  type: 'participant_left',
  participantId,
  at: START + second * 1000,
})
const joins = (id: string, name: string, second = 0): MeetingEvent => ({
  type: 'participant_joined',
  participant: { id, name },
  at: START + second * 1000,
})

function timelineOf(...events: MeetingEvent[]): Timeline {
  const timeline = new Timeline(running)
  for (const event of events) timeline.onEvent(event)
  return timeline
}
const turns = (...events: MeetingEvent[]) => timelineOf(...events).diarization()
const times = (...events: MeetingEvent[]) => turns(...events).map(({ start_time, end_time }) => [start_time, end_time])

test('two people of one name are two people', () => {
  const timeline = timelineOf(joins('a', 'Alex'), joins('b', 'Alex'), speaks('b', true, 1), speaks('b', false, 2))
  expect(timeline.participants()).toMatchObject([
    { id: 1, name: 'Alex' },
    { id: 2, name: 'Alex' },
  ])
  expect(timeline.diarization().map(({ user_id }) => user_id)).toEqual([2])
})

test.each<[string, MeetingEvent[], number[][]]>([
  [
    'people may speak over each other',
    [speaks('a', true, 1), speaks('b', true, 2), speaks('a', false, 3), speaks('b', false, 4)],
    [
      [1, 3],
      [2, 4],
    ],
  ],
  [
    'a breath does not cut a turn in two',
    [speaks('a', true, 1), speaks('a', false, 2), speaks('a', true, 2.2), speaks('a', false, 3)],
    [[1, 3]],
  ],
  [
    'a silence does',
    [speaks('a', true, 1), speaks('a', false, 3), speaks('a', true, 4), speaks('a', false, 5)],
    [
      [1, 3],
      [4, 5],
    ],
  ],
  ['what was met once lasts for a moment', [speaks('a', true, 1), speaks('a', false, 1)], [[1, 1.1]]],
  ['a late word does not end a turn before it began', [speaks('b', true, 2), leaves('b', 1.5)], [[2, 2.1]]],
  [
    'a participant who leaves spoke until the last sound, which is reported after the leaving',
    [speaks('a', true, 1), leaves('a', 4), speaks('a', false, 3.2)],
    [[1, 3.2]],
  ],
  ['what was said before the first frame is not recorded', [speaks('a', true, -5), speaks('a', false, 2)], [[0, 2]]],
])('%s', (_, events, expected) => {
  expect(times(...events)).toEqual(expected)
})

test('a turn is reported with its best signal', () => {
  const weak = (isSpeaking: boolean, second: number) =>
    ({ ...speaks('a', isSpeaking, second), source: 'page', confidence: 0.6 }) as MeetingEvent
  const better = { ...speaks('a', true, 5), confidence: 0.98 } as MeetingEvent
  expect(turns(weak(true, 1), speaks('a', false, 3), better, weak(false, 6))).toMatchObject([
    { source: 'csrc', confidence: 0.9 },
    { source: 'csrc', confidence: 0.98 },
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
  const timeline = timelineOf(speaks('a', true, 1))
  expect(timeline.person('a').name).toBe('Unknown')
  for (const event of [joins('a', 'Ann', 2), speaks('a', false, 3)]) timeline.onEvent(event)
  expect(timeline.diarization()[0]?.speaker).toBe('Ann')
})

test('leaving ends the turn and the visit; coming back is a second visit of the same person', () => {
  const timeline = timelineOf(joins('a', 'Ann', 1), speaks('a', true, 2), leaves('a', 4), joins('a', 'Ann', 6))
  for (const event of [speaks('a', true, 6.5), joins('b', 'Ben', 9.5)]) timeline.onEvent(event)
  timeline.close(START + 9000, START + 7000)
  const visits = [
    { joined_offset: 1, left_offset: 4 },
    { joined_offset: 6, left_offset: 9 },
  ]
  expect(timeline.participantsFile()).toMatchObject([
    { id: 1, visits, speaking_seconds: 2.5 },
    { id: 2, visits: [{ joined_offset: 9.5, left_offset: 9.5 }] },
  ])
})

test('a rename is the name of everything', () => {
  const participant = { id: 'a', name: 'Ann', isHost: true }
  const renamed = { type: 'participant_changed', participant, at: START + 2000 } as const
  const timeline = timelineOf(joins('a', 'Phone'), speaks('a', true, 1), renamed)
  timeline.close(START + 3000)
  expect(timeline.diarization()[0]?.speaker).toBe('Ann')
  expect(timeline.speakers()).toEqual([{ id: 1, name: 'Ann', platform_id: 'a', is_host: true }])
})
