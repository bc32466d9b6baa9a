/** Links as mail, chat and calendar products change them, and invitations as people paste them. */
import { findMeetingUrl } from '@standin/control-plane/calendars/meeting-url.ts'
import { readMeeting } from '@standin/wire/meeting-links/index.ts'
import { describe, expect, test } from 'vitest'

const e = encodeURIComponent
const base64 = (text: string) => Buffer.from(text).toString('base64')
const MEET = 'https://meet.google.com/abc-defg-hij'
const ZOOM = 'https://us02web.zoom.us/j/81234567890?pwd=AbC1dEf2.1'
const TEAMS = 'https://teams.microsoft.com/meet/2581234567890?p=AbC1dEf2'
const TEAMS_PAGE = 'https://teams.microsoft.com/v2/?meetingjoin=true#/'
const GUID = '11111111-2222-3333-4444-555555555555'

test.each([
  [`https://www.google.com/url?q=${MEET}&sa=D&ust=1764200000000000&usg=x`, MEET],
  [`https://www.google.com/url?q=${e(MEET)}&sa=D&source=calendar`, MEET],
  [`https://www.google.de/url?sa=j&url=${e(ZOOM)}&uct=1`, ZOOM],
  [`https://www.google.co.uk/url?q=${e(TEAMS)}`, TEAMS],
  [`https://meet.google.com/linkredirect?authuser=0&dest=${e(ZOOM)}`, ZOOM],
  [`https://nam02.safelinks.protection.outlook.com/?url=${e(MEET)}&data=05%7C02%7C&sdata=x%3D&reserved=0`, MEET],
  [`https://nam02.safelinks.protection.outlook.com/?url=${e(ZOOM)}&data=05%7C02%7C&reserved=0`, ZOOM],
  [`https://nam02.safelinks.protection.outlook.com/?url=${e(TEAMS)}&data=05%7C02%7C&reserved=0`, TEAMS],
  [`https://apc01.safelinks.protection.outlook.com/ap/t-59584e83/?url=${e(ZOOM)}&data=05`, ZOOM],
  [`https://usg01.safelinks.protection.office365.us/?url=${e(ZOOM)}&data=05`, ZOOM],
  [
    `https://statics.teams.cdn.office.net/evergreen-assets/safelinks/2/atp-safelinks.html?url=${e(MEET)}&locale=en-us&dest=https%3A%2F%2Fteams.microsoft.com%2Fapi%2Fmt`,
    MEET,
  ],
  [`https://urldefense.com/v3/__${ZOOM}__;!!abc!def$`, ZOOM],
  [
    'https://urldefense.proofpoint.com/v2/url?u=https-3A__us02web.zoom.us_j_81234567890-3Fpwd-3DAbC1dEf2.1&d=DwMFaQ',
    ZOOM,
  ],
  [`https://urldefense.proofpoint.com/v1/url?u=${e(ZOOM)}&k=x`, ZOOM],
  [`https://linkprotect.cudasvc.com/url?a=${e(ZOOM)}&c=E,1,abc&typo=1`, ZOOM],
  [`https://eu-west-1.protection.sophos.com/?d=zoom.us&u=${e(base64(ZOOM))}&i=x&t=y`, ZOOM],
  [`https://eu-west-1.protection.sophos.com?d=zoom.us&u=${base64(ZOOM)}&i=x&t=y`, ZOOM],
  [`https://security-us.mimecast.com/ttpwp/?url=${e(ZOOM)}`, ZOOM],
  [`https://urlsand.esvalabs.com/?u=${e(ZOOM)}&e=1&h=2`, ZOOM],
  [`https://secure-web.cisco.com/1aBcD-efg_h/${e(ZOOM)}`, ZOOM],
  [`https://secure-web.cisco.com/1aBcD-efg_h/${ZOOM}`, ZOOM],
  [`https://imsva91-ctp.trendmicro.com:443/wis/clicktime/v1/query?url=${e(ZOOM)}&umid=1&auth=x`, ZOOM],
  [`https://clicktime.symantec.com/3AbC?u=${e(ZOOM)}`, ZOOM],
  [`https://protect2.fireeye.com/v1/url?k=1&q=1&e=2&u=${e(ZOOM)}`, ZOOM],
  [`https://protect.checkpoint.com/v2/___${ZOOM}___.YXBl`, ZOOM],
  [`https://url.avanan.click/v2/r01/___${ZOOM}___.YXBl`, ZOOM],
  [`https://slack-redir.net/link?url=${e(MEET)}`, MEET],
  [`https://www.linkedin.com/safety/go?url=${e(MEET)}&trk=x`, MEET],
  [`https://l.facebook.com/l.php?u=${e(MEET)}&h=x`, MEET],
  [`https://www.youtube.com/redirect?event=x&q=${e(MEET)}`, MEET],
  [`https://www.bing.com/ck/a?!&&p=x&u=a1${base64(ZOOM).replace(/=+$/, '')}&ntb=1`, ZOOM],
])('%s leads to its meeting', (wrapped, inner) => {
  const meeting = readMeeting(inner)
  expect(meeting).toHaveProperty('key')
  expect(readMeeting(wrapped)).toEqual(meeting)
  expect(readMeeting(`Join (${wrapped}), please`)).toEqual(meeting)
  const html = `<a href="${wrapped.replaceAll('&', '&amp;')}">Join</a>`
  const nothing = { conference: [], automatic: null, location: [] }
  expect(findMeetingUrl({ ...nothing, description: html, descriptionFormat: 'html' })).toBe(inner)
})

