/** Half a minute of reading: too long for the lane of the drivers, whose burst of messages proves the same list. */
import { expect, test } from 'vitest'
import { heard } from '../conformance/people.ts'
import { until, zoomHarness } from './harness.ts'

const zoom = zoomHarness()

test('a flood of messages is reported completely and in order, and none is reported as missing', async () => {
  const attempt = await zoom.attempt('open')
  await attempt.enter()
  await attempt.driver.prepareRecording(attempt.signal)
  const texts = Array.from({ length: 400 }, (_, index) => `Message number ${index + 1}`)
  for (const [index, text] of texts.entries()) {
    attempt.meeting.say('ann', text)
    if (index % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await until(
    () => heard(attempt.events).length >= texts.length,
    () => `all messages are reported; ${heard(attempt.events).length} were`,
    60_000,
  )
  expect(heard(attempt.events).map(({ text }) => text)).toEqual(texts)
  expect(attempt.events.filter(({ type }) => type === 'events_dropped')).toEqual([])
}, 180_000)
