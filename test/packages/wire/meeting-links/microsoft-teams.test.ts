import { describe, expect, test } from 'vitest'
import { withAccount } from '../../../../platforms/microsoft-teams/driver.ts'
import { readerOf } from './reader.ts'

const read = readerOf('teams')

const TENANT = '11111111-2222-3333-4444-555555555555'
const ORGANIZER = '66666666-7777-8888-9999-aaaaaaaaaaaa'
const THREAD = '19:meeting_MjIyMjIyMjItMzMzMw@thread.v2'
const CONTEXT = encodeURIComponent(JSON.stringify({ Tid: TENANT, Oid: ORGANIZER }))
const CLASSIC = `https://teams.microsoft.com/l/meetup-join/${encodeURIComponent(THREAD)}/0?context=${CONTEXT}`
const CLASSIC_TARGET = {
  platform: 'teams',
  url: `https://teams.microsoft.com/v2/?meetingjoin=true#/l/meetup-join/${encodeURIComponent(THREAD)}/0?context=${CONTEXT}&anon=true`,
  meetingId: THREAD,
}
const SHORT = 'https://teams.microsoft.com/meet/2345678901234?p=AbC12dEf'
const SHORT_TARGET = {
  platform: 'teams',
  url: 'https://teams.microsoft.com/v2/?meetingjoin=true#/meet/2345678901234?p=AbC12dEf&anon=true',
  meetingId: '2345678901234',
}
const coords = (data: object) => encodeURIComponent(Buffer.from(JSON.stringify(data)).toString('base64'))
const light = (data: object, host = 'teams.microsoft.com') =>
  `https://${host}/light-meetings/launch?agent=web&anon=true&lightExperience=true&coords=${coords(data)}&deeplinkId=x`

test.each([
  ['the link of an invitation', CLASSIC],
  ['lower-case escapes', CLASSIC.replace(/%7B/g, '%7b').replace(/%22/g, '%22').replace(/%3A/g, '%3a')],
  [
    'plain JSON',
    `https://teams.microsoft.com/l/meetup-join/${THREAD}/0?context={"Tid":"${TENANT}","Oid":"${ORGANIZER}"}`,
  ],
  ['other parameters', `${CLASSIC}&tenantId=x&anon=true`],
  ['encoded twice', CLASSIC.replace(/%/g, '%25')],
  ['encoded as a whole', encodeURIComponent(CLASSIC)],
  ['encoded as a whole, three times', encodeURIComponent(encodeURIComponent(encodeURIComponent(CLASSIC)))],
  ['without a scheme', CLASSIC.replace('https://', '')],
  ['escaped for a shell', CLASSIC.replace('?', '\\?').replace('=', '\\=')],
  ['in brackets of a mail', `Join the meeting now <${CLASSIC}>\nMeeting ID: 234 567 890`],
  ['SafeLinks', `https://eur01.safelinks.protection.outlook.com/?url=${encodeURIComponent(CLASSIC)}&data=05%7C02`],
  ['a search result', `https://www.google.com/url?q=${encodeURIComponent(CLASSIC)}&sa=D`],
  ['the web client', CLASSIC_TARGET.url],
  ['an older web client', CLASSIC.replace('.com/', '.com/_#/')],
  [
    'the launcher',
    `https://teams.microsoft.com/dl/launcher/launcher.html?url=${encodeURIComponent(`/_#${CLASSIC.slice('https://teams.microsoft.com'.length)}`)}&type=meetup-join`,
  ],
  ['light meetings', light({ conversationId: THREAD, tenantId: TENANT, messageId: '0', organizerId: ORGANIZER })],
  [
    'with links that are no meeting beside it',
    `${CLASSIC} or see https://teams.microsoft.com/meetingOptions/?organizerId=x`,
  ],
])('classic: %s', (_what, text) => {
  expect(read(text)).toEqual(CLASSIC_TARGET)
})

test.each([
  ['the link', SHORT],
  ['with other parameters', 'https://teams.microsoft.com/meet/2345678901234?anon=true&p=AbC12dEf'],
  ['the web client', SHORT_TARGET.url],
  [
    'the launcher',
    `https://teams.microsoft.com/dl/launcher/launcher.html?url=${encodeURIComponent('/_#/meet/2345678901234?p=AbC12dEf&anon=true')}&type=meet&directDl=true`,
  ],
  ['light meetings', light({ meetingUrl: SHORT, meetingCode: '2345678901234', passcode: 'AbC12dEf' })],
  ['light meetings with the address alone', light({ meetingUrl: SHORT })],
  ['the HTML source of a mail', '<a href="https://teams.microsoft.com/meet/2345678901234?p=AbC12dEf&amp;x=1">'],
  ['at the end of a sentence', `It is at ${SHORT}).`],
  ['a sub-domain', SHORT.replace('teams.', 'www.teams.')],
])('short: %s', (_what, text) => {
  expect(read(text)).toEqual(SHORT_TARGET)
})

