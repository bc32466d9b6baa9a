/**
 * The samples of one track as the index of a file needs them, in a few bytes each (ISO/IEC 14496-12, 8.6 and 8.7): four
 * hours of pictures at 30 a second take 2 MB.
 */
import { fullBox, u32 } from './boxes.ts'
import type { Sample } from './fragment-reader.ts'
import { NumberList } from './number-list.ts'

export class SampleTable {
  readonly #sizes = new NumberList('u32')
  /** Numbers, from 1, of the samples that can be decoded without others. */
  readonly #keys = new NumberList('u32')
  /** For each stretch of samples of one duration: the duration, and the number of its last sample. */
  readonly #durations = new NumberList('u32')
  readonly #durationEnds = new NumberList('u32')
  /** For each chunk its place in the body, and the number of its last sample. */
  readonly #chunkOffsets = new NumberList('f64')
  readonly #chunkEnds = new NumberList('u32')
  #ticks = 0

  get samples(): number {
    return this.#sizes.length
  }

  /** Length of all samples together. */
  get ticks(): number {
    return this.#ticks
  }

  /** Adds samples that lie behind each other from `offset` of the body on: one chunk. */
  add(samples: readonly Sample[], offset: number): void {
    if (samples.length === 0) return
    for (const { data, duration, isKey } of samples) {
      this.#sizes.push(data.length)
      if (isKey) this.#keys.push(this.samples)
      const last = this.#durations.length - 1
      if (last >= 0 && this.#durations.at(last) === duration) this.#durationEnds.setLast(this.samples)
      else {
        this.#durations.push(duration)
        this.#durationEnds.push(this.samples)
      }
      this.#ticks += duration
    }
    this.#chunkOffsets.push(offset)
    this.#chunkEnds.push(this.samples)
  }

  /** Length of the first samples. */
  ticksOf(samples: number): number {
    let ticks = 0
    this.#eachDuration(samples, (count, duration) => {
      ticks += count * duration
    })
    return ticks
  }

  /** How many of the first samples are over by this tick. */
  samplesBy(tick: number): number {
    let samples = 0
    let left = tick
    this.#eachDuration(this.samples, (count, duration) => {
      const fits = duration === 0 ? count : Math.max(0, Math.min(count, Math.floor(left / duration)))
      samples += fits
      left = fits === count ? left - count * duration : 0
    })
    return samples
  }

  /**
   * The boxes that index the first samples, for a body that begins at `bodyOffset` of the file.
   * Keys are listed only where some samples are none.
   */
  boxes(samples: number, bodyOffset: number): Buffer[] {
    const whole = this.#chunkEnds.countUpTo(samples)
    // Of a chunk that is cut, the first samples.
    const chunks = whole > 0 && this.#chunkEnds.at(whole - 1) === samples ? whole : samples === 0 ? 0 : whole + 1
    const keys = this.#keys.countUpTo(samples)
    const durations: number[] = []
    this.#eachDuration(samples, (count, duration) => durations.push(count, duration))
    return [
      fullBox('stts', 0, 0, u32(durations.length / 2), words(durations)),
      ...(keys === samples ? [] : [fullBox('stss', 0, 0, u32(keys), packed(this.#keys, keys))]),
      this.#patterns(chunks, samples),
      fullBox('stsz', 0, 0, u32(0, samples), packed(this.#sizes, samples)),
      fullBox('co64', 0, 0, u32(chunks), this.#places(chunks, bodyOffset)),
    ]
  }

  #eachDuration(samples: number, visit: (count: number, duration: number) => void): void {
    for (let index = 0, from = 0; index < this.#durations.length && from < samples; index++) {
      const end = Math.min(samples, this.#durationEnds.at(index))
      visit(end - from, this.#durations.at(index))
      from = end
    }
  }

  /** `stsc`: from which chunk on chunks have how many samples. */
  #patterns(chunks: number, samples: number): Buffer {
    const entries: number[] = []
    for (let index = 0, from = 0, last = -1; index < chunks; index++) {
      const end = Math.min(samples, this.#chunkEnds.at(index))
      if (end - from !== last) entries.push(index + 1, end - from, 1)
      last = end - from
      from = end
    }
    return fullBox('stsc', 0, 0, u32(entries.length / 3), words(entries))
  }

  #places(chunks: number, bodyOffset: number): Buffer {
    const places = Buffer.alloc(chunks * 8)
    for (let index = 0; index < chunks; index++) {
      places.writeBigUInt64BE(BigInt(this.#chunkOffsets.at(index) + bodyOffset), index * 8)
    }
    return places
  }
}

const packed = (numbers: NumberList, count: number) => wordsOf((index) => numbers.at(index), count)

/** Of a long recording they are too many to be the arguments of a function. */
const words = (numbers: readonly number[]) => wordsOf((index) => numbers[index]!, numbers.length)

function wordsOf(at: (index: number) => number, count: number): Buffer {
  const buffer = Buffer.alloc(count * 4)
  for (let index = 0; index < count; index++) buffer.writeUInt32BE(at(index), index * 4)
  return buffer
}
