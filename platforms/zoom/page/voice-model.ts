/**
 * Models of voices. All captured speech makes a background model of a voice; a person's own model is this one adapted
 * to speech that is surely the person's (as in speaker verification: Reynolds and others, "Speaker Verification Using
 * Adapted Gaussian Mixture Models", 2000). So a sound that this person never made is evidence for no person. Pure.
 */
import { BANDS, type Spectrum } from './voice-features.ts'

/** Largest number of sounds (about: kinds of phonemes) in a model, and spectra that each of them needs. */
const MAX_SOUNDS = 16
const SPECTRA_FOR_SOUND = 15
const ROUNDS = 5
/** Spectra that are kept of all people together, and of each person; of a longer speech the newest replace others. */
const MAX_OF_ALL = 1200
const MAX_OF_ONE = 600
/**
 * Spectra that are needed for the first model (two seconds), and for a person's voice; and how often it is learned
 * again.
 */
const MIN_OF_ALL = 100
const MIN_OF_ONE = 30
const LEARN_EVERY = 25
/** The background model counts as much as so many spectra of a person's own. */
const RELEVANCE = 5
/** A sound that makes up this part of a person's speech, or less, has no part in the model of two voices at once. */
const RARE = 0.01
/** Least variation of a band in decibels, and the variation of a voice's loudness. */
const MIN_DEVIATION = 4
const LOUDER = 4

/** One sound: mean, inverse deviation (both decibels), and the logarithms of its share and of the density's height. */
interface Sound {
  mean: Float32Array
  inverse: Float32Array
  share: number
  height: number
}

export class Voices {
  readonly #all = new Kept(MAX_OF_ALL)
  readonly #people = new Map<string, { kept: Kept; sounds: Sound[] }>()
  readonly #together = new Map<string, Sound[]>()
  #anybody: Sound[] = []
  #nextLearned = MIN_OF_ALL

  /** Adds a spectrum of an unknown speaker. */
  addUnknown(spectrum: Spectrum): void {
    this.#all.add(spectrum)
    if (this.#all.taken < this.#nextLearned) return
    this.#nextLearned = this.#all.taken * 1.3
    this.#anybody = soundsOf(this.#all.spectra)
    for (const id of this.#people.keys()) this.#adapt(id)
  }

  /** Adds a spectrum that is certainly this person's. */
  learn(id: string, spectrum: Spectrum): void {
    const person = this.#people.get(id) ?? { kept: new Kept(MAX_OF_ONE), sounds: [] }
    this.#people.set(id, person)
    person.kept.add(spectrum)
    if (person.kept.taken === MIN_OF_ONE || person.kept.taken % LEARN_EVERY === 0) this.#adapt(id)
  }

  forget(id: string): void {
    this.#people.delete(id)
    this.#together.clear()
  }

  isKnown(id: string): boolean {
    return this.#of(id) !== this.#anybody
  }

  /**
   * How much likelier this spectrum is for this person, or for two at once, than for the background model; a logarithm.
   */
  likelihood(ids: readonly string[], spectrum: Spectrum): number {
    const [one, two] = ids
    if (one === undefined || !ids.some((id) => this.isKnown(id))) return 0
    const sounds = two === undefined ? this.#of(one) : this.#ofTwo(one, two)
    return likelihood(spectrum, sounds) - likelihood(spectrum, this.#anybody)
  }

  /** A person whose voice is not known has the background model. */
  #of(id: string): Sound[] {
    const own = this.#people.get(id)?.sounds ?? []
    return own.length > 0 ? own : this.#anybody
  }

  /** Each band is taken from the stronger sound. */
  #ofTwo(one: string, two: string): Sound[] {
    const key = `${one}\n${two}`
    const usual = (id: string) => this.#of(id).filter(({ share }) => share > Math.log(RARE))
    const sounds =
      this.#together.get(key) ?? usual(one).flatMap((first) => usual(two).map((second) => stronger(first, second)))
    this.#together.set(key, sounds)
    return sounds
  }

  #adapt(id: string): void {
    const { kept, sounds } = this.#people.get(id)!
    const { spectra } = kept
    this.#together.clear()
    if (this.#anybody.length === 0 || spectra.length < MIN_OF_ONE) return
    const means = this.#anybody.map(({ mean }) => mean)
    const nearest = spectra.map((spectrum) => nearestOf(means, spectrum))
    const adapted = this.#anybody.map((sound, index) => {
      const own = spectra.filter((_, i) => nearest[i] === index)
      const weight = own.length + RELEVANCE
      const mean = sound.mean.map((value, band) => (value * RELEVANCE + sumOf(own, band)) / weight)
      const share = (own.length + RELEVANCE * Math.exp(sound.share)) / (spectra.length + RELEVANCE)
      return { ...sound, mean, share: Math.log(share) }
    })
    sounds.splice(0, sounds.length, ...adapted)
  }
}

