/** Facts of the sound's packets (AAC-LC, ISO/IEC 14496-3). */
import type { Sample } from './mp4/fragment-reader.ts'

/** In every packet. */
export const SAMPLES_PER_PACKET = 1024
/** ffmpeg's encoder begins with one packet that only primes the decoder. */
export const PRIMING_PACKETS = 1

/**
 * A stereo packet without any sound, bit for bit: a channel pair with a common window of one band less than one
 * (`max_sfb` 0), twice a gain and nothing else, and the end. Padded to whole bytes.
 */
const SILENT_BITS = [
  ...['001', '0000', '1'],
  ...['0', '00', '0', '000000', '0', '00'],
  ...['00000000', '0', '0', '0', '00000000', '0', '0', '0'],
  ...['111', '00'],
].join('')

export const SILENT_PACKET: Sample = {
  data: Uint8Array.from(SILENT_BITS.match(/.{8}/g) ?? [], (bits) => Number.parseInt(bits, 2)),
  duration: SAMPLES_PER_PACKET,
  isKey: true,
}
