/** Reads a fragmented MP4 as it arrives: its header, then fragment after fragment with the samples in each. */
import { type Box, boxAt, children, descend } from './boxes.ts'

export interface Track {
  id: number
  kind: 'video' | 'audio'
  /** Ticks a second of all times of this track. */
  timescale: number
  /** Ticks to be added to the time of decoding for the time of showing: below 0 where packets only prime the decoder. */
  shift: number
  /** The `stsd` box, whole: how the samples are to be decoded. */
  description: Buffer
  /** Pixels; 0 for sound. */
  width: number
  height: number
}

/** One picture, or one packet of sound. */
export interface Sample {
  data: Uint8Array
  /** Ticks. */
  duration: number
  isKey: boolean
}

/** Samples of one track that lie behind each other. */
export interface Run {
  track: Track
  /** Ticks until the first of them, since the beginning of the stream. */
  decodeTime: number
  samples: Sample[]
  /** Of the first sample, in bytes from the beginning of the fragment. */
  offset: number
}

export interface Fragment {
  runs: Run[]
  /** Length of `moof` and `mdat` together. */
  bytes: number
}

export interface FragmentListener {
  header(tracks: Track[]): void
  fragment(fragment: Fragment): void
}

/** Half a second of media has some hundred kilobytes; what claims more than this is not a box of such a stream. */
const MAX_BOX = 64 * 1024 * 1024
const NOT_A_KEY = 0x0001_0000

/**
 * Takes the stream in pieces of any size and emits each complete fragment. Throws if it cannot be a fragmented MP4. Samples
 * share their bytes with what was pushed.
 */
export class FragmentReader {
  readonly #listener: FragmentListener
  #pieces: Buffer[] = []
  #bytes = 0
  #neededBytes = 8
  #tracks: Map<number, TrackWithDefaults> | null = null
  #moof: Buffer | null = null
  /** Up to the end of the last whole box that means something by itself: the header, or a whole fragment. */
  #wholeBytes = 0

  constructor(listener: FragmentListener) {
    this.#listener = listener
  }

  push(bytes: Uint8Array): void {
    this.#pieces.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
    this.#bytes += bytes.length
    while (this.#bytes >= this.#neededBytes) {
      const buffer = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces, this.#bytes)
      this.#pieces = [buffer]
      const box = boxAt(buffer, 0, 0)
      if (box === null && buffer.length < 16) {
        this.#neededBytes = 16
        return
      }
      if (box === null || box.bytes === 0 || box.bytes > MAX_BOX) {
        throw new Error(`no box of a fragmented MP4 begins after ${this.#wholeBytes} bytes`)
      }
      this.#neededBytes = box.bytes
      if (buffer.length < box.bytes) return
      this.#pieces = [buffer.subarray(box.bytes)]
      this.#bytes -= box.bytes
      this.#neededBytes = 8
      this.#handleBox(box, buffer.subarray(0, box.bytes))
    }
  }

  #handleBox(box: Box, whole: Buffer): void {
    if (box.type === 'moov') {
      const tracks = readTracks(whole.subarray(box.headerBytes))
      this.#tracks = new Map(tracks.map((entry) => [entry.track.id, entry]))
      this.#wholeBytes += whole.length
      this.#listener.header(tracks.map(({ track }) => track))
    } else if (box.type === 'moof') {
      this.#moof = whole
    } else if (box.type === 'mdat' && this.#moof !== null) {
      if (this.#tracks === null) throw new Error('a fragment comes before its header')
      const moof = this.#moof
      this.#moof = null
      this.#wholeBytes += moof.length + whole.length
      this.#listener.fragment({ runs: readRuns(moof, whole, this.#tracks), bytes: moof.length + whole.length })
    } else {
      // ftyp, free, and the index that ffmpeg writes last.
      this.#wholeBytes += whole.length
    }
  }
}

interface TrackWithDefaults {
  track: Track
  defaults: Defaults
}

interface Defaults {
  duration: number
  size: number
  flags: number
}

function readTracks(moov: Buffer): TrackWithDefaults[] {
  const movieTimescale = timescaleOf(descend(moov, 'mvhd'))
  const defaults = new Map(
    children(children(moov, 'mvex')[0] ?? Buffer.alloc(0), 'trex').map((trex) => [
      trex.readUInt32BE(4),
      { duration: trex.readUInt32BE(12), size: trex.readUInt32BE(16), flags: trex.readUInt32BE(20) },
    ]),
  )
  return children(moov, 'trak').map((trak) => {
    const header = descend(trak, 'tkhd')
    // Version 1 has 64-bit times before the track's number.
    const id = header.readUInt32BE(header[0] === 1 ? 20 : 12)
    const timescale = timescaleOf(descend(trak, 'mdia', 'mdhd'))
    const handler = descend(trak, 'mdia', 'hdlr').toString('latin1', 8, 12)
    if (handler !== 'vide' && handler !== 'soun') throw new Error(`a track of kind ${handler} is not expected`)
    const contents = descend(trak, 'mdia', 'minf', 'stbl', 'stsd')
    const track: Track = {
      id,
      kind: handler === 'vide' ? 'video' : 'audio',
      timescale,
      shift: shiftOf(trak, timescale, movieTimescale),
      // A copy, so that the header's buffer need not be kept.
      description: Buffer.concat([stsdHeader(contents.length), contents]),
      width: header.readUInt32BE(header.length - 8) >>> 16,
      height: header.readUInt32BE(header.length - 4) >>> 16,
    }
    return { track, defaults: defaults.get(id) ?? { duration: 0, size: 0, flags: 0 } }
  })
}

