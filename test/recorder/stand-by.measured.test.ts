import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import {
  childrenOf,
  closeEnvironments,
  setUpEnvironment,
  type TestEnvironment,
  until,
} from '../media/capture-environment.ts'
import { measure } from '../media/probe.ts'

/** From the start of the encoder; the recording begins two seconds before the end of it. */
const STOOD_BY_MS = 4_500

afterEach(closeEnvironments)

async function standingBy(options: Parameters<typeof setUpEnvironment>[0] = {}): Promise<TestEnvironment> {
  const opened = await setUpEnvironment({ framesPerSecond: 25, periodSeconds: 0.8, ...options })
  opened.recorder.standBy(() => true)
  await until(async () => (await childrenOf(process.pid, 'ffmpeg')).length === 1)
  return opened
}

test('a recording begins in the past, continues through a pause, and ends in the past', async () => {
  const { recorder, source, folder, recorded, finish, complaints, events } = await standingBy()
  await sleep(STOOD_BY_MS)
  expect(recorder.spans()).toEqual([])
  expect(events.filter(({ type }) => type === 'progress')).toEqual([])
  // Nothing that stands by is in any file.
  expect(await readdir(folder)).toEqual(['work'])
  const from = Date.now() - 2000
  await recorder.start(from)
  const [first] = recorder.spans()
  expect(first!.startedAt).toBeGreaterThanOrEqual(from)
  expect(first!.startedAt).toBeLessThan(from + 250)
  await recorded(5)
  await recorder.pause()
  await recorder.resume()
  await recorded(9)
  const until = recorder.spans()[1]!.startedAt + 2000
  await recorder.finish(new AbortController().signal, until)
  await finish()
  const spans = recorder.spans()
  expect(spans[1]!.endedAt).toBe(until)
  expect(complaints).toEqual([])
  const measured = await measure(join(folder, 'video.mp4'))
  const seconds = spans.reduce((sum, { startedAt, endedAt }) => sum + (endedAt! - startedAt) / 1000, 0)
  expect(Math.abs(measured.video!.frames / 25 - seconds)).toBeLessThan(0.09)
  expect(measured).toMatchObject({ isIndexFirst: true, audio: { firstSample: 0 } })
  // The file's clock is true: the first beat that begins after the recording is where it was.
  const expected = (source.beatNear(first!.startedAt + 450) - first!.startedAt) / 1000
  const off = (times: readonly number[]) => Math.min(...times.map((at) => Math.abs(at - expected)))
  expect(off(measured.audio.beeps)).toBeLessThan(0.1)
  expect(off(measured.video!.flashes)).toBeLessThan(0.3)
})

test('sound alone begins in the past too', async () => {
  const { recorder, source, folder, recorded, finish } = await standingBy({ mode: 'audio_only' })
  await sleep(STOOD_BY_MS)
  const from = Date.now() - 2000
  await recorder.start(from)
  const [span] = recorder.spans()
  expect(span!.startedAt).toBe(from)
  await recorded(5)
  await finish()
  const measured = await measure(join(folder, 'audio.m4a'))
  const expected = (source.beatNear(from + 450) - from) / 1000
  expect(Math.min(...measured.audio.beeps.map((at) => Math.abs(at - expected)))).toBeLessThan(0.1)
})

test('one that stands by when the recorder is closed is gone with it', async () => {
  const { recorder } = await standingBy()
  await recorder.close()
  expect(await childrenOf(process.pid, 'ffmpeg')).toEqual([])
})
