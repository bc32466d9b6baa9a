import { meetingsIn, readMeeting } from '@standin/wire/meeting-links/index.ts'
import { expect, test } from 'vitest'

test.each([
  ['see <meet.google.com/abc-defg-hij>', 'meet'],
  ['https://teams.live.com/meet/9312345678901?p=AbCdEf', 'teams'],
  ['https://us02web.zoom.us/j/12345678901?pwd=abc', 'zoom'],
  ['https://meet.jit.si/StandinWeekly', 'jitsi'],
])('%s belongs to one platform', (text, platform) => {
  expect(readMeeting(text)).toMatchObject({ platform })
})

test('a server of the operator runs Jitsi Meet once the operator says so', () => {
  const link = 'https://talk.example.org/Weekly'
  expect(readMeeting(link)).toHaveProperty('problem')
  expect(readMeeting(link, { jitsiHosts: ['talk.example.org'] })).toMatchObject({ platform: 'jitsi' })
})

test.each([
  ['https://example.com/', 'not a meeting link'],
  ['hello', 'not a meeting link'],
  ['https://meet.google.com/abc-defg-hij or https://meet.jit.si/StandinWeekly', 'several platforms'],
  [
    'Join: https://acme.webex.com/meet/ann (see https://example.com/agenda)',
    'Webex is not supported; bots join Google',
  ],
  ['https://whereby.com/ann', 'Whereby is not supported'],
  ['https://eu1.safelinks.protection.outlook.com/?url=https%3A%2F%2Facme.webex.com%2Fmeet%2Fann', 'Webex is not'],
  ['https://app.slack.com/huddle/T1/C1', 'Slack is not supported'],
  ['https://webex.com.example.org/j.php?MTID=m1', 'not a meeting link'],
  ['https://meet.mycompany.com:8443/Standup', '--jitsi-host meet.mycompany.com:8443'],
  ['talk.example.org/team/Standup', 'STANDIN_JITSI_HOSTS=talk.example.org'],
  ['https://meet.google.com.example.com/abc-defg-hij', 'not a meeting link'],
  ['https://example.com/agenda.html', 'not a meeting link'],
  ['https://example.com/agenda https://example.org/slides', 'not a meeting link'],
])('%s is refused with a sentence', (text, part) => {
  expect(readMeeting(text)).toEqual({ problem: expect.stringContaining(part) })
})

test('a text that is too long for a link is refused before any recognizer reads it', () => {
  const text = `https://meet.google.com/abc-defg-hij${' '.repeat(150_000)}`
  expect(readMeeting(text)).toEqual({ problem: expect.stringContaining('longer than 8192 characters') })
})

test.each([
  [
    'a wrapper',
    (link: string, length: number) =>
      `https://www.google.com/url?q=${encodeURIComponent(link)}&sa=${'x'.repeat(length)}`,
  ],
  ['an invitation', (link: string, length: number) => `${'word '.repeat(length / 5)}\n${link}\n`],
])('%s may be long if the link in it is not', (_name, around) => {
  const link = 'https://us02web.zoom.us/j/85512345678?pwd=AbC.1'
  expect(readMeeting(around(link, 7000))).toMatchObject({ link })
  expect(readMeeting(around(`${link}${'x'.repeat(2048)}`, 100))).toEqual({
    problem: expect.stringContaining('link is longer than 2048 characters'),
  })
})

/** Half a megabyte: a quadratic pattern needs minutes for it and runs into the timeout of the test, a linear one needs milliseconds. */
const HALF_A_MEGABYTE = 500_000

test.each([
  ['a long host name', '', 'a', ''],
  ['many labels of a host name', '', 'a.', ''],
  ['many hyphens', '', 'a-', 'x'],
  ['punctuation behind a Google Meet link', 'https://meet.google.com/', '.', 'x'],
  ['brackets behind a Jitsi link', 'https://meet.jit.si/', ')', 'x'],
  ['punctuation behind a Teams link', 'https://teams.microsoft.com/', '!', 'x'],
  ['punctuation behind a Zoom link', 'https://zoom.us/', '!', 'x'],
  ['passcode labels', 'https://zoom.us/j/123456789', 'passcode:', '('],
  ['encoded schemes', '', 'https%3A%2F%2F', ''],
  ['redirects in redirects', '', 'https://www.google.com/url?q=', ''],
])('%s: the text is read in linear time', (_what, before, part, after) => {
  const text = `${before}${part.repeat(HALF_A_MEGABYTE / part.length)}${after}`
  expect(() => meetingsIn(text)).not.toThrow()
  expect(() => meetingsIn(`${before}${part.repeat(8_000 / part.length)}${after}`)).not.toThrow()
})
