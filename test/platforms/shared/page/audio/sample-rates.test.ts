import { expect, test } from 'vitest'
import { createResampler } from '../../../../../packages/core/meeting/resampler.ts'
import { createDecimator } from '../../../../../platforms/shared/page/audio/decimator.ts'

type Run = (samples: Float32Array) => Float32Array

const tone = (rate: number, hertz: number, seconds = 0.5) =>
  Float32Array.from({ length: rate * seconds }, (_, index) => Math.sin((2 * Math.PI * hertz * index) / rate))

function inPieces(run: Run, samples: Float32Array, size: number): number[] {
  const output: number[] = []
  for (let from = 0; from < samples.length; from += size) output.push(...run(samples.subarray(from, from + size)))
  return output
}

/** Given in pieces of 10 ms, as a page hears. */
const decimated = (hertz: number, rate: number) => inPieces(createDecimator(48_000, rate), tone(48_000, hertz), 480)

function loudness(samples: readonly number[]): number {
  const middle = samples.slice(samples.length / 4, (samples.length * 3) / 4)
  return Math.sqrt(middle.reduce((sum, value) => sum + value * value, 0) / middle.length) * Math.SQRT2
}

const worst = (one: ArrayLike<number>, other: ArrayLike<number>) =>
  Math.max(...Array.from(one, (value, index) => Math.abs(value - (other[index] ?? value))))

test.each([16_000, 24_000, 32_000, 48_000])('at %i Hz speech keeps its loudness and its length', (rate) => {
  for (const hertz of [100, 1000, 3000, 6000]) {
    const output = decimated(hertz, rate)
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
  expect(loudness(decimated(hertz, rate))).toBeLessThan(0.01)
})

test.each([8000, 16_000, 22_050, 24_000, 44_100, 48_000, 96_000])('%i Hz become 48 kHz of the same length', (rate) => {
  const output = inPieces(createResampler(rate, 48_000), tone(rate, 200, 1), Math.round(rate / 10))
  expect(Math.abs(output.length - 48_000)).toBeLessThanOrEqual(48_000 / rate + 1)
  expect(worst(output, tone(48_000, 200, 1))).toBeLessThan(0.02)
})

test.each<[string, () => Run]>([
  ['a decimator', () => createDecimator(48_000, 32_000)],
  ['a resampler', () => createResampler(16_000, 48_000)],
])('pieces of any size give the same sound: %s', (_what, create) => {
  const samples = tone(48_000, 440, 0.1)
  const whole = create()(samples)
  const pieces = inPieces(create(), samples, 37)
  expect(pieces).toHaveLength(whole.length)
  expect(worst(pieces, whole)).toBeLessThan(1e-5)
  expect(create()(new Float32Array(0))).toHaveLength(0)
})
