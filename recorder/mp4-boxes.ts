import { type FileHandle, open, truncate } from 'node:fs/promises'

/** Where a box of an MP4 file begins and how long it is, its header included (ISO/IEC 14496-12, 4.2). */
export interface Box {
  type: string
  offset: number
  bytes: number
  headerBytes: number
}

export type TrackKind = 'video' | 'audio' | 'other'

export interface FragmentedFile {
  /** Bytes up to the end of the last whole fragment; what follows was cut off by a kill. */
  wholeBytes: number
  /** Bytes of the file. */
  bytes: number
  /** Samples (pictures, packets of sound) in whole fragments, for each kind of track. */
  samples: Record<TrackKind, number>
}

/** A header box larger than this is damage, not a header. */
const LARGEST_HEADER_BOX = 64 * 1024 * 1024

/** The boxes at the top of a file, in order. The last one may reach past the end of a file that was cut off. */
export async function topLevelBoxes(file: FileHandle): Promise<Box[]> {
  const { size } = await file.stat()
  const boxes: Box[] = []
  const header = Buffer.alloc(16)
  for (let offset = 0; offset + 8 <= size; ) {
    const { bytesRead } = await file.read(header, 0, 16, offset)
    const box = boxAt(header.subarray(0, bytesRead), 0, size - offset)
    if (box === null) break
    boxes.push({ ...box, offset })
    offset += box.bytes
  }
  return boxes
}

/** Whether a player finds the index before it has to read the data. */
export async function isIndexFirst(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const types = (await topLevelBoxes(file)).map((box) => box.type)
    return types.includes('moov') && types.indexOf('moov') < types.indexOf('mdat')
  } finally {
    await file.close()
  }
}

/** Reads the headers of a fragmented file. Rejects when its first header is missing, so that nothing of it plays. */
export async function readFragments(path: string): Promise<FragmentedFile> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const boxes = await topLevelBoxes(file)
    const isWhole = (box: Box) => box.offset + box.bytes <= size
    const header = boxes.find((box) => box.type === 'moov' && isWhole(box))
    if (header === undefined) throw new Error('it has no complete header')
    const kinds = trackKinds(await contents(file, header))

    let wholeBytes = header.offset + header.bytes
    const samples = { video: 0, audio: 0, other: 0 }
    for (const [index, box] of boxes.entries()) {
      if (!isWhole(box)) break
      const data = boxes[index + 1]
      if (box.type !== 'moof') {
        // Data counts with the fragment header before it; anything else, such as the closing index, stands for itself.
        if (box.type !== 'mdat') wholeBytes = Math.max(wholeBytes, box.offset + box.bytes)
        continue
      }
      if (data?.type !== 'mdat' || !isWhole(data)) break
      for (const { track, count } of fragmentSamples(await contents(file, box)))
        samples[kinds.get(track) ?? 'other'] += count
      wholeBytes = data.offset + data.bytes
    }
    return { wholeBytes, bytes: size, samples }
  } finally {
    await file.close()
  }
}

/** Cuts off what follows the last whole fragment. */
export async function cutToWhole(path: string, file: FragmentedFile): Promise<void> {
  if (file.wholeBytes < file.bytes) await truncate(path, file.wholeBytes)
}

async function contents(file: FileHandle, box: Box): Promise<Buffer> {
  if (box.bytes > LARGEST_HEADER_BOX) throw new Error(`its ${box.type} box claims ${box.bytes} bytes`)
  const buffer = Buffer.alloc(box.bytes - box.headerBytes)
  await file.read(buffer, 0, buffer.length, box.offset + box.headerBytes)
  return buffer
}

/** The handler of each track says what it carries. */
function trackKinds(moov: Buffer): Map<number, TrackKind> {
  const kinds = new Map<number, TrackKind>()
  for (const trak of children(moov, 'trak')) {
    const header = children(trak, 'tkhd')[0]
    const handler = children(children(trak, 'mdia')[0] ?? Buffer.alloc(0), 'hdlr')[0]
    if (header === undefined || handler === undefined || handler.length < 12) continue
    // Version 1 has 64-bit times before the track's number.
    const track = header.readUInt32BE(header[0] === 1 ? 20 : 12)
    const kind = handler.toString('latin1', 8, 12)
    kinds.set(track, kind === 'vide' ? 'video' : kind === 'soun' ? 'audio' : 'other')
  }
  return kinds
}

function fragmentSamples(moof: Buffer): Array<{ track: number; count: number }> {
  return children(moof, 'traf').map((traf) => ({
    track: children(traf, 'tfhd')[0]?.readUInt32BE(4) ?? 0,
    count: children(traf, 'trun').reduce((sum, run) => sum + run.readUInt32BE(4), 0),
  }))
}

function children(parent: Buffer, type: string): Buffer[] {
  const found: Buffer[] = []
  for (let offset = 0; offset + 8 <= parent.length; ) {
    const box = boxAt(parent, offset, parent.length - offset)
    if (box === null || offset + box.bytes > parent.length) break
    if (box.type === type) found.push(parent.subarray(offset + box.headerBytes, offset + box.bytes))
    offset += box.bytes
  }
  return found
}

/** Null where no box can begin. `available` is the length of a box that says "to the end" with size 0. */
function boxAt(buffer: Buffer, offset: number, available: number): Omit<Box, 'offset'> | null {
  if (offset + 8 > buffer.length) return null
  const type = buffer.toString('latin1', offset + 4, offset + 8)
  const small = buffer.readUInt32BE(offset)
  if (small === 0) return { type, bytes: available, headerBytes: 8 }
  if (small !== 1) return small < 8 ? null : { type, bytes: small, headerBytes: 8 }
  if (offset + 16 > buffer.length) return null
  const large = Number(buffer.readBigUInt64BE(offset + 8))
  return large < 16 || !Number.isSafeInteger(large) ? null : { type, bytes: large, headerBytes: 16 }
}
