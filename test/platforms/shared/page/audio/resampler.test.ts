import { expect, it } from 'vitest'
import { createResampler } from '../../../../../platforms/shared/page/audio/resampler.ts'

const wave = (rate: number, seconds: number) =>
  Float32Array.from({ length: Math.round(rate * seconds) }, (_, index) => Math.sin((2 * Math.PI * 200 * index) / rate))

it.each([8000, 16_000, 22_050, 24_000, 44_100, 48_000, 96_000])(
  'turns %i Hz into 48 kHz of the same length',
  (rate) => {
    const run = createResampler(rate, 48_000)
    const whole = wave(rate, 1)
    const pieces: number[] = []
    const size = Math.round(rate / 10)
    for (let from = 0; from < whole.length; from += size) pieces.push(...run(whole.subarray(from, from + size)))
    expect(Math.abs(pieces.length - 48_000)).toBeLessThanOrEqual(48_000 / rate + 1)
    const truth = wave(48_000, 1)
    const worst = Math.max(...pieces.map((value, index) => Math.abs(value - (truth[index] ?? value))))
    expect(worst).toBeLessThan(0.02)
  },
)

it('gives the same whether sound comes in one piece or in many', () => {
  const samples = wave(16_000, 0.2)
  const whole = [...createResampler(16_000, 48_000)(samples)]
  const run = createResampler(16_000, 48_000)
  const pieces: number[] = []
  for (let from = 0; from < samples.length; from += 37) pieces.push(...run(samples.subarray(from, from + 37)))
  expect(pieces).toHaveLength(whole.length)
  expect(Math.max(...pieces.map((value, index) => Math.abs(value - whole[index]!)))).toBeLessThan(1e-5)
})

it('takes nothing for nothing', () => {
  expect(createResampler(16_000, 48_000)(new Float32Array(0))).toHaveLength(0)
})
