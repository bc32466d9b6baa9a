import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HeldSegment } from '../../recorder/held-segment.ts'
import { madeUpSpan, readMovie, type ShownSample } from '../media/made-up-spans.ts'
import { feedBytes, openRecording } from '../media/spans.ts'

const NEVER = new AbortController().signal
const PACKET_SECONDS = 1024 / 48_000
/** Of a picture that is a key: every sixth. */
const KEY_SECONDS = 6 / 30

/** Four seconds. */
const span = madeUpSpan({ pictures: 120, packets: 189, picturesBetweenKeys: 6 })
const contents = (samples: readonly ShownSample[]) => samples.map(({ contents }) => contents)
/** Of the pictures (`v`) or the packets (`a`) of the span from one place on. */
const numbered = (kind: 'v' | 'a', from: number, count: number) =>
  Array.from({ length: count }, (_, index) => `${kind}${from + index}`)

test('no part of a held segment reaches a file, and no file is begun', async () => {
  const { recording, files } = openRecording()
  const held = new HeldSegment(true)
  await feedBytes(held.append, span, 97)
  expect(held.seconds).toBeGreaterThan(3.9)
  await recording.closeSpan()
  expect((await recording.finish(NEVER)).files).toEqual([])
  expect(files).toEqual([])
})

test('from any moment to any other: from the first key picture on, and to the picture and the packet at the end', async () => {
  const moment = fc.double({ min: 0, max: 3.7, noNaN: true })
  await fc.assert(
    fc.asyncProperty(moment, moment, fc.nat(span.length), fc.boolean(), async (from, length, fedBefore, hasEnd) => {
      const { recording, files } = openRecording()
      const held = new HeldSegment(true)
      await feedBytes(held.append, span.subarray(0, fedBefore), 97)
      // A moment that has not come yet is waited for.
      const begun = held.begin(from, (part) => recording.takePart(part))
      await feedBytes(held.append, span.subarray(fedBefore), 97)
      const { seconds, pictures } = (await begun)!
      expect(pictures % 6).toBe(0)
      expect(seconds).toBeCloseTo(pictures / 30, 6)
      expect(seconds - from).toBeGreaterThan(-1e-6)
      expect(seconds - from).toBeLessThan(KEY_SECONDS + 1e-6)
      expect(await recording.closeSpan()).toMatchObject({
        pictures: 120 - pictures,
        seconds: expect.closeTo(4 - seconds, 6),
      })
      // An end behind the last picture cuts nothing.
      const end = hasEnd ? Math.min(Math.max(length, 0.05), 4 - seconds) : 4 - seconds
      recording.cutAt(hasEnd ? Math.max(length, 0.05) : 60)
      const { files: finished, problem } = await recording.finish(NEVER)
      expect(problem).toBeNull()
      expect(Math.abs(finished[0]!.durationSeconds - end)).toBeLessThan(0.034)
      expect(Math.abs(finished[1]!.durationSeconds - end)).toBeLessThan(1.6 * PACKET_SECONDS)
      const { video, audio } = readMovie(files[0]!.whole!)
      expect(contents(video)).toEqual(numbered('v', pictures, Math.floor(end * 30 + 0.001)))
      expect(video[0]).toMatchObject({ at: 0, isKey: true })
      // One packet primes the decoder, as in the whole.
      const first = Number(contents(audio)[0]!.slice(1))
      // The nearer one; of two that are as near, either.
      expect(Math.abs(first - seconds / PACKET_SECONDS)).toBeLessThan(0.5 + 1e-6)
      expect(contents(audio)).toEqual(numbered('a', first, audio.length))
      expect(audio[0]!.at).toBeCloseTo(-PACKET_SECONDS, 5)
    }),
  )
})

test('where the recording cannot be kept, the start says so', async () => {
  const held = new HeldSegment(true)
  await feedBytes(held.append, span, 97)
  const full = () => Promise.reject(new Error('the disk is full'))
  await expect(held.begin(1, full)).rejects.toThrow('full')
})

test('sound alone begins at its moment', async () => {
  const { recording, files } = openRecording({ hasPicture: false })
  const held = new HeldSegment(false)
  await feedBytes(held.append, madeUpSpan({ packets: 189 }), 97)
  const start = await held.begin(1.5, (part) => recording.takePart(part))
  expect(start).toEqual({ seconds: 1.5, pictures: 0 })
  const { seconds } = await recording.closeSpan()
  expect(Math.abs(seconds - 2.5)).toBeLessThan(2 * PACKET_SECONDS)
  await recording.finish(NEVER)
  const { audio } = readMovie(files[0]!.whole!)
  expect(contents(audio)).toEqual(numbered('a', 70, audio.length))
})
