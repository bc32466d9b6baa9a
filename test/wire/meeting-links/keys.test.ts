/** One meeting has one key in every spelling and wrapper, and two meetings have two. */
import { meetingsIn, readMeeting } from '@standin/wire/meeting-links/index.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const HOSTS = ['talk.example.org']
const keyOf = (text: string) => {
  const meeting = readMeeting(text, { jitsiHosts: HOSTS })
  return 'problem' in meeting ? meeting.problem : meeting.key
}

test.each([
  ['https://meet.google.com/abc-defg-hij', 'https://meet.google.com/abc-defg-hij?authuser=1'],
  ['https://meet.google.com/abc-defg-hij', 'https://meet.google.com/abc-defg-hij?hs=122&pli=1'],
  ['https://meet.google.com/abc-defg-hij', 'https://meet.google.com/ABC-DEFG-HIJ'],
  ['https://us02web.zoom.us/j/81234567890?pwd=A', 'https://us02web.zoom.us/j/81234567890'],
  ['https://us02web.zoom.us/j/81234567890?pwd=A', 'https://zoom.us/j/81234567890?pwd=A'],
  ['https://us02web.zoom.us/j/81234567890?pwd=A', 'https://example.zoom.us/j/81234567890?pwd=A&jst=2'],
  ['https://us02web.zoom.us/j/81234567890', 'https://app.zoom.us/wc/join/81234567890'],
  ['https://us02web.zoom.us/j/81234567890', 'https://uni.zoom-x.de/j/81234567890'],
  ['https://zoom.us/my/ann.example', 'https://acme.zoom.us/my/Ann.Example'],
  [
    'https://teams.microsoft.com/meet/2581234567890?p=A',
    'https://teams.microsoft.com/v2/?meetingjoin=true#/meet/2581234567890?p=A&anon=true',
  ],
  ['https://teams.microsoft.com/meet/2581234567890?p=A', 'https://teams.cloud.microsoft/meet/2581234567890'],
  ['https://meet.jit.si/CalmRivers', 'https://meet.jit.si/calmrivers#config.x=1'],
  ['https://meet.jit.si/Caf%C3%A9', 'https://meet.jit.si/cafe\u0301'],
])('%s and %s are one meeting', (one, other) => {
  expect(keyOf(one)).toMatch(/^(?:meet|teams|zoom|jitsi):/)
  expect(keyOf(other)).toBe(keyOf(one))
})

test.each([
  ['https://zoom.us/j/1612345678', 'https://www.zoomgov.com/j/1612345678'],
  ['https://teams.microsoft.com/meet/2581234567890', 'https://gov.teams.microsoft.us/meet/2581234567890'],
  ['https://teams.microsoft.com/meet/9312345678901', 'https://teams.live.com/meet/9312345678901'],
  ['https://meet.jit.si/Weekly', 'https://talk.example.org/Weekly'],
  ['https://meet.google.com/lookup/AbC', 'https://meet.google.com/lookup/aBc'],
])('%s and %s are two meetings', (one, other) => {
  expect(keyOf(one)).toMatch(/^(?:meet|teams|zoom|jitsi):/)
  expect(keyOf(other)).not.toBe(keyOf(one))
})

const letters = (count: number) =>
  fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), minLength: count, maxLength: count })
const digits = (min: number, max: number) =>
  fc
    .tuple(
      fc.constantFrom(...'123456789'),
      fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min - 1, maxLength: max - 1 }),
    )
    .map(([first, rest]) => first + rest)
const token = fc.string({ unit: fc.constantFrom(...'ABCabcXYZxyz0189'), minLength: 1, maxLength: 30 })
const guid = fc.uuid()