class Kept {
  readonly spectra: Spectrum[] = []
  taken = 0
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  add(spectrum: Spectrum): void {
    // A step that shares no factor with the number of places keeps a part of all times.
    this.spectra[this.taken < this.#most ? this.taken : (this.taken * 7) % this.#most] = spectrum
    this.taken++
  }
}

/** The sounds that these spectra are made of (k-means). */
function soundsOf(spectra: readonly Spectrum[]): Sound[] {
  const count = Math.min(MAX_SOUNDS, Math.floor(spectra.length / SPECTRA_FOR_SOUND))
  let means = Array.from({ length: count }, (_, i) => spectra[Math.floor(((i + 0.5) * spectra.length) / count)]!)
  let members: Spectrum[][] = []
  for (let round = 0; round < ROUNDS; round++) {
    members = means.map(() => [])
    for (const spectrum of spectra) members[nearestOf(means, spectrum)]!.push(spectrum)
    means = means.map((mean, i) => mean.map((value, band) => sumOf(members[i]!, band) / members[i]!.length || value))
  }
  return means.flatMap((mean, i) => {
    const own = members[i]!
    if (own.length < 3) return []
    const inverse = mean.map((value, band) => {
      const variance = own.reduce((sum, spectrum) => sum + (spectrum[band]! - value) ** 2, 0) / own.length
      return 1 / Math.max(MIN_DEVIATION, Math.sqrt(variance))
    })
    return [{ mean, inverse, share: Math.log(own.length / spectra.length), height: heightOf(inverse) }]
  })
}

function stronger(one: Sound, two: Sound): Sound {
  const inverse = one.inverse.map((value, band) => (one.mean[band]! >= two.mean[band]! ? value : two.inverse[band]!))
  const mean = one.mean.map((value, band) => Math.max(value, two.mean[band]!))
  return { mean, inverse, share: one.share + two.share, height: heightOf(inverse) }
}

function heightOf(inverse: Float32Array): number {
  return inverse.reduce((sum, value) => sum + Math.log(value), 0)
}

function likelihood(spectrum: Spectrum, sounds: readonly Sound[]): number {
  let best = Number.NEGATIVE_INFINITY
  for (const { mean, inverse, share, height } of sounds) {
    let sum = 0
    let lean = 0
    let weight = 1 / LOUDER ** 2
    for (let band = 0; band < BANDS; band++) {
      const certainty = inverse[band]!
      const off = (spectrum[band]! - mean[band]!) * certainty
      sum += off * off
      lean += off * certainty
      weight += certainty * certainty
    }
    // Corrects for the best-fitting loudness, as far as that is likely.
    best = Math.max(best, share + height - (sum - (lean * lean) / weight) / 2)
  }
  return best
}

function nearestOf(means: readonly Float32Array[], spectrum: Spectrum): number {
  let best = 0
  let least = Number.POSITIVE_INFINITY
  means.forEach((mean, i) => {
    let sum = 0
    for (let band = 0; band < BANDS; band++) sum += (spectrum[band]! - mean[band]!) ** 2
    if (sum < least) [best, least] = [i, sum]
  })
  return best
}

function sumOf(spectra: readonly Spectrum[], band: number): number {
  return spectra.reduce((sum, spectrum) => sum + spectrum[band]!, 0)
}
