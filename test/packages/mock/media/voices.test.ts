import { expect, it } from 'vitest'
import { initialsOf } from '../../../../packages/mock/media/glyphs.ts'
import { LOOKS, lookColor } from '../../../../packages/mock/media/pictures.ts'
import {
  BEEP_HZ,
  frameLevels,
  SAMPLE_RATE,
  voiceFrequency,
  voiceSamples,
} from '../../../../packages/mock/media/voices.ts'

/** How strong a frequency is in the samples (Goertzel), as an amplitude. */
function strength(samples: Float32Array, frequency: number): number {
  const step = (2 * Math.PI * frequency) / SAMPLE_RATE
  let real = 0
  let imaginary = 0
  samples.forEach((sample, i) => {
    real += sample * Math.cos(step * i)
    imaginary += sample * Math.sin(step * i)
  })
  return (2 * Math.hypot(real, imaginary)) / samples.length
}

it('gives every look a different voice within one octave, and a different color', () => {
  const frequencies = Array.from({ length: LOOKS }, (_, look) => voiceFrequency(look))
  expect(new Set(frequencies).size).toBe(LOOKS)
  expect(Math.max(...frequencies)).toBeLessThan(2 * Math.min(...frequencies))
  const colors = Array.from({ length: LOOKS }, (_, look) => JSON.stringify(lookColor(look)))
  expect(new Set(colors).size).toBe(LOOKS)
})

it('tells from a mix who speaks in it', () => {
  const mix = voiceSamples([1, 3], false)
  for (const look of [0, 1, 2, 3, 4, 5]) {
    const isHeard = look === 1 || look === 3
    expect(strength(mix, voiceFrequency(look)) > 0.03).toBe(isHeard)
  }
  expect(strength(mix, BEEP_HZ)).toBeLessThan(0.001)
})

it('beeps for 100 ms at each whole two seconds', () => {
  const beeps = voiceSamples([], true)
  const levels = frameLevels(beeps)
  const loud = levels.flatMap((level, frame) => (level < 127 ? [frame] : []))
  expect(loud).toEqual([0, 1, 2, 3, 4, 100, 101, 102, 103, 104])
  expect(strength(beeps.subarray(0, 4800), BEEP_HZ)).toBeCloseTo(0.4, 2)
})

it('measures levels as RFC 6464 says: 0 is full scale, 127 silence', () => {
  expect(frameLevels(new Float32Array(960))).toEqual([127])
  expect(frameLevels(new Float32Array(960).fill(1))).toEqual([0])
  expect(frameLevels(new Float32Array(1920).fill(0.1))).toEqual([20, 20])
})

it('finds initials in names of any script, and none if there are none', () => {
  expect(initialsOf('Ann Bell')).toBe('AB')
  expect(initialsOf('<b>Zoë</b> von Özil')).toBe('BO')
  expect(initialsOf('ada')).toBe('A')
  expect(initialsOf('李雷')).toBe('')
  expect(initialsOf('  ')).toBe('')
})
