import { describe, expect, test } from 'vitest'
import { type DiarizationError, diarizationError, type SpokenTurn } from './error-rate.ts'

/** Named by the letter, unless a name is given. */
function turn(speaker: string, start: number, end: number, name = speaker): SpokenTurn {
  return { speaker, name, start, end }
}

function expectError(found: DiarizationError, wanted: Partial<DiarizationError>): void {
  for (const [name, value] of Object.entries(wanted)) expect(found[name as 'rate'], name).toBeCloseTo(value, 9)
}

describe('without a collar', () => {
  test('what is the same has no error', () => {
    const turns = [turn('a', 0, 5), turn('b', 4, 9)]
    expectError(diarizationError(turns, turns, 0), { total: 10, missed: 0, falseAlarm: 0, confused: 0, rate: 0 })
  })

  test('missed speech, false alarms and speech of another speaker are distinguished', () => {
    const truth = [turn('a', 0, 10), turn('b', 10, 20)]
    const stated = [turn('a', 2, 11), turn('b', 11, 22)]
    // a begins 2 s late; 10 to 11 is b's and is attributed to a; b lasts 2 s too long.
    expectError(diarizationError(truth, stated, 0), { total: 20, missed: 2, falseAlarm: 2, confused: 1, rate: 0.25 })
  })

  test('where two speak at once, each of them counts', () => {
    const truth = [turn('a', 0, 10), turn('b', 4, 6)]
    expectError(diarizationError(truth, [turn('a', 0, 10)], 0), { total: 12, missed: 2, rate: 2 / 12 })
    // One of the two who speak from 4 to 6 is right, the other is not in the meeting.
    const stated = [turn('a', 0, 10), turn('c', 4, 6)]
    expectError(diarizationError(truth, stated, 0), { missed: 0, falseAlarm: 0, confused: 2 })
  })

  test('turns of one speaker that touch count once', () => {
    const stated = [turn('a', 0, 6), turn('a', 5, 10)]
    expectError(diarizationError([turn('a', 0, 10)], stated, 0), { total: 10, falseAlarm: 0, rate: 0 })
  })

  test('a right voice under a wrong name is an error: speakers are not matched to lower the rate', () => {
    const stated = [turn('x', 0, 10, 'Unknown')]
    expectError(diarizationError([turn('a', 0, 10, 'Ann')], stated, 0), { confused: 10, rate: 1 })
  })

  test('people of one name are matched with each other in the best way, and have to stay two', () => {
    const truth = [turn('1', 0, 4, 'Alex'), turn('2', 4, 10, 'Alex')]
    expectError(diarizationError(truth, [turn('x', 4, 10, 'Alex'), turn('y', 0, 4, 'Alex')], 0), { rate: 0 })
    // Taken for one, only the longer part of it is right.
    expectError(diarizationError(truth, [turn('x', 0, 10, 'Alex')], 0), { confused: 4, rate: 0.4 })
  })

  test('speech where there was none is all error; silence where there was none is none', () => {
    expect(diarizationError([], [turn('a', 0, 1)], 0).rate).toBe(Infinity)
    expect(diarizationError([], [], 0).rate).toBe(0)
  })
})

describe('with the collar of 250 ms', () => {
  test('boundaries that are less wrong than it are right, and what is beyond counts', () => {
    const truth = [turn('a', 1, 5)]
    // 1.25 to 4.75 is judged.
    expectError(diarizationError(truth, [turn('a', 1.2, 4.8)]), { total: 3.5, rate: 0 })
    expectError(diarizationError(truth, [turn('a', 1.35, 5.45)]), { total: 3.5, missed: 0.1, falseAlarm: 0.2 })
  })

  test('a boundary of one speaker excludes that time for all speakers', () => {
    const truth = [turn('a', 0, 10), turn('b', 4, 6)]
    // Not judged: 0 to 0.25, 3.75 to 4.25, 5.75 to 6.25, 9.75 to 10.
    expectError(diarizationError(truth, []), { total: 3.5 + 1.5 * 2 + 3.5, missed: 10, rate: 1 })
  })

  test('a yes of less than twice the collar is not judged, an invented one is', () => {
    expectError(diarizationError([turn('a', 1, 1.4)], []), { total: 0, rate: 0 })
    expectError(diarizationError([turn('a', 0, 4)], [turn('a', 0, 4), turn('b', 2, 2.4)]), { falseAlarm: 0.4 })
  })
})
