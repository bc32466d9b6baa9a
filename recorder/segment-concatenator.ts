/**
 * Makes one unbroken row of pictures and one of sound packets out of the spans between pauses. The times of each span
 * begin at zero.
 */

import { CAPTURE_SAMPLE_RATE } from '../packages/core/meeting/capture-sample-rate.ts'
import { PRIMING_PACKETS, SAMPLES_PER_PACKET, SILENT_PACKET } from './aac.ts'
import type { Fragment, Sample, Track } from './mp4/fragment-reader.ts'

export interface JoinedSamples {
  video: Sample[]
  audio: Sample[]
}

/** The pictures and sound that a span added to the files. */
export interface SpanMedia {
  /** By its pictures, or by its sound if there are none. */
  seconds: number
  pictures: number
  /** Samples of captured sound, and samples of silence put if there was none. */
  soundSamples: number
  filledSamples: number
}

const NO_MEDIA: SpanMedia = { seconds: 0, pictures: 0, soundSamples: 0, filledSamples: 0 }

interface WaitingPacket {
  /** In the whole recording. */
  position: number
  sample: Sample
}

/**
 * Pictures are the clock: a span's sound begins at the packet nearest to its first picture, off by 10.7 ms at most, and
 * never more with further spans, because each place is counted from the recording's beginning. Sound waits until there
 * are pictures for it; what runs past the last picture of a span is left out, a gap before the next is filled with
 * silence. Later spans lose their priming packet, whose place belongs to the span before.
 */
export class SegmentConcatenator {
  readonly #hasPicture: boolean
  #tracks: readonly Track[] | null = null
  #videoTicks = 0
  #packets = 0
  #waiting: WaitingPacket[] = []
  #span: { startSample: number; firstPictureSample: number | null; media: SpanMedia } | null = null

  constructor(hasPicture: boolean) {
    this.#hasPicture = hasPicture
  }

  /**
   * Begins a span with the tracks of its header; without pictures it begins at sample `startSample` of the span. Throws
   * where the tracks cannot continue in the same file.
   */
  begin(tracks: readonly Track[], startSample = 0): void {
    this.#tracks ??= tracks
    const first = this.#tracks
    const goesOn = tracks.length === first.length && tracks.every((track, index) => isSameKind(track, first[index]!))
    if (!goesOn) throw new Error('the encoder began again with other settings')
    // Of a span that never counted.
    this.#waiting = []
    this.#span = {
      startSample: this.#endSample(),
      firstPictureSample: this.#hasPicture ? null : startSample,
      media: { ...NO_MEDIA },
    }
  }

  append(fragment: Fragment): JoinedSamples {
    const span = this.#span
    if (span === null) throw new Error('a fragment comes before its header')
    const video: Sample[] = []
    for (const { track, decodeTime, samples } of fragment.runs) {
      if (track.kind !== 'video') continue
      span.firstPictureSample ??= toSamples(decodeTime + track.shift, track)
      for (const sample of samples) {
        video.push(sample)
        this.#videoTicks += sample.duration
      }
      span.media.pictures += samples.length
      span.media.seconds += samples.reduce((sum, { duration }) => sum + duration, 0) / track.timescale
    }
    for (const { track, decodeTime, samples } of fragment.runs) {
      if (track.kind !== 'audio') continue
      let ticks = decodeTime + track.shift
      for (const sample of samples) {
        const position = packetAt(span.startSample - (span.firstPictureSample ?? 0) + toSamples(ticks, track))
        // The last packet of a span says to be shorter than it is.
        this.#waiting.push({ position, sample: { ...sample, duration: SAMPLES_PER_PACKET } })
        ticks += sample.duration
      }
    }
    return { video, audio: this.#release(this.#hasPicture ? packetAt(this.#endSample()) : Number.POSITIVE_INFINITY) }
  }

  /** Ends a span, if one was begun; gives the silence that its pictures still need. */
  end(): { samples: JoinedSamples; media: SpanMedia } {
    const audio: Sample[] = []
    if (this.#span !== null && this.#hasPicture && this.#videoTicks > 0) this.#fill(audio, packetAt(this.#endSample()))
    const media = this.#span?.media ?? NO_MEDIA
    this.#waiting = []
    this.#span = null
    return { samples: { video: [], audio }, media }
  }

  #release(end: number): Sample[] {
    const audio: Sample[] = []
    const media = this.#span!.media
    while (this.#waiting.length > 0 && this.#waiting[0]!.position < end) {
      const { position, sample } = this.#waiting.shift()!
      if (position < this.#packets) continue
      this.#fill(audio, position)
      audio.push(sample)
      this.#packets++
      if (position < PRIMING_PACKETS) continue
      media.soundSamples += SAMPLES_PER_PACKET
      if (!this.#hasPicture) media.seconds += SAMPLES_PER_PACKET / CAPTURE_SAMPLE_RATE
    }
    return audio
  }

  /** Where the recording ends so far, in samples of sound. */
  #endSample(): number {
    if (!this.#hasPicture) return Math.max(0, this.#packets - PRIMING_PACKETS) * SAMPLES_PER_PACKET
    const video = this.#tracks?.find(({ kind }) => kind === 'video')
    return video === undefined ? 0 : toSamples(this.#videoTicks, video)
  }

  #fill(audio: Sample[], end: number): void {
    for (; this.#packets < end; this.#packets++) {
      audio.push(SILENT_PACKET)
      this.#span!.media.filledSamples += SAMPLES_PER_PACKET
    }
  }
}

function isSameKind(a: Track, b: Track): boolean {
  return a.kind === b.kind && a.timescale === b.timescale && a.description.equals(b.description)
}

function toSamples(ticks: number, { timescale }: Track): number {
  return (ticks * CAPTURE_SAMPLE_RATE) / timescale
}

function packetAt(sample: number): number {
  return Math.round(sample / SAMPLES_PER_PACKET) + PRIMING_PACKETS
}
