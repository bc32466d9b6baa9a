import { expect, onTestFinished, test } from 'vitest'
import { SteadySound } from '../../streaming/steady-sound.ts'
import { HandClock } from '../fakes/clock.ts'

const RATE = 16_000
const BYTES_PER_MS = (RATE / 1000) * 2

/** What was given, as stretches of one value: milliseconds by the value of their samples. */
function stream() {
  const clock = new HandClock()
  const over = new AbortController()
  const stretches: { value: number; ms: number }[] = []
  const sound = new SteadySound(RATE, (samples) => {
    const value = samples[0]!
    const ms = samples.byteLength / BYTES_PER_MS
    const last = stretches.at(-1)
    if (last?.value === value) last.ms += ms
    else stretches.push({ value, ms })
  })
  void sound.run(clock, over.signal)
  onTestFinished(() => over.abort())
  const piece = (at: number, value = 7) => sound.take({ at, samples: Buffer.alloc(20 * BYTES_PER_MS, value) })
  return { clock, sound, stretches, piece, start: clock.now() }
}

const total = (stretches: { ms: number }[]) => stretches.reduce((sum, { ms }) => sum + ms, 0)

test('pieces that follow each other pass unchanged, whatever a few milliseconds of their clocks say', async () => {
  const { clock, stretches, piece, start } = stream()
  for (const [index, early] of [0, 3, -5, 8, 0].entries()) {
    piece(start + index * 20 - early)
    await clock.advance(20)
  }
  expect(stretches).toEqual([{ value: 7, ms: 100 }])
})

test('a meeting in which nobody was heard yet is silence in its time', async () => {
  const { clock, stretches } = stream()
  await clock.advance(5000)
  expect(stretches).toHaveLength(1)
  expect(stretches[0]).toMatchObject({ value: 0 })
  // Sound is waited for a little before it counts as silence.
  expect(total(stretches)).toBeGreaterThan(4500)
  expect(total(stretches)).toBeLessThan(5000)
})

test('a hole is filled with silence of its length, and what comes late is not told late', async () => {
  const { clock, stretches, piece, start } = stream()
  piece(start)
  await clock.advance(1000)
  // The page was busy for a second, and gives now what it held.
  piece(start + 20)
  piece(start + 500)
  piece(start + 1000)
  piece(start + 1020)
  expect(stretches.map(({ value }) => value)).toEqual([7, 0, 7])
  expect(stretches[2]).toMatchObject({ ms: 40 })
  expect(total(stretches)).toBe(1040)
})

test('nothing is given before the start, and a machine that slept gives no hour of silence', async () => {
  const early = new SteadySound(RATE, () => expect.unreachable())
  early.take({ at: 0, samples: Buffer.alloc(640, 1) })
  const { stretches, piece, start } = stream()
  piece(start + 3_600_000)
  expect(total(stretches)).toBe(10_020)
})

test('it is known when something was heard last', () => {
  const { sound, piece, start } = stream()
  piece(start, 0)
  expect(sound.lastHeardAt).toBeNull()
  piece(start + 20, 3)
  piece(start + 40, 0)
  expect(sound.lastHeardAt).toBe(start + 20)
})
