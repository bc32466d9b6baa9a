import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../../packages/core/logger.ts'
import type { RecorderEvent } from '../../packages/core/recording.ts'
import { openBrowser } from '../../platforms/browser/browser.ts'
import { createRecorder } from '../../recorder/index.ts'
import { temporaryFolder } from '../fakes/at-end.ts'
import { growIn, prepareOnDisplay, realClock, until } from '../media/capture-environment.ts'
import { measure } from '../media/probe.ts'
import { median } from '../media/statistics.ts'
import { pictureAgeMs, wallClockAt } from '../media/wall-clock.ts'

test('what Chromium shows and plays is recorded together, from the first picture on', async () => {
  const folder = temporaryFolder()
  const recorder = createRecorder({
    mode: 'speaker_view',
    framesPerSecond: 30,
    folder,
    grow: growIn(folder),
    clock: realClock,
    logger: silentLogger,
  })
  onTestFinished(() => recorder.close())
  const events: RecorderEvent[] = []
  recorder.watch((event) => events.push(event))
  const signal = new AbortController().signal
  const environment = await prepareOnDisplay(recorder)
  const browser = await openBrowser(environment, { logger: silentLogger }, signal)
  onTestFinished(() => browser.close())
  // Everything that it plays reaches the recording unchanged.
  expect(await browser.page.evaluate(() => new AudioContext().sampleRate)).toBe(48_000)
  expect(await browser.page.evaluate(() => new AudioContext().baseLatency)).toBeCloseTo(
    environment.soundPieceMs! / 1000,
  )
  await browser.page.goto(new URL('../media/tone-and-flash.html', import.meta.url).href)
  // Its sound runs once Chromium knows how long a sample takes to be heard.
  await browser.page.waitForFunction(() => Number(document.documentElement.dataset.heardSeconds) > 3)

  // The server has sound in reserve, for a stall of the machine.
  expect(await browser.page.evaluate('sound.currentTime - heardNow()')).toBeGreaterThan(
    environment.soundAheadMs! / 2000,
  )

  await recorder.start()
  await until(() => events.some((event) => event.type === 'progress' && event.seconds > 10), 60_000)
  await recorder.finish(signal)
  const measured = await measure(join(folder, 'video.mp4'))
  const ages = measured.video!.clock.map(({ seconds, shownMs }) =>
    pictureAgeMs(wallClockAt(recorder.spans(), seconds), shownMs),
  )
  console.log('beep after flash, ms:', measured.pairs.map(({ offsetMs }) => offsetMs.toFixed(1)).join(' '))
  console.log(`pictures are ${median(ages).toFixed(1)} ms old (median), the first one ${ages[0]?.toFixed(1)} ms`)
  expect(measured.pairs.length).toBeGreaterThanOrEqual(3)
  expect(measured.audio.peak).toBeGreaterThan(0.3)
  // The page and nothing else from the first picture on: its clock can be read and is the present.
  expect(Math.abs(ages[0]!)).toBeLessThan(1_000)
  expect(Math.abs(measured.medianOffsetMs)).toBeLessThan(100)
})
