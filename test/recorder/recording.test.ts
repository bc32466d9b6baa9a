import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FragmentReader } from '../../recorder/mp4/fragment-reader.ts'
import { indexBody } from '../../recorder/mp4/index-body.ts'
import type { Recording } from '../../recorder/recording.ts'
import { type MadeUpSpan, madeUpSpan, readMovie } from '../media/made-up-spans.ts'
import { feedBytes, openRecording } from '../media/spans.ts'

const NEVER = new AbortController().signal
const PACKET_SECONDS = 1024 / 48_000

async function feed(recording: Recording, span: MadeUpSpan, pieceBytes = 500) {
  await feedBytes(recording.openSpan(), madeUpSpan(span), pieceBytes)
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
      const { recording, files } = openRecording()
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
  const { recording, files } = openRecording()
  for (let pause = 0; pause < 100; pause++)
    await feed(recording, pause % 2 === 0 ? { pictures: 63, packets: 123 } : { pictures: 45, packets: 71 }, 4000)
  await recording.finish(NEVER)
  const { video, audio } = readMovie(files[0]!.whole!)
  const seconds = 50 * 2.1 + 50 * 1.5
  expect(video.at(-1)!.at).toBeCloseTo(seconds - 1 / 30, 3)
  expect(Math.abs(audio.at(-1)!.at + PACKET_SECONDS - seconds)).toBeLessThan(PACKET_SECONDS)
})

test('sound alone is one file, through a pause: only one packet primes the decoder', async () => {
  const { recording, files } = openRecording({ hasPicture: false })
  const media = [await feed(recording, { name: '1', packets: 95 }), await feed(recording, { name: '2', packets: 95 })]
  const finished = await recording.finish(NEVER)
  expect(finished.files.map(({ stored }) => stored.name)).toEqual(['audio.m4a'])
  expect(finished.files[0]!.durationSeconds).toBeCloseTo(media[0]!.seconds + media[1]!.seconds, 6)
  expect(readMovie(files[0]!.whole!).audio.map(({ contents }) => contents)).toEqual([
    ...Array.from({ length: 95 }, (_, packet) => `1a${packet}`),
    ...Array.from({ length: 94 }, (_, packet) => `2a${packet + 1}`),
  ])
})

test('any cut of the fragments of any spans plays to the end of the last whole one', async () => {
  // Anywhere, or where a fragment ends; there zeros may follow, as where nothing was written before a power cut.
  const cut = fc.record({
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    isBetween: fc.boolean(),
    zeros: fc.nat(9000),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(anySpan, { minLength: 1, maxLength: 3 }),
      cut,
      async (spans, { share, isBetween, zeros }) => {
        const { recording, files } = openRecording()
        for (const span of spans) await feed(recording, span)
        await recording.finish(NEVER)
        const { start, body, pieces, whole } = files[0]!
        const ends = pieces.map((_, count) => pieces.slice(0, count + 1).reduce((sum, { length }) => sum + length, 0))
        const at = isBetween ? ends[Math.floor(share * (ends.length - 1))]! : Math.floor(share * body.length)
        const left = Buffer.concat([body.subarray(0, at), Buffer.alloc(isBetween ? zeros : 0)])
        const end = ends.findLast((end) => end <= at)
        const indexed = indexBody(start.recoveryHead, inPieces(left, spans[0]!.pieceBytes))
        if (end === undefined) {
          await expect(indexed).rejects.toThrow('not a single')
          return
        }
        const { wholeBytes, seconds, makeHead } = await indexed
        expect(wholeBytes).toBe(end)
        const { video, audio } = readMovie(Buffer.concat([makeHead(null), left.subarray(0, wholeBytes)]))
        expect(seconds).toBeCloseTo(Math.max(video.length / 30, (audio.length - 1) * PACKET_SECONDS), 6)
        const expected = readMovie(whole!)
        expect(video).toEqual(expected.video.slice(0, video.length))
        expect(audio).toEqual(expected.audio.slice(0, audio.length))
      },
    ),
  )
  const head = madeUpSpan({ packets: 0 })
  await expect(indexBody(head, inPieces(Buffer.alloc(5000), 10))).rejects.toThrow('no box')
})

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

test('a file that can no longer grow ends as what it had, with an index that is true', async () => {
  const { recording, files } = openRecording({ failsFrom: 3, room: null })
  await expect(feed(recording, { pictures: 90, packets: 142 })).rejects.toThrow('no room for more')
  const media = await recording.closeSpan()
  expect(media.pictures).toBeGreaterThan(45)
  const { files: finished } = await recording.finish(NEVER)
  expect(finished[0]!.durationSeconds).toBeCloseTo(1.5, 1)
  expect(readMovie(files[0]!.whole!).video).toHaveLength(45)
})

test('an encoder that comes back with other settings ends the recording', async () => {
  const { recording } = openRecording()
  await feed(recording, { pictures: 63, packets: 123 })
  await expect(feed(recording, { pictures: 30, packets: 40, settings: 'larger' })).rejects.toThrow('other settings')
})

test('a stream that is not a movie is distinguished from one that merely ends', () => {
  const reader = () => new FragmentReader({ header: () => {}, fragment: () => {} })
  expect(() => reader().push(Buffer.from('not a film, and long enough'))).toThrow('no box')
  expect(() => reader().push(Buffer.alloc(64))).toThrow('no box')
  const span = madeUpSpan({ pictures: 30, packets: 40 })
  const moof = span.indexOf('moof') - 4
  reader().push(span.subarray(0, moof + 200))
  expect(() => reader().push(span.subarray(moof))).toThrow('before its header')
})
