/**
 * The output of an encoder that stands by. It stays in memory until the start of the recording is known, and is passed on
 * from there. Output from before that moment is never stored.
 */
import { inTurn } from '@standin/wire/time/in-turn.ts'
import { CAPTURE_SAMPLE_RATE } from '../packages/core/meeting/capture-sample-rate.ts'
import { SAMPLES_PER_PACKET } from './aac.ts'
import { type Fragment, FragmentReader, type Run, type Sample, type Track } from './mp4/fragment-reader.ts'

/** A piece of a span, in the order of the encoder. `startSample`: where a span without pictures begins in its own time. */
export type SegmentPart = { tracks: Track[]; startSample?: number } | { fragment: Fragment }

/** Where a span that was let go of really begins, in the encoder's own time. */
export interface SegmentStart {
  /** Since its first picture or sound. */
  seconds: number
  /** Pictures before it. */
  pictures: number
}

/** At most so much is kept; of a longer wait the oldest goes. At 3 Mbit a second it is 45 MB. */
const MAX_SECONDS = 120
/** A decoder of sound needs the packet before the first one that is heard. */
const PACKETS_BEFORE = 3

type Sink = (part: SegmentPart) => Promise<void>

export class HeldSegment {
  readonly #hasPicture: boolean
  readonly #arrived: SegmentPart[] = []
  readonly #reader = new FragmentReader({
    header: (tracks) => this.#arrived.push({ tracks }),
    fragment: (fragment) => this.#arrived.push({ fragment }),
  })
  readonly #begun = Promise.withResolvers<SegmentStart>()
  #tracks: Track[] | null = null
  #held: Fragment[] = []
  /** Of the first picture in the encoder's own time, and how many were dropped since; seconds. */
  #zero: number | null = null
  #droppedPictures = 0
  #wanted: { seconds: number; sink: Sink } | null = null
  #sink: Sink | null = null
  readonly #inTurn = inTurn(1)

  constructor(hasPicture: boolean) {
    this.#hasPicture = hasPicture
    this.#begun.promise.catch(() => {})
  }

  /** Takes the encoder's output. Rejects if it is no such output, or what it is passed on to rejects. */
  append = (bytes: Uint8Array): Promise<void> =>
    this.#inTurn(async () => {
      this.#reader.push(bytes)
      for (const part of this.#arrived.splice(0)) {
        if (this.#sink !== null) await this.#sink(part)
        else if ('tracks' in part) this.#tracks = part.tracks
        else this.#hold(part.fragment)
      }
      await this.#letGo()
    })

  /** Seconds that are kept. */
  get seconds(): number {
    const [first, last] = [this.#held[0], this.#held.at(-1)]
    return first === undefined || last === undefined ? 0 : endOf(last) - beginOf(first)
  }

  /**
   * Passes on what begins at `seconds` or soon after: with a picture, at the first that needs no other. Resolves when
   * there is such a one and it has been passed on.
   */
  async begin(seconds: number, sink: Sink): Promise<SegmentStart> {
    this.#wanted = { seconds, sink }
    await this.#inTurn(() => this.#letGo())
    return this.#begun.promise
  }

  #hold(fragment: Fragment): void {
    this.#held.push(fragment)
    this.#zero ??= this.#hasPicture ? firstTime(picturesOf(fragment)) : 0
    while (this.#wanted === null && this.seconds > MAX_SECONDS) {
      const dropped = this.#held.shift()!
      this.#droppedPictures += picturesOf(dropped).reduce((sum, { samples }) => sum + samples.length, 0)
    }
  }

  async #letGo(): Promise<void> {
    const [wanted, tracks] = [this.#wanted, this.#tracks]
    if (wanted === null || tracks === null || this.#sink !== null) return
    const start = this.#hasPicture ? this.#firstPicture(wanted.seconds) : this.#firstSound(wanted.seconds)
    if (start === null) return
    const held = this.#held
    this.#held = []
    this.#sink = wanted.sink
    try {
      const startSample = this.#hasPicture ? undefined : Math.round(start.from * CAPTURE_SAMPLE_RATE)
      await this.#sink({ tracks, startSample })
      for (const fragment of cut(held, start.from, this.#hasPicture)) await this.#sink({ fragment })
      this.#begun.resolve({ seconds: start.from - (this.#zero ?? 0), pictures: start.pictures })
    } catch (error) {
      this.#begun.reject(error)
      throw error
    }
  }

  /** `from` is in the encoder's own time. */
  #firstPicture(seconds: number): { from: number; pictures: number } | null {
    let pictures = this.#droppedPictures
    for (const run of this.#held.flatMap(picturesOf)) {
      for (const { at, sample } of timesOf(run)) {
        if (sample.isKey && at - (this.#zero ?? 0) >= seconds) return { from: at, pictures }
        pictures++
      }
    }
    return null
  }

  #firstSound(seconds: number): { from: number; pictures: number } | null {
    const [first, last] = [this.#held[0], this.#held.at(-1)]
    if (first === undefined || last === undefined || endOf(last) <= seconds) return null
    return { from: Math.max(seconds, beginOf(first), 0), pictures: 0 }
  }
}

/** The pictures from `from` on and the sound that belongs to them, of which some may lie in fragments before. */
function cut(held: readonly Fragment[], from: number, hasPicture: boolean): Fragment[] {
  const soundFrom = from - (PACKETS_BEFORE * SAMPLES_PER_PACKET) / CAPTURE_SAMPLE_RATE
  const fragments: Fragment[] = []
  let early: Run[] = []
  for (const { runs, bytes } of held) {
    const kept = runs.flatMap((run) => cutRun(run, run.track.kind === 'video' ? from : soundFrom))
    // Sound has no place before the first picture is known.
    const isBegun = !hasPicture || fragments.length > 0 || kept.some(({ track }) => track.kind === 'video')
    early.push(...kept)
    if (!isBegun || early.length === 0) continue
    fragments.push({ runs: early, bytes })
    early = []
  }
  return fragments
}

function cutRun(run: Run, from: number): Run[] {
  let { decodeTime } = run
  let left = 0
  for (const { at, sample } of timesOf(run)) {
    if (at >= from) break
    decodeTime += sample.duration
    left++
  }
  return left === run.samples.length ? [] : [{ ...run, decodeTime, samples: run.samples.slice(left) }]
}

function* timesOf({ track, decodeTime, samples }: Run): Generator<{ at: number; sample: Sample }> {
  let ticks = decodeTime + track.shift
  for (const sample of samples) {
    yield { at: ticks / track.timescale, sample }
    ticks += sample.duration
  }
}

function picturesOf({ runs }: Fragment): Run[] {
  return runs.filter(({ track }) => track.kind === 'video')
}

function firstTime(runs: readonly Run[]): number | null {
  const [first] = runs
  return first === undefined ? null : (first.decodeTime + first.track.shift) / first.track.timescale
}

function beginOf({ runs }: Fragment): number {
  return Math.min(...runs.map(({ decodeTime, track }) => (decodeTime + track.shift) / track.timescale))
}

function endOf({ runs }: Fragment): number {
  return Math.max(
    ...runs.map(
      ({ decodeTime, samples, track }) =>
        (decodeTime + track.shift + samples.reduce((sum, { duration }) => sum + duration, 0)) / track.timescale,
    ),
  )
}
