/** One meeting has one key in every spelling and wrapper, and two meetings have two. */
import { meetingsIn, readMeeting } from '@standin/wire/meeting-links/index.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const e = encodeURIComponent
const HOSTS = ['talk.example.org']
const keyOf = (text: string) => {
  const meeting = readMeeting(text, { jitsiHosts: HOSTS })
  return 'problem' in meeting ? meeting.problem : meeting.key
}

test.each([
  ['https://zoom.us/my/ann.example', 'https://acme.zoom.us/my/Ann.Example'],
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

const launcher = (path: string) =>
  `https://teams.microsoft.com/dl/launcher/launcher.html?url=${e(`/_#${path}`)}&type=meet`

const ZOOM_HOSTS = ['zoom.us', 'us02web.zoom.us', 'acme.zoom.us', 'zoom.com', 'uni.zoom-x.de', 'APP.Zoom.us']

/** A meeting: its name, a part of the address that opens it, and its spellings. */
const meetings: fc.Arbitrary<{ name: string; opens: string; links: string[] }> = fc.oneof(
  fc.tuple(letters(3), letters(4), letters(3)).map((parts) => {
    const code = parts.join('-')
    const paths = [code, `${code}?authuser=1&pli=1`, `${code}&hs=1`, `u/2/${code}`, `_meet/${code}`, parts.join('')]
    const links = [`http://www.meet.google.com/${code.toUpperCase()}/`]
    for (const path of paths) links.push(`https://meet.google.com/${path}`)
    return { name: `meet ${code}`, opens: `https://meet.google.com/${code}?hl=en`, links }
  }),
  fc.tuple(digits(9, 11), token).map(([number, pwd]) => {
    const paths = [`j/${number}?pwd=${pwd}`, `j/${number}#pwd=${pwd}`, `wc/join/${number}`, `launch/jc/${number}`]
    const links = ZOOM_HOSTS.flatMap((host) => [
      `zoommtg://${host}/join?action=join&confno=${number}&pwd=${pwd}`,
      ...[...paths, `wc/${number}/join?from=x&un=y`].map((path) => `https://${host}/${path}`),
    ])
    return { name: `zoom ${number}`, opens: `/wc/${number}/join`, links }
  }),
  fc.tuple(digits(12, 15), token).map(([number, p]) => {
    const path = `/meet/${number}?p=${p}`
    const pages = [path, `/v2/?meetingjoin=true#${path}&anon=true`].map((page) => `https://teams.microsoft.com${page}`)
    const links = [...pages, `https://teams.cloud.microsoft/meet/${number}`, `msteams:${path}`, launcher(path)]
    return { name: `teams ${number}`, opens: `/meet/${number}?`, links }
  }),
  fc.tuple(token, fc.uuid()).map(([name, tenant]) => {
    const context = JSON.stringify({ Tid: tenant, Oid: tenant })
    const thread = `19:meeting_${name}@thread.v2`
    const address = (thread: string, context: string) =>
      `https://teams.microsoft.com/l/meetup-join/${thread}/0?context=${context}`
    const links = [thread, e(thread)].flatMap((id) => [address(id, context), address(id, e(context))])
    return { name: `teams ${name}`, opens: e(thread), links }
  }),
  fc.tuple(token, fc.constantFrom('meet.jit.si', 'talk.example.org')).map(([room, host]) => ({
    name: `${host} ${room.toLowerCase()}`,
    opens: `https://${host}/r`,
    links: [room, room.toUpperCase()].map((name) => `https://${host}/r${name}#config.lobby=1`),
  })),
)
const spelled = fc.tuple(meetings, fc.nat()).map(([{ links }, index]) => links[index % links.length]!)

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
  test('a link that is wrapped and in a text is read as the link alone', () => {
    fc.assert(
      fc.property(spelled, wraps, around, (link, wrapped, surround) => {
        const text = surround(wrapped.reduce((inner, wrap) => wrap(inner), link))
        fc.pre(text.length <= 8192)
        const { link: _link, ...wanted } = readMeeting(link, { jitsiHosts: HOSTS }) as { link: string }
        expect(readMeeting(text, { jitsiHosts: HOSTS })).toMatchObject(wanted)
      }),
      RUNS,
    )
  })

  test('the link that is kept reads as the same meeting again', () => {
    fc.assert(
      fc.property(spelled, token, (link, passcode) => {
        const [meeting] = meetingsIn(`${link}\nPasscode: ${passcode}`, { jitsiHosts: HOSTS })
        expect(readMeeting(meeting!.link, { jitsiHosts: HOSTS })).toEqual(meeting)
        const whole = readMeeting(`${link}\nPasscode: ${passcode}`, { jitsiHosts: HOSTS })
        if ('problem' in whole) throw new Error(whole.problem)
        expect(readMeeting(whole.link, { jitsiHosts: HOSTS })).toMatchObject({ key: meeting!.key, url: whole.url })
      }),
      RUNS,
    )
  })

  test('all spellings of a meeting open it and have one key, which no other meeting has', () => {
    fc.assert(
      fc.property(meetings, meetings, ({ name, opens, links }, other) => {
        const keys = links.map(keyOf)
        expect(new Set(keys).size).toBe(1)
        for (const link of links)
          expect(readMeeting(link, { jitsiHosts: HOSTS })).toMatchObject({ url: expect.stringContaining(opens) })
        expect(keys.includes(keyOf(other.links[0]!))).toBe(name === other.name)
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
    ...['https://', 'http%3A%2F%2F', 'zoom.us/j/', 'msteams:', 'zoommtg://', 'https://urldefense.com/v3/__', '[::1]'],
    ...['https://www.google.com/url?q=', 'https://teams.microsoft.com/light-meetings/launch?coords=', 'context={', '}'],
    ...[
      '%E0%A4',
      '%',
      '%25',
      '&#x110000;',
      '&amp;',
      '___',
      '__;',
      '*',
      '**Z',
      'passcode:',
      ' : ',
      '<b>',
      '.',
      '-',
      '@',
    ],
    ...['a', '\u200b', '\ud800', '1 ', '\\/', ',', ';', '＝', '\n'],
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
    ...['https://', 'context={', '%25', '&#', '<b>:', 'passcode: ', 'a.', '- ', ',', '___', '/meet/123 456 '],
    ...['https://www.google.com/url?q=', 'https://urldefense.com/v3/__a*'],
  ])
    meetingsIn(`https://zoom.us/${piece.repeat(200_000 / piece.length)}`)
  expect((process.cpuUsage().user - started) / 1000).toBeLessThan(3_000)
})
