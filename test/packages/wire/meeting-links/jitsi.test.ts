import { expect, test } from 'vitest'
import { readerOf } from './reader.ts'

const read = readerOf('jitsi')

const OWN = ['meet.example.org', 'video.example.net:8443']

test.each([
  ['https://meet.jit.si/CalmRivers7', 'https://meet.jit.si/CalmRivers7'],
  ['meet.jit.si/CalmRivers7', 'https://meet.jit.si/CalmRivers7'],
  ['HTTPS://Meet.Jit.SI/CalmRivers7/', 'https://meet.jit.si/CalmRivers7'],
  // Without a secure page there is neither camera nor microphone.
  ['http://meet.jit.si/CalmRivers7', 'https://meet.jit.si/CalmRivers7'],
  ['https://8x8.vc/acme/Weekly', 'https://8x8.vc/acme/Weekly'],
  ['https://8x8.vc/vpaas-magic-cookie-1fc542a3/Weekly', 'https://8x8.vc/vpaas-magic-cookie-1fc542a3/Weekly'],
  ['https://meet.example.org/team/Weekly', 'https://meet.example.org/team/Weekly'],
  ['https://video.example.net:8443/Weekly', 'https://video.example.net:8443/Weekly'],
  ['https://meet.jit.si/Caf%C3%A9%20am%20Morgen', 'https://meet.jit.si/Caf%C3%A9%20am%20Morgen'],
  ['Join us at https://meet.jit.si/CalmRivers7, and bring coffee!', 'https://meet.jit.si/CalmRivers7'],
  ['<https://meet.jit.si/CalmRivers7>.', 'https://meet.jit.si/CalmRivers7'],
  ['https://meet.jit.si/CalmRivers7 or https://meet.jit.si/calmrivers7', 'https://meet.jit.si/CalmRivers7'],
  // Configuration in the link of a participant does not configure the bot.
  ['https://meet.jit.si/CalmRivers7?lang=de#config.startWithVideoMuted=false', 'https://meet.jit.si/CalmRivers7'],
])('%s is the room %s', (text, url) => {
  expect(read(text, OWN)).toEqual({ platform: 'jitsi', url, meetingId: url.slice('https://'.length) })
})

test('a token stays in the address and out of the name of the meeting', () => {
  const target = { platform: 'jitsi', url: 'https://8x8.vc/acme/Weekly?jwt=ey.J.z', meetingId: '8x8.vc/acme/Weekly' }
  expect(read('https://8x8.vc/acme/Weekly?jwt=ey.J.z')).toEqual(target)
  expect(read('https://8x8.vc/acme/Weekly#jwt=%22ey.J.z%22')).toEqual(target)
})

test('a password behind the link is not part of the address', () => {
  const target = { platform: 'jitsi', url: 'https://meet.jit.si/Calm', meetingId: 'meet.jit.si/Calm', passcode: 'a b' }
  expect(read('https://meet.jit.si/Calm#pwd=a%20b')).toEqual(target)
  expect(read('https://meet.jit.si/Calm?pwd=a%20b')).toEqual(target)
})

test.each([
  ['https://meet.jit.si/', 'home page'],
  ['meet.jit.si', 'home page'],
  ['https://meet.jit.si/static/close2.html', 'no meeting room'],
  ['https://meet.jit.si/config.js', 'no meeting room'],
  ['https://meet.jit.si/a/b/c/d/e', 'no meeting room'],
  ['https://8x8.vc/Weekly', 'tenant'],
  ['https://meet.jit.si/50%25', 'characters'],
  ['https://meet.jit.si/%E0%A4%A', 'characters'],
  ['https://meet.jit.si/One https://meet.jit.si/Two', '2 different'],
])('%s can never be a meeting and the sentence says why (%s)', (text, part) => {
  expect(read(text, OWN)).toEqual({ problem: expect.stringContaining(part) })
})

test.each([
  ['https://example.com/CalmRivers7'],
  ['https://meet.jit.si.example.com/CalmRivers7'],
  ['https://notmeet.jit.si/CalmRivers7'],
  ['https://x.meet.jit.si/CalmRivers7'],
  ['https://example.com/?next=meet.jit.si/CalmRivers7'],
  ['https://user@meet.jit.si/CalmRivers7'],
  // A server on another port is another server.
  ['https://meet.example.org:444/CalmRivers7'],
  ['CalmRivers7'],
  [''],
])('%s is no link to a known server', (text) => {
  expect(read(text, OWN)).toBeNull()
})
