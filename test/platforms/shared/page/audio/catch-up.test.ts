import { expect, test } from 'vitest'
import { createCatchUp } from '../../../../../platforms/shared/page/audio/catch-up.ts'

const PIECE_MS = 20
/** As the microphone of a page begins. */
const LEAD_MS = 60

/** Pieces that come so late each: what waits when each comes, and how fast it is played. */
function play(lateMs: (piece: number) => number, { isSilent = false, pieces = 500 } = {}) {
  const paceOf = createCatchUp()
  let end = 0
  let arrival = 0
  return Array.from({ length: pieces }, (_, piece) => {
    arrival = Math.max(arrival, piece * PIECE_MS + lateMs(piece))
    const waiting = end - arrival
    const pace = paceOf(waiting, isSilent)
    if (waiting <= 0) end = arrival + LEAD_MS
    if (pace > 0) end += PIECE_MS / pace
    return { waiting, pace }
  })
}

/** 130 ms in which nothing comes, after a second. */
const stall = (piece: number) => Math.max(0, 130 - Math.max(0, piece - 50) * PIECE_MS) * Number(piece >= 50)

test.each<[what: string, lateMs: (piece: number) => number, isSilent: boolean, within: number, most: number]>([
  ['even sound', () => 0, false, 150, 21],
  ['every other piece late', (piece) => (piece % 2) * 15, false, 150, 40],
  ['a standstill in speech', stall, false, 350, 40],
  ['a standstill in a pause', stall, true, 130, 40],
])('%s waits no longer than it has to', (_, lateMs, isSilent, within, most) => {
  const played = play(lateMs, { isSilent }).slice(within)
  for (const { waiting, pace } of played) {
    expect(waiting).toBeGreaterThan(0)
    expect(waiting).toBeLessThan(most)
    expect(pace).toBeGreaterThan(0)
  }
})

test('what comes late all together is left out', () => {
  expect(play((piece) => (piece < 100 ? 2000 - piece * PIECE_MS : 0)).filter(({ pace }) => pace === 0)).not.toEqual([])
})
