import { expect, onTestFinished, test } from 'vitest'
import { SteadySound } from '../../../src/streaming/steady-sound.ts'
import { HandClock } from '../../fakes/clock.ts'

const RATE = 16_000
const BYTES_PER_MS = (RATE / 1000) * 2

/** The output, as stretches of one value: milliseconds by the value of their samples. */
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
  const piece = (at: number, value = 7) => sound.add({ at, samples: Buffer.alloc(20 * BYTES_PER_MS, value) })
  return { clock, sound, stretches, piece, start: clock.now() }
}

const total = (stretches: { ms: number }[]) => stretches.reduce((sum, { ms }) => sum + ms, 0)

test('pieces that follow each other pass unchanged, although their clocks differ by a few milliseconds', async () => {
  const { clock, stretches, piece, start } = stream()
  for (const [index, early] of [0, 3, -5, 8, 0].entries()) {
    piece(start + index * 20 - early)
    await clock.advance(20)
  }
  expect(stretches).toEqual([{ value: 7, ms: 100 }])
})

test('a meeting without sound so far is silence in its time', async () => {
  const { clock, stretches } = stream()
  await clock.advance(5000)
  expect(stretches).toHaveLength(1)
  expect(stretches[0]).toMatchObject({ value: 0 })
  // Sound is waited for a little before it counts as silence.
  expect(total(stretches)).toBeGreaterThan(4500)
  expect(total(stretches)).toBeLessThan(5000)
})

test('a hole is filled with silence of its length', async () => {
  const { clock, stretches, piece, start } = stream()
  piece(start)
  await clock.advance(1000)
  piece(start + 1000)
  piece(start + 1020)
  expect(stretches).toEqual([
    { value: 7, ms: 20 },
    { value: 0, ms: 980 },
    { value: 7, ms: 40 },
  ])
})

test('on a machine that gives everything late the sound is late, not lost, and pauses make up for it', async () => {
  const { clock, stretches, piece, start } = stream()
  const lag = 700
  for (let at = start; at < start + 2000; at += 20) {
    await clock.advance(20)
    if (at - start >= lag) piece(at - lag)
  }
  const spoken = stretches.filter(({ value }) => value === 7)
  expect(total(spoken)).toBeGreaterThan(1100)
  const late = total(stretches)
  for (let at = start + 2000; at < start + 3000; at += 20) {
    await clock.advance(20)
    piece(at - 20, 0)
  }
  piece(start + 3000)
  expect(stretches.at(-1)).toEqual({ value: 7, ms: 20 })
  // As long as the time that has passed, though the sound before was late.
  expect(Math.abs(total(stretches) - 3020)).toBeLessThan(80)
  expect(late).toBeLessThan(2000)
})

test('what is more than three seconds late is of no use', async () => {
  const { clock, stretches, piece, start } = stream()
  await clock.advance(6000)
  piece(start + 1000)
  expect(stretches.every(({ value }) => value === 0)).toBe(true)
})

test('no sound is given before the start, and none from another hour', () => {
  const early = new SteadySound(RATE, () => expect.unreachable())
  early.add({ at: 0, samples: Buffer.alloc(640, 1) })
  const { stretches, piece, start } = stream()
  piece(start + 3_600_000)
  expect(stretches).toEqual([])
  piece(start)
  expect(stretches).toEqual([{ value: 7, ms: 20 }])
})

test('it is known when something was heard last', () => {
  const { sound, piece, start } = stream()
  piece(start, 0)
  expect(sound.lastHeardAt).toBeNull()
  piece(start + 20, 3)
  piece(start + 40, 0)
  expect(sound.lastHeardAt).toBe(start + 20)
})
