import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { closeEnvironments, setUpEnvironment, until } from '../media/capture-environment.ts'
import { measure, pictureClockAfterSeek } from '../media/probe.ts'
import { pictureAgeMs, spanTimings } from '../media/wall-clock.ts'

/** The promise of the design. */
const SYNC_MS = 40
/** The first picture is the present one; a busy machine paints late, but never a pause late. */
const FIRST_PICTURE_AGE_MS = 500

afterEach(closeEnvironments)

test('a recording with two pauses keeps sound and picture in sync and contains no part of the paused time', async () => {
  const { recorder, source, folder, complaints, recorded, events, finish } = await setUpEnvironment()
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
  const files = await finish()
  const spans = recorder.spans()

  expect(complaints).toEqual([])
  expect(files).toEqual(['video.mp4', 'audio.m4a'])
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

  // Against the truth of the source: the sound is delayed by half a frame, because the next look at the display is as
  // far away on average.
  for (const { pictureMs, soundMs, beeps } of spanTimings(measured, spans, source)) {
    console.log(`picture ${pictureMs.toFixed(1)} ms late, sound ${soundMs.toFixed(1)} ms late, ${beeps} beeps`)
    expect(beeps).toBeGreaterThanOrEqual(1)
    expect(Math.abs(pictureMs)).toBeLessThan(SYNC_MS)
    expect(Math.abs(soundMs - pictureMs - 500 / 30)).toBeLessThan(SYNC_MS)
  }
  console.log('beep after flash, ms:', measured.pairs.map(({ offsetMs }) => offsetMs.toFixed(1)).join(' '))
  expect(Math.abs(measured.medianOffsetMs)).toBeLessThan(SYNC_MS)
  const first = pictureAgeMs(spans[0]!.startedAt, video.clock[0]!.shownMs)
  expect(Math.abs(first)).toBeLessThan(FIRST_PICTURE_AGE_MS)

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

test('no part of the first second is lost, neither sound nor picture', async () => {
  // A beat and a flash in every second, whenever the recording begins.
  const { recorder, source, folder, recorded, finish } = await setUpEnvironment({
    framesPerSecond: 25,
    periodSeconds: 0.8,
  })
  await recorder.start()
  await recorded(3)
  await finish()
  const [span] = recorder.spans()
  const measured = await measure(join(folder, 'video.mp4'))
  // The first beat that begins after the recording does: the middle between two beats is half a period later.
  const expected = (source.beatNear(span!.startedAt + 450) - span!.startedAt) / 1000
  const nearest = (times: readonly number[]) =>
    times.reduce((best, at) => (Math.abs(at - expected) < Math.abs(best - expected) ? at : best))
  const flash = nearest(measured.video!.flashes)
  const beep = nearest(measured.audio.beeps)
  console.log(`beat expected at ${expected.toFixed(3)} s, flash at ${flash.toFixed(3)} s, beep at ${beep.toFixed(3)} s`)
  expect(expected).toBeGreaterThan(0)
  expect(expected).toBeLessThan(1)
  expect(Math.abs(beep - expected)).toBeLessThan(0.1)
  expect(Math.abs(flash - expected)).toBeLessThan(0.3)
  expect(measured.video!.longestFrame).toBeCloseTo(1 / 25, 4)
})
