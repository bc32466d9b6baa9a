import { verdictOn } from '@standin/control-plane/launching/reconcile/verdict.ts'
import type { EndEvidence, LaunchState } from '@standin/control-plane/platform/ports.ts'
import type { OpenLaunch } from '@standin/control-plane/store/launches/launches.ts'
import { describe, expect, test } from 'vitest'

const evidence: EndEvidence = {
  exitCode: 0,
  signal: null,
  isOutOfMemory: false,
  reason: null,
  endedAt: null,
  logTail: null,
}
const STATES: Record<LaunchState['state'], LaunchState> = {
  running: { state: 'running' },
  ended: { state: 'ended', evidence },
  absent: { state: 'absent' },
  unknown: { state: 'unknown', reason: 'The engine does not answer' },
}

function launch(values: Partial<OpenLaunch> = {}): OpenLaunch {
  return {
    team_id: 'team',
    bot_id: 'bot',
    attempt: 1,
    handle: { name: 'name' },
    age: 30,
    end_seen_for: null,
    phase: 'running',
    named_attempt: 1,
    has_report: false,
    closed_for: null,
    overdue: -100,
    stop_sent_for: null,
    quiet_for: null,
    is_part: false,
    ...values,
  }
}

const OPEN = ['launching', 'starting', 'running', 'ending', 'processing']

describe('only evidence ends a bot', () => {
  test.each(OPEN)('in phase %s, also where the launcher does not know it', (phase) => {
    const whenAbsent = { do: phase === 'launching' ? 'wait' : 'read' }
    for (const overdue of [null, -100, 1, 599]) {
      expect(verdictOn(launch({ phase, overdue }), STATES.unknown)).toEqual({ do: 'wait' })
      expect(verdictOn(launch({ phase, overdue }), STATES.absent)).toEqual(whenAbsent)
    }
  })

  test.each(OPEN)('in phase %s, a process that is over is finished', (phase) => {
    expect(verdictOn(launch({ phase }), STATES.ended)).toEqual({ do: 'finish', evidence })
  })

  test('ten minutes past the deadline it is given up, with what the launcher said', () => {
    expect(verdictOn(launch({ overdue: 601 }), STATES.absent)).toMatchObject({ do: 'give_up' })
    expect(verdictOn(launch({ overdue: 601 }), STATES.unknown)).toMatchObject({
      why: expect.stringContaining('The engine does not answer'),
    })
  })
})

describe('a bot that runs', () => {
  test.each(OPEN)('is left alone before its deadline in phase %s', (phase) => {
    expect(verdictOn(launch({ phase }), STATES.running)).toEqual({ do: 'wait' })
    expect(verdictOn(launch({ phase, overdue: null }), STATES.running)).toEqual({ do: 'wait' })
  })

  test('is asked to end once its deadline is over, and killed when it does not', () => {
    const overdue = launch({ phase: 'ending', overdue: 1 })
    expect(verdictOn(overdue, STATES.running)).toMatchObject({ do: 'stop', why: expect.stringContaining('leave') })
    expect(verdictOn({ ...overdue, stop_sent_for: 119 }, STATES.running)).toEqual({ do: 'wait' })
    expect(verdictOn({ ...overdue, stop_sent_for: 121 }, STATES.running)).toMatchObject({ do: 'kill' })
  })

  test('is asked to end after two minutes without progress, if it was asked to leave', () => {
    for (const phase of ['ending', 'processing']) {
      expect(verdictOn(launch({ phase, quiet_for: 120 }), STATES.running)).toEqual({ do: 'wait' })
      const verdict = verdictOn(launch({ phase, quiet_for: 121 }), STATES.running)
      expect(verdict).toMatchObject({ do: 'stop', why: expect.stringContaining('no progress') })
      expect(verdictOn(launch({ phase, quiet_for: 200, stop_sent_for: 60 }), STATES.running)).toEqual({ do: 'wait' })
    }
  })

  test('is asked to end when another attempt is the bot, or when the bot was cancelled', () => {
    expect(verdictOn(launch({ named_attempt: 2 }), STATES.running)).toMatchObject({ do: 'stop' })
    expect(verdictOn(launch({ phase: 'closed', closed_for: 0 }), STATES.running)).toMatchObject({ do: 'stop' })
  })

  test('may take a minute to end its process after its report', () => {
    const reported = launch({ phase: 'closed', has_report: true, closed_for: 5 })
    expect(verdictOn(reported, STATES.running)).toEqual({ do: 'wait' })
    expect(verdictOn({ ...reported, closed_for: 61 }, STATES.running)).toMatchObject({ do: 'stop' })
  })
})

test('an unknown attempt is forgotten after two minutes, unless it is the bot', () => {
  const superseded = launch({ named_attempt: 2, handle: null })
  expect(verdictOn({ ...superseded, age: 119 }, STATES.absent)).toEqual({ do: 'wait' })
  expect(verdictOn({ ...superseded, age: 121 }, STATES.absent)).toEqual({ do: 'forget' })
  expect(verdictOn({ ...superseded, age: 86_400 }, STATES.unknown)).toEqual({ do: 'wait' })
  expect(verdictOn({ ...superseded, age: 2 * 86_400 + 1 }, STATES.unknown)).toEqual({ do: 'forget' })
  expect(verdictOn(launch({ age: 121 }), STATES.absent)).toEqual({ do: 'read' })
})
