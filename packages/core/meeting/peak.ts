/** The loudest sample of mono PCM, signed 16 bit little-endian: 0 to 32768. */
export function peakOf(samples: Uint8Array): number {
  const view = new DataView(samples.buffer, samples.byteOffset, samples.byteLength)
  let peak = 0
  for (let at = 0; at + 1 < samples.byteLength; at += 2) peak = Math.max(peak, Math.abs(view.getInt16(at, true)))
  return peak
}
