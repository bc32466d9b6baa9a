/** The behavior of a recorder, apart from its files: `recorder.measured.test.ts` measures their sound and picture. */
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { childrenOf, closeEnvironments, oneChild, setUpEnvironment, until } from '../media/capture-environment.ts'
import { measure } from '../media/probe.ts'

afterEach(closeEnvironments)

test('silence and sound are reported as they change', async () => {
  const { recorder, source, events, recorded, finish } = await setUpEnvironment({ limits: { silenceMs: 2_500 } })
  const reported = () => events.flatMap((event) => (event.type === 'sound' ? [event.isAudible] : []))
  await recorder.start()
  await until(() => reported().length === 1)
  source.mute(true)
  await until(() => reported().length === 2)
  source.mute(false)
  await until(() => reported().length === 3)
  await recorded(1)
  await finish()
  expect(reported()).toEqual([true, false, true])
})

test.each([
  { mode: 'speaker_view', isHeardLive: false, pieceMs: 20, aheadMs: 200 },
  { mode: 'speaker_view', isHeardLive: true, pieceMs: 10, aheadMs: undefined },
  { mode: 'audio_only', isHeardLive: false, pieceMs: 40, aheadMs: undefined },
  { mode: 'audio_only', isHeardLive: true, pieceMs: 10, aheadMs: undefined },
] as const)(
  '$mode, heard live: $isHeardLive: pieces of sound are as large as its listeners allow, and held in reserve beside a picture without them',
  async ({ mode, isHeardLive, pieceMs, aheadMs }) => {
    const { environment } = await setUpEnvironment({ mode, isHeardLive })
    expect(environment.soundPieceMs).toBe(pieceMs)
    expect(environment.soundAheadMs).toBe(aheadMs)
  },
)

test('finishing without a recording gives no files, and every operation may be repeated', async () => {
  const { recorder, folder, finish } = await setUpEnvironment({ mode: 'audio_only' })
  const again = await recorder.prepare(new AbortController().signal)
  expect(again.pulseSink).toBe('meeting')
  await recorder.pause()
  expect(await finish()).toEqual([])
  expect(await finish()).toEqual([])
  expect(recorder.spans()).toEqual([])
  await expect(recorder.start()).rejects.toThrow('finished')
  await recorder.close()
  await recorder.close()
  await expect(access(join(folder, 'work'))).rejects.toThrow()
})

test('closing in the middle of a start ends it and leaves no process', async () => {
  const { recorder } = await setUpEnvironment()
  // The encoder waits for the display, and so does the start.
  process.kill(await oneChild('Xvfb'), 'SIGSTOP')
  const starting = recorder.start()
  const outcome = expect(starting).rejects.toThrow('closed')
  await until(async () => (await childrenOf(process.pid, 'ffmpeg')).length > 0)
  await recorder.close()
  await outcome
})

test('sound alone is recorded without a display server, through a pause', async () => {
  const { recorder, environment, source, folder, recorded, complaints, finish } = await setUpEnvironment({
    mode: 'audio_only',
  })
  expect(environment.display).toBeNull()
  expect(await childrenOf(process.pid, 'Xvfb')).toEqual([])
  await recorder.start()
  await recorded(2.5)
  await recorder.pause()
  await recorder.resume()
  await recorded(5)
  const files = await finish()
  expect(complaints).toEqual([])
  expect(files).toEqual(['audio.m4a'])
  const measured = await measure(join(folder, 'audio.m4a'))
  expect(measured).toMatchObject({ video: null, isIndexFirst: true, audio: { codec: 'aac', firstSample: 0 } })
  const spans = recorder.spans()
  const total = spans.reduce((sum, span) => sum + (span.endedAt! - span.startedAt) / 1000, 0)
  expect(Math.abs(measured.audio.seconds - total)).toBeLessThan(0.05)
  expect(measured.audio.beeps.length).toBeGreaterThanOrEqual(2)
  expect(source.flashes).toEqual([])
})