describe('other forms', () => {
  test('without a passcode the page decides later', () => {
    expect(read('https://teams.microsoft.com/meet/2345678901234')).toMatchObject({
      url: 'https://teams.microsoft.com/v2/?meetingjoin=true#/meet/2345678901234?anon=true',
    })
  })

  test('a personal meeting is opened as it is, also from the launcher and the light client', () => {
    const target = {
      platform: 'teams',
      url: 'https://teams.live.com/meet/9312345678901?p=qWe%2BrT&anon=true',
      meetingId: '9312345678901',
    }
    expect(read('https://teams.live.com/meet/9312345678901?p=qWe%2BrT')).toEqual(target)
    expect(read(light({ meetingCode: '9312345678901', passcode: 'qWe+rT' }, 'teams.live.com'))).toEqual(target)
  })

  test('a channel meeting keeps its message, and an organizer may be missing', () => {
    const thread = '19:abcdef@thread.tacv2'
    const context = encodeURIComponent(JSON.stringify({ Tid: TENANT }))
    expect(read(`https://teams.microsoft.com/l/meetup-join/${thread}/1699999999999?context=${context}`)).toEqual({
      platform: 'teams',
      url: `https://teams.microsoft.com/v2/?meetingjoin=true#/l/meetup-join/${encodeURIComponent(thread)}/1699999999999?context=${context}&anon=true`,
      meetingId: `${thread}/1699999999999`,
    })
  })

  test.each(['gov.teams.microsoft.us', 'dod.teams.microsoft.us'])('%s stays on its host', (host) => {
    expect(read(CLASSIC.replace('teams.microsoft.com', host))).toMatchObject({
      url: `${CLASSIC.replace('teams.microsoft.com', host)}&anon=true`,
    })
  })

  test('the new host name stays', () => {
    expect(read(SHORT.replace('teams.microsoft.com', 'teams.cloud.microsoft'))).toMatchObject({
      url: SHORT_TARGET.url.replace('teams.microsoft.com', 'teams.cloud.microsoft'),
    })
  })

  test('a signed-in bot is not sent in as a guest', () => {
    expect(withAccount(SHORT_TARGET.url)).toBe(SHORT_TARGET.url.replace('&anon=true', ''))
    expect(withAccount('https://teams.live.com/meet/9312345678901?anon=true')).toBe(
      'https://teams.live.com/meet/9312345678901',
    )
  })
})

test.each([
  ['https://teams.microsoft.com/', 'no meeting'],
  ['https://teams.microsoft.com/l/chat/19:abc@thread.v2/0', 'chat'],
  ['https://teams.microsoft.com/l/message/19:abc@thread.v2/1699999999999', 'message'],
  ['https://teams.microsoft.com/l/team/19:abc@thread.tacv2/conversations', 'team'],
  ['https://teams.microsoft.com/_#/l/channel/19:abc@thread.tacv2/General', 'channel'],
  ['https://events.teams.microsoft.com/event/abc@def', 'registration'],
  ['https://teams.microsoft.com/meet/123', 'meeting number'],
  ['https://teams.microsoft.com/meet/abcdefghijkl', 'meeting number'],
  [CLASSIC.split('?')[0]!, 'cut off'],
  [`${CLASSIC.split('?')[0]}?context=%7B%22Tid%22%3A%22no-guid%22%7D`, 'cut off'],
  [`https://teams.microsoft.com/l/meetup-join/19%3Ameeting_x/0?context=${CONTEXT}`, 'names no meeting'],
  ['https://teams.microsoft.com/light-meetings/launch?agent=web', 'cut off'],
  [
    'https://teams.microsoft.com/dl/launcher/launcher.html?url=https%3A%2F%2Fevil.example%2Fmeet%2F2345678901234',
    'no meeting',
  ],
  ['https://teams.microsoft.com/dl/launcher/launcher.html?url=%2F%2Fevil.example%2Fmeet%2F2345678901234', 'no meeting'],
  [`${SHORT} ${SHORT.replace('2345678901234', '2345678901235')}`, '2 different'],
])('%s can never be a meeting and the sentence says why (%s)', (text, part) => {
  expect(read(text)).toEqual({ problem: expect.stringContaining(part) })
})

test.each([
  ['https://example.com/l/meetup-join/19:x@thread.v2/0'],
  ['https://teams.microsoft.com.evil.example/meet/2345678901234'],
  ['https://evil-teams.microsoft.com/meet/2345678901234'],
  ['https://user@teams.microsoft.com/meet/2345678901234'],
  ['https://example.com/?next=teams.microsoft.com/meet/2345678901234'],
  ['https://meet.google.com/abc-defg-hij'],
  [''],
])('%s is no Microsoft Teams link', (text) => {
  expect(read(text)).toBeNull()
})
