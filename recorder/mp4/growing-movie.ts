/**
 * An MP4 that is an ordinary file in the end and plays at any moment before. Its body is a row of fragments, each with
 * its own header. While it grows, a small head before them says that fragments follow. In the end a head with the whole
 * index replaces it, in which the body is one large `mdat`: players find the samples by the index, and do not read the
 * fragments' headers between them.
 */
import { freeBox, LARGE_HEADER_BYTES, largeBoxHeader } from './boxes.ts'
import type { Fragment, Run, Sample, Track } from './fragment-reader.ts'
import { fileType, fragmentHeader, movieHeader, type TrackPart } from './headers.ts'
import { NumberList } from './number-list.ts'
import { SampleTable } from './sample-table.ts'

const MIN_FREE = 8

interface GrowingTrack {
  track: Track
  table: SampleTable
  /** Samples of this track up to the end of each fragment. */
  samplesAt: NumberList
}

export class GrowingMovie {
  readonly #tracks: GrowingTrack[]
  /** Bytes of the body up to the end of each fragment. */
  readonly #ends = new NumberList('f64')
  #bytes = 0
  /** The movie ends here although its body continues; seconds. */
  #cut = Number.POSITIVE_INFINITY

  constructor(tracks: readonly Track[]) {
    this.#tracks = tracks.map((track) => ({ track, table: new SampleTable(), samplesAt: new NumberList('u32') }))
  }

  /** Bytes of the body. */
  get bytes(): number {
    return this.#bytes
  }

  /** Length of what is shown and heard, by the track that lasts longest. */
  get seconds(): number {
    const lengths = this.#tracks
      .map((grown) => ({ ...grown, samples: this.#samplesOf(grown, this.#ends.length) }))
      .filter(({ samples }) => samples > 0)
      .map(({ track, table, samples }) => (table.ticksOf(samples) + track.shift) / track.timescale)
    return Math.max(0, ...lengths)
  }

  /**
   * From `seconds` on nothing is shown: the final index leaves it out. A movie whose index has no room for the whole body
   * is not cut.
   */
  cutAt(seconds: number): void {
    this.#cut = seconds
  }

  /**
   * The next fragment of the body, with these samples; null if there are none. It counts once it is added: a body
   * that could not grow keeps an index that is true.
   */
  compose(samplesOf: (kind: Track['kind']) => readonly Sample[]): { bytes: Buffer; fragment: Fragment } | null {
    const parts: TrackPart[] = this.#tracks
      .map(({ track, table }) => ({ track, decodeTime: table.ticks, samples: samplesOf(track.kind) }))
      .filter(({ samples }) => samples.length > 0)
    if (parts.length === 0) return null
    const header = fragmentHeader(this.#ends.length + 1, parts)
    const runs: Run[] = []
    let offset = header.length + 8
    for (const { track, decodeTime, samples } of parts) {
      runs.push({ track, decodeTime, samples: [...samples], offset })
      offset += samples.reduce((sum, { data }) => sum + data.length, 0)
    }
    const dataHeader = Buffer.alloc(8)
    dataHeader.writeUInt32BE(offset - header.length, 0)
    dataHeader.write('mdat', 4, 'latin1')
    const data = parts.flatMap(({ samples }) => samples.map((sample) => sample.data))
    return { bytes: Buffer.concat([header, dataHeader, ...data], offset), fragment: { runs, bytes: offset } }
  }

  /** Indexes the fragment that the body has grown by. */
  add({ runs, bytes }: Fragment): void {
    for (const { track, table, samplesAt } of this.#tracks) {
      for (const run of runs) if (run.track.id === track.id) table.add(run.samples, this.#bytes + run.offset)
      samplesAt.push(table.samples)
    }
    this.#bytes += bytes
    this.#ends.push(this.#bytes)
  }

  /** A head with which the body so far plays, as a fragmented file. */
  recoveryHead(): Buffer {
    return Buffer.concat([fileType(), this.#header(0, 0, 0, true)])
  }

  /**
   * The head for the body as it is. It fills `room` exactly, or is as short as possible where that is null. Fragments whose
   * index does not fit into the room stay fragments at the end of the file. Throws if not even an empty index fits.
   */
  head(room: number | null): Buffer {
    const all = this.#ends.length
    const whole = this.#fill(all, room ?? this.#leastRoom(all))
    if (whole !== null) return whole
    this.#cut = Number.POSITIVE_INFINITY
    const filled = this.#fillWithLess(all, room!)
    if (filled === null) throw new Error(`not even the head of an empty index fits into ${room} bytes`)
    return filled
  }

  /** With the index of as many fragments as it has room for. */
  #fillWithLess(all: number, room: number): Buffer | null {
    let best = this.#fill(0, room)
    // The more an index covers, the longer it is.
    for (let fits = 0, tooMany = all; tooMany - fits > 1; ) {
      const middle = (fits + tooMany) >> 1
      const filled = this.#fill(middle, room)
      if (filled === null) tooMany = middle
      else {
        fits = middle
        best = filled
      }
    }
    return best
  }

  /** The head that indexes the first fragments, or null if it does not fit. */
  #fill(fragments: number, room: number): Buffer | null {
    const header = this.#header(fragments, room, this.seconds, fragments < this.#ends.length)
    const free = room - fileType().length - header.length - LARGE_HEADER_BYTES
    if (free !== 0 && free < MIN_FREE) return null
    const covered = fragments === 0 ? 0 : this.#ends.at(fragments - 1)
    const filler = free === 0 ? [] : [freeBox(free)]
    return Buffer.concat([fileType(), header, ...filler, largeBoxHeader('mdat', covered)], room)
  }

  #leastRoom(fragments: number): number {
    const header = this.#header(fragments, 0, this.seconds, fragments < this.#ends.length)
    return fileType().length + header.length + LARGE_HEADER_BYTES
  }

  #header(fragments: number, bodyOffset: number, seconds: number, isFragmented: boolean): Buffer {
    const indexed = this.#tracks.map((grown) => {
      const { track, table } = grown
      const samples = this.#samplesOf(grown, fragments)
      return { track, ticks: table.ticksOf(samples), tables: table.boxes(samples, bodyOffset) }
    })
    return movieHeader(indexed, seconds, isFragmented)
  }

  /** Of one track in the first fragments, as far as the movie goes. */
  #samplesOf({ track, table, samplesAt }: GrowingTrack, fragments: number): number {
    const samples = fragments === 0 ? 0 : samplesAt.at(fragments - 1)
    if (this.#cut === Number.POSITIVE_INFINITY) return samples
    return Math.min(samples, table.samplesBy(Math.round(this.#cut * track.timescale) - track.shift))
  }
}
