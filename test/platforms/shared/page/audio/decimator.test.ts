import { expect, test } from 'vitest'
import { createDecimator } from '../../../../../platforms/shared/page/audio/decimator.ts'

const FROM = 48_000

function tone(hertz: number, seconds = 0.5): Float32Array {
  return Float32Array.from({ length: FROM * seconds }, (_, index) => Math.sin((2 * Math.PI * hertz * index) / FROM))
}

/** Given in pieces of 10 ms, as a page hears. */
function decimated(samples: Float32Array, rate: number): number[] {
  const run = createDecimator(FROM, rate)
  const output: number[] = []
  for (let from = 0; from < samples.length; from += 480) output.push(...run(samples.subarray(from, from + 480)))
  return output
}

function loudness(samples: readonly number[]): number {
  const middle = samples.slice(samples.length / 4, (samples.length * 3) / 4)
  return Math.sqrt(middle.reduce((sum, value) => sum + value * value, 0) / middle.length) * Math.SQRT2
}

test.each([16_000, 24_000, 32_000, 48_000])('at %i Hz speech keeps its loudness and its length', (rate) => {
  for (const hertz of [100, 1000, 3000, 6000]) {
    const output = decimated(tone(hertz), rate)
    expect(loudness(output), `${hertz} Hz`).toBeCloseTo(1, 1)
    // The filter still holds less than 1.5 ms.
    expect(rate / 2 - output.length).toBeGreaterThanOrEqual(0)
    expect(rate / 2 - output.length).toBeLessThan(rate * 0.0015)
  }
})

test.each([
  [16_000, 10_000],
  [16_000, 15_000],
  [24_000, 15_000],
  [32_000, 20_000],
])('at %i Hz a tone of %i Hz is gone instead of folded into speech', (rate, hertz) => {
  expect(loudness(decimated(tone(hertz), rate))).toBeLessThan(0.01)
})

test('pieces of any size give the same sound', () => {
  const samples = tone(440, 0.1)
  const whole = [...createDecimator(FROM, 32_000)(samples)]
  const run = createDecimator(FROM, 32_000)
  const pieces: number[] = []
  for (let from = 0; from < samples.length; from += 37) pieces.push(...run(samples.subarray(from, from + 37)))
  expect(pieces).toHaveLength(whole.length)
  expect(Math.max(...pieces.map((value, index) => Math.abs(value - whole[index]!)))).toBeLessThan(1e-6)
})
