/** Features of a voice, 20 ms at a time: how strong it is in each of some bands of frequency. Pure. */

/** Interval between spectra; each covers a stretch of the power of two next to this. */
export const SPECTRUM_SECONDS = 0.02
const WINDOW_SECONDS = 0.04
/** Bands, evenly spaced as the ear hears (mel), and where they begin and end. Hertz. */
export const BANDS = 28
const LOWEST_HZ = 100
const HIGHEST_HZ = 7000
/** Weaker sound counts as silence. Decibels below full scale. */
const FLOOR_DB = -75

/** Decibels in each band. */
export type Spectrum = Float32Array

/** Turns samples of one rate (Hertz) into spectra. */
export class SpectrumMaker {
  readonly #hop: number
  readonly #size: number
  readonly #window: Float32Array
  /** For each band its first bin and the weights from there on. */
  readonly #bands: { from: number; weights: number[] }[]

  constructor(sampleRate: number) {
    this.#hop = Math.round(sampleRate * SPECTRUM_SECONDS)
    this.#size = 2 ** Math.round(Math.log2(sampleRate * WINDOW_SECONDS))
    this.#window = Float32Array.from(
      { length: this.#size },
      (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / this.#size),
    )
    this.#bands = bandsOf(sampleRate / this.#size, this.#size / 2)
  }

  /**
   * Spectra of those among the last `count` pieces of these samples that are loud enough, as far as there are samples.
   */
  spectra(samples: Float32Array, count: number, leastLevel: number): Spectrum[] {
    const most = Math.floor((samples.length - this.#size) / this.#hop) + 1
    return Array.from({ length: Math.max(0, Math.min(count, most)) }, (_, back) => samples.length - back * this.#hop)
      .filter((end) => levelOf(samples.subarray(end - this.#hop, end)) >= leastLevel)
      .map((end) => this.#spectrum(samples.subarray(end - this.#size, end)))
  }

  #spectrum(samples: Float32Array): Spectrum {
    const re = samples.map((sample, i) => sample * this.#window[i]!)
    const im = new Float32Array(this.#size)
    transform(re, im)
    // The power of a full-scale tone is about 0 dB.
    const scale = 16 / this.#size ** 2
    return Float32Array.from(this.#bands, ({ from, weights }) => {
      let power = 0
      for (let i = 0; i < weights.length; i++) power += weights[i]! * (re[from + i]! ** 2 + im[from + i]! ** 2)
      return Math.max(FLOOR_DB, 10 * Math.log10(power * scale + 1e-12))
    })
  }
}

/** 0 to 1, linear: the root of the mean square. */
export function levelOf(samples: Float32Array): number {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return Math.sqrt(sum / samples.length)
}

/** Triangles that overlap by half. */
function bandsOf(hertzOfBin: number, bins: number): { from: number; weights: number[] }[] {
  const mel = (hertz: number) => 1127 * Math.log(1 + hertz / 700)
  const low = mel(LOWEST_HZ)
  const high = mel(Math.min(HIGHEST_HZ, hertzOfBin * (bins - 1)))
  const edge = (index: number) =>
    (700 * (Math.exp((low + ((high - low) * index) / (BANDS + 1)) / 1127) - 1)) / hertzOfBin
  return Array.from({ length: BANDS }, (_, band) => {
    const [start, middle, end] = [edge(band), edge(band + 1), edge(band + 2)]
    const from = Math.floor(start)
    const weights = Array.from({ length: Math.ceil(end) - from + 1 }, (_, i) =>
      Math.max(0, Math.min((from + i - start) / (middle - start), (end - from - i) / (end - middle))),
    )
    return { from, weights }
  })
}

/** Fourier transform in place (Cooley and Tukey, radix 2); the length is a power of two. */
function transform(re: Float32Array, im: Float32Array): void {
  const size = re.length
  for (let i = 1, j = 0; i < size; i++) {
    let bit = size >> 1
    for (; j & bit; bit >>= 1) j ^= bit
    j ^= bit
    if (i < j) [re[i], re[j], im[i], im[j]] = [re[j]!, re[i]!, im[j]!, im[i]!]
  }
  for (let half = 1; half < size; half *= 2)
    for (let k = 0; k < half; k++) {
      const [cos, sin] = [Math.cos((Math.PI * k) / half), -Math.sin((Math.PI * k) / half)]
      for (let even = k; even < size; even += 2 * half) {
        const odd = even + half
        const real = re[odd]! * cos - im[odd]! * sin
        const imaginary = re[odd]! * sin + im[odd]! * cos
        re[odd] = re[even]! - real
        im[odd] = im[even]! - imaginary
        re[even] = re[even]! + real
        im[even] = im[even]! + imaginary
      }
    }
}
