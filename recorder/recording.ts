/** The files of one recording, which grow as ffmpeg's output arrives and are whole soon after it ends. */

import { toError } from '@standin/wire/text/error-text.ts'
import { CAPTURE_SAMPLE_RATE } from '../packages/core/meeting/capture-sample-rate.ts'
import type { FinishedRecording, GrowingFile, GrowingStart } from '../packages/core/recording.ts'
import { PRIMING_PACKETS, SAMPLES_PER_PACKET } from './aac.ts'
import type { SegmentPart } from './held-segment.ts'
import { FragmentReader, type Track } from './mp4/fragment-reader.ts'
import { GrowingMovie } from './mp4/growing-movie.ts'
import { reserveBytes } from './mp4/reserve.ts'
import { type JoinedSamples, SegmentConcatenator, type SpanMedia } from './segment-concatenator.ts'

export type Grow = (file: GrowingStart) => Promise<GrowingFile>

interface MediaFile {
  name: string
  movie: GrowingMovie
  file: GrowingFile
}

/** There is a separate sound file beside the video too: the same packets, encoded once. */
const FILES = {
  video: { name: 'video.mp4', contentType: 'video/mp4', kinds: ['video', 'audio'] },
  audio: { name: 'audio.m4a', contentType: 'audio/mp4', kinds: ['audio'] },
} as const

export class Recording {
  readonly #grow: Grow
  readonly #hasPicture: boolean
  readonly #framesPerSecond: number
  readonly #reserveSeconds: number
  readonly #joiner: SegmentConcatenator
  #files: MediaFile[] = []

  /** There is room for the index of `reserveSeconds`; what is recorded beyond them plays as well, after the index. */
  constructor(options: { grow: Grow; hasPicture: boolean; framesPerSecond: number; reserveSeconds: number }) {
    this.#grow = options.grow
    this.#hasPicture = options.hasPicture
    this.#framesPerSecond = options.framesPerSecond
    this.#reserveSeconds = options.reserveSeconds
    this.#joiner = new SegmentConcatenator(options.hasPicture)
  }

  /** Of the file that matters most. */
  get bytes(): number {
    return this.#files[0]?.movie.bytes ?? 0
  }

  /**
   * Takes the output of one ffmpeg, piece by piece; resolves when the operating system has what became whole. Rejects
   * where it is no such output or can no longer be kept.
   */
  openSpan(): (bytes: Uint8Array) => Promise<void> {
    const arrived: SegmentPart[] = []
    const reader = new FragmentReader({
      header: (tracks) => arrived.push({ tracks }),
      fragment: (fragment) => arrived.push({ fragment }),
    })
    return async (bytes) => {
      reader.push(bytes)
      for (const part of arrived.splice(0)) await this.takePart(part)
    }
  }

  /** Takes what `openSpan` would have read, one after the other: the tracks begin a span. Rejects likewise. */
  async takePart(part: SegmentPart): Promise<void> {
    if ('tracks' in part) {
      this.#joiner.begin(part.tracks, part.startSample)
      if (this.#files.length === 0) await this.#openFiles(part.tracks)
    } else await this.#append(this.#joiner.append(part.fragment))
  }

  /** Completes the span whose ffmpeg has ended, with silence where sound is missing. Never rejects. */
  async closeSpan(): Promise<SpanMedia> {
    const { samples, media } = this.#joiner.end()
    await this.#append(samples).catch(() => {
      // Files that can no longer grow have said so, and stay as they are.
    })
    return media
  }

  /** Ends the files at this second of the recording, if they are longer. To be called before `finish`. */
  cutAt(seconds: number): void {
    for (const { movie } of this.#files) movie.cutAt(seconds)
  }

  /** Repeatable after a problem: what is finished stays so. Never rejects. */
  async finish(signal: AbortSignal): Promise<FinishedRecording> {
    const finished: FinishedRecording = { files: [], problem: null }
    const results = await Promise.allSettled(
      this.#files
        .filter(({ movie }) => movie.bytes > 0)
        .map(async ({ movie, file }) => ({
          stored: await file.finish((room) => movie.head(room), signal),
          durationSeconds: movie.seconds,
        })),
    )
    for (const result of results) {
      if (result.status === 'fulfilled') finished.files.push(result.value)
      else finished.problem ??= toError(result.reason)
    }
    return finished
  }

  /** Unfinished files stay for recovery. Repeatable, never rejects. */
  async close(): Promise<void> {
    await Promise.all(this.#files.map(({ file }) => file.close()))
  }

  async #openFiles(tracks: readonly Track[]): Promise<void> {
    for (const { name, contentType, kinds } of this.#hasPicture ? [FILES.video, FILES.audio] : [FILES.audio]) {
      const own = tracks.filter(({ kind }) => (kinds as readonly string[]).includes(kind)).map(joined)
      if (own.length !== kinds.length) throw new Error(`the encoder does not give what ${name} is made of`)
      const movie = new GrowingMovie(own)
      const headBytes = reserveBytes(own, this.#reserveSeconds, (kind) =>
        kind === 'video' ? this.#framesPerSecond : CAPTURE_SAMPLE_RATE / SAMPLES_PER_PACKET,
      )
      const file = await this.#grow({ name, contentType, headBytes, recoveryHead: movie.recoveryHead() })
      this.#files.push({ name, movie, file })
    }
  }

  /** A piece that could not be kept is not in the index. Where one file cannot grow, the other has its piece first. */
  async #append(samples: JoinedSamples): Promise<void> {
    const results = await Promise.allSettled(
      this.#files.map(async ({ movie, file }) => {
        const piece = movie.compose((kind) => samples[kind])
        if (piece === null) return
        await file.append(piece.bytes)
        movie.add(piece.fragment)
      }),
    )
    const failed = results.find((result) => result.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }
}

/** Joined pictures begin at zero, joined sound with what primes its decoder. */
function joined(track: Track): Track {
  return { ...track, shift: track.kind === 'audio' ? -PRIMING_PACKETS * SAMPLES_PER_PACKET : 0 }
}
