/** Which link of an event is the meeting's. */
import { findMeetingUrl, type MeetingSources } from '@standin/control-plane/calendars/meeting-url.ts'
import { describe, expect, test } from 'vitest'

const NOTHING: MeetingSources = {
  conference: [],
  automatic: null,
  location: [],
  description: null,
  descriptionFormat: 'html',
}
const find = (sources: Partial<MeetingSources>, options = {}) => findMeetingUrl({ ...NOTHING, ...sources }, options)
const inHtml = (description: string) => find({ description })
const inText = (description: string) => find({ description, descriptionFormat: 'text' })

const ZOOM = 'https://zoom.us/j/12345678901'
const ZOOM_PWD = `${ZOOM}?pwd=abc123`
const MEET = 'https://meet.google.com/abc-defg-hij'
const TEAMS =
  'https://teams.microsoft.com/l/meetup-join/19%3ameeting_NjA%40thread.v2/0?context=%7b%22Tid%22%3a%2272f988bf-0000-4000-8000-2d7cd011db47%22%7d'
const TEAMS_SHORT = 'https://teams.microsoft.com/meet/2345678901234?p=Xyz'

describe('order', () => {
  test('conference, then the automatic one, then location, then description', () => {
    const all = { conference: [TEAMS], automatic: MEET, location: [ZOOM_PWD], description: 'https://meet.jit.si/Room' }
    expect(find(all)).toBe(TEAMS)
    expect(find({ ...all, conference: [] })).toBe(MEET)
    expect(find({ ...all, conference: [], automatic: null })).toBe(ZOOM_PWD)
    expect(find({ ...all, conference: [], automatic: null, location: ['Room 5'] })).toBe('https://meet.jit.si/Room')
    expect(find({})).toBeNull()
  })

  test('a conference of a platform that is not supported does not hide the others', () => {
    expect(find({ conference: ['https://example.webex.com/meet/ann'], location: [ZOOM] })).toBe(ZOOM)
  })

  test('where the operator wants it, a link in the location goes before an automatic one, and before no other', () => {
    const options = { prefersLocation: true }
    expect(find({ automatic: MEET, conference: [MEET], location: [ZOOM] }, options)).toBe(ZOOM)
    expect(find({ automatic: MEET, conference: [MEET], location: [ZOOM] })).toBe(MEET)
    expect(find({ automatic: MEET, conference: [TEAMS], location: [ZOOM] }, options)).toBe(TEAMS)
    expect(find({ automatic: MEET, location: ['Room 5'] }, options)).toBe(MEET)
  })

  test('a link with a passcode beats the same meeting without, in any field, and no other meeting', () => {
    expect(find({ location: [ZOOM], description: `Join ${ZOOM_PWD} today` })).toBe(ZOOM_PWD)
    const ownHost = 'https://acme.zoom.us/j/12345678901?pwd=own'
    expect(find({ conference: [ZOOM], description: ownHost })).toBe(ownHost)
    expect(find({ location: [ZOOM], description: 'https://zoom.us/j/99999999999?pwd=other' })).toBe(ZOOM)
    expect(find({ location: [ZOOM_PWD], description: `${ZOOM}?pwd=later` })).toBe(ZOOM_PWD)
  })

  test('a description is read where it can matter', () => {
    const own = { jitsiHosts: ['meet.acme.example'] }
    expect(find({ description: 'Join HTTPS://MEET.ACME.EXAMPLE/Standup' }, own)).toMatch(/standup$/i)
    expect(find({ description: 'https:&#47;&#47;z&#111;om.us/j/12345678901' })).toBe(ZOOM)
    expect(find({ location: [MEET], description: ZOOM_PWD })).toBe(MEET)
    expect(find({ location: [TEAMS_SHORT.split('?')[0]!], description: TEAMS_SHORT })).toBe(TEAMS_SHORT)
  })

  test("the operator's own servers of Jitsi Meet", () => {
    const link = 'https://meet.acme.example/Standup'
    expect(find({ location: [link] })).toBeNull()
    expect(find({ location: [link] }, { jitsiHosts: ['meet.acme.example'] })).toBe(link)
  })
})