/** A meeting by its name, and one of its spellings. */
const spelled: fc.Arbitrary<{ meeting: string; link: string }> = fc.oneof(
  fc
    .tuple(
      fc.tuple(letters(3), letters(4), letters(3)),
      fc.constantFrom(
        (c: string) => `https://meet.google.com/${c}`,
        (c: string) => `http://www.meet.google.com/${c.toUpperCase()}/`,
        (c: string) => `https://meet.google.com/${c}?authuser=1&pli=1`,
        (c: string) => `https://meet.google.com/${c}&hs=1`,
        (c: string) => `https://meet.google.com/u/2/${c}`,
        (c: string) => `https://meet.google.com/_meet/${c}`,
        (c: string) => `https://meet.google.com/${c.replaceAll('-', '')}`,
      ),
    )
    .map(([parts, spell]) => ({ meeting: `meet ${parts.join('-')}`, link: spell(parts.join('-')) })),
  fc
    .tuple(
      digits(9, 11),
      token,
      fc.constantFrom('zoom.us', 'us02web.zoom.us', 'acme.zoom.us', 'zoom.com', 'uni.zoom-x.de', 'APP.Zoom.us'),
      fc.constantFrom(
        (h: string, n: string, p: string) => `https://${h}/j/${n}?pwd=${p}`,
        (h: string, n: string, p: string) => `https://${h}/j/${n}#pwd=${p}`,
        (h: string, n: string) => `https://${h}/wc/join/${n}`,
        (h: string, n: string) => `https://${h}/wc/${n}/join?from=x&un=y`,
        (h: string, n: string) => `https://${h}/launch/jc/${n}`,
        (h: string, n: string, p: string) => `zoommtg://${h}/join?action=join&confno=${n}&pwd=${p}`,
      ),
    )
    .map(([number, pwd, host, spell]) => ({ meeting: `zoom ${number}`, link: spell(host, number, pwd) })),
  fc
    .tuple(
      digits(12, 15),
      token,
      fc.constantFrom(
        (n: string, p: string) => `https://teams.microsoft.com/meet/${n}?p=${p}`,
        (n: string, p: string) => `https://teams.microsoft.com/v2/?meetingjoin=true#/meet/${n}?p=${p}&anon=true`,
        (n: string) => `https://teams.cloud.microsoft/meet/${n}`,
        (n: string, p: string) => `msteams:/meet/${n}?p=${p}`,
        (n: string, p: string) =>
          `https://teams.microsoft.com/dl/launcher/launcher.html?url=${encodeURIComponent(`/_#/meet/${n}?p=${p}`)}&type=meet`,
      ),
    )
    .map(([number, p, spell]) => ({ meeting: `teams ${number}`, link: spell(number, p) })),
  fc.tuple(token, guid, fc.boolean()).map(([name, tenant, isPlain]) => {
    const context = JSON.stringify({ Tid: tenant, Oid: tenant })
    const thread = `19:meeting_${name}@thread.v2`
    const link = `https://teams.microsoft.com/l/meetup-join/${isPlain ? thread : encodeURIComponent(thread)}/0?context=`
    return { meeting: `teams ${name}`, link: link + (isPlain ? context : encodeURIComponent(context)) }
  }),
  fc.tuple(token, fc.constantFrom('meet.jit.si', 'talk.example.org'), fc.boolean()).map(([room, host, isUpper]) => ({
    meeting: `${host} ${room.toLowerCase()}`,
    link: `https://${host}/r${isUpper ? room.toUpperCase() : room}#config.lobby=1`,
  })),
)

const e = encodeURIComponent
const v2 = (link: string) =>
  e(link).replaceAll('-', '%2D').replaceAll('_', '%5F').replaceAll('%2F', '_').replaceAll('%', '-')
type Wrap = (link: string) => string
const WRAPS: Wrap[] = [
  (link) => `https://www.google.com/url?q=${e(link)}&sa=D`,
  (link) => `https://eur01.safelinks.protection.outlook.com/?url=${e(link)}&data=05%7C02&reserved=0`,
  (link) => `https://statics.teams.cdn.office.net/evergreen-assets/safelinks/1/atp-safelinks.html?url=${e(link)}`,
  (link) => `https://urldefense.proofpoint.com/v1/url?u=${e(link)}&k=x`,
  (link) => `https://urldefense.proofpoint.com/v2/url?u=${v2(link)}&d=x`,
  (link) => `https://linkprotect.cudasvc.com/url?a=${e(link)}&c=E,1,x`,
  (link) => `https://eu-west-1.protection.sophos.com/?d=x&u=${e(Buffer.from(link).toString('base64'))}&i=x`,
  (link) => `https://secure-web.cisco.com/1aB/${e(link)}`,
  (link) => `https://slack-redir.net/link?url=${e(link)}`,
  (link) => `https://l.facebook.com/l.php?u=${e(link)}&h=x`,
]
const wraps = fc.array(fc.constantFrom(...WRAPS), { maxLength: 3 })
/** The text around a link. */
const around = fc.constantFrom<Wrap>(
  (link) => link,
  (link) => `  <${link}>.`,
  (link) => `Join (${link}), please`,
  (link) => `Room 1\n${link}\nhttps://example.com/agenda`,
  (link) => `「${link}」`,
  (link) => `\u200b${link}\u200b`,
)
const RUNS = { numRuns: 400 }

