import type { BotRow } from '@standin/control-plane/store/rows/index.ts'
import { describe, expect, test } from 'vitest'
import { crashCode, gaveUp, launchFailed, processEnded } from '../../../control-plane/bots/crash.ts'
import { withPatch } from '../../../control-plane/bots/row.ts'
import type { EndEvidence } from '../../../control-plane/platform/ports.ts'
import { botRow } from './bot-row.ts'

const NOW = new Date('2026-11-20T09:20:00Z')
const DIED = new Date('2026-11-20T09:19:00Z')

const evidence = (changes: Partial<EndEvidence> = {}): EndEvidence => ({
  exitCode: null,
  signal: null,
  isOutOfMemory: false,
  reason: null,
  endedAt: DIED,
  logTail: 'secret words of the log',
  ...changes,
})

const bot = (changes: Partial<BotRow>) =>
  botRow({
    joined_at: null,
    exited_at: null,
    duration_seconds: null,
    reserved: 500_000,
    status: 'queued',
    phase: 'starting',
    give_up_at: new Date('2026-11-20T10:00:00Z'),
    ...changes,
  })

const recording = (changes: Partial<BotRow> = {}) =>
  bot({
    phase: 'running',
    status: 'in_call_recording',
    joined_attempt: 1,
    recording_started_at: new Date('2026-11-20T09:00:00Z'),
    ...changes,
  })

const dead = (row: BotRow, found: Partial<EndEvidence>, recordedSeconds: number | null = null) => {
  const change = processEnded(row, { evidence: evidence(found), recordedSeconds, now: NOW })
  return { change, after: withPatch(row, change.patch) }
}

describe('the code of a crash', () => {
  test.each([
    ['memory ran out, with any exit code', { isOutOfMemory: true, exitCode: 3 }, 'OOM_KILLED'],
    ['memory ran out and the process was killed', { isOutOfMemory: true, signal: 'SIGKILL' }, 'OOM_KILLED'],
    ['SIGTERM', { signal: 'SIGTERM' }, 'SIGTERM'],
    ['exit code 143', { exitCode: 143 }, 'SIGTERM'],
    ['SIGKILL', { signal: 'SIGKILL' }, 'FORCE_KILLED'],
    ['exit code 137 alone', { exitCode: 137 }, 'FORCE_KILLED'],
    ['another signal', { signal: 'SIGSEGV' }, 'GENERAL_ERROR'],
    ['another exit code', { exitCode: 1 }, 'GENERAL_ERROR'],
    ['nothing', {}, 'GENERAL_ERROR'],
  ])('%s', (_, found, code) => {
    expect(crashCode(evidence(found))).toBe(code)
  })
})

describe('before the bot asked to join', () => {
  test.each([1, 143, 137, null])('exit code %s is followed by another attempt', (exitCode) => {
    const { change, after } = dead(bot({}), { exitCode })
    expect(after).toMatchObject({ phase: 'due', launch_failures: 1, reserved: 500_000, deadline_at: null })
    expect(after.due_at).toEqual(new Date(NOW.getTime() + 1_000))
    expect(change).toMatchObject({ messages: [], ledger: [], steps: [{ kind: 'process_ended' }] })
  })

  test.each([2, 3, 4, 70])('exit code %i is final', (exitCode) => {
    const { after } = dead(bot({}), { exitCode })
    expect(after).toMatchObject({ phase: 'closed', status: 'failed', error_code: 'INTERNAL_ERROR', charged: null })
  })

  test.each([
    [0, 1],
    [1, 5],
    [2, 15],
    [3, 30],
    [20, 30],
  ])('after %i failures the next attempt is %i s later', (launch_failures, seconds) => {
    const { patch } = launchFailed(bot({ launch_failures, phase: 'launching' }), 'No answer.', NOW)
    expect(patch.due_at).toEqual(new Date(NOW.getTime() + seconds * 1000))
    expect(patch).toMatchObject({ wait_reason: 'No answer.', lease_owner: null })
  })

  test('no attempt is made past the time in the meeting', () => {
    const row = bot({ phase: 'launching', give_up_at: NOW })
    const after = withPatch(row, launchFailed(row, 'No answer.', NOW).patch)
    expect(after).toMatchObject({ phase: 'closed', error_code: 'INTERNAL_ERROR', reserved: 0 })
    expect(after.error_message).toContain('No answer.')
  })

  test('giving up a bot that was asked to leave is no error of the service', () => {
    const row = bot({ phase: 'ending', stop_requested_at: NOW })
    expect(gaveUp(row, 'It did not answer.', NOW).patch.error_code).toBe('EXITING_MEETING_BEFORE_RECORD')
  })
})

