import { describe, expect, test } from 'vitest'
import { deadlineOf, giveUpAt } from '../../../control-plane/bots/deadlines.ts'
import { botRow } from './bot-row.ts'

const SINCE = new Date('2026-11-20T09:00:00Z')
const STATUSES = [
  ...['joining_call', 'in_waiting_room', 'in_call_not_recording', 'in_call_recording', 'recording_paused'],
  'recording_resumed',
]

/** Requests at the corners of what a caller may ask. */
const corners = [120, 600, 1800].flatMap((waitingRoom) =>
  [120, 1800].flatMap((noOneJoined) =>
    [null, 7_200, 21_600].map((maxRecording) => ({
      timeout_config: {
        waiting_room_timeout: waitingRoom,
        no_one_joined_timeout: noOneJoined,
        ...(maxRecording && { recording_timeout: maxRecording }),
      },
    })),
  ),
)

const secondsOf = (bot: Parameters<typeof deadlineOf>[0]) => (deadlineOf(bot, SINCE).getTime() - SINCE.getTime()) / 1000

describe('a deadline is later than everything the job allows', () => {
  test.each(STATUSES)('in %s', (status) => {
    for (const request of corners) {
      const { waiting_room_timeout: waitingRoom, no_one_joined_timeout: noOneJoined } = request.timeout_config
      const recording = request.timeout_config.recording_timeout || 14_400
      const allowed = {
        joining_call: waitingRoom,
        in_waiting_room: waitingRoom,
        in_call_not_recording: Math.max(waitingRoom, noOneJoined),
        in_call_recording: recording + 900,
        recording_paused: recording + 900,
        recording_resumed: recording + 900,
      }[status]!
      const bot = botRow({ phase: 'running', status, request })
      expect(secondsOf(bot)).toBeGreaterThanOrEqual(allowed + 60)
      expect(secondsOf({ ...bot, transcription_status: 'not-started' })).toBeGreaterThanOrEqual(secondsOf(bot))
    }
  })

  test('a transcript may take its half hour', () => {
    expect(secondsOf(botRow({ phase: 'processing', status: 'transcribing' }))).toBeGreaterThan(1800)
  })

  test('a bot that was asked to leave may store what it recorded, and one without a recording is waited for briefly', () => {
    const asked = { phase: 'ending' as const, status: 'in_call_recording', request: {}, stop_requested_at: SINCE }
    const recorded = botRow({ ...asked, recording_started_at: SINCE })
    expect(secondsOf(recorded)).toBeGreaterThan(900)
    expect(secondsOf({ ...recorded, transcription_status: 'not-started' })).toBeGreaterThan(900 + 1800)
    expect(secondsOf(botRow(asked))).toBeLessThan(300)
  })

  test.each(['in_call_recording', 'recording_paused'])(
    'a bot that rejoins in %s may wait to be admitted again',
    (status) => {
      for (const request of corners) {
        const { waiting_room_timeout: waitingRoom, no_one_joined_timeout: noOneJoined } = request.timeout_config
        const bot = botRow({ phase: 'running', status, request })
        const rejoining = { ...bot, resuming_since: SINCE }
        expect(secondsOf(rejoining) - secondsOf(bot)).toBeGreaterThanOrEqual(waitingRoom + noOneJoined)
      }
    },
  )

  test('an early bot waits for its join time first', () => {
    const join_at = new Date('2026-11-20T09:30:00Z')
    const bot = botRow({ phase: 'running', status: 'joining_call', request: {}, join_at })
    expect(deadlineOf(bot, SINCE).getTime()).toBeGreaterThan(join_at.getTime() + 600_000)
  })
})

test('a row without timeouts has the defaults', () => {
  const bot = botRow({ request: {} })
  expect(giveUpAt(bot, SINCE)).toEqual(new Date('2026-11-20T09:10:00Z'))
  expect(secondsOf({ ...bot, phase: 'running', status: 'joining_call' })).toBeGreaterThan(600)
})
