import type { BotRow } from '@standin/control-plane/store/rows/index.ts'
import { describe, expect, test } from 'vitest'
import { gaveUp, processEnded } from '../../../control-plane/bots/crash.ts'
import { deadlineOf } from '../../../control-plane/bots/deadlines.ts'
import { pickupDelayed } from '../../../control-plane/bots/launch.ts'
import { partsOf } from '../../../control-plane/bots/parts.ts'
import { withPeopleOfLaterAttempt } from '../../../control-plane/bots/people.ts'
import { assembled, MAX_RESUMES, mayResume, remainingLimits, resumed } from '../../../control-plane/bots/resume.ts'
import { withPatch } from '../../../control-plane/bots/row.ts'
import { stopAsked } from '../../../control-plane/bots/stop.ts'
import type { EndEvidence } from '../../../control-plane/platform/ports.ts'
import { botRow } from './bot-row.ts'

const now = new Date('2026-11-20T09:10:00Z')
const killed: EndEvidence = {
  exitCode: null,
  signal: 'SIGKILL',
  isOutOfMemory: false,
  reason: 'The machine is gone.',
  endedAt: now,
  logTail: null,
}
const recording = (values: Partial<BotRow> = {}) =>
  botRow({
    phase: 'running',
    status: 'in_call_recording',
    joined_attempt: 1,
    reserved: 500_000,
    duration_seconds: null,
    exited_at: null,
    recording_started_at: new Date('2026-11-20T09:00:20Z'),
    request: {},
    ...values,
  })
const known = (evidence: Partial<EndEvidence> = {}) => ({
  evidence: { ...killed, ...evidence },
  recordedSeconds: 300,
  now,
})
const onItsWay = (values: Partial<BotRow> = {}) => {
  const bot = recording(values)
  return withPatch(bot, resumed(bot, known()).patch)
}

describe('the crashes after which a bot is resumed', () => {
  test.each([
    ['a signal', {}, true],
    ['no memory left', { signal: null, exitCode: 137, isOutOfMemory: true }, true],
    ['an exit code of no orderly end', { signal: null, exitCode: 134 }, true],
    ['a machine that is gone, of which no code is known', { signal: null }, true],
    ['an orderly end whose report is lost', { signal: null, exitCode: 0 }, false],
    ['a failure of its own', { signal: null, exitCode: 4 }, false],
    ['a defect of its own', { signal: null, exitCode: 70 }, false],
    ['a death that was seen long after it', { endedAt: new Date(now.getTime() - 700_000) }, false],
  ])('%s', (_, evidence, expected) => {
    expect(mayResume(recording(), known(evidence), true)).toBe(expected)
    expect(mayResume(recording(), known(evidence), false)).toBe(false)
  })

  test('a bot that its machine terminated rejoins, also after an orderly end', () => {
    const terminated = recording({ end_code: 'SIGTERM', end_message: 'The bot was asked to leave (terminate).' })
    expect(mayResume(terminated, known({ signal: null, exitCode: 4 }), true)).toBe(true)
    expect(mayResume(terminated, known({ signal: null, exitCode: 4 }), false)).toBe(false)
    expect(mayResume({ ...terminated, stop_sent_at: now }, known({ signal: null, exitCode: 4 }), true)).toBe(false)
    expect(mayResume({ ...terminated, phase: 'processing' }, known({ signal: null, exitCode: 4 }), true)).toBe(false)
    const { patch } = resumed(terminated, known({ signal: null, exitCode: 4 }))
    expect(patch.parts).toMatchObject([{ attempt: 1, seconds: 300, code: 'SIGTERM' }])
    expect(patch).toMatchObject({ end_code: null, end_message: null, report: null, exited_at: null })
  })

  test.each([
    ['that was asked to leave', { stop_requested_at: now, phase: 'ending' }],
    ['that was asked to end at its deadline', { stop_sent_at: now }],
    ['that had said how it ended', { end_code: 'BOT_REMOVED' }],
    ['whose transcript was being made', { phase: 'processing' }],
    ['that died too often', { resumes: MAX_RESUMES }],
    ['whose time to record is over', { request: { timeout_config: { recording_timeout: 320 } } }],
    ['that waited long enough', { joined_at: null, recording_started_at: null, waiting_at: new Date(0) }],
  ])('not a bot %s', (_, values) => {
    expect(mayResume(recording(values as Partial<BotRow>), known(), true)).toBe(false)
  })
})

