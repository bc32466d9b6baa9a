/** Spans as the recorder's ffmpeg gives them, made up without it, and what a player finds in the file that they become. */
import { SAMPLES_PER_PACKET, SILENT_PACKET } from '../../recorder/aac.ts'
import { boxAt, children, descend, fullBox, u32 } from '../../recorder/mp4/boxes.ts'
import type { Sample, Track } from '../../recorder/mp4/fragment-reader.ts'
import { GrowingMovie } from '../../recorder/mp4/growing-movie.ts'

export const PICTURE_TICKS = 512
const PACKETS_PER_SECOND = 48_000 / SAMPLES_PER_PACKET

/** Pictures and sound as the encoder describes them; the first packet primes the decoder. */
export function madeUpTracks(settings = 'settings'): Track[] {
  const description = fullBox('stsd', 0, 0, u32(0), Buffer.from(settings))
  const video = { id: 1, kind: 'video', timescale: 30 * PICTURE_TICKS, shift: 0, width: 160, height: 90 } as const
  const audio = { id: 2, kind: 'audio', timescale: 48_000, shift: -SAMPLES_PER_PACKET, width: 0, height: 0 } as const
  return [video, audio].map((track) => ({ ...track, description }))
}

export interface MadeUpSpan {
  /** Begins the contents of each sample: the thirteenth picture of span `a` is `av12`, its fourth packet `aa3`. */
  name?: string
  /** None: sound alone. */
  pictures?: number
  packets: number
  /** Default: every second. */
  picturesBetweenKeys?: number
  settings?: string
}

/** Fragments of half a second behind their header. */
export function madeUpSpan(span: MadeUpSpan): Buffer {
  const { name = '', pictures = 0, packets, picturesBetweenKeys = 30, settings } = span
  const movie = new GrowingMovie(madeUpTracks(settings).filter(({ kind }) => kind === 'audio' || pictures > 0))
  const pieces = [movie.recoveryHead()]
  const made = { video: 0, audio: 0 }
  const next = (kind: Track['kind'], until: number): Sample[] => {
    const samples: Sample[] = []
    for (; made[kind] < until; made[kind]++)
      samples.push({
        data: Buffer.from(`${name}${kind[0]}${made[kind]}`),
        duration: kind === 'video' ? PICTURE_TICKS : SAMPLES_PER_PACKET,
        isKey: kind === 'audio' || made.video % picturesBetweenKeys === 0,
      })
    return samples
  }
  for (let second = 0.5; made.video < pictures || made.audio < packets; second += 0.5) {
    const until = { video: second * 30, audio: Math.ceil(second * PACKETS_PER_SECOND) }
    const fragment = movie.compose((kind) => next(kind, Math.min(until[kind], kind === 'video' ? pictures : packets)))
    if (fragment === null) continue
    pieces.push(fragment.bytes)
    movie.add(fragment.fragment)
  }
  return Buffer.concat(pieces)
}

export interface Index {
  sizes: number[]
  /** The position of each sample in the file. */
  places: number[]
  keys: number[] | null
  /** Each with the number of samples in a row that have it. */
  durations: [samples: number, ticks: number][]
}

/** Reads an index as a player does, by the standard and not by how ours is written. */
export function readIndex(trak: Buffer): Index {
  const table = descend(trak, 'mdia', 'minf', 'stbl')
  const words = (type: string) => {
    const contents = children(table, type)[0]
    return contents && Array.from({ length: contents.length / 4 }, (_, index) => contents.readUInt32BE(index * 4))
  }
  const [, constant, count, ...sizes] = words('stsz')!
  if (constant !== 0 || sizes.length !== count) throw new Error('stsz does not have a size for each sample')
  const patterns = words('stsc')!.slice(2)
  const chunkBox = descend(table, 'co64')
  const places: number[] = []
  for (let chunk = 0, pattern = 0, sample = 0; chunk < chunkBox.readUInt32BE(4); chunk++) {
    while (patterns[(pattern + 1) * 3] !== undefined && patterns[(pattern + 1) * 3]! <= chunk + 1) pattern++
    let place = Number(chunkBox.readBigUInt64BE(8 + chunk * 8))
    for (let i = 0; i < patterns[pattern * 3 + 1]!; i++) {
      places.push(place)
      place += sizes[sample++]!
    }
  }
  const durations = words('stts')!.slice(2)
  return {
    sizes,
    places,
    keys: words('stss')?.slice(2) ?? null,
    durations: Array.from({ length: durations.length / 2 }, (_, at) => [durations[at * 2]!, durations[at * 2 + 1]!]),
  }
}

/** One picture or packet of a finished file. */
export interface ShownSample {
  /** As `madeUpSpan` made it; empty for silence that the recorder added. */
  contents: string
  /** Second of the file; below zero for a packet that primes the decoder. */
  at: number
  isKey: boolean
}

/** Throws where the file is anything but its head with the whole index, and the data. */
export function readMovie(file: Buffer): Record<Track['kind'], ShownSample[]> {
  const types: string[] = []
  for (let at = 0; at < file.length; ) {
    const box = boxAt(file, at, file.length - at)
    if (box === null || at + box.bytes > file.length) throw new Error(`no whole box begins after ${at} bytes`)
    if (box.type !== 'free') types.push(box.type)
    at += box.bytes
  }
  if (types.join() !== 'ftyp,moov,mdat') throw new Error(`the file consists of ${types}`)
  const found: Record<Track['kind'], ShownSample[]> = { video: [], audio: [] }
  for (const trak of children(descend(file, 'moov'), 'trak')) {
    const { sizes, places, keys, durations } = readIndex(trak)
    const kind = descend(trak, 'mdia', 'hdlr').toString('latin1', 8, 12) === 'vide' ? 'video' : 'audio'
    const edits = children(trak, 'edts')[0]
    const shift = edits === undefined ? 0 : descend(edits, 'elst').readInt32BE(12)
    const timescale = descend(trak, 'mdia', 'mdhd').readUInt32BE(20)
    const lengths = durations.flatMap(([samples, ticks]) => new Array<number>(samples).fill(ticks))
    let ticks = 0
    found[kind] = places.map((place, sample) => {
      const data = file.subarray(place, place + sizes[sample]!)
      const at = (ticks - shift) / timescale
      ticks += lengths[sample]!
      return {
        contents: data.equals(SILENT_PACKET.data) ? '' : data.toString(),
        at,
        isKey: keys === null || keys.includes(sample + 1),
      }
    })
  }
  return found
}
