import { expect, test } from 'vitest'
import { readerOf } from './reader.ts'

const read = readerOf('zoom')

const NUMBER = '88240852079'
const JOIN = `https://app.zoom.us/wc/${NUMBER}/join`
const target = (url: string, more: object = {}) => ({ platform: 'zoom', url, meetingId: NUMBER, ...more })

test.each([
  [`https://zoom.us/j/${NUMBER}`],
  [`http://zoom.us/j/${NUMBER}`],
  [`zoom.us/j/${NUMBER}`],
  [`HTTPS://Zoom.US/j/${NUMBER}`],
  [`https://www.zoom.us/j/${NUMBER}`],
  [`https://eu01web.zoom.us/j/${NUMBER}#success`],
  [`https://zoom.com/j/${NUMBER}?from=addon&uname=Ann&_x_zm_rtaid=x`],
  [`https://zoom.us/s/${NUMBER}`],
  [`https://app.zoom.us/wc/${NUMBER}/start`],
  [`https://app.zoom.us/wc/${NUMBER}`],
  [`https://app.zoom.us/wc?mn=${NUMBER}`],
  [`zoommtg://zoom.us/join?confno=${NUMBER}&zc=0`],
  [`zoomus://zoom.us/join?action=join&confno=${NUMBER}`],
  [`https://zoom.us/j/882-4085-2079`],
  [`https://zoom.us/j/882%204085%202079`],
  [`"https://zoom.us/j/${NUMBER}"`],
  [`Join us at https://zoom.us/j/${NUMBER}, and bring coffee!`],
  [`https://zoom.us/j/${NUMBER}\nFind your local number: https://us02web.zoom.us/u/kdz7L`],
])('%s is the meeting', (text) => {
  expect(read(text)).toEqual(target(JOIN))
})

test.each([
  [`https://zoom.us/j/${NUMBER}?pwd=AbC123`, 'AbC123'],
  [`https://us06web.zoom.us/j/${NUMBER}?pwd=Qk9uZXh0LmpvaW5lZC5vbmNl.1`, 'Qk9uZXh0LmpvaW5lZC5vbmNl.1'],
  [`zoommtg://zoom.us/join?confno=${NUMBER}&pwd=AbC123`, 'AbC123'],
  [`https://www.google.com/url?q=https://zoom.us/j/${NUMBER}?pwd%3DAbC123&sa=D`, 'AbC123'],
  [`https://zoom.us/j/${NUMBER} and https://zoom.us/j/${NUMBER}?pwd=AbC123`, 'AbC123'],
])('%s keeps its passcode %s, in its case', (text, pwd) => {
  expect(read(text)).toEqual(target(`${JOIN}?pwd=${pwd}`))
})

test.each([
  [`https://us06web.zoom.us/j/${NUMBER} (Passcode: 584706)`],
  [`https://us06web.zoom.us/j/${NUMBER}(Passcode: 584706)`],
  [`https://us06web.zoom.us/j/${NUMBER} Passcode:584706`],
  [`Ann is inviting you.\nhttps://us06web.zoom.us/j/${NUMBER}\n\nMeeting ID: 882 4085 2079\nPasscode: 584706\n`],
])('%s: the passcode beside the link is kept for people and for the link', (text) => {
  expect(read(text)).toEqual(target(`${JOIN}?pwd=584706`, { passcode: '584706' }))
})

test('a passcode beside a link that already has one is only for the form', () => {
  const text = `https://zoom.us/j/${NUMBER}?pwd=Qk9uZXh0.1\nPasscode: s3cret`
  expect(read(text)).toEqual(target(`${JOIN}?pwd=Qk9uZXh0.1`, { passcode: 's3cret' }))
})

test.each([
  ['https://acme.zoom.us/j/123456789', 'https://acme.zoom.us/wc/123456789/join', '123456789'],
  ['https://www.zoomgov.com/j/1612345678', 'https://www.zoomgov.com/wc/1612345678/join', '1612345678'],
  [
    'https://zoom.us/w/1234567890?tk=abc.DEF-1&pwd=p',
    'https://app.zoom.us/wc/1234567890/join?pwd=p&tk=abc.DEF-1',
    '1234567890',
  ],
  ['https://zoom.us/my/Ann.Example?pwd=x', 'https://app.zoom.us/wc/my/Ann.Example?pwd=x', 'my/Ann.Example'],
  ['https://app.zoom.us/wc/my/ann-example', 'https://app.zoom.us/wc/my/ann-example', 'my/ann-example'],
])('%s leads to %s', (text, url, meetingId) => {
  expect(read(text)).toEqual({ platform: 'zoom', url, meetingId })
})

test.each([
  ['https://zoom.us/', 'no meeting number'],
  ['https://zoom.us/j/12345678', 'no meeting number'],
  ['https://zoom.us/j/123456789012', 'no meeting number'],
  ['https://zoom.us/j/abcdefghi', 'no meeting number'],
  ['https://app.zoom.us/wc/start/videomeeting', 'no meeting number'],
  ['https://zoom.us/meeting/register/tJ0qcu-gqz4jGt', 'registration'],
  ['https://zoom.us/webinar/register/WN_abc', 'registration'],
  ['https://zoom.us/rec/share/abc', 'recording'],
  ['https://us02web.zoom.us/u/kdz7L', 'telephone'],
  ['https://events.zoom.us/ejl/abc', 'ticket'],
  ['https://zoom.com.cn/j/123456789', 'China'],
  ['https://zoom.us/my/a', 'personal link name'],
  ['https://zoom.us/j/123456789 or https://zoom.us/j/987654321', '2 different'],
])('%s can never be a meeting, and why is said: %s', (text, word) => {
  const recognized = read(text)
  expect(recognized).toHaveProperty('problem')
  expect((recognized as { problem: string }).problem).toMatch(new RegExp(`^[A-Z].*${word}.*\\.$`))
})

test.each([
  'https://meet.google.com/abc-defg-hij',
  'https://evil-zoom.us/j/123456789',
  'https://zoom.us.evil.example/j/123456789',
  'https://evil.example/zoom.us/j/123456789',
  'https://notzoom.us/j/123456789',
  'ann@zoom.us',
  'zoom',
])('%s is none of Zoom', (text) => {
  expect(read(text)).toBeNull()
})
