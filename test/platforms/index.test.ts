import { expect, test } from 'vitest'
import { recognizeMeeting } from '../../platforms/index.ts'

test('a Google Meet link is recognized', () => {
  expect(recognizeMeeting('see <meet.google.com/abc-defg-hij>')).toMatchObject({ platform: 'meet' })
})

test.each([
  ['https://teams.microsoft.com/l/meetup-join/19%3ameeting', 'Microsoft Teams are not supported yet'],
  ['https://teams.live.com/meet/123', 'Microsoft Teams are not supported yet'],
  ['https://us02web.zoom.us/j/123456789?pwd=abc', 'Zoom are not supported yet'],
  ['zoom.us/j/1', 'Zoom are not supported yet'],
  ['https://example.com/', 'not a meeting link'],
  ['hello', 'not a meeting link'],
])('%s is refused with a sentence', (text, part) => {
  expect(recognizeMeeting(text)).toEqual({ problem: expect.stringContaining(part) })
})