describe('in HTML', () => {
  test.each([
    ['a target, with entities', `<a href="${ZOOM}?pwd=a&amp;uname=b">Join</a>`, `${ZOOM}?pwd=a&uname=b`],
    ['targets before text', `see ${MEET} or <a href="${ZOOM}">this</a>`, ZOOM],
    ['text', `<p>Join at <b>${MEET}</b>.</p>`, MEET],
    ['text with entities', `Join&nbsp;${ZOOM}?pwd=a&amp;b=c&nbsp;now`, `${ZOOM}?pwd=a&b=c`],
    ['a tag that ends the address', `${MEET}<br>Phone`, MEET],
    ['single quotes', `<a href='${MEET}'>x</a>`, MEET],
    ['no quotes', `<a href=${MEET}>x</a>`, MEET],
    ['angle brackets of plain text', `Join <${ZOOM_PWD}> please`, ZOOM_PWD],
    ['brackets and a full stop', `(${MEET}).`, MEET],
    ['no scheme', 'Meet at meet.google.com/abc-defg-hij, please', MEET],
    ['broken HTML', `<div><a href="${MEET}">Join<p><b`, MEET],
    ['a link in a comment is no link', `<!-- ${MEET} -->nothing`, null],
    ['an e-mail address is no link', 'mail ann@zoom.us/j/12345678901', null],
    ['a script is text and no more', `<script>x</script><a href="javascript:alert(1)">${ZOOM}</a>`, ZOOM],
  ])('%s', (_name, description, expected) => {
    expect(inHtml(description)).toBe(expected)
  })

  test('the platforms hosts also serve what is no meeting', () => {
    for (const link of [
      'https://zoom.us/u/abcdef',
      'https://zoom.us/download',
      'https://zoom.us/meeting/register/tJ0',
      'https://support.zoom.us/hc/en-us',
      'https://teams.microsoft.com/meetingOptions/?organizerId=1',
      'https://dialin.teams.microsoft.com/8551f4c1',
      'https://teams.microsoft.com/l/chat/0/0',
      'https://events.teams.microsoft.com/event/x',
      'https://meet.google.com/tel/abc-defg-hij?pin=1',
      'https://meet.google.com/',
      'https://evil.example/zoom.us/j/12345678901',
      'https://zoom.us.evil.example/j/12345678901',
      'https://notzoom.us/j/12345678901',
    ])
      expect(inHtml(`<a href="${link}">x</a> ${link}`), link).toBeNull()
    expect(inHtml(`<a href="https://zoom.us/u/abc">Numbers</a> ${ZOOM}`)).toBe(ZOOM)
  })

  test.each([
    ZOOM,
    'https://us02web.zoom.us/j/81234567890?pwd=abc',
    'https://acme.zoom.us/my/ann.example',
    'https://app.zoom.us/wc/81234567890/join?pwd=x',
    'https://zoom.us/s/81234567890',
    'https://zoom.us/w/81234567890?tk=x',
    'https://acme.zoomgov.com/j/1612345678',
    MEET,
    'https://meet.google.com/lookup/standup',
    TEAMS,
    TEAMS_SHORT,
    'https://teams.live.com/meet/9312345678901?p=abc',
    'https://teams.microsoft.com/dl/launcher/launcher.html?url=%2F_%23%2Fmeet%2F2345678901234',
    'https://teams.microsoft.com/v2/#/meet/2345678901234',
    'https://meet.jit.si/StandUp',
  ])('%s is a meeting', (link) => {
    expect(inHtml(`<a href="${link.replaceAll('&', '&amp;')}">Join</a>`)).toBe(link)
    expect(inText(`Join: ${link}`)).toBe(link)
  })
})

/** Every character of Unicode's category of format characters. */
const INVISIBLE = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => (code < 0xd800 || code > 0xdfff) && /\p{Cf}/u.test(String.fromCodePoint(code)))
  .flatMap((code) => [String.fromCodePoint(code), `&#${code};`])

test('invisible characters around a link and inside it do not hide it', () => {
  expect(INVISIBLE.length).toBeGreaterThan(300)
  for (const hidden of [...INVISIBLE, '&ZeroWidthSpace;', '&shy;', '&lrm;', '&rlm;', '&NoBreak;', '&zwnj;', '\u034f']) {
    const around = `${hidden}${MEET}${hidden}`
    const inside = MEET.replace('meet.', `meet${hidden}.`)
    for (const html of [
      `Join ${around}`,
      `<a href="${around}">Join</a>`,
      `Join ${inside}`,
      `<a href="${inside}">Join</a>`,
    ])
      expect(inHtml(html), JSON.stringify(html)).toBe(MEET)
    if (hidden.startsWith('&')) continue
    expect(inHtml(`<${hidden}${MEET}${hidden}>`)).toBe(MEET)
    expect(inText(`Join ${inside}`)).toBe(MEET)
    expect(find({ location: [around], conference: [inside] })).toBe(MEET)
  }
})

