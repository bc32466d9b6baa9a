import { expect, test } from 'vitest'
import { HeldSegment } from '../../recorder/held-segment.ts'
import { Recording } from '../../recorder/recording.ts'
import { madeUpSpan, readMovie, type ShownSample } from '../media/made-up-spans.ts'
import { MemoryFile } from '../media/spans.ts'

const NEVER = new AbortController().signal
const PACKET_SECONDS = 1024 / 48_000

/** Four seconds; every sixth picture is a key. */
const span = madeUpSpan({ pictures: 120, packets: 189, picturesBetweenKeys: 6 })
const sound = madeUpSpan({ packets: 189 })

function open(hasPicture = true) {
  const files: MemoryFile[] = []
  const grow = async (start: ConstructorParameters<typeof MemoryFile>[0]) => {
    files.push(new MemoryFile(start))
    return files.at(-1)!
  }
  const recording = new Recording({ hasPicture, framesPerSecond: 30, reserveSeconds: 60, grow })
  return { recording, files }
}

async function feed(append: (bytes: Uint8Array) => Promise<void>, bytes: Buffer, from = 0, to = bytes.length) {
  for (let at = from; at < to; at += 97) await append(bytes.subarray(at, Math.min(to, at + 97)))
}

function read(file: MemoryFile): { pictures: ShownSample[]; sounds: ShownSample[] } {
  const { video, audio } = readMovie(file.whole!)
  return { pictures: video, sounds: audio }
}

const contents = (samples: readonly ShownSample[]) => samples.map(({ contents }) => contents)
/** Of the pictures (`v`) or the packets (`a`) of the span from one place on. */
const numbered = (kind: 'v' | 'a', from: number, count: number) =>
  Array.from({ length: count }, (_, index) => `${kind}${from + index}`)

test('no part of a held segment reaches a file, and no file is begun', async () => {
  const { recording, files } = open()
  const held = new HeldSegment(true)
  await feed(held.append, span)
  expect(held.seconds).toBeGreaterThan(3.9)
  await recording.closeSpan()
  expect((await recording.finish(NEVER)).files).toEqual([])
  expect(files).toEqual([])
})

test('a held span begins at the first key picture from the moment on, with the sound that belongs to it', async () => {
  const { recording, files } = open()
  const held = new HeldSegment(true)
  const middle = span.length >> 1
  await feed(held.append, span, 0, middle)
  const start = await held.begin(0.93, (part) => recording.takePart(part))
  expect(start).toEqual({ seconds: expect.closeTo(1, 6), pictures: 30 })
  await feed(held.append, span, middle)
  const media = await recording.closeSpan()
  expect(media).toMatchObject({ pictures: 90, seconds: expect.closeTo(3, 6) })
  await recording.finish(NEVER)
  const { pictures, sounds } = read(files[0]!)
  expect(contents(pictures)).toEqual(numbered('v', 30, 90))
  expect(pictures[0]).toMatchObject({ at: 0, isKey: true })
  // 46.9 packets lie before the first second; one more primes the decoder, as in the whole.
  expect(contents(sounds)).toEqual(numbered('a', 47, sounds.length))
  expect(sounds[0]!.at).toBeCloseTo(-PACKET_SECONDS, 5)
  expect(sounds.at(-1)!.at).toBeGreaterThan(2.9)
})

test('a moment that has not come yet is waited for', async () => {
  const { recording, files } = open()
  const held = new HeldSegment(true)
  await feed(held.append, span, 0, span.length >> 2)
  let isBegun = false
  const begun = held
    .begin(2.5, (part) => recording.takePart(part))
    .then((start) => {
      isBegun = true
      return start
    })
  await new Promise((resolve) => setImmediate(resolve))
  expect([isBegun, files.length]).toEqual([false, 0])
  await feed(held.append, span, span.length >> 2)
  expect(await begun).toEqual({ seconds: expect.closeTo(2.6, 6), pictures: 78 })
})

test('where the recording cannot be kept, the start says so', async () => {
  const held = new HeldSegment(true)
  await feed(held.append, span)
  const full = () => Promise.reject(new Error('the disk is full'))
  await expect(held.begin(1, full)).rejects.toThrow('full')
})

test('sound alone begins at its moment', async () => {
  const { recording, files } = open(false)
  const held = new HeldSegment(false)
  await feed(held.append, sound)
  const start = await held.begin(1.5, (part) => recording.takePart(part))
  expect(start).toEqual({ seconds: 1.5, pictures: 0 })
  const { seconds } = await recording.closeSpan()
  expect(Math.abs(seconds - 2.5)).toBeLessThan(2 * PACKET_SECONDS)
  await recording.finish(NEVER)
  const { sounds } = read(files[0]!)
  expect(contents(sounds)).toEqual(numbered('a', 70, sounds.length))
})

test('the files end where the meeting did, to the picture and to the packet, and their index does not contain the rest', async () => {
  for (const at of [0.1, 1.26, 3.95]) {
    const { recording, files } = open()
    await feed(recording.openSpan(), span)
    await recording.closeSpan()
    recording.cutAt(at)
    const { files: finished, problem } = await recording.finish(NEVER)
    expect(problem).toBeNull()
    expect(Math.abs(finished[0]!.durationSeconds - at)).toBeLessThan(0.034)
    expect(Math.abs(finished[1]!.durationSeconds - at)).toBeLessThan(PACKET_SECONDS)
    const { pictures, sounds } = read(files[0]!)
    expect(contents(pictures)).toEqual(numbered('v', 0, Math.floor(at * 30 + 0.001)))
    expect(contents(sounds)).toEqual(numbered('a', 0, sounds.length))
  }
})

test('an end behind the last picture cuts nothing', async () => {
  const { recording } = open()
  await feed(recording.openSpan(), span)
  await recording.closeSpan()
  recording.cutAt(60)
  const { files } = await recording.finish(NEVER)
  expect(files[0]!.durationSeconds).toBeCloseTo(4, 1)
})
