import { ERROR_CODES, NORMAL_END_CODES, STATUSES } from '@standin/wire/codes.ts'
import { helpOf, WHO } from '@standin/wire/error-help.ts'
import type { BotEvent } from '@standin/wire/events.ts'
import { describe, expect, test } from 'vitest'
import { BotError, toBotError } from '../../../packages/core/errors.ts'
import { exitCodeOf, isNormalEnd, LEGAL_MOVES, type State } from '../../../src/run/states.ts'
import { StatusReport } from '../../../src/run/status.ts'
import { fakeUsage } from '../../fakes/usage.ts'

describe('moves between states', () => {
  test('every state can be reached, and every state but the terminal ones can be left', () => {
    const reached = new Set(Object.values(LEGAL_MOVES).flat())
    expect([...reached].sort()).toEqual([...STATUSES].sort())
    for (const [state, moves] of Object.entries(LEGAL_MOVES))
      expect(moves.length > 0, state).toBe(state !== 'completed' && state !== 'failed')
  })

  test('recording begins in the meeting, and a pause is between a recording and its resumption', () => {
    const from = (state: State) =>
      Object.entries(LEGAL_MOVES)
        .filter(([, moves]) => moves.some((move) => move === state))
        .map(([before]) => before)
        .sort()
    expect(from('in_waiting_room')).toEqual(['joining_call'])
    expect(from('in_call_not_recording')).toEqual(['in_waiting_room', 'joining_call'])
    expect(from('in_call_recording')).toEqual(['in_call_not_recording'])
    expect(from('recording_paused')).toEqual(['in_call_recording', 'recording_resumed'])
    expect(from('recording_resumed')).toEqual(['recording_paused'])
    expect(from('completed')).toEqual(['in_call_recording', 'recording_paused', 'recording_resumed'])
  })

  test('an illegal move is a defect and throws; entering the same state again is none', () => {
    const events: BotEvent[] = []
    const status = new StatusReport({ report: (event) => events.push(event) }, fakeUsage())
    status.enter('joining_call')
    status.enter('joining_call')
    expect(events).toHaveLength(1)
    expect(() => status.enter('recording_paused')).toThrow('No move leads from joining_call to recording_paused')
  })
})

describe('codes', () => {
  test('each error code has a person who can change it and a cure, and none is a normal end', () => {
    for (const code of ERROR_CODES) {
      expect(WHO).toContain(helpOf(code).who)
      expect(helpOf(code).cure.length, code).toBeGreaterThan(10)
      expect(isNormalEnd(code)).toBe(false)
    }
    for (const code of NORMAL_END_CODES) expect(isNormalEnd(code)).toBe(true)
  })

  test('foreign errors become the internal code and keep their cause', () => {
    const cause = new RangeError('too far')
    expect(toBotError(cause, 'join')).toMatchObject({ code: 'INTERNAL_ERROR', cause, step: 'join' })
    const ours = new BotError('LOGIN_REQUIRED', 'sign in')
    expect(toBotError(ours)).toBe(ours)
  })

  // The contract with a launcher has the other ends.
  test.each([
    [{ code: 'EXITING_MEETING_BEFORE_RECORD', message: '', askedBy: 'command' }, true, 0],
    [{ code: 'EXITING_MEETING_BEFORE_RECORD', message: '' }, false, 3],
  ] as const)('%o ends the process with the right code', (end, hasRecorded, code) => {
    expect(exitCodeOf(end, hasRecorded, false)).toBe(code)
  })
})
