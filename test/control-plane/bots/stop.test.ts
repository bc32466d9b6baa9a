import type { BotRow } from '@standin/control-plane/store/rows/index.ts'
import { describe, expect, test } from 'vitest'
import { admitted, becameDue, refusedWhenDue } from '../../../control-plane/bots/admit.ts'
import { withPatch } from '../../../control-plane/bots/row.ts'
import { needsLeave, stopAsked } from '../../../control-plane/bots/stop.ts'
import { botRow } from './bot-row.ts'

const NOW = new Date('2026-11-20T09:00:00Z')

const bot = (changes: Partial<BotRow>) =>
  botRow({ joined_at: null, exited_at: null, duration_seconds: null, reserved: 500_000, status: 'queued', ...changes })

function changeOf(row: BotRow) {
  const change = stopAsked(row, NOW)
  if ('refused' in change) throw new Error(`refused in ${change.refused}`)
  return { change, after: withPatch(row, change.patch) }
}

const events = (change: { messages: { event: string; body: Record<string, unknown> }[] }) =>
  change.messages.map(({ event, body }) => (body.data as { status?: { code: string } }).status?.code ?? event)

describe('a request to leave', () => {
  test.each(['due', 'launching'])('cancels a bot that is %s, without a charge', (phase) => {
    const { change, after } = changeOf(bot({ phase }))
    const failed = { phase: 'closed', status: 'failed', error_code: 'EXITING_MEETING_BEFORE_RECORD' }
    expect(after).toMatchObject({ ...failed, reserved: 0, charged: null, lease_owner: null })
    expect(change.ledger).toMatchObject([{ kind: 'release', amount: 500_000 }])
    expect(events(change)).toEqual(['api_request_stop', 'recording_failed', 'failed', 'bot.failed', 'bot.failed'])
    expect(change.steps.map(({ kind }) => kind)).toEqual(['cancelled', 'ended'])
    expect(needsLeave(change)).toBe(false)
  })

  test('cancels a scheduled bot, and sends only its end', () => {
    const scheduled = { phase: 'scheduled', is_scheduled: true, schedule_status: 'scheduled', reserved: 0 }
    const { change, after } = changeOf(bot(scheduled))
    expect(after).toMatchObject({ phase: 'closed', schedule_status: 'cancelled', cancelled_at: NOW })
    expect(change.ledger).toEqual([])
    expect(events(change)).toEqual(['bot.failed', 'bot.failed'])
  })

  test.each(['starting', 'running'])('asks a bot that is %s to leave, and keeps its reservation', (phase) => {
    const { change, after } = changeOf(bot({ phase, status: 'joining_call' }))
    expect(after).toMatchObject({ phase: 'ending', status: 'joining_call', stop_requested_at: NOW, reserved: 500_000 })
    expect(after.deadline_at).toEqual(new Date(NOW.getTime() + 120_000))
    expect(change).toMatchObject({ messages: [], ledger: [], steps: [{ kind: 'stop_asked' }] })
    expect(needsLeave(change)).toBe(true)
  })

  test('gives a bot that has recorded the time to store and to transcribe', () => {
    const row = bot({ phase: 'running', status: 'in_call_recording', recording_started_at: NOW })
    expect(changeOf(row).after.deadline_at!.getTime() - NOW.getTime()).toBe((900 + 120) * 1000)
    const transcribed = { ...row, transcription_status: 'not-started' }
    expect(changeOf(transcribed).after.deadline_at!.getTime() - NOW.getTime()).toBe((900 + 1800 + 120) * 1000)
  })

  test('changes nothing when it is repeated', () => {
    const { change } = changeOf(bot({ phase: 'ending', stop_requested_at: NOW }))
    expect(change).toEqual({ patch: {}, steps: [], messages: [], ledger: [] })
    expect(needsLeave(change)).toBe(false)
  })

  test.each([
    ['processing', 'transcribing'],
    ['closed', 'completed'],
    ['closed', 'failed'],
  ])('is refused in %s (%s)', (phase, status) => {
    expect(stopAsked(bot({ phase, status }), NOW)).toEqual({ refused: status })
  })
})

describe('admission', () => {
  test('reserves, queues and reports the status', () => {
    const row = bot({ phase: 'scheduled', is_scheduled: true, reserved: 0 })
    const change = admitted(row, NOW)
    const queued = { phase: 'due', status: 'queued', queued_at: NOW, schedule_status: 'completed' }
    expect(withPatch(row, change.patch)).toMatchObject({ ...queued, reserved: 500_000 })
    expect(change.ledger).toMatchObject([{ kind: 'reserve', amount: 500_000, source: `reserve:${row.id}` }])
    expect(events(change)).toEqual(['queued'])
  })

  test.each([
    ['2026-11-20T09:00:15Z', 'Its join time is 2026-11-20T09:00:15.000Z; its admission began 15 seconds ahead.', 15],
    ['2026-11-20T09:00:01Z', 'Its join time is 2026-11-20T09:00:01.000Z; its admission began 1 second ahead.', 1],
    ['2026-11-20T09:00:00Z', 'Its join time is 2026-11-20T09:00:00.000Z; its admission began at that time.', 0],
    ['2026-11-20T08:59:00Z', 'Its join time is 2026-11-20T08:59:00.000Z; its admission began 60 seconds late.', -60],
  ])('a bot for %s that becomes due at nine', (joinAt, reason, seconds_ahead) => {
    const at = new Date(joinAt)
    const evidence = { join_at: at.toISOString(), seconds_ahead }
    expect(becameDue(bot({ join_at: at }), NOW)).toEqual({ at: NOW, attempt: null, kind: 'due', reason, evidence })
  })

  test('leaves the schedule of an immediate bot empty', () => {
    const { patch } = admitted(bot({ phase: 'scheduled' }), NOW)
    expect(patch.phase).toBe('due')
    expect(patch).not.toHaveProperty('schedule_status')
  })

  test('does not change a bot that was admitted already', () => {
    const row = bot({ phase: 'due', is_scheduled: true })
    const refusal = { code: 'INSUFFICIENT_TOKENS', message: 'None.' } as const
    for (const change of [admitted(row, NOW), refusedWhenDue(row, refusal, NOW)])
      expect(change).toMatchObject({ patch: {}, messages: [], ledger: [] })
  })

  test('tries to start a bot for as long as it may wait in the meeting, from its join time on', () => {
    const until = (join_at: Date | null) => admitted(bot({ phase: 'scheduled', join_at }), NOW).patch.give_up_at
    expect(until(new Date('2026-11-20T10:00:00Z'))).toEqual(new Date('2026-11-20T10:10:00Z'))
    expect(until(null)).toEqual(new Date('2026-11-20T09:10:00Z'))
  })

  test('a refusal at the join time closes the bot with its code and one final message for each channel', () => {
    const row = bot({ phase: 'scheduled', is_scheduled: true, reserved: 0 })
    const change = refusedWhenDue(row, { code: 'DAILY_BOT_CAP_REACHED', message: 'The daily cap is reached.' }, NOW)
    const failed = { phase: 'closed', status: 'failed', schedule_status: 'failed', charged: null }
    expect(withPatch(row, change.patch)).toMatchObject({ ...failed, error_code: 'DAILY_BOT_CAP_REACHED' })
    expect(events(change)).toEqual(['bot.failed', 'bot.failed'])
    expect(change.ledger).toEqual([])
    expect(change.steps.map(({ kind }) => kind)).toEqual(['refused', 'ended'])
  })
})
