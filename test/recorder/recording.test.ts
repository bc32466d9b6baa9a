import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FragmentReader } from '../../recorder/mp4/fragment-reader.ts'
import { indexBody } from '../../recorder/mp4/index-body.ts'
import { Recording } from '../../recorder/recording.ts'
import { type MadeUpSpan, madeUpSpan, readMovie } from '../media/made-up-spans.ts'
import { MemoryFile } from '../media/spans.ts'

const NEVER = new AbortController().signal
const PACKET_SECONDS = 1024 / 48_000

function open(hasPicture = true, file: ConstructorParameters<typeof MemoryFile>[1] = {}) {
  const files: MemoryFile[] = []
  const grow = async (start: ConstructorParameters<typeof MemoryFile>[0]) => {
    files.push(new MemoryFile(start, file))
    return files.at(-1)!
  }
  return { recording: new Recording({ hasPicture, framesPerSecond: 30, reserveSeconds: 600, grow }), files }
}

async function feed(recording: Recording, span: MadeUpSpan, pieceBytes = 500) {
  const append = recording.openSpan()
  const bytes = madeUpSpan(span)
  for (let at = 0; at < bytes.length; at += pieceBytes) await append(bytes.subarray(at, at + pieceBytes))
  return recording.closeSpan()
}

const farthest = (differences: number[]) => Math.max(0, ...differences.map(Math.abs))

/** The sound may be longer than its pictures, much shorter, or missing. */
const anySpan = fc.record({
  pictures: fc.integer({ min: 1, max: 80 }),
  packets: fc.integer({ min: 0, max: 140 }),
  pieceBytes: fc.integer({ min: 1, max: 3000 }),
})

test('each picture and each packet of any spans is in the file, as far from the beginning as it was recorded', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anySpan, { minLength: 1, maxLength: 5 }), async (spans) => {
      const { recording, files } = open()
      for (const [name, span] of spans.entries()) await feed(recording, { ...span, name: `${name}` }, span.pieceBytes)
      expect((await recording.finish(NEVER)).problem).toBeNull()
      const { video, audio } = readMovie(files[0]!.whole!)
      expect(readMovie(files[1]!.whole!)).toEqual({ video: [], audio })

      const pictures = spans.flatMap(({ pictures }, name) => Array.from({ length: pictures }, (_, n) => `${name}v${n}`))
      expect(video.map(({ contents }) => contents)).toEqual(pictures)
      expect(farthest(video.map(({ at }, place) => at - place / 30))).toBeLessThan(1e-6)
      // Sound without a hole: the first packet primes the decoder, and the last one ends with the pictures.
      expect(farthest(audio.map(({ at }, place) => at - (place - 1) * PACKET_SECONDS))).toBeLessThan(1e-6)
      expect(Math.abs(audio.length - 1 - pictures.length / 30 / PACKET_SECONDS)).toBeLessThanOrEqual(0.501)

      const heard = new Map(audio.map(({ contents, at }) => [contents, at]))
      let begin = 0
      for (const [name, { pictures, packets }] of spans.entries()) {
        const end = begin + pictures / 30
        const recorded = Array.from({ length: packets }, (_, packet) => ({
          at: begin + (packet - 1) * PACKET_SECONDS,
          inFile: heard.get(`${name}a${packet}`),
        })).slice(1)
        expect(farthest(recorded.map(({ at, inFile = at }) => inFile - at))).toBeLessThan(PACKET_SECONDS / 2 + 1e-6)
        // Sound after the last picture of a span is left out.
        const missing = recorded.filter(({ inFile }) => inFile === undefined)
        for (const { at } of missing.slice(0, 1)) expect(at).toBeGreaterThan(end - 2 * PACKET_SECONDS)
        begin = end
      }
    }),
    { numRuns: 30 },
  )
})

test('a hundred pauses move nothing', async () => {
  const { recording, files } = open()
  for (let pause = 0; pause < 100; pause++)
    await feed(recording, pause % 2 === 0 ? { pictures: 63, packets: 123 } : { pictures: 45, packets: 71 }, 4000)
  await recording.finish(NEVER)
  const { video, audio } = readMovie(files[0]!.whole!)
  const seconds = 50 * 2.1 + 50 * 1.5
  expect(video.at(-1)!.at).toBeCloseTo(seconds - 1 / 30, 3)
  expect(Math.abs(audio.at(-1)!.at + PACKET_SECONDS - seconds)).toBeLessThan(PACKET_SECONDS)
})

