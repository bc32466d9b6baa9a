import { access, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type Measurement, measure, pictureClockAfterSeek } from '../media/probe.ts'
import { childrenOf, setUpStage, type TestStage, until } from '../media/stage.ts'
import { pictureAgeMs, wallClockAt } from '../media/wall-clock.ts'

/** What the design promises. */
const SYNC_MS = 40
/** A picture is looked at once a frame, and its clock steps every 10 ms; the rest is for a busy machine. */
const PICTURE_AGE_MS = 80

const stages: TestStage[] = []
async function open(options: Parameters<typeof setUpStage>[0] = {}): Promise<TestStage> {
  const opened = await setUpStage(options)
  stages.push(opened)
  return opened
}

afterEach(async () => {
  for (const opened of stages.splice(0)) await opened.close()
  for (const program of ['ffmpeg', 'Xvfb', 'pulseaudio']) expect(await childrenOf(process.pid, program)).toEqual([])
})

/** Pairs whose beep and flash both lie well inside a span; a pause may cut a beep in two. */
function wholePairs(measured: Measurement, lengths: readonly number[]) {
  let end = 0
  const seams = [0, ...lengths.map((length) => (end += length))]
  return measured.pairs.filter(({ flash, beep }) =>
    seams.every((seam) => Math.min(Math.abs(flash - seam), Math.abs(beep - seam)) > 0.2),
  )
}

test('a recording with two pauses keeps sound and picture together and nothing of the paused time', async () => {
  const { recorder, source, folder, complaints, recorded, events } = await open()
  await recorder.start()
  await recorded(5.3)
  for (const total of [9.8, 15]) {
    await recorder.pause()
    const writtenBytes = events.length
    // A flash passes unseen.
    const flashes = source.flashes.length
    await until(() => source.flashes.length > flashes)
    expect(events.slice(writtenBytes).filter((event) => event.type === 'progress')).toEqual([])
    await recorder.resume()
    await recorded(total)
  }
  const files = await recorder.finish()
  const spans = recorder.spans()

  expect(complaints).toEqual([])
  expect(files.map(({ name }) => name)).toEqual(['video.mp4', 'audio.m4a'])
  expect((await readdir(folder)).sort()).toEqual(['audio.m4a', 'video.mp4', 'work'])
  const measured = await measure(join(folder, 'video.mp4'))
  const video = measured.video!
  expect({ ...video, clock: null, flashes: null, repeated: null }).toMatchObject({
    codec: 'h264',
    width: 1280,
    height: 720,
  })
  expect(measured).toMatchObject({ isIndexFirst: true, audio: { codec: 'aac', firstSample: 0 } })

  // Constant frame rate across the seams, and as long as the spans say to the frame.
  expect(video.longestFrame).toBeCloseTo(1 / 30, 4)
  expect(video.shortestFrame).toBeCloseTo(1 / 30, 4)
  expect(spans).toHaveLength(3)
  const lengths = spans.map((span) => (span.endedAt! - span.startedAt) / 1000)
  const total = lengths.reduce((sum, length) => sum + length, 0)
  expect(Math.abs(video.frames / 30 - total)).toBeLessThan(0.01)
  expect(Math.abs(measured.audio.seconds - total)).toBeLessThan(0.25)

  const pairs = wholePairs(measured, lengths)
  expect(pairs.length).toBeGreaterThanOrEqual(4)
  const offsets = pairs.map(({ offsetMs }) => offsetMs)
  console.log('sound after picture, ms:', offsets.map((offset) => offset.toFixed(1)).join(' '))
  expect(Math.max(...offsets.map(Math.abs))).toBeLessThan(SYNC_MS)

  // Every picture is what stood on the display at that instant, the first one included, and none is of a pause.
  const ages = video.clock
    .map(({ seconds, shownMs }) => pictureAgeMs(wallClockAt(spans, seconds), shownMs))
    .sort((a, b) => a - b)
  console.log(
    'picture age, ms: median',
    ages[Math.floor(ages.length / 2)]?.toFixed(1),
    'worst',
    ages.at(-1)?.toFixed(1),
  )
  expect(ages[Math.floor(ages.length / 2)]).toBeLessThan(SYNC_MS)
  expect(ages[Math.floor(ages.length * 0.95)]).toBeLessThan(PICTURE_AGE_MS)
  expect(pictureAgeMs(spans[0]!.startedAt, video.clock[0]!.shownMs)).toBeLessThan(PICTURE_AGE_MS)

  // A player that seeks shows the picture of that second, before and after a seam.
  for (const seconds of [0, 3.5, lengths[0]! + 2, total - 1]) {
    const index = Math.ceil(Math.round(seconds * 3000) / 100)
    expect(await pictureClockAfterSeek(join(folder, 'video.mp4'), index / 30 - 0.001)).toBe(video.clock[index]!.shownMs)
  }

  const sound = await measure(join(folder, 'audio.m4a'))
  expect(sound.video).toBeNull()
  expect(sound.isIndexFirst).toBe(true)
  expect(sound.audio.beeps.map((at) => at.toFixed(3))).toEqual(measured.audio.beeps.map((at) => at.toFixed(3)))
})

