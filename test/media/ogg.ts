import { OggOpus, OPUS_RATE } from '../../recorder/tracks/ogg-opus.ts'

/** Samples of one frame, by the last two bits of the configuration (RFC 6716, 3.1). */
const CELT_FRAMES = [120, 240, 480, 960]

/** 20 ms of silence, as a packet that another program might have sent. */
export const PACKET = Uint8Array.of(0xf8, 0xff, 0xfe)

export function writtenOgg(make: (ogg: OggOpus) => void): Buffer {
  const pages: Buffer[] = []
  make(new OggOpus(7, (page) => pages.push(page)))
  return Buffer.concat(pages)
}

export interface ReadOgg {
  /** Without the two of the head. */
  packets: Buffer[]
  /** Where each packet is heard, and where the last one ends; seconds. */
  places: number[]
  seconds: number
}

/**
 * The packets of an Ogg file with Opus in CELT mode, by the lacing values of RFC 3533. Throws if its pages do not follow
 * each other, or if one says another place than the packets before it take.
 */
export function readOgg(file: Buffer): ReadOgg {
  const packets: Buffer[] = []
  const places: number[] = []
  const parts: Buffer[] = []
  let samples = 0
  for (let at = 0, page = 0; at < file.length; page++) {
    if (file.toString('latin1', at, at + 4) !== 'OggS' || file.readUInt32LE(at + 18) !== page)
      throw new Error(`page ${page} does not begin after ${at} bytes`)
    const place = Number(file.readBigUInt64LE(at + 6))
    const lacing = file.subarray(at + 27, at + 27 + file[at + 26]!)
    at += 27 + lacing.length
    for (const length of lacing) {
      parts.push(file.subarray(at, at + length))
      at += length
      if (length === 255) continue
      const packet = Buffer.concat(parts.splice(0))
      if (page < 2) continue
      packets.push(packet)
      places.push(samples / OPUS_RATE)
      samples += samplesOf(packet)
    }
    if (place !== samples) throw new Error(`page ${page} says ${place}, its packets take ${samples} samples`)
  }
  return { packets, places, seconds: samples / OPUS_RATE }
}

function samplesOf(packet: Buffer): number {
  const [first, second] = packet as unknown as [number, number]
  const frames = [1, 2, 2, second & 63][first & 3]!
  return frames * CELT_FRAMES[(first >> 3) & 3]!
}
