/** Tokens, limits, and answers that are not what they should be: each is a problem of a known kind, none is a crash. */
import { googleRefusals, microsoftRefusals } from '@standin/mock/calendars/index.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { at, HOUR, NOW, openStandIns, PLATFORMS, problemOf, WINDOW } from '../stand-ins.ts'

let world: Awaited<ReturnType<typeof openStandIns>>
beforeEach(async () => {
  world = await openStandIns(NOW)
})

describe('refresh tokens', () => {
  test('Google gives an access token and keeps the refresh token', async () => {
    const { credentials } = await world.connect('google')
    const token = await world.providers.google.refresh(credentials)
    expect(token).toMatchObject({ accessTokenSeconds: 3599, refreshToken: null })
  })

  test('Microsoft replaces the refresh token; the old one is refused from then on', async () => {
    const { microsoft } = world.providers
    const account = world.microsoft.addAccount()
    const refreshToken = world.microsoft.tokens.consent(account)
    const credentials = { clientId: 'standin-client', clientSecret: 'standin-secret', refreshToken, tenantId: 'common' }
    const { refreshToken: newest } = await microsoft.refresh(credentials)
    expect(newest).not.toBeNull()
    expect((await problemOf(microsoft.refresh(credentials))).kind).toBe('revoked')
    const next = await microsoft.refresh({ ...credentials, refreshToken: newest! })
    expect(next.refreshToken).not.toBe(newest)
  })

  describe.each(PLATFORMS)('%s', (platform) => {
    test('revoked, wrong secret, unknown client, no service, too many: each has its kind', async () => {
      const provider = world.providers[platform]
      const standIn = world[platform]
      const { account, credentials } = await world.connect(platform)
      const refreshToken = standIn.tokens.liveToken(account)!
      const good = { ...credentials, refreshToken }
      const kind = async (change: object) => (await problemOf(provider.refresh({ ...good, ...change }))).kind
      expect(await kind({ clientSecret: 'wrong' })).toBe('client_refused')
      expect(await kind({ clientId: 'unknown' })).toBe('client_refused')
      expect(await kind({ refreshToken: 'unknown' })).toBe('revoked')
      standIn.server.script('token', { status: 500, body: 'oops' })
      expect(await kind({})).toBe('unavailable')
      standIn.server.script('token', { status: 429, headers: { 'retry-after': '7' }, body: {} })
      expect(await problemOf(provider.refresh(good))).toMatchObject({ kind: 'rate_limited', retryAfterMs: 7000 })
      standIn.server.script('token', 'lose')
      expect(await kind({})).toBe('unavailable')
      standIn.server.script('token', { status: 200, body: { token_type: 'Bearer' } })
      expect(await kind({})).toBe('unavailable')
      standIn.tokens.revoke(account)
      expect(await kind({})).toBe('revoked')
    })

    test('what a provider says is in the sentence, and no secret is', async () => {
      const provider = world.providers[platform]
      const credentials = {
        clientId: 'standin-client',
        clientSecret: 'very-secret',
        refreshToken: 'refresh.very-secret-too',
        tenantId: 'common',
      }
      world[platform].server.script('token', (request) => ({
        status: 400,
        body: { error: 'invalid_grant', error_description: `Bad\u0000\n${decodeURIComponent(request.body)}` },
      }))
      const { message } = await problemOf(provider.refresh(credentials))
      expect(message).toContain('400')
      expect(message).toContain('invalid_grant')
      expect(message).not.toMatch(/very-secret/)
      expect(message).not.toContain('\n')
    })
  })

  test('a tenant that is none is refused before anything is asked', async () => {
    const { credentials } = await world.connect('microsoft')
    const seen = world.microsoft.server.requests.length
    for (const tenantId of ['../../evil', 'a b', 'x?y', 'a/b', '.'])
      expect((await problemOf(world.providers.microsoft.refresh({ ...credentials, tenantId }))).kind).toBe(
        'client_refused',
      )
    expect(world.microsoft.server.requests).toHaveLength(seen)
    const unknown = world.providers.microsoft.refresh({ ...credentials, tenantId: 'nobody.example' })
    expect((await problemOf(unknown)).kind).toBe('client_refused')
  })
})