test('sound alone is one file, through a pause: only one packet primes the decoder', async () => {
  const { recording, files } = open(false)
  const media = [await feed(recording, { name: '1', packets: 95 }), await feed(recording, { name: '2', packets: 95 })]
  const finished = await recording.finish(NEVER)
  expect(finished.files.map(({ stored }) => stored.name)).toEqual(['audio.m4a'])
  expect(finished.files[0]!.durationSeconds).toBeCloseTo(media[0]!.seconds + media[1]!.seconds, 6)
  expect(readMovie(files[0]!.whole!).audio.map(({ contents }) => contents)).toEqual([
    ...Array.from({ length: 95 }, (_, packet) => `1a${packet}`),
    ...Array.from({ length: 94 }, (_, packet) => `2a${packet + 1}`),
  ])
})

test('any cut of a body plays to the end of its last whole fragment', async () => {
  const { recording, files } = open()
  await feed(recording, { pictures: 63, packets: 123 })
  await feed(recording, { name: 'b', pictures: 45, packets: 30 })
  await recording.finish(NEVER)
  const [{ start, body, pieces, whole }] = files as [MemoryFile]
  const expected = readMovie(whole!)
  const ends = pieces.map((_, count) => pieces.slice(0, count + 1).reduce((sum, { length }) => sum + length, 0))
  const recovered = async (left: Buffer, pieceBytes: number) => {
    const { wholeBytes, seconds, makeHead } = await indexBody(start.recoveryHead, inPieces(left, pieceBytes))
    const { video, audio } = readMovie(Buffer.concat([makeHead(null), left.subarray(0, wholeBytes)]))
    expect(seconds).toBeCloseTo(Math.max(video.length / 30, (audio.length - 1) * PACKET_SECONDS), 6)
    expect(video).toEqual(expected.video.slice(0, video.length))
    expect(audio).toEqual(expected.audio.slice(0, audio.length))
    return wholeBytes
  }
  const place = fc.integer({ min: ends[0]!, max: body.length })
  await fc.assert(
    fc.asyncProperty(place, fc.integer({ min: 1, max: 4000 }), async (at, pieceBytes) => {
      expect(await recovered(body.subarray(0, at), pieceBytes)).toBe(ends.findLast((end) => end <= at))
    }),
    {
      examples: ends.flatMap((end): [number, number][] =>
        end < body.length
          ? [
              [end, 1],
              [end + 1, 700],
            ]
          : [],
      ),
    },
  )
  // A place that was never written is zeros after a power cut.
  for (const end of ends)
    expect(await recovered(Buffer.concat([body.subarray(0, end), Buffer.alloc(9000)]), 700)).toBe(end)
  await expect(indexBody(start.recoveryHead, inPieces(body.subarray(0, 100), 10))).rejects.toThrow('not a single')
  await expect(indexBody(start.recoveryHead, inPieces(Buffer.alloc(5000), 10))).rejects.toThrow('no box')
})

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

test('a file that can no longer grow ends as what it had, with an index that is true', async () => {
  const { recording, files } = open(true, { failsFrom: 3, room: null })
  await expect(feed(recording, { pictures: 90, packets: 142 })).rejects.toThrow('no room for more')
  const media = await recording.closeSpan()
  expect(media.pictures).toBeGreaterThan(45)
  const { files: finished } = await recording.finish(NEVER)
  expect(finished[0]!.durationSeconds).toBeCloseTo(1.5, 1)
  expect(readMovie(files[0]!.whole!).video).toHaveLength(45)
})

test('an encoder that comes back with other settings ends the recording', async () => {
  const { recording } = open()
  await feed(recording, { pictures: 63, packets: 123 })
  await expect(feed(recording, { pictures: 30, packets: 40, settings: 'larger' })).rejects.toThrow('other settings')
})

test('a stream that is not a movie is distinguished from one that merely ends', () => {
  const reader = () => new FragmentReader({ header: () => {}, fragment: () => {} })
  expect(() => reader().push(Buffer.from('not a film, and long enough'))).toThrow('no box')
  expect(() => reader().push(Buffer.alloc(64))).toThrow('no box')
  const span = madeUpSpan({ pictures: 30, packets: 40 })
  const moof = span.indexOf('moof') - 4
  const cut = reader()
  cut.push(span.subarray(0, moof + 200))
  expect(cut.wholeBytes).toBe(moof)
  const headless = reader()
  expect(() => headless.push(span.subarray(moof))).toThrow('before its header')
})
