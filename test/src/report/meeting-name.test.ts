import { expect, test } from 'vitest'
import { meetingName } from '../../../src/report/meeting-name.ts'

test.each([
  ['meet', 'abc-defg-hij', 'Google Meet abc-defg-hij'],
  ['teams', '2345678901234', 'Microsoft Teams 2 345 678 901 234'],
  ['teams', '19:meeting_MjA@thread.v2', 'Microsoft Teams'],
  ['zoom', '84512345678', 'Zoom 845 1234 5678'],
  ['zoom', '8451234567', 'Zoom 845 123 4567'],
  ['zoom', 'my.room', 'Zoom my.room'],
  ['jitsi', 'meet.example.org/team/Weekly%20Plan', 'Jitsi Meet Weekly Plan'],
  ['jitsi', 'meet.example.org/100%', 'Jitsi Meet 100%'],
] as const)('%s %s is called %s', (platform, meetingId, name) => {
  expect(meetingName(platform, meetingId)).toBe(name)
})