test.each([
  ['in brackets of RFC 3986', `<URL:${ZOOM_PWD}>`],
  ['in brackets, over two lines', `<${ZOOM_PWD.replace('?', '\r\n  ?')}>`],
  ['in brackets, without a scheme', `<${ZOOM_PWD.slice('https://'.length)}>`],
  ['struck through', `~~${ZOOM_PWD}~~`],
  ['twice without a blank', `${ZOOM_PWD}${ZOOM_PWD}`],
])('a link %s', (_how, text) => {
  expect([inHtml(text), inText(text)]).toEqual([ZOOM_PWD, ZOOM_PWD])
})

test('a line break in the target of a link is none, nor is a place for one', () => {
  expect(inHtml(`Join ${MEET.replaceAll(/[./]/g, '$&<wbr>')}`)).toBe(MEET)
  expect(inHtml(`<a href="${ZOOM_PWD.replace('/j/', '/\n j/')}">Join</a>`)).toBe(ZOOM_PWD)
})

describe('wrappers of mail programs', () => {
  const google = (link: string) => `https://www.google.com/url?q=${encodeURIComponent(link)}&sa=D&source=calendar`
  const safe = (link: string) =>
    `https://eur01.safelinks.protection.outlook.com/?url=${encodeURIComponent(link)}&data=05%7C01&reserved=0`

  test.each([
    ['Google', google(TEAMS), TEAMS],
    ['Google, with the other parameter', `https://google.com/url?url=${encodeURIComponent(MEET)}`, MEET],
    ['Outlook', safe(ZOOM_PWD), ZOOM_PWD],
    ['one in another', safe(google(TEAMS_SHORT)), TEAMS_SHORT],
    ['Proofpoint', `https://urldefense.com/v3/__${ZOOM}__;!!abc!def$`, ZOOM],
    [
      'Proofpoint with replaced characters',
      'https://urldefense.com/v3/__https://zoom.us/j/12345678901*pwd=abc__;Pw!!x!y$',
      `${ZOOM}?pwd=abc`,
    ],
    [
      'Proofpoint with a run of them',
      'https://urldefense.com/v3/__https://zoom.us/j/12345678901**Apwd=abc__;Pz0!!x!y$',
      `${ZOOM}?=pwd=abc`,
    ],
    ['Proofpoint of one slash', 'https://urldefense.com/v3/__https:/zoom.us/j/12345678901__;!!x!y$', ZOOM],
    ['a wrapper of something else', google('https://example.com/x'), null],
    ['a wrapper of nothing', 'https://www.google.com/url?sa=D', null],
  ])('%s', (_name, link, expected) => {
    expect(find({ location: [link] })).toBe(expected)
    expect(inHtml(`<a href="${link.replaceAll('&', '&amp;')}">Join</a>`)).toBe(expected)
  })

  test('wrappers without an end', () => {
    let link = MEET
    for (let depth = 0; depth < 6; depth++) link = google(link)
    expect(find({ location: [link] })).toBeNull()
  })
})

describe('hostile texts', () => {
  test.each([
    ['brackets', '<'.repeat(200_000)],
    ['open tags', '<a '.repeat(60_000)],
    ['addresses', 'https://'.repeat(25_000)],
    ['punctuation', `https://zoom.us/j/${'.'.repeat(190_000)}`],
    ['hosts', 'a.'.repeat(100_000)],
    ['underscores', `https://urldefense.com/v3/__${'_'.repeat(190_000)}`],
    ['stars', `https://urldefense.com/v3/__${'*'.repeat(8_000)}__;AAAA!!`],
    ['entities', '&amp'.repeat(50_000)],
    ['names without a scheme', 'zoom.us/'.repeat(25_000)],
    ['nothing', ''],
  ])('%s are read within milliseconds', (_name, text) => {
    expect(inHtml(text)).toBeNull()
    expect(inText(text)).toBeNull()
    expect(find({ location: [text], conference: [text], automatic: text })).toBeNull()
  })

  test('a link that no job could take is none', () => {
    expect(find({ location: [`${ZOOM}?pwd=${'x'.repeat(3000)}`] })).toBeNull()
  })

  test('the first of very many counts', () => {
    expect(inHtml(`<a href="${MEET}">x</a>`.repeat(3_000))).toBe(MEET)
  })
})