describe.each(PLATFORMS)('answers of %s', (platform) => {
  const operations = {
    google: {
      full: 'events',
      since: 'events',
      link: (_: URL, page: number) => ({ items: [], nextPageToken: `${page}` }),
    },
    microsoft: {
      full: 'view',
      since: 'delta',
      link: (url: URL, page: number) => {
        const next = new URL(url)
        next.searchParams.set('$skiptoken', `${page}`)
        return { value: [], '@odata.nextLink': next.href }
      },
    },
  }[platform]
  const refusals = platform === 'google' ? googleRefusals : microsoftRefusals

  async function start() {
    const connected = await world.connect(platform)
    connected.calendar.create({ id: 'one', title: 'One', start: at('2026-11-25T10:00:00Z') })
    connected.calendar.create({ title: 'Two', start: at('2026-11-25T12:00:00Z') })
    return { ...connected, server: world[platform].server }
  }

  test('calendars of an account, all pages', async () => {
    const { account, token } = await start()
    for (let index = 0; index < 60; index++) account.addCalendar(`Calendar <${index}>`)
    const calendars = await world.providers[platform].listCalendars(token)
    expect(calendars).toHaveLength(61)
    expect(calendars[0]).toEqual({
      id: account.primary.id,
      name: 'Ann Example',
      email: 'ann@example.com',
      isPrimary: true,
    })
    expect(calendars.filter(({ isPrimary }) => isPrimary)).toHaveLength(1)
    expect(new Set(calendars.map(({ email }) => email))).toEqual(new Set(['ann@example.com']))
  })

  test('a token that is over is refused, also in the middle of a reading', async () => {
    const { account, all, since } = await start()
    const { cursor } = await all()
    world[platform].limitPages(1)
    world[platform].server.script(operations.full, (request) => {
      world[platform].tokens.revoke(account)
      return { status: 200, body: operations.link(request.url, 1) }
    })
    expect((await problemOf(all())).kind).toBe('token_refused')
    expect((await problemOf(since(cursor))).kind).toBe('token_refused')
  })

  test('an access token lives for an hour', async () => {
    const { all } = await start()
    world.clock.advance(HOUR)
    expect((await problemOf(all())).kind).toBe('token_refused')
  })

  test('a missing scope, a calendar that is not there', async () => {
    const { account, token, all } = await start()
    const elsewhere = world.providers[platform].changes(token, 'nowhere/else', { cursor: null, window: WINDOW })
    expect((await problemOf(elsewhere)).kind).toBe('not_found')
    account.scopes = []
    expect((await problemOf(all())).kind).toBe('permission_denied')
    expect((await problemOf(world.providers[platform].listCalendars(token))).kind).toBe('permission_denied')
  })

  test('a cursor that is dead, unknown or of another host', async () => {
    const { all, since } = await start()
    const { cursor } = await all()
    world[platform].forgetCursors()
    expect((await problemOf(since(cursor))).kind).toBe('cursor_gone')
    expect((await problemOf(since('nonsense'))).kind).toBe('cursor_gone')
    expect((await problemOf(since('https://elsewhere.example/delta?$deltatoken=1'))).kind).toBe('cursor_gone')
    const again = await all()
    expect((await since(again.cursor)).events).toEqual([])
    world[platform].server.script(operations.since, refusals.refusal(400, 'invalid', 'No such token'))
    expect((await problemOf(since(again.cursor))).kind).toBe('cursor_gone')
  })

  test('limits say how long to wait', async () => {
    const { all, server } = await start()
    server.script(operations.full, refusals.refusal(429, 'rateLimitExceeded', 'Slow down', { 'retry-after': '12' }))
    expect(await problemOf(all())).toMatchObject({ kind: 'rate_limited', retryAfterMs: 12_000 })
    server.script(operations.full, refusals.refusal(503, 'backendError', 'Busy', { 'retry-after': '999999' }))
    expect(await problemOf(all())).toMatchObject({ kind: 'unavailable', retryAfterMs: HOUR })
    const inTwoMinutes = new Date(Date.now() + 120_000).toUTCString()
    server.script(operations.full, refusals.refusal(429, 'x', 'Slow down', { 'retry-after': inTwoMinutes }))
    const { retryAfterMs } = await problemOf(all())
    expect(retryAfterMs).toBeGreaterThan(60_000)
    expect(retryAfterMs).toBeLessThanOrEqual(120_000)
    server.script(operations.full, refusals.refusal(429, 'x', 'Slow down', { 'retry-after': 'soon' }))
    expect((await problemOf(all())).retryAfterMs).toBeNull()
  })

  test.each([
    ['no JSON', { status: 200, body: '<html>Sign in</html>' }],
    ['an empty body', { status: 200 }],
    ['null', { status: 200, body: null }],
    ['a list', { status: 200, body: [] }],
    ['a text', { status: 200, body: '"text"' }],
    ['entries of a wrong type', { status: 200, body: { items: 'many', value: 'many' } }],
    ['bottomless nesting', { status: 200, body: `{"items":${'['.repeat(200_000)}${']'.repeat(200_000)},"value":[]}` }],
    ['nesting that is cut off', { status: 200, body: '[{"items":'.repeat(50_000) }],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }],
    ['a status of nowhere', { status: 418, body: { error: 'teapot' } }],
    ['a broken connection', 'lose' as const],
  ])('%s is unavailable, with a sentence', async (_name, script) => {
    const { all, since, server, token } = await start()
    const { cursor } = await all()
    server.script(operations.full, script)
    expect(await problemOf(all())).toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(/^(Google|Microsoft)\b.{10,}/),
    })
    server.script(operations.since, script)
    expect((await problemOf(since(cursor))).kind).toBe('unavailable')
    server.script('calendars', script)
    expect((await problemOf(world.providers[platform].listCalendars(token))).kind).toBe('unavailable')
  })

  test('an answer without an end is cut', async () => {
    const { all, server } = await start()
    server.script(operations.full, { status: 200, body: `{"items":["${'x'.repeat(17 * 1024 * 1024)}"]}` })
    const problem = await problemOf(all())
    expect(problem).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('more than 16 MiB') })
  })

  test('pages that lead in a circle', async () => {
    const { all, server } = await start()
    server.script(operations.full, (request) => ({ status: 200, body: operations.link(request.url, 1) }), 10)
    expect((await problemOf(all())).message).toMatch(/sent before/)
  })

  test('endless pages are bounded', async () => {
    const { all, since, server } = await start()
    const { cursor } = await all()
    let page = 0
    server.script(operations.full, ({ url }) => ({ status: 200, body: operations.link(url, page++) }), 1000)
    const before = server.count(operations.full)
    expect(await problemOf(all())).toMatchObject({ kind: 'unavailable', message: expect.stringMatching(/200 pages/) })
    expect(server.count(operations.full) - before).toBe(200)
    // Changes without an end are answered by reading everything.
    server.script(operations.since, ({ url }) => ({ status: 200, body: operations.link(url, page++) }), 1000)
    expect(await problemOf(since(cursor))).toMatchObject({
      kind: 'cursor_gone',
      message: expect.stringMatching(/200 pages/),
    })
  })

  test('events of wrong types cost no other event: they are named, and the rest is read', async () => {
    const { all, server, calendar } = await start()
    const wrong = [
      null,
      7,
      'text',
      [],
      {},
      { id: 7 },
      { id: '' },
      { id: 'x'.repeat(5000) },
      { id: 'no-times' },
      { id: 'odd-times', start: 'now', end: 7 },
      { id: 'bad-times', start: { dateTime: 'yesterday' }, end: { dateTime: '2026-13-45T99:99:99Z' } },
      {
        id: 'far',
        start: { dateTime: '9999-12-31T23:59:59Z', timeZone: 'UTC' },
        end: { dateTime: '+275760-09-13T00:00:00Z', timeZone: 'UTC' },
      },
      {
        id: 'backwards',
        start: { dateTime: '2026-11-25T11:00:00Z', timeZone: 'UTC' },
        end: { dateTime: '2026-11-25T10:00:00Z', timeZone: 'UTC' },
      },
      { id: 'zone', start: { dateTime: '2026-11-25T11:00:00', timeZone: 'Mars/Base' }, end: { dateTime: 'x' } },
    ]
    const odd = {
      id: 'odd',
      start: { dateTime: '2026-11-25T10:00:00Z', timeZone: 'UTC' },
      end: { dateTime: '2026-11-25T11:00:00Z', timeZone: 'UTC' },
      status: { a: 1 },
      summary: ['x'],
      subject: { y: 2 },
      description: 5,
      body: 'text',
      location: false,
      locations: [null, 3],
      attendees: [null, 'x', { email: 4, emailAddress: 5 }, { email: '', emailAddress: { address: '' } }],
      organizer: 'me',
      conferenceData: { entryPoints: { 0: 'x' } },
      onlineMeeting: [],
      hangoutLink: 'javascript:alert(1)',
      updated: 'never',
      lastModifiedDateTime: 12,
      '\u0000key\ud800': 'NUL \u0000 and half \ud800',
    }
    server.script(operations.full, { status: 200, body: { items: [...wrong, odd], value: [...wrong, odd] } })
    const { events, unreadable } = await all()
    expect(calendar.events.size).toBe(2)
    expect(unreadable).toHaveLength(wrong.length)
    expect(unreadable.map(({ providerId }) => providerId).filter((id) => id !== null)).toEqual([
      'no-times',
      'odd-times',
      'bad-times',
      'far',
      'backwards',
      'zone',
    ])
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({
      title: '',
      description: null,
      location: null,
      attendees: [],
      organizerEmail: null,
      meetingUrl: null,
      status: 'confirmed',
      updatedAt: new Date(0),
    })
    const raw = JSON.stringify(events[0]!.raw)
    expect(raw).not.toMatch(/\\u0000|\\ud800/)
  })

  test('an event that is too large for a row loses its largest fields, and says so', async () => {
    const { calendar, all } = await start()
    const attendees = Array.from({ length: 3000 }, (_, index) => ({
      email: `p${index}@example.com`,
      name: 'x'.repeat(80),
    }))
    calendar.create({ title: 'Large', start: at('2026-11-26T10:00:00Z'), description: 'y'.repeat(200_000), attendees })
    const event = (await all()).events.find(({ title }) => title === 'Large')!
    expect(JSON.stringify(event.raw).length).toBeLessThan(300_000)
    expect(event.raw.standin_left_out).toContain('attendees')
    expect(event.attendees.length).toBeLessThanOrEqual(1000)
    expect(event.description!.length).toBeLessThanOrEqual(100_000)
  })
})

