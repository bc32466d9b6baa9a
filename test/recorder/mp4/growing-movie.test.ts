import { expect, test } from 'vitest'
import { children, descend } from '../../../recorder/mp4/boxes.ts'
import type { Fragment, Sample, Track } from '../../../recorder/mp4/fragment-reader.ts'
import { GrowingMovie } from '../../../recorder/mp4/growing-movie.ts'
import { reserveBytes } from '../../../recorder/mp4/reserve.ts'
import { madeUpTracks, PICTURE_TICKS, readIndex } from '../../media/made-up-spans.ts'

const tracks = madeUpTracks()
const perSecond = (kind: Track['kind']) => (kind === 'video' ? 30 : 48_000 / 1024)

/** A sample without any bytes behind it, so that files larger than the memory can be made up. */
function made(length: number, duration: number, isKey = true): Sample {
  return { data: { length } as Uint8Array, duration, isKey }
}

/** One fragment of half a second whose samples have the sizes that `size` says. */
function halfSecond(index: number, size: (sample: number) => number): Fragment {
  const pictures = Array.from({ length: 15 }, (_, i) => made(size(i), PICTURE_TICKS, i === 0 && index % 4 === 0))
  const packets = Array.from({ length: index % 2 === 0 ? 23 : 24 }, (_, i) => made(size(i + 15), 1024))
  let offset = 500
  const runs = [pictures, packets].map((samples, kind) => {
    const run = { track: tracks[kind]!, decodeTime: 0, samples, offset }
    offset += samples.reduce((sum, { data }) => sum + data.length, 0)
    return run
  })
  return { runs, bytes: offset }
}

function moovOf(head: Buffer): Buffer {
  return descend(head, 'moov')
}

test('an index has the position of each sample, with any sizes', () => {
  // Nothing, one byte, and a picture that is larger than everything else together.
  const sizes = [0, 1, 5_000_000, 37, 0, 1420]
  const movie = new GrowingMovie(tracks)
  const expected: number[][] = [[], []]
  for (let index = 0; index < 50; index++) {
    const size = (sample: number) => sizes[(sample + index) % sizes.length]!
    let place = movie.bytes + 500
    for (let sample = 0; sample < 15 + (index % 2 === 0 ? 23 : 24); sample++) {
      expected[sample < 15 ? 0 : 1]!.push(place)
      place += size(sample)
    }
    movie.add(halfSecond(index, size))
  }
  const head = movie.head(null)
  const [video, audio] = children(moovOf(head), 'trak').map(readIndex)
  for (const [kind, index] of [video!, audio!].entries())
    expect(index.places).toEqual(expected[kind]!.map((place) => place + head.length))
  expect(video!.keys).toEqual(Array.from({ length: 13 }, (_, index) => index * 60 + 1))
  expect(audio!.keys).toBeNull()
  expect(video!.durations).toEqual([[50 * 15, PICTURE_TICKS]])
  // The last box is the data, of all that was added.
  expect(head.toString('latin1', head.length - 12, head.length - 8)).toBe('mdat')
  expect(Number(head.readBigUInt64BE(head.length - 8))).toBe(movie.bytes + 16)
})

test('four hours of thirty pictures a second fit into the room that was reserved, and lie beyond 4 GiB', () => {
  const movie = new GrowingMovie(tracks)
  const kinds = [0, 1, 2, 3].map((index) => halfSecond(index, (sample) => (sample < 15 ? 20_000 : 340)))
  for (let index = 0; index < 4 * 3600 * 2; index++) movie.add(kinds[index % 4]!)
  expect(movie.bytes).toBeGreaterThan(2 ** 33)
  const room = reserveBytes(tracks, 4 * 3600, perSecond)
  const head = movie.head(room)
  expect(head.length).toBe(room)
  const moov = moovOf(head)
  expect(children(moov, 'mvex')).toEqual([])
  const [video, audio] = children(moov, 'trak').map(readIndex)
  expect([video!.sizes.length, audio!.sizes.length]).toEqual([432_000, 676_800])
  expect(audio!.places.at(-1)! + 340).toBe(room + movie.bytes)
  // Most of the room is needed, since it is sent and stored with every recording.
  expect(room).toBeLessThan(1.25 * movie.head(null).length)
})

test('a day has a whole index too', () => {
  const movie = new GrowingMovie(tracks)
  const kinds = [0, 1].map((index) => halfSecond(index, () => 100))
  for (let index = 0; index < 24 * 3600 * 2; index++) movie.add(kinds[index % 2]!)
  const [video] = children(moovOf(movie.head(null)), 'trak').map(readIndex)
  expect(video!.sizes).toHaveLength(24 * 3600 * 30)
})

test('fragments for which the room has no index stay behind the data, and are marked as fragments', () => {
  const movie = new GrowingMovie(tracks)
  const ends = [0]
  for (let index = 0; index < 1000; index++) {
    movie.add(halfSecond(index, () => 100))
    ends.push(movie.bytes)
  }
  const whole = movie.head(null).length
  const least = new GrowingMovie(tracks).recoveryHead().length + 200
  const covered: number[] = []
  for (const room of [least, 3000, 10_000, 50_000, whole - 1, whole + 7, whole + 8, whole + 9, whole + 100]) {
    const head = movie.head(room)
    expect(head.length).toBe(room)
    const data = Number(head.readBigUInt64BE(head.length - 8)) - 16
    const moov = moovOf(head)
    expect(children(moov, 'mvex')).toHaveLength(data === movie.bytes ? 0 : 1)
    const [video] = children(moov, 'trak').map(readIndex)
    // The index ends exactly where the data does.
    expect(data).toBe(ends[video!.sizes.length / 15])
    covered.push(data)
  }
  expect(covered.toSorted((a, b) => a - b)).toEqual(covered)
  expect(covered.at(-1)).toBe(movie.bytes)
  expect(covered[0]).toBeLessThan(movie.bytes / 100)
  expect(() => movie.head(400)).toThrow('not even')
})