describe('for random meetings', () => {
  test('every spelling, wrapped and in a text, is the meeting', () => {
    fc.assert(
      fc.property(spelled, wraps, around, ({ link }, wrapped, surround) => {
        const text = surround(wrapped.reduce((inner, wrap) => wrap(inner), link))
        fc.pre(text.length <= 8192)
        const plain = readMeeting(link, { jitsiHosts: HOSTS })
        expect(plain).toHaveProperty('key')
        const { link: _link, ...wanted } = plain as { link: string }
        expect(readMeeting(text, { jitsiHosts: HOSTS })).toMatchObject(wanted)
      }),
      RUNS,
    )
  })

  test('the link that is kept reads as the same meeting again', () => {
    fc.assert(
      fc.property(spelled, token, ({ link }, passcode) => {
        const [meeting] = meetingsIn(`${link}\nPasscode: ${passcode}`, { jitsiHosts: HOSTS })
        expect(readMeeting(meeting!.link, { jitsiHosts: HOSTS })).toEqual(meeting)
        const whole = readMeeting(`${link}\nPasscode: ${passcode}`, { jitsiHosts: HOSTS })
        if ('problem' in whole) throw new Error(whole.problem)
        expect(readMeeting(whole.link, { jitsiHosts: HOSTS })).toMatchObject({ key: meeting!.key, url: whole.url })
      }),
      RUNS,
    )
  })

  test('two links have one key if they mean one meeting, and only then', () => {
    const pair = fc.tuple(spelled, spelled)
    fc.assert(
      fc.property(pair, ([one, other]) => {
        expect(keyOf(one.link) === keyOf(other.link)).toBe(one.meeting === other.meeting)
      }),
      RUNS,
    )
  })
})

test('wrappers are followed to a bound and no further', () => {
  const wrapped = (times: number) =>
    Array.from({ length: times }).reduce<string>(WRAPS[8]!, 'https://zoom.us/j/123456789')
  expect(keyOf(wrapped(5))).toBe('zoom:123456789')
  expect(keyOf(wrapped(6))).toContain('not a meeting link')
})

test('hostile text never throws and is read in time', () => {
  const pieces = fc.constantFrom(
    'https://',
    'http%3A%2F%2F',
    'zoom.us/j/',
    '%E0%A4',
    '%',
    '%25',
    '&#x110000;',
    '&amp;',
    'context={',
    '}',
    '___',
    '__;',
    '*',
    '**Z',
    'https://urldefense.com/v3/__',
    'https://www.google.com/url?q=',
    'passcode:',
    ' : ',
    '<b>',
    '.',
    '-',
    '@',
    'a',
    '\u200b',
    '\ud800',
    '1 ',
    '\\/',
    'https://teams.microsoft.com/light-meetings/launch?coords=',
    'msteams:',
    'zoommtg://',
    ',',
    ';',
    '[::1]',
    '＝',
    '\n',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 300 }), (parts) => {
      const text = parts.join('')
      readMeeting(text)
      meetingsIn(text)
    }),
    { numRuns: 2_000 },
  )
  const started = process.cpuUsage().user
  for (const piece of [
    'https://',
    'context={',
    '%25',
    '&#',
    '<b>:',
    'passcode: ',
    'a.',
    '- ',
    '/meet/123 456 ',
    'https://www.google.com/url?q=',
    'https://urldefense.com/v3/__a*',
    ',',
    '___',
  ])
    meetingsIn(`https://zoom.us/${piece.repeat(200_000 / piece.length)}`)
  expect((process.cpuUsage().user - started) / 1000).toBeLessThan(3_000)
})