describe('Google only', () => {
  test('403 for limits is no missing permission', async () => {
    const { all } = await world.connect('google')
    world.google.server.script('events', googleRefusals.tooMany())
    expect((await problemOf(all())).kind).toBe('rate_limited')
  })

  test('an API that is not switched on is the fault of the client', async () => {
    const { all } = await world.connect('google')
    const message = 'Google Calendar API has not been used in project 1 before or it is disabled.'
    world.google.server.script('events', googleRefusals.refusal(403, 'accessNotConfigured', message))
    expect(await problemOf(all())).toMatchObject({
      kind: 'client_refused',
      message: expect.stringContaining('disabled'),
    })
  })

  test('no meetings: a place of work, time for oneself, an absence, a birthday, a booking', async () => {
    const { calendar, all } = await world.connect('google')
    for (const eventType of ['workingLocation', 'focusTime', 'birthday', 'outOfOffice', 'fromGmail', 'default'])
      calendar.create({ title: eventType, eventType, start: at('2026-11-25T10:00:00Z') })
    expect((await all()).events.map(({ title }) => title).sort()).toEqual(['default'])
  })

  test('days without times are those of the calendar', async () => {
    const { all } = await world.connect('google')
    const item = { id: 'day', status: 'confirmed', start: { date: '2026-11-25' }, end: { date: '2026-11-26' } }
    world.google.server.script('events', { status: 200, body: { timeZone: 'America/New_York', items: [item] } })
    const { events, cursor } = await all()
    expect(events[0]).toMatchObject({ start: at('2026-11-25T05:00:00Z'), timezone: 'America/New_York', isAllDay: true })
    expect(cursor).toBeNull()
  })

  test('a series that cannot be read marks no exceptions, and costs no events', async () => {
    const { calendar, all } = await world.connect('google')
    calendar.create({ title: 'Weekly', start: at('2026-11-25T10:00:00Z'), repeats: { every: 'week' } })
    world.google.server.script('event', { status: 500, body: 'oops' })
    const { events } = await all()
    expect(events.map(({ isException }) => isException)).toEqual([false, false, false, false, false])
  })
})

