/** Lowers the rate of sound that comes in pieces, without aliasing. Pure. */

/**
 * Zero crossings of the filter's sinc on either side: 60 dB down beyond the edge, with a delay of half a millisecond.
 */
const CROSSINGS = 12
/** The pass band ends a little below half the new rate, to leave room for the filter's slope. */
const EDGE = 0.92

/** Both in samples per second; `toRate` is at most `fromRate`. The filter's delay is 12 samples of the new rate. */
export function createDecimator(fromRate: number, toRate: number): (samples: Float32Array) => Float32Array {
  if (fromRate === toRate) return (samples) => samples
  const step = fromRate / toRate
  const half = Math.ceil(CROSSINGS * step)
  /** The filter at each fraction of an input sample that occurs: 48 to 32 kHz has two, whole ratios one. */
  const phases = new Map<number, Float32Array>()
  let kept = new Float32Array(2 * half)
  /** Place of the next output sample in `kept` and the samples after it. */
  let position = half

  function filterAt(fraction: number): Float32Array {
    const known = phases.get(fraction)
    if (known) return known
    const taps = Float32Array.from({ length: 2 * half + 1 }, (_, index) => {
      const distance = index - half - fraction
      const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / (half + 1))
      return (sinc((EDGE * distance) / step) * EDGE * window) / step
    })
    const sum = taps.reduce((total, tap) => total + tap, 0)
    const even = taps.map((tap) => tap / sum)
    phases.set(fraction, even)
    return even
  }

  return (samples) => {
    const whole = new Float32Array(kept.length + samples.length)
    whole.set(kept)
    whole.set(samples, kept.length)
    const output: number[] = []
    for (; position + half < whole.length; position += step) {
      const center = Math.floor(position)
      const taps = filterAt(Math.round((position - center) * 1000) / 1000)
      let value = 0
      for (let index = 0; index < taps.length; index++) value += taps[index]! * (whole[center - half + index] ?? 0)
      output.push(value)
    }
    const from = Math.max(0, Math.floor(position) - half)
    kept = whole.slice(from)
    position -= from
    return Float32Array.from(output)
  }
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}
