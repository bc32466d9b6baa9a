import { expect, test } from 'vitest'
import { type Spectrum, SpectrumMaker } from '../../../platforms/zoom/page/voice-features.ts'
import { Voices } from '../../../platforms/zoom/page/voice-model.ts'
import { spectraOf } from './voices.ts'

const RATE = 48_000

function tone(hertz: number, amplitude: number): Float32Array {
  return Float32Array.from({ length: RATE / 5 }, (_, i) => amplitude * Math.sin((2 * Math.PI * hertz * i) / RATE))
}

const strongest = (spectrum: Spectrum) => spectrum.indexOf(Math.max(...spectrum))

test('a higher tone is in a higher band, and what is not loud is left out', () => {
  const maker = new SpectrumMaker(RATE)
  const bands = [200, 500, 1000, 3000].map((hertz) => strongest(maker.spectra(tone(hertz, 0.2), 1, 0.01)[0]!))
  expect(bands).toEqual(bands.toSorted((one, other) => one - other))
  expect(new Set(bands).size).toBe(4)
  expect(maker.spectra(tone(500, 0.2), 5, 0.01)).toHaveLength(5)
  expect(maker.spectra(tone(500, 0.2), 100, 0.01), 'no more than there is').toHaveLength(8)
  expect(maker.spectra(tone(500, 0.001), 5, 0.01)).toEqual([])
})

test('a voice is known after a while, and distinguished from another one and from two at once', () => {
  const voices = new Voices()
  expect(voices.isKnown('ann')).toBe(false)
  for (let at = 0; at < 4000; at += 100)
    for (const id of ['ann', 'bob'])
      for (const spectrum of spectraOf([id], at)) {
        voices.addUnknown(spectrum)
        voices.learn(id, spectrum)
      }
  expect(voices.isKnown('ann')).toBe(true)
  expect(voices.isKnown('cleo')).toBe(false)
  const best = (spoke: string[]) => {
    const heard = spectraOf(spoke, 9000)
    const sumFor = (ids: string[]) => heard.reduce((sum, spectrum) => sum + voices.likelihood(ids, spectrum), 0)
    return [['ann'], ['bob'], ['ann', 'bob']].toSorted((one, other) => sumFor(other) - sumFor(one))[0]
  }
  expect(best(['ann'])).toEqual(['ann'])
  expect(best(['bob'])).toEqual(['bob'])
  expect(best(['ann', 'bob'])).toEqual(['ann', 'bob'])
  voices.forget('ann')
  expect(voices.isKnown('ann')).toBe(false)
})
