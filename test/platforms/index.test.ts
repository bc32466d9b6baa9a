import { expect, test } from 'vitest'
import { recognizeMeeting } from '../../platforms/index.ts'

test.each([
  ['see <meet.google.com/abc-defg-hij>', 'meet'],
  ['https://teams.live.com/meet/9312345678901?p=AbCdEf', 'teams'],
  ['https://us02web.zoom.us/j/12345678901?pwd=abc', 'zoom'],
  ['https://meet.jit.si/StandinWeekly', 'jitsi'],
])('%s belongs to one platform', (text, platform) => {
  expect(recognizeMeeting(text)).toMatchObject({ platform })
})

test('a server of the operator runs Jitsi Meet once the operator says so', () => {
  const link = 'https://talk.example.org/Weekly'
  expect(recognizeMeeting(link)).toHaveProperty('problem')
  expect(recognizeMeeting(link, { jitsiHosts: ['talk.example.org'] })).toMatchObject({ platform: 'jitsi' })
})

test.each([
  ['https://example.com/', 'not a meeting link'],
  ['hello', 'not a meeting link'],
  ['https://meet.google.com/abc-defg-hij or https://meet.jit.si/StandinWeekly', 'several platforms'],
])('%s is refused with a sentence', (text, part) => {
  expect(recognizeMeeting(text)).toEqual({ problem: expect.stringContaining(part) })
})
