/** The boxes that describe a file and its tracks: `ftyp`, `moov` with or without an index, and `moof` for one fragment. */
import { box, fullBox, u16, u32, u64 } from './boxes.ts'
import type { Sample, Track } from './fragment-reader.ts'

/** Of times that belong to no track. */
const MOVIE_TIMESCALE = 1000
/** No rotation, no scaling. */
const UNCHANGED = u32(0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000)
const UNDETERMINED_LANGUAGE = 0x55c4
const KEY_FLAGS = 0x0200_0000
const DEPENDING_FLAGS = 0x0101_0000

/** One track in an index. */
export interface IndexedTrack {
  track: Track
  /** Length of the indexed samples in the track's ticks; 0 if nothing is indexed. */
  ticks: number
  /** `stts`, `stsc`, `stsz` and so on. */
  tables: readonly Uint8Array[]
}

/** Old players look for the first names, fragments need `iso5`. */
export function fileType(): Buffer {
  return box('ftyp', Buffer.from('isom\0\0\x02\0isomiso2iso5avc1mp41', 'latin1'))
}

/**
 * `seconds` is the length of the whole file. `fragments` says that fragments follow what is indexed, which may be
 * nothing.
 */
export function movieHeader(tracks: readonly IndexedTrack[], seconds: number, fragments: boolean): Buffer {
  const duration = Math.ceil(seconds * MOVIE_TIMESCALE)
  const nextTrack = Math.max(...tracks.map(({ track }) => track.id)) + 1
  const header = fullBox(
    'mvhd',
    0,
    0,
    u32(0, 0, MOVIE_TIMESCALE, duration, 0x1_0000),
    ...[u16(0x100, 0), u32(0, 0), UNCHANGED, Buffer.alloc(24), u32(nextTrack)],
  )
  const extensions = [
    ...(seconds > 0 ? [fullBox('mehd', 0, 0, u32(duration))] : []),
    ...tracks.map(({ track }) => fullBox('trex', 0, 0, u32(track.id, 1, 0, 0, 0))),
  ]
  return box(
    'moov',
    header,
    ...tracks.map((indexed) => trackBox(indexed, duration)),
    ...(fragments ? [box('mvex', ...extensions)] : []),
  )
}

function trackBox({ track, ticks, tables }: IndexedTrack, movieDuration: number): Buffer {
  const { id, kind, timescale, shift, description, width, height } = track
  const isVideo = kind === 'video'
  const header = fullBox(
    'tkhd',
    0,
    3,
    u32(0, 0, id, 0, movieDuration, 0, 0),
    ...[u16(0, isVideo ? 0 : 1, isVideo ? 0 : 0x100, 0), UNCHANGED, u32(width << 16, height << 16)],
  )
  // The first packet of sound primes the decoder and is not heard.
  const edits = shift === 0 ? [] : [box('edts', fullBox('elst', 0, 0, u32(1, movieDuration, -shift, 0x1_0000)))]
  const media = box(
    'mdia',
    fullBox('mdhd', 1, 0, u64(0, 0), u32(timescale), u64(ticks), u16(UNDETERMINED_LANGUAGE, 0)),
    fullBox('hdlr', 0, 0, u32(0), Buffer.from(isVideo ? 'vide' : 'soun'), u32(0, 0, 0), Buffer.from(`${kind}\0`)),
    box(
      'minf',
      isVideo ? fullBox('vmhd', 0, 1, u16(0, 0, 0, 0)) : fullBox('smhd', 0, 0, u16(0, 0)),
      box('dinf', fullBox('dref', 0, 0, u32(1), fullBox('url ', 0, 1))),
      box('stbl', description, ...tables),
    ),
  )
  return box('trak', header, ...edits, media)
}

/** The samples of one track in one fragment. */
export interface TrackPart {
  track: Track
  /** Ticks of all samples before these. */
  decodeTime: number
  samples: readonly Sample[]
}

/** The header of a fragment whose samples lie behind each other in an `mdat` that follows at once. */
export function fragmentHeader(sequence: number, parts: readonly TrackPart[]): Buffer {
  // Where the samples lie depends on the length of the header itself, which does not depend on that.
  const { length } = assemble(0)
  return assemble(length)

  function assemble(headerBytes: number): Buffer {
    let offset = headerBytes + 8
    const trackBoxes = parts.map((part) => {
      const made = trackFragment(part, offset)
      offset += part.samples.reduce((sum, { data }) => sum + data.length, 0)
      return made
    })
    return box('moof', fullBox('mfhd', 0, 0, u32(sequence)), ...trackBoxes)
  }
}

/** Properties that all samples share are written once. */
function trackFragment({ track, decodeTime, samples }: TrackPart, offset: number): Buffer {
  const [first] = samples
  const flagsOf = ({ isKey }: Sample) => (isKey ? KEY_FLAGS : DEPENDING_FLAGS)
  const isEven = samples.every(({ duration }) => duration === first?.duration)
  const isAlike = samples.every(({ isKey }) => isKey === first?.isKey)
  const rows = samples.flatMap((sample) => [
    ...(isEven ? [] : [sample.duration]),
    sample.data.length,
    ...(isAlike ? [] : [flagsOf(sample)]),
  ])
  const flags = 0x1 | 0x200 | (isEven ? 0 : 0x100) | (isAlike ? 0 : 0x400)
  return box(
    'traf',
    fullBox('tfhd', 0, 0x02_0028, u32(track.id, first?.duration ?? 0, first ? flagsOf(first) : 0)),
    fullBox('tfdt', 1, 0, u64(decodeTime)),
    fullBox('trun', 0, flags, u32(samples.length, offset, ...rows)),
  )
}
