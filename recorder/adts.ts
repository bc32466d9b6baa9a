import { createReadStream } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'

/** Samples in every packet of AAC-LC. */
export const SAMPLES_PER_PACKET = 1024
/** ffmpeg's encoder begins with one packet that only primes the decoder. */
export const PRIMING_PACKETS = 1

const HEADER_BYTES = 7
const READ_BYTES = 1024 * 1024

/**
 * The packets of an ADTS stream (ISO/IEC 13818-7, 6.2), each with its header. Ends at a packet that was cut off; throws
 * where no packet begins.
 */
export async function* readPackets(path: string): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0)
  for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>) {
    const buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let offset = 0
    while (offset + HEADER_BYTES <= buffer.length) {
      if (buffer[offset] !== 0xff || (buffer[offset + 1]! & 0xf6) !== 0xf0) {
        throw new Error('the sound is not a row of ADTS packets')
      }
      const bytes = ((buffer[offset + 3]! & 0x03) << 11) | (buffer[offset + 4]! << 3) | (buffer[offset + 5]! >> 5)
      if (bytes < HEADER_BYTES) throw new Error('a packet of sound claims to be shorter than its header')
      if (offset + bytes > buffer.length) break
      yield buffer.subarray(offset, offset + bytes)
      offset += bytes
    }
    rest = Buffer.from(buffer.subarray(offset))
  }
}

/**
 * Writes the sound of several segments as one unbroken row of packets in which each segment's sound begins at the packet
 * nearest to its first picture: off by 10.7 ms at most, and never more with further segments, because each place is
 * counted from the beginning. Packets past the next segment's beginning are left out; a gap before it is filled with
 * `silence`. Later segments lose their priming packet, whose place belongs to the segment before.
 *
 * `startSamples[i]` is where segment i begins. Resolves with the number of packets.
 */
export async function joinPackets(
  output: FileHandle,
  segments: readonly string[],
  startSamples: readonly number[],
  silence: Buffer,
): Promise<number> {
  let written = 0
  for (const [index, path] of segments.entries()) {
    const next = startSamples[index + 1]
    const end = next === undefined ? Number.POSITIVE_INFINITY : packetAt(next)
    let position = 0
    for await (const packet of readPackets(path)) {
      position++
      if (index > 0 && position <= PRIMING_PACKETS) continue
      if (written >= end) break
      await output.write(packet)
      written++
    }
    while (Number.isFinite(end) && written < end) {
      await output.write(silence)
      written++
    }
  }
  return written
}

function packetAt(sample: number): number {
  return Math.round(sample / SAMPLES_PER_PACKET) + PRIMING_PACKETS
}
