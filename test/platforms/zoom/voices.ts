/** Voices for tests: each has its own sounds, one after the other. Pure. */
import { randomOf } from '../../../packages/mock/shared/page/random.ts'
import { BANDS, type Spectrum } from '../../../platforms/zoom/page/voice-features.ts'

const SOUNDS = 6
/** Spectra of a tenth of a second. */
const COUNT = 5
const SILENCE_DB = -70

/** Spectra of a tenth of a second in which these people speak. */
export function spectraOf(ids: readonly string[], at: number): Spectrum[] {
  if (ids.length === 0) return []
  const random = randomOf(at + 1)
  return Array.from({ length: COUNT }, () => {
    const voices = ids.map((id) => {
      const sound = soundOf(id, Math.floor(random.next() * SOUNDS))
      const louder = (random.next() - 0.5) * 8
      return sound.map((decibels) => decibels + louder + (random.next() - 0.5) * 6)
    })
    return Float32Array.from({ length: BANDS }, (_, band) =>
      Math.max(SILENCE_DB, ...voices.map((voice) => voice[band]!)),
    )
  })
}

function soundOf(id: string, sound: number): number[] {
  const ofVoice = randomOf([...id].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 100_000)
  const ofSound = randomOf(sound + 1)
  // The words are the same for all, the sound of the voice is not.
  return Array.from({ length: BANDS }, () => -60 + 20 * ofSound.next() + 25 * ofVoice.next())
}