test.each<[string, string]>([
  ['https://uni-example.zoom-x.de/j/81234567890?pwd=AbC', 'https://uni-example.zoom-x.de/wc/81234567890/join?pwd=AbC'],
  ['https://us06web.zoom.us/launch/jc/81234567890', 'https://app.zoom.us/wc/81234567890/join'],
  ['https://us02web.zoom.us/j/81234567890#pwd=AbC1dEf2', 'https://app.zoom.us/wc/81234567890/join?pwd=AbC1dEf2'],
  ['https://us02web.zoom.us/j/855 1234 5678', 'https://app.zoom.us/wc/85512345678/join'],
  ['https://us02web.zoom.us/j/855\u00a01234\u00a05678?pwd=a', 'https://app.zoom.us/wc/85512345678/join?pwd=a'],
  ['zoommtg://www.zoomgov.com/join?confno=1612345678&pwd=A', 'https://www.zoomgov.com/wc/1612345678/join?pwd=A'],
  ['zoommtg://example.zoom.us/join?confno=81234567890&pwd=A', 'https://example.zoom.us/wc/81234567890/join?pwd=A'],
  ['msteams://teams.microsoft.com/meet/2581234567890?p=A', `${TEAMS_PAGE}meet/2581234567890?p=A&anon=true`],
  ['https://teams.microsoft.com/meet/258 123 456 789 0', `${TEAMS_PAGE}meet/2581234567890?anon=true`],
  [
    `https://teams.microsoft.com/l/meetup-join/19:abc@thread.tacv2/1700000000000?context={"Tid":"${GUID}","Oid":"${GUID}"} Room 2`,
    `${TEAMS_PAGE}l/meetup-join/19%3Aabc%40thread.tacv2/1700000000000?context=${e(`{"Tid":"${GUID}","Oid":"${GUID}"}`)}&anon=true`,
  ],
  ...[
    'https://meet.google.com/u/1/abc-defg-hij',
    'https://meet.google.com/abc-defg-hij&hs=179&authuser=0',
    'https://meet.google.com/abc\u2011defg\u2011hij',
    'https://meet.google.com/abc–defg–hij',
    '\u200bhttps://meet.google.com/abc-defg-hij\u200b',
    'https://meet.goo\u00adgle.com/abc-defg-hij',
    'ｈｔｔｐｓ：／／meet.google.com／abc-defg-hij',
    '【https://meet.google.com/abc-defg-hij】',
    '会議はhttps://meet.google.com/abc-defg-hijです。',
    'https:\\/\\/meet.google.com\\/abc-defg-hij',
    'https&#58;&#x2F;&#x2F;meet.google.com/abc-defg-hij',
  ].map((text): [string, string] => [text, 'https://meet.google.com/abc-defg-hij?hl=en']),
])('%s opens %s', (text, url) => {
  expect(readMeeting(text)).toMatchObject({ url, host: new URL(url).host })
})

describe('the text around a link is no part of it', () => {
  test.each([
    ...[';Room 2', ',Room 2', '—see you', '–see you', '…', '...', '；会議室', '，会議室', '、', '。', '）', '」', '｡'],
    ...['|x', '</a>', '\\nRoom', '”'],
  ])('%s', (after) => {
    const link = 'https://acme.zoom.us/j/85512345678?pwd=Ab.1'
    for (const text of [`${link}${after}`, `Room 1;${link}${after}`])
      expect(readMeeting(text)).toMatchObject({ link, url: 'https://acme.zoom.us/wc/85512345678/join?pwd=Ab.1' })
    const place = { conference: [], automatic: null, description: null, descriptionFormat: 'text' as const }
    expect(findMeetingUrl({ ...place, location: [`Room 1;${link}${after}`] })).toBe(link)
  })
})