describe('Microsoft only', () => {
  test('an account without a mailbox', async () => {
    const { account, token, all } = await world.connect('microsoft')
    account.hasMailbox = false
    expect((await problemOf(all())).kind).toBe('no_mailbox')
    expect((await problemOf(world.providers.microsoft.listCalendars(token))).kind).toBe('no_mailbox')
  })

  test('an id that Graph cannot read is an event that is not there', async () => {
    const { calendar, all, since } = await world.connect('microsoft')
    const id = calendar.create({ title: 'Gone', start: at('2026-11-25T10:00:00Z') })
    const { cursor } = await all()
    calendar.delete(id)
    world.microsoft.server.script(
      'event',
      microsoftRefusals.refusal(400, 'ErrorInvalidIdMalformed', 'Id is malformed.'),
    )
    expect((await since(cursor)).removedIds).toEqual([id])
  })

  test.each([
    ['no JSON', { status: 200, body: '<html>Sign in</html>' }],
    ['null', { status: 200, body: null }],
    ['a status of nowhere', { status: 418, body: { error: 'teapot' } }],
    ['a broken connection', 'lose' as const],
  ])('the check of a removal is answered by %s: nothing counts as removed', async (_name, script) => {
    const { calendar, all, since } = await world.connect('microsoft')
    const id = calendar.create({ title: 'Gone', start: at('2026-11-25T10:00:00Z') })
    const { cursor } = await all()
    calendar.delete(id)
    world.microsoft.server.script('event', script)
    expect((await problemOf(since(cursor))).kind).toBe('unavailable')
  })

  test('a page on another host is not asked for: it would get the access token', async () => {
    const { all } = await world.connect('microsoft')
    const elsewhere = { value: [], '@odata.nextLink': `${world.google.url}/steal` }
    world.microsoft.server.script('view', { status: 200, body: elsewhere })
    expect(await problemOf(all())).toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('another host'),
    })
    world.microsoft.server.script('delta', {
      status: 200,
      body: { value: [], '@odata.deltaLink': 'https://evil.example/' },
    })
    expect((await problemOf(all())).kind).toBe('unavailable')
    expect(world.google.server.requests).toEqual([])
  })

  test('stubs are completed from their series, in their calendar', async () => {
    const { calendar, all, since, account } = await world.connect('microsoft')
    const other = account.addCalendar('Other')
    const id = other.create({
      title: 'Weekly',
      start: at('2026-11-25T10:00:00Z'),
      repeats: { every: 'week', count: 3 },
    })
    expect((await all()).events).toEqual([])
    calendar.create({ title: 'Mine', start: at('2026-11-25T10:00:00Z'), repeats: { every: 'week', count: 3 } })
    world.microsoft.views.faults.stubInstances = true
    const { cursor } = await all()
    const mine = [...calendar.events.keys()][0]!
    calendar.change(mine, { title: 'Ours', link: 'https://teams.microsoft.com/meet/1234567890123?p=abc' })
    other.change(id, { title: 'Not mine' })
    const { events, wholeSeries } = await since(cursor)
    expect(wholeSeries).toEqual([mine])
    expect(events.map(({ title, meetingUrl, isRecurring }) => [title, meetingUrl, isRecurring])).toEqual(
      Array.from({ length: 3 }, () => ['Ours', 'https://teams.microsoft.com/meet/1234567890123?p=abc', true]),
    )
    expect(world.microsoft.server.requests.at(-1)!.path).toContain(encodeURIComponent(calendar.id))
  })

  test('what comes as removed and is there still is no removal', async () => {
    const { calendar, all, since } = await world.connect('microsoft')
    const id = calendar.create({ title: 'Stays', start: at('2026-11-25T10:00:00Z') })
    const { cursor } = await all()
    const deltaLink = { '@odata.deltaLink': cursor }
    const value = [
      { id, '@removed': { reason: 'deleted' } },
      { id: 'unknown', '@removed': { reason: 'changed' } },
    ]
    world.microsoft.server.script('delta', { status: 200, body: { value, ...deltaLink } })
    const changes = await since(cursor)
    expect(changes.removedIds).toEqual(['unknown'])
    expect(changes.events.map(({ title }) => title)).toEqual(['Stays'])
  })

  test('a delta with endless removals or series is settled by reading everything', async () => {
    const { all, since } = await world.connect('microsoft')
    const { cursor } = await all()
    const value = Array.from({ length: 501 }, (_, index) => ({
      id: `gone-${index}`,
      '@removed': { reason: 'deleted' },
    }))
    world.microsoft.server.script('delta', { status: 200, body: { value, '@odata.deltaLink': cursor } })
    expect((await problemOf(since(cursor))).kind).toBe('cursor_gone')
    expect(world.microsoft.server.count('event')).toBe(0)
    const series = Array.from({ length: 201 }, (_, index) => ({ id: `series-${index}`, type: 'seriesMaster' }))
    world.microsoft.server.script('delta', { status: 200, body: { value: series, '@odata.deltaLink': cursor } })
    expect((await problemOf(since(cursor))).kind).toBe('cursor_gone')
    expect(world.microsoft.server.count('instances')).toBe(0)
  })
})
