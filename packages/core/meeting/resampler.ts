/**
 * Changes the rate of sound that comes in pieces, by straight lines between samples. The remainder of one piece goes
 * into the next, so that there is no click between pieces, and the total length is right.
 */
export function createResampler(fromRate: number, toRate: number): (samples: Float32Array) => Float32Array {
  const step = fromRate / toRate
  /** Place of the next output sample, counted in input samples from `last`. */
  let position = 1
  let last = 0
  return (samples) => {
    if (samples.length === 0) return new Float32Array(0)
    const at = (index: number) => (index === 0 ? last : (samples[index - 1] ?? 0))
    const output = new Float32Array(Math.max(0, Math.floor((samples.length - position) / step) + 1))
    for (let index = 0; index < output.length; index++) {
      const before = Math.floor(position)
      const fraction = position - before
      const value = at(before)
      output[index] = fraction === 0 ? value : value + (at(before + 1) - value) * fraction
      position += step
    }
    position -= samples.length
    last = samples[samples.length - 1] ?? 0
    return output
  }
}
