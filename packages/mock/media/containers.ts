/** The two simple containers between ffmpeg and RTP: IVF for VP8, read and written, and Ogg for Opus, read. */

export interface Vp8Frame {
  data: Buffer
  /** In units of the file's time base. */
  timestamp: number
}

const IVF_HEADER_BYTES = 32
const IVF_FRAME_HEADER_BYTES = 12

/** @throws Error when the bytes are not a whole IVF file with VP8 */
export function readIvf(bytes: Buffer): Vp8Frame[] {
  if (bytes.length < IVF_HEADER_BYTES || bytes.toString('latin1', 0, 4) !== 'DKIF') throw new Error('Not an IVF file')
  if (bytes.toString('latin1', 8, 12) !== 'VP80') throw new Error('The IVF file does not hold VP8')
  const frames: Vp8Frame[] = []
  for (let offset = bytes.readUInt16LE(6); offset < bytes.length; ) {
    const start = offset + IVF_FRAME_HEADER_BYTES
    const end = start <= bytes.length ? start + bytes.readUInt32LE(offset) : Number.POSITIVE_INFINITY
    if (end > bytes.length) throw new Error(`The IVF file is cut short at byte ${offset}`)
    frames.push({ data: bytes.subarray(start, end), timestamp: Number(bytes.readBigUInt64LE(offset + 4)) })
    offset = end
  }
  return frames
}

/** @param timeBase ticks per second of the frames' timestamps */
export function writeIvf(frames: readonly Vp8Frame[], width: number, height: number, timeBase: number): Buffer {
  const header = Buffer.alloc(IVF_HEADER_BYTES)
  header.write('DKIF', 0, 'latin1')
  header.writeUInt16LE(IVF_HEADER_BYTES, 6)
  header.write('VP80', 8, 'latin1')
  header.writeUInt16LE(width, 12)
  header.writeUInt16LE(height, 14)
  header.writeUInt32LE(timeBase, 16)
  header.writeUInt32LE(1, 20)
  header.writeUInt32LE(frames.length, 24)
  const parts = frames.flatMap(({ data, timestamp }) => {
    const frameHeader = Buffer.alloc(IVF_FRAME_HEADER_BYTES)
    frameHeader.writeUInt32LE(data.length, 0)
    frameHeader.writeBigUInt64LE(BigInt(timestamp), 4)
    return [frameHeader, data]
  })
  return Buffer.concat([header, ...parts])
}

/** RFC 6386: the lowest bit of the first byte is 0 in a key frame. */
export function isVp8KeyFrame(frame: Uint8Array): boolean {
  return frame.length > 9 && (frame[0]! & 1) === 0
}

/** Picture size out of a VP8 key frame (RFC 6386, 9.1). */
export function vp8Size(keyFrame: Buffer): { width: number; height: number } {
  return { width: keyFrame.readUInt16LE(6) & 0x3fff, height: keyFrame.readUInt16LE(8) & 0x3fff }
}

const OGG_PAGE_HEADER_BYTES = 27

/**
 * The Opus packets of an Ogg file with one stream, without its two header packets.
 * @throws Error when the bytes are not whole Ogg pages
 */
export function readOggOpus(bytes: Buffer): Buffer[] {
  const packets: Buffer[] = []
  let parts: Buffer[] = []
  for (let offset = 0; offset < bytes.length; ) {
    if (offset + OGG_PAGE_HEADER_BYTES > bytes.length || bytes.toString('latin1', offset, offset + 4) !== 'OggS') {
      throw new Error(`No Ogg page at byte ${offset}`)
    }
    const lacing = bytes.subarray(offset + OGG_PAGE_HEADER_BYTES, offset + OGG_PAGE_HEADER_BYTES + bytes[offset + 26]!)
    let start = offset + OGG_PAGE_HEADER_BYTES + bytes[offset + 26]!
    for (const length of lacing) {
      parts.push(bytes.subarray(start, start + length))
      start += length
      // A segment of 255 bytes continues in the next one.
      if (length < 255) {
        packets.push(Buffer.concat(parts))
        parts = []
      }
    }
    if (start > bytes.length) throw new Error(`The Ogg file is cut short at byte ${offset}`)
    offset = start
  }
  if (packets[0]?.toString('latin1', 0, 8) !== 'OpusHead') throw new Error('The Ogg file does not hold Opus')
  return packets.slice(2)
}