function stsdHeader(contentBytes: number): Buffer {
  const header = Buffer.alloc(8)
  header.writeUInt32BE(contentBytes + 8, 0)
  header.write('stsd', 4, 'latin1')
  return header
}

/** `mvhd` and `mdhd` have it at the same place. */
function timescaleOf(header: Buffer): number {
  const timescale = header.readUInt32BE(header[0] === 1 ? 20 : 12)
  if (timescale === 0) throw new Error('a timescale is zero')
  return timescale
}

/** An edit list may begin with an empty time; then it says which tick of the track is the first that is shown. */
function shiftOf(trak: Buffer, timescale: number, movieTimescale: number): number {
  const list = children(children(trak, 'edts')[0] ?? Buffer.alloc(0), 'elst')[0]
  if (list === undefined) return 0
  const isLong = list[0] === 1
  let empty = 0
  for (let index = 0; index < list.readUInt32BE(4); index++) {
    const at = 8 + index * (isLong ? 20 : 12)
    const duration = isLong ? Number(list.readBigUInt64BE(at)) : list.readUInt32BE(at)
    const mediaTime = isLong ? Number(list.readBigInt64BE(at + 8)) : list.readInt32BE(at + 4)
    if (mediaTime >= 0) return empty - mediaTime
    empty += Math.round((duration * timescale) / movieTimescale)
  }
  return empty
}

function readRuns(moof: Buffer, mdat: Buffer, tracks: ReadonlyMap<number, TrackWithDefaults>): Run[] {
  return children(moof.subarray(8), 'traf').flatMap((traf) => {
    const header = readTrackFragmentHeader(descend(traf, 'tfhd'), tracks)
    const time = descend(traf, 'tfdt')
    let decodeTime = time[0] === 1 ? Number(time.readBigUInt64BE(4)) : time.readUInt32BE(4)
    return children(traf, 'trun').map((trun) => {
      const run = readRun(trun, header, decodeTime, moof, mdat)
      decodeTime += run.samples.reduce((sum, { duration }) => sum + duration, 0)
      return run
    })
  })
}

function readTrackFragmentHeader(tfhd: Buffer, tracks: ReadonlyMap<number, TrackWithDefaults>): TrackWithDefaults {
  const flags = tfhd.readUInt32BE(0) & 0xff_ffff
  const known = tracks.get(tfhd.readUInt32BE(4))
  if (known === undefined) throw new Error('a fragment belongs to a track that the header does not have')
  if (!(flags & 0x02_0000)) throw new Error('a fragment counts its places from elsewhere than its own beginning')
  let at = 8 + (flags & 0x2 ? 4 : 0)
  const optional = (flag: number, fallback: number) => {
    if (!(flags & flag)) return fallback
    at += 4
    return tfhd.readUInt32BE(at - 4)
  }
  const { defaults } = known
  return {
    track: known.track,
    defaults: {
      duration: optional(0x8, defaults.duration),
      size: optional(0x10, defaults.size),
      flags: optional(0x20, defaults.flags),
    },
  }
}

function readRun(
  trun: Buffer,
  { track, defaults }: TrackWithDefaults,
  decodeTime: number,
  moof: Buffer,
  mdat: Buffer,
): Run {
  const flags = trun.readUInt32BE(0) & 0xff_ffff
  const count = trun.readUInt32BE(4)
  if (!(flags & 0x1)) throw new Error('a run does not say where its samples lie')
  const offset = trun.readInt32BE(8)
  let at = 12
  const next = (flag: number, fallback: number) => {
    if (!(flags & flag)) return fallback
    at += 4
    return trun.readUInt32BE(at - 4)
  }
  const firstFlags = next(0x4, defaults.flags)
  const samples: Sample[] = []
  let place = offset - moof.length
  for (let index = 0; index < count; index++) {
    const duration = next(0x100, defaults.duration)
    const size = next(0x200, defaults.size)
    const sampleFlags = next(0x400, index === 0 ? firstFlags : defaults.flags)
    if (next(0x800, 0) !== 0) throw new Error('pictures are not in the order in which they are shown')
    if (place < 8 || place + size > mdat.length) throw new Error('a sample is outside its fragment')
    samples.push({ data: mdat.subarray(place, place + size), duration, isKey: (sampleFlags & NOT_A_KEY) === 0 })
    place += size
  }
  return { track, decodeTime, samples, offset }
}
