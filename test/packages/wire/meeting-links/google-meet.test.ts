import { expect, test } from 'vitest'
import { readerOf } from './reader.ts'

const read = readerOf('meet')

const URL_OF_CODE = 'https://meet.google.com/abc-defg-hij?hl=en'

test.each([
  ['https://meet.google.com/abc-defg-hij'],
  ['meet.google.com/abc-defg-hij'],
  ['www.meet.google.com/abc-defg-hij'],
  ['HTTPS://Meet.Google.COM/ABC-Defg-hij'],
  ['https://meet.google.com/abc-defg-hij?authuser=name%40example.com&pli=1&unknown=1'],
  ['https://meet.google.com/abc-defg-hij?hl=de'],
  ['https://meet.google.com/abc-defg-hij#anchor'],
  ['"https://meet.google.com/abc-defg-hij"'],
  ['‘https://meet.google.com/abc-defg-hij’'],
  ['jhttps://meet.google.com/abc-defg-hij'],
  ['Join us at https://meet.google.com/abc-defg-hij, and bring coffee!'],
  ['To join the video meeting, click this link: https://meet.google.com/abc-defg-hij\nOtherwise dial +1 555 0100'],
  ['https://meet.google.com/abc-defg-hij https://meet.google.com/abc-defg-hij?authuser=1'],
  ['https://accounts.google.com/ServiceLogin?continue=https%3A%2F%2Fmeet.google.com%2Fabc-defg-hij&flowName=x'],
  [
    `https://accounts.google.com/v3/signin?continue=${encodeURIComponent('https://accounts.google.com/x?continue=https%3A%2F%2Fmeet.google.com%2Fabc-defg-hij')}`,
  ],
])('%s is the meeting abc-defg-hij', (text) => {
  expect(read(text)).toEqual({ platform: 'meet', url: URL_OF_CODE, meetingId: 'abc-defg-hij' })
})

test('an alias behind /lookup/ keeps its case and is a meeting', () => {
  expect(read('https://meet.google.com/lookup/fzAbC12?authuser=0')).toEqual({
    platform: 'meet',
    url: 'https://meet.google.com/lookup/fzAbC12?hl=en',
    meetingId: 'lookup/fzAbC12',
  })
})

test.each([
  ['https://meet.google.com/', 'home page'],
  ['meet.google.com', 'home page'],
  ['https://meet.google.com/landing?authuser=0', 'home page'],
  ['https://meet.google.com/new', 'new meeting'],
  ['https://meet.google.com/tel/123456', 'telephone'],
  ['https://meet.google.com/abcd-efgh-ijkl', 'meeting code'],
  ['https://meet.google.com/abc-defg', 'meeting code'],
  ['https://meet.google.com/my-standup-room', 'meeting code'],
  ['https://meet.google.com/ab1-defg-hij', 'meeting code'],
  ['https://meet.google.com/lookup/%3Cscript%3E', 'characters'],
  ['https://meet.google.com/lookup', 'meeting code'],
  ['https://meet.google.com/abc-defg-hij or https://meet.google.com/xyz-abcd-efg', '2 different'],
])('%s can never be a meeting and the sentence says why (%s)', (text, part) => {
  expect(read(text)).toEqual({ problem: expect.stringContaining(part) })
})

test.each([
  ['https://example.com/abc-defg-hij'],
  ['https://meet.google.com.example.com/abc-defg-hij'],
  ['https://notmeet.google.com/abc-defg-hij'],
  ['https://x.meet.google.com/abc-defg-hij'],
  ['https://example.com/?next=meet.google.com/abc-defg-hij'],
  ['https://user@meet.google.com/abc-defg-hij'],
  ['abc-defg-hij'],
  [''],
])('%s is no Google Meet link', (text) => {
  expect(read(text)).toBeNull()
})