test.each([
  'https://url.us.m.mimecastprotect.com/s/AbC1dEf?domain=us02web.zoom.us',
  'https://protect-eu.mimecast.com/s/AbC1dEf',
  'https://shared.outlook.inky.com/link?domain=meet.google.com&t=AbC1dEf',
  'https://linkprotect.cudasvc.com/url',
])('%s hides its target, and the refusal says so', (link) => {
  const problem = `A link of ${new URL(link).host} hides its target. Open it, and give the link of the meeting.`
  expect(readMeeting(link)).toEqual({ problem })
  expect(readMeeting(`${link}\n${MEET}`)).toMatchObject({ link: MEET })
})

describe('the passcode beside a link', () => {
  const labelled = [
    ...['Passcode', 'Kenncode', 'Código de acceso', 'Code secret', 'Mot de passe ', "Code d'accès ", 'Senha'],
    ...['Código de acesso', 'パスコード', 'Пароль', 'Hasło', 'Jelszó', 'Heslo', 'Parola', 'Geçiş Kodu', 'Lösenord'],
    ...['Adgangskode', 'Tunnuskoodi', 'Mật mã', 'Код доступу', 'רמז: סיסמה', 'رمز المرور', 'รหัสผ่าน'],
  ].map((label) => `${label}: 554433`)

  test.each([
    ...labelled,
    'ミーティングパスコード：554433',
    'Passcode：554433',
    'Passcode: 554433<br>',
    '<b>Passcode:</b> 554433</p>',
    'Passcode: 554433 Dial in +1',
    'Passcode: 554433。',
    '*Passcode:* 554433',
    '*Passcode*: 554433',
    '*Passcode: 554433*',
    '**Passcode:** **554433**',
    'Passcode: _554433_',
    '~Passcode~: ~554433~.',
    'Passcode <b>554433</b>',
    '<tr><td>Passcode</td>\n <td>554433</td></tr>',
    '<th scope="row">Kenncode</th><td><strong>554433</strong></td>',
    'The passcode</b> is below. Passcode: 554433',
    'Meeting ID: 812 3456 7890\nPasscode: 554433\n\nOne tap mobile\n+15550100,,81234567890#,,,,*999999#\nPasscode: 999999',
  ])('%s', (line) => {
    const text = `https://us02web.zoom.us/j/81234567890\n${line}`
    const link = 'https://us02web.zoom.us/j/81234567890?pwd=554433'
    expect(readMeeting(text)).toMatchObject({ passcode: '554433', link })
    expect(readMeeting(link)).toMatchObject({ url: 'https://app.zoom.us/wc/81234567890/join?pwd=554433' })
    const event = { conference: [], automatic: null, location: ['https://us02web.zoom.us/j/81234567890'] }
    expect(findMeetingUrl({ ...event, description: text, descriptionFormat: 'text' })).toBe(link)
  })

  test('a mark of emphasis that belongs to the passcode stays', () => {
    expect(readMeeting('https://zoom.us/j/81234567890 Passcode: aB3*x_')).toMatchObject({ passcode: 'aB3*x_' })
    expect(readMeeting('https://zoom.us/j/81234567890 *Passcode:* aB3*')).toMatchObject({ passcode: 'aB3*' })
  })

  test('completes a short link of Microsoft Teams', () => {
    const text = 'Beitreten: https://teams.microsoft.com/meet/2581234567890\nBesprechungs-ID: 258 123\nKennwort: aB3'
    expect(readMeeting(text)).toMatchObject({ link: 'https://teams.microsoft.com/meet/2581234567890?p=aB3' })
  })

  test('is a password of a Jitsi room', () => {
    expect(readMeeting('https://meet.jit.si/Calm Password: ab')).toMatchObject({ passcode: 'ab' })
  })
})

test.each([
  'https://evil.example/?u=https%3A%2F%2Fmeet.google.com%2Fabc-defg-hij',
  'https://evil.example/https://meet.google.com/abc-defg-hij',
  'https://google.evil.example/url?q=https://meet.google.com/abc-defg-hij',
  'https://meet.google.com.evil.example/abc-defg-hij',
  'https://meet.google.com@evil.example/abc-defg-hij',
  'https://mееt.google.com/abc-defg-hij',
  'аzoom.us/j/81234567890',
  'zoommtg://evil.example/join?confno=81234567890',
  'https://us02web.zoom.us.evil.example/j/81234567890',
  'javascript://meet.google.com/abc-defg-hij',
])('%s is a look-alike and no meeting', (text) => {
  expect(readMeeting(text)).toEqual({ problem: expect.stringContaining('not a meeting link') })
})