describe('in the meeting', () => {
  test('the code is that of the evidence; nothing is charged; the reservation ends', () => {
    const { change, after } = dead(recording(), { isOutOfMemory: true, exitCode: 4 }, 1_130)
    const times = { ended_at: DIED, exited_at: DIED, duration_seconds: 1_130 }
    expect(after).toMatchObject({
      phase: 'closed',
      status: 'failed',
      error_code: 'OOM_KILLED',
      charged: null,
      ...times,
    })
    expect(change.ledger).toMatchObject([{ kind: 'release' }])
    expect(change.steps.map(({ kind }) => kind)).toEqual(['process_ended', 'ended'])
    expect(JSON.stringify(change)).not.toContain('secret words')
  })

  test('no second attempt follows, however early it crashed', () => {
    const { after } = dead(bot({ phase: 'running', status: 'joining_call', joined_attempt: 1 }), { exitCode: 1 })
    expect(after).toMatchObject({ phase: 'closed', error_code: 'GENERAL_ERROR' })
  })

  test('a bot that had said its end is closed with it, and charged', () => {
    const bot = recording({ end_code: 'NO_ATTENDEES', end_message: 'All left.' })
    const { after } = dead(bot, { signal: 'SIGKILL' }, 1_800)
    expect(after).toMatchObject({ status: 'completed', end_code: 'NO_ATTENDEES', error_code: null })
    expect(after.charged).toMatchObject({ recording: 500_000 })
  })

  test('a failure that it had said stays its reason', () => {
    const { after } = dead(recording({ end_code: 'BOT_REMOVED_TOO_EARLY' }), { signal: 'SIGKILL' })
    expect(after).toMatchObject({ status: 'failed', error_code: 'BOT_REMOVED_TOO_EARLY' })
  })

  test('a bot that was stopped before it recorded has left as asked', () => {
    const row = bot({ phase: 'ending', status: 'in_waiting_room', joined_attempt: 1, stop_requested_at: NOW })
    expect(dead(row, { signal: 'SIGKILL' }).after.error_code).toBe('EXITING_MEETING_BEFORE_RECORD')
    const recorded = recording({ phase: 'ending', stop_requested_at: NOW })
    expect(dead(recorded, { signal: 'SIGKILL' }).after.error_code).toBe('FORCE_KILLED')
  })

  test('one that crashed while it transcribed keeps its recording, which is charged', () => {
    const row = recording({ phase: 'processing', status: 'transcribing', transcription_status: 'processing' })
    const { after } = dead(row, { isOutOfMemory: true }, 3_600)
    expect(after).toMatchObject({ error_code: 'TRANSCRIPTION_FAILED', transcription_status: 'error' })
    expect(after.charged).toMatchObject({ recording: 1_000_000, transcription: 0 })
  })

  test.each(['closed', 'due', 'scheduled'])('in %s it changes nothing', (phase) => {
    expect(dead(bot({ phase }), { exitCode: 1 }).change).toEqual({ patch: {}, steps: [], messages: [], ledger: [] })
  })
})

describe('what is known beyond the code', () => {
  test.each([
    [{ exitCode: 2 }, 'JOB_REFUSED'],
    [{ exitCode: 70 }, 'PROCESS_EXITED'],
    [{ exitCode: 1 }, 'PROCESS_EXITED'],
    [{}, 'PROCESS_LOST'],
    [{ signal: 'SIGKILL' }, null],
    [{ exitCode: 137 }, null],
    [{ isOutOfMemory: true, exitCode: 1 }, null],
  ] as const)('%o: %s', (found, cause) => {
    const { change, after } = dead(recording(), found)
    expect(after.end_cause).toBe(cause)
    expect(change.steps.find(({ kind }) => kind === 'ended')!.evidence?.cause).toBe(cause ?? undefined)
    const failed = change.messages.find(({ event }) => event === 'bot.failed')!
    expect(failed.body).toMatchObject({ data: { error_help: { cause, who: 'operator', cure: expect.any(String) } } })
  })

  test('a bot that could not be started in time, and one that was stopped before', () => {
    expect(gaveUp(bot({}), 'No room.', NOW).patch.end_cause).toBe('NOT_STARTED')
    expect(gaveUp(bot({ stop_requested_at: NOW }), 'No room.', NOW).patch.end_cause).toBeNull()
  })

  test('a bot that completed has none, and public names have no help', () => {
    expect(dead(recording({ end_code: 'NO_ATTENDEES' }), { exitCode: 70 }).after.end_cause).toBeNull()
    const { change } = dead(recording({ is_compat: true }), { exitCode: 70 })
    expect(JSON.stringify(change.messages)).not.toContain('error_help')
  })
})

describe('a link that the worker refused', () => {
  const end = (changes: Partial<BotRow>, exitCode: number) => {
    const { end_code: code, end_message: message } = dead(bot(changes), { exitCode }).after
    return { code, message }
  }

  test('is the reason of the end', () => {
    expect(end({ meeting_platform: 'zoom', meeting_url: 'https://us02web.zoom.us/j/855' }, 2)).toEqual({
      code: 'INVALID_MEETING_URL',
      message: 'The Zoom link has no meeting number of 9 to 11 digits.',
    })
  })

  test.each([
    ['another problem of the job', { meeting_url: 'https://meet.google.com/abc-defg-hij' }, 2],
    ['a room of a Jitsi server', { meeting_platform: 'jitsi', meeting_url: 'https://talk.example.org/Weekly' }, 2],
    ['another exit code', { meeting_platform: 'zoom', meeting_url: 'https://us02web.zoom.us/j/855' }, 70],
  ] as const)('is not the reason: %s', (_what, changes, exitCode) => {
    expect(end(changes, exitCode).code).toBe('INTERNAL_ERROR')
  })
})
