import { describe, expect, test } from 'vitest'
import { closing } from '../../../control-plane/bots/ending.ts'
import { HAPPENINGS, nextPhase, PHASES } from '../../../control-plane/bots/phases.ts'
import { botRow } from './bot-row.ts'

/** Written down a second time, a row for each phase; a dash changes nothing. Columns in the order of `HAPPENINGS`. */
const EXPECTED = `
            admitted refused launched launch_failed gave_up joining status  transcribing final_report stop_asked process_ended resumed assembled
scheduled   due      closed  -        -             -       -       -       -            -            closed     -             -       -
due         -        -       -        -             closed  -       -       -            -            closed     -             -       -
launching   -        -       starting due           closed  running -       -            closed       closed     -             -       -
starting    -        -       -        -             closed  running -       -            closed       ending     due           -       -
running     -        -       -        -             -       running running processing   closed       ending     closed        due     -
ending      -        -       -        -             closed  ending  ending  processing   closed       ending     closed        -       -
processing  -        -       -        -             -       -       -       processing   closed       -          closed        -       -
assembling  -        -       -        -             -       -       -       -            -            -          -             -       closed
closed      -        -       -        -             -       -       -       -            -            -          -             -       -
`
const [head, ...lines] = EXPECTED.trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/))
const pairs = lines.flatMap(([phase, ...cells]) =>
  cells.map((cell, place) => [phase!, head![place]!, cell === '-' ? null : cell] as const),
)

test('the table of this test has every pair', () => {
  expect(head).toEqual([...HAPPENINGS])
  expect(lines.map(([phase]) => phase)).toEqual([...PHASES])
  expect(pairs).toHaveLength(PHASES.length * HAPPENINGS.length)
})

test.each(pairs)('%s + %s → %s', (phase, happening, expected) => {
  expect(nextPhase(phase, happening as never)).toBe(expected)
})

describe('the table as a whole', () => {
  test('nothing leaves closed, and every other phase can reach it', () => {
    expect(HAPPENINGS.every((happening) => nextPhase('closed', happening) === null)).toBe(true)
    for (const start of PHASES) {
      const reached = new Set<string>([start])
      for (const phase of reached)
        for (const happening of HAPPENINGS) {
          const next = nextPhase(phase, happening)
          if (next !== null) reached.add(next)
        }
      expect(reached, start).toContain('closed')
    }
  })

  test('a bot of every phase is closed once, by what closes it', () => {
    const end = {
      ...{ status: 'failed' as const, code: 'INTERNAL_ERROR', message: 'It failed.', errorCode: 'INTERNAL_ERROR' },
      ...{ errorMessage: 'It failed.', at: new Date(), attempt: 1, sourceId: 'test' },
    }
    for (const phase of PHASES)
      for (const happening of HAPPENINGS) {
        const { patch, messages, ledger } = closing(botRow({ phase, reserved: 500_000 }), happening, end)
        const isClosed = nextPhase(phase, happening) === 'closed'
        expect(patch.phase, `${phase} ${happening}`).toBe(isClosed ? 'closed' : undefined)
        expect(messages.length > 0 && ledger.length > 0, `${phase} ${happening}`).toBe(isClosed)
      }
  })

  test('a bot that asked to join is started again only where it was lost in the meeting', () => {
    for (const phase of ['running', 'ending', 'processing', 'assembling', 'closed'])
      for (const happening of HAPPENINGS.filter((each) => phase !== 'running' || each !== 'resumed'))
        expect(['due', 'launching', 'starting'], `${phase} ${happening}`).not.toContain(nextPhase(phase, happening))
  })

  test('an unknown phase changes by nothing', () => {
    expect(nextPhase('invented', 'joining')).toBeNull()
    expect(nextPhase('constructor', 'joining')).toBeNull()
  })
})