test('nothing of the first second is lost, neither sound nor picture', async () => {
  const { recorder, source, folder, recorded } = await open({ framesPerSecond: 25 })
  const before = source.flashes.length
  await until(() => source.flashes.length > before)
  // Half a second before the next flash, so that it falls into the first second.
  await until(() => Date.now() >= source.flashes.at(-1)! + 1_500)
  await recorder.start()
  await recorded(3)
  await recorder.finish()
  const [span] = recorder.spans()
  const measured = await measure(join(folder, 'video.mp4'))
  const truth = source.flashes.find((at) => at > span!.startedAt)!
  const expected = (truth - span!.startedAt) / 1000
  expect(expected).toBeLessThan(1)
  expect(Math.abs(measured.video!.flashes[0]! - expected)).toBeLessThan(0.1)
  expect(Math.abs(measured.audio.beeps[0]! - expected)).toBeLessThan(0.1)
  expect(measured.video!.longestFrame).toBeCloseTo(1 / 25, 4)
})

test('sound alone is recorded without a display server, through a pause', async () => {
  const { recorder, stage, source, folder, recorded, complaints } = await open({ mode: 'audio_only' })
  expect(stage.display).toBeNull()
  expect(await childrenOf(process.pid, 'Xvfb')).toEqual([])
  await recorder.start()
  await recorded(4.5)
  await recorder.pause()
  await recorder.resume()
  await recorded(9)
  const files = await recorder.finish()
  expect(complaints).toEqual([])
  expect(files.map(({ name }) => name)).toEqual(['audio.m4a'])
  const measured = await measure(join(folder, 'audio.m4a'))
  expect(measured).toMatchObject({ video: null, isIndexFirst: true, audio: { codec: 'aac', firstSample: 0 } })
  const spans = recorder.spans()
  const total = spans.reduce((sum, span) => sum + (span.endedAt! - span.startedAt) / 1000, 0)
  expect(Math.abs(measured.audio.seconds - total)).toBeLessThan(0.05)
  expect(measured.audio.beeps.length).toBeGreaterThanOrEqual(3)
  expect(source.flashes).toEqual([])
})

test('silence and sound are told as they change', async () => {
  const { recorder, source, events, recorded } = await open({ limits: { silenceMs: 2_500 } })
  const told = () => events.flatMap((event) => (event.type === 'sound' ? [event.isAudible] : []))
  await recorder.start()
  await until(() => told().length === 1)
  source.mute(true)
  await until(() => told().length === 2)
  source.mute(false)
  await until(() => told().length === 3)
  await recorded(1)
  await recorder.finish()
  expect(told()).toEqual([true, false, true])
})

test('finishing without a recording gives no files, and every operation may be repeated', async () => {
  const { recorder, folder } = await open({ mode: 'audio_only' })
  const again = await recorder.prepare(new AbortController().signal)
  expect(again.pulseSink).toBe('meeting')
  await recorder.pause()
  expect(await recorder.finish()).toEqual([])
  expect(await recorder.finish()).toEqual([])
  expect(recorder.spans()).toEqual([])
  await expect(recorder.start()).rejects.toThrow('finished')
  await recorder.close()
  await recorder.close()
  await expect(access(join(folder, 'work'))).rejects.toThrow()
})

test('closing in the middle of a start ends it and leaves no process', async () => {
  const { recorder } = await open()
  const starting = recorder.start()
  const outcome = expect(starting).rejects.toThrow('closed')
  await until(async () => (await childrenOf(process.pid, 'ffmpeg')).length > 0)
  await recorder.close()
  await outcome
})