describe('a bot that rejoins', () => {
  test('keeps its status and its reservation, and no attempt decides', () => {
    const { patch, messages, ledger } = resumed(recording(), known())
    expect(messages).toEqual([])
    expect(ledger).toEqual([])
    expect(patch).not.toHaveProperty('status')
    expect(patch).toMatchObject({ phase: 'due', joined_attempt: null, resumes: 1, due_at: now, resuming_since: now })
    expect(patch.parts).toMatchObject([{ attempt: 1, seconds: 300, code: 'FORCE_KILLED' }])
  })

  test('waits longer with each crash', () => {
    const pauses = [0, 1, 2].map((resumes) => {
      const { due_at } = resumed(recording({ resumes }), known()).patch
      return ((due_at as Date).getTime() - now.getTime()) / 1000
    })
    expect(pauses).toEqual([0, 5, 15])
  })

  test('has the rest of its limits', () => {
    const request = { timeout_config: { recording_timeout: 1000 } }
    expect(remainingLimits(onItsWay({ request }), now).maxRecording).toBe(700)
    const waiting = recording({
      recording_started_at: null,
      joined_at: null,
      waiting_at: new Date(now.getTime() - 60_000),
    })
    expect(remainingLimits(waiting, now).waitingRoom).toBe(600 - 60)
  })

  test('is not reported as late, and its deadline leaves time for the waiting room', () => {
    expect(pickupDelayed(onItsWay(), now).steps).toEqual([])
    const there = deadlineOf(recording(), now)
    expect(deadlineOf(recording({ resuming_since: now }), now).getTime()).toBeGreaterThan(there.getTime())
  })

  test('completes where it is asked to leave, fails with the code of its crash where no attempt could be made', () => {
    const stopped = stopAsked(onItsWay(), now)
    if ('refused' in stopped) throw new Error('refused')
    expect(stopped.patch.phase).toBe('assembling')
    expect(stopped.patch.pending_end).toMatchObject({ status: 'completed', code: 'API_REQUEST' })
    const hopeless = gaveUp(onItsWay(), 'There was no room.', now)
    expect(hopeless.patch.pending_end).toMatchObject({ status: 'failed', code: 'FORCE_KILLED' })
    expect((hopeless.patch.pending_end as { message: string }).message).toContain('There was no room.')
  })

  test('is closed once its files are together, with one charge for all of it', () => {
    const bot = withPatch(onItsWay(), { phase: 'running', attempt: 2, joined_attempt: 2, resuming_since: null })
    const over = withPatch(bot, processEnded({ ...bot, end_code: 'BOT_REMOVED', end_message: 'Over.' }, known()).patch)
    expect(over).toMatchObject({ phase: 'assembling', duration_seconds: 600 })
    expect(partsOf(over).map(({ attempt }) => attempt)).toEqual([1, 2])
    const files = { filesAttempt: 0, seconds: 590, message: 'Joined.' }
    const { patch, ledger, messages } = assembled(over, files, now)
    expect(patch).toMatchObject({ phase: 'closed', status: 'completed', files_attempt: 0, duration_seconds: 590 })
    expect(ledger.map(({ kind, meter }) => [kind, meter])).toEqual([
      ['release', null],
      ['charge', 'recording'],
    ])
    expect(messages.filter(({ event, channel }) => event === 'bot.completed' && channel === 'webhooks')).toHaveLength(1)
    expect(assembled(withPatch(over, patch), files, now).patch).toEqual({})
  })
})

test('people of a later attempt keep the numbers that they had, and new ones get the next', () => {
  const before = [
    { id: 1, name: 'Ada', platform_id: 'a' },
    { id: 2, name: 'Ben', platform_id: 'b' },
  ]
  const later = [
    { id: 1, name: 'Ben', platform_id: 'b' },
    { id: 2, name: 'Cleo', platform_id: 'c' },
  ]
  const all = withPeopleOfLaterAttempt(before, later)
  expect(all).toEqual([...before, { id: 3, name: 'Cleo', platform_id: 'c' }])
  expect(withPeopleOfLaterAttempt([before[0]], [later[1]!], all)).toEqual([before[0], { ...later[1], id: 3 }])
})
