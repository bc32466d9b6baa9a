/** Both generations with the real operations, in front of the providers' stand-ins. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StandInAccount } from '../../../../packages/mock/calendars/index.ts'
import { openCalendarWorld } from './stand-ins.ts'

const LONG = { timeout: 30_000, interval: 50 }
const HOUR = 3_600_000
const MEET = 'https://meet.google.com/abc-defg-hij'

let world: Awaited<ReturnType<typeof openCalendarWorld>>
beforeAll(async () => {
  world = await openCalendarWorld()
})
afterAll(() => world.close())

const PLATFORMS = ['google', 'microsoft'] as const
type Platform = (typeof PLATFORMS)[number]
const providerOf = (platform: Platform) => world[platform]

function bodyOf(platform: Platform, account: StandInAccount, fields: object = {}) {
  const { tokens } = providerOf(platform)
  return {
    calendar_platform: platform,
    oauth_client_id: tokens.clientId,
    oauth_client_secret: tokens.clientSecret,
    oauth_refresh_token: tokens.consent(account),
    raw_calendar_id: account.primary.id,
    ...fields,
  }
}

type Team = Awaited<ReturnType<typeof world.team>>

async function connect(team: Team, platform: Platform, account: StandInAccount): Promise<string> {
  const { status, text, body } = await team.post('/v2/calendars', bodyOf(platform, account))
  if (status !== 201) throw new Error(text)
  const id = body.data.calendar_id
  await expect
    .poll(async () => (await team.get(`/v2/calendars/${id}`)).body.data, LONG)
    .toMatchObject({ sync_status: 'success', subscription_id: expect.any(String) })
  return id
}

describe.each(PLATFORMS)('%s', (platform) => {
  test('a refusal of the provider is answered with its code, and nothing is stored', async () => {
    const team = await world.team()
    const account = providerOf(platform).addAccount()
    const attempts: [fields: object, status: number, code: string][] = [
      [{ oauth_refresh_token: 'unknown' }, 401, 'FST_ERR_OAUTH_TOKEN_REFRESH_FAILED'],
      [{ oauth_client_secret: 'wrong' }, 401, 'FST_ERR_OAUTH_TOKEN_REFRESH_FAILED'],
      [{ oauth_client_id: 'wrong' }, 401, 'FST_ERR_OAUTH_TOKEN_REFRESH_FAILED'],
      [{ raw_calendar_id: 'nobody@example.com' }, 400, 'FST_ERR_VALIDATION'],
    ]
    for (const [fields, status, code] of attempts) {
      const answer = await team.post('/v2/calendars', bodyOf(platform, account, fields))
      expect({ fields, status: answer.status, code: answer.body.code }).toEqual({ fields, status, code })
    }
    const unscoped = providerOf(platform).addAccount({ scopes: [] })
    expect(await team.post('/v2/calendars', bodyOf(platform, unscoped))).toMatchObject({
      status: 403,
      body: { code: 'FST_ERR_CALENDAR_PERMISSION_DENIED', details: expect.any(String) },
    })
    providerOf(platform).server.script('calendars', { status: 500, body: {} })
    expect(await team.post('/v2/calendars', bodyOf(platform, account))).toMatchObject({
      status: 503,
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
      body: { code: 'FST_ERR_CALENDAR_PROVIDER_UNAVAILABLE' },
    })
    expect((await team.get('/v2/calendars')).body.data).toEqual([])
  })

  test('one calendar is connected once by a team, and by other teams too, which do not see each other', async () => {
    const [team, other] = [await world.team(), await world.team()]
    const account = providerOf(platform).addAccount()
    account.primary.create({ start: new Date(Date.now() + 2 * HOUR), link: MEET })
    const id = await connect(team, platform, account)
    expect(await team.post('/v2/calendars', bodyOf(platform, account))).toMatchObject({
      status: 409,
      body: { code: 'FST_ERR_CALENDAR_CONNECTION_ALREADY_EXISTS' },
    })
    const theirs = await connect(other, platform, account)
    expect(theirs).not.toBe(id)
    const [event] = (await team.get(`/v2/calendars/${id}/events`)).body.data
    const named = { event_id: event.event_id, bot_name: 'Notes' }
    for (const [path, code] of [
      [`/v2/calendars/${id}/bots`, 'FST_ERR_CALENDAR_NOT_FOUND_BY_ID'],
      [`/v2/calendars/${theirs}/bots`, 'FST_ERR_EVENT_NOT_FOUND_BY_ID'],
    ] as const)
      for (const method of ['post', 'patch', 'delete'] as const)
        expect(await other[method](path, method === 'delete' ? { event_id: event.event_id } : named)).toMatchObject({
          status: 404,
          body: { code },
        })
    const series = { series_id: event.series_id, all_occurrences: true, bot_name: 'Notes' }
    expect(await other.post(`/v2/calendars/${theirs}/bots`, series)).toMatchObject({
      status: 404,
      body: { code: 'FST_ERR_EVENT_SERIES_NOT_FOUND_BY_ID' },
    })
    expect((await team.get(`/calendar_events/${event.event_id}`)).status).toBe(404)
    expect((await team.get(`/v2/calendars/${id}/events`)).body.data[0].bot_scheduled).toBe(false)
  })

  test('a notification counts with its token only, and then the change is there', async () => {
    const team = await world.team()
    const account = providerOf(platform).addAccount()
    const id = await connect(team, platform, account)
    const hintedAt = async () =>
      (await world.database.selectFrom('calendars').select('hinted_at').where('id', '=', id).executeTakeFirstOrThrow())
        .hinted_at
    const before = await hintedAt()
    const { subscription_id: subscription } = (await team.get(`/v2/calendars/${id}`)).body.data
    const forged =
      platform === 'google'
        ? await world.app.inject({
            method: 'POST',
            url: '/hooks/google',
            headers: {
              'x-goog-channel-id': subscription,
              'x-goog-channel-token': 'guessed',
              'x-goog-resource-state': 'exists',
            },
          })
        : await world.app.inject({
            method: 'POST',
            url: '/hooks/microsoft',
            payload: { value: [{ subscriptionId: subscription, clientState: 'guessed' }] },
          })
    expect(forged.statusCode).toBe(platform === 'google' ? 404 : 202)
    expect(await hintedAt()).toEqual(before)
    account.primary.create({ title: 'New', start: new Date(Date.now() + 5 * HOUR) })
    await expect
      .poll(async () => (await team.get(`/v2/calendars/${id}/events`)).body.data, LONG)
      .toMatchObject([{ title: 'New', meeting_url: null }])
    expect(await hintedAt()).not.toEqual(before)
    const [event] = (await team.get(`/v2/calendars/${id}/events`)).body.data
    const without = { event_id: event.event_id, bot_name: 'Notes' }
    expect((await team.post(`/v2/calendars/${id}/bots`, without)).body).toMatchObject({
      data: [],
      errors: [{ event_id: event.event_id, code: 'NO_MEETING_URL' }],
    })
  })
})

test('the older generation: a bot for every event of a series but one, changed, and called off', async () => {
  const team = await world.team()
  const account = world.google.addAccount()
  const start = new Date(Math.ceil(Date.now() / 1000) * 1000 + 24 * HOUR)
  account.primary.create({ title: 'Weekly', start, link: MEET, repeats: { every: 'week', count: 4 } })
  const { oauth_client_id, oauth_client_secret, oauth_refresh_token } = bodyOf('google', account)
  const oauth = { oauth_client_id, oauth_client_secret, oauth_refresh_token, platform: 'google' }
  const created = await team.post('/calendars', { ...oauth, raw_calendar_id: 'primary' })
  const { uuid } = created.body.calendar
  const events = async () => (await team.get(`/calendar_events?calendar_id=${uuid}`)).body.data
  await expect.poll(events, LONG).toHaveLength(4)
  const [first, second] = await events()
  const namesOf = (answer: { body: { bot_param: { bot_name: string } | null }[] }) =>
    answer.body.map(({ bot_param }) => bot_param?.bot_name ?? null)
  const all = (event: { uuid: string }) => `/calendar_events/${event.uuid}/bot?all_occurrences=true`
  const bot = { bot_name: 'Notes', speech_to_text: { provider: 'deepgram', api_key: 'own-key' }, extra: { a: 1 } }
  expect(namesOf(await team.post(all(second), bot))).toEqual(['Notes', 'Notes', 'Notes', 'Notes'])
  expect(namesOf(await team.delete(`/calendar_events/${second.uuid}/bot`))).toEqual([null])
  const changed = await team.patch(all(first), { bot_name: 'Minutes', enter_message: '', extra: null })
  expect(changed.status).toBe(200)
  expect((await events()).map((event: { bot_param: unknown }) => event.bot_param)).toMatchObject([
    { bot_name: 'Minutes', speech_to_text_provider: 'deepgram', speech_to_text_api_key: null, extra: { a: 1 } },
    null,
    { bot_name: 'Minutes' },
    { bot_name: 'Minutes' },
  ])
  expect((await team.patch(`/calendars/${uuid}`, { ...oauth, oauth_refresh_token: 'unknown' })).status).toBe(401)
  expect((await events())[0].bot_param).not.toBeNull()
  expect((await team.patch(`/calendars/${uuid}`, oauth)).status).toBe(200)
  await expect
    .poll(async () => (await events()).map((event: { bot_param: unknown }) => event.bot_param), LONG)
    .toEqual([null, null, null, null])
})

test('an account without a mailbox is a 403 with its own code', async () => {
  const team = await world.team()
  const account = world.microsoft.addAccount({ hasMailbox: false })
  expect(await team.post('/v2/calendars', bodyOf('microsoft', account))).toMatchObject({
    status: 403,
    body: { code: 'FST_ERR_CALENDAR_LICENSE_REQUIRED' },
  })
})

test('a team has as many calendars as its limit says: none with 0, any number with null', async () => {
  const limited = (code: string) => ({ status: 429, body: { code } })
  const connectTo = (team: Team) => team.post('/v2/calendars', bodyOf('google', world.google.addAccount()))
  const none = await world.team({ calendars: 0 })
  expect(await connectTo(none)).toMatchObject(limited('FST_ERR_CALENDAR_CONNECTION_LIMIT_EXCEEDED'))
  const one = await world.team({ calendars: 1 })
  const answers = await Promise.all([connectTo(one), connectTo(one), connectTo(one)])
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 429, 429])
  const { oauth_client_id, oauth_client_secret, oauth_refresh_token } = bodyOf('google', world.google.addAccount())
  const older = { oauth_client_id, oauth_client_secret, oauth_refresh_token, platform: 'Google' }
  expect(await one.post('/calendars', older)).toMatchObject(limited('CalendarLimitReached'))
  const [first] = (await one.get('/v2/calendars')).body.data
  expect((await one.delete(`/v2/calendars/${first.calendar_id}`)).status).toBe(200)
  expect((await connectTo(one)).status).toBe(201)
  const free = await world.team({ calendars: null })
  for (let count = 0; count < 3; count++) expect((await connectTo(free)).status).toBe(201)
})

test('a calendar that is gone at the provider is reported as gone by sync, and the connection stays', async () => {
  const team = await world.team()
  const account = world.google.addAccount()
  const id = await connect(team, 'google', account)
  account.calendars.length = 0
  expect(await team.post(`/v2/calendars/${id}/sync`)).toMatchObject({
    status: 403,
    body: { code: 'FST_ERR_CALENDAR_PERMISSION_DENIED' },
  })
  expect((await team.get(`/v2/calendars/${id}`)).body.data).toMatchObject({ status: 'error', sync_status: 'failed' })
})

test('no answer and no column of text holds a secret', async () => {
  const team = await world.team()
  const account = world.microsoft.addAccount()
  account.primary.create({ start: new Date(Date.now() + 2 * HOUR), link: MEET })
  const id = await connect(team, 'microsoft', account)
  const [event] = (await team.get(`/v2/calendars/${id}/events`)).body.data
  await team.post(`/v2/calendars/${id}/bots`, {
    event_id: event.event_id,
    bot_name: 'Notes',
    callback_enabled: true,
    callback_config: { url: 'https://example.com/callback', secret: 'planted-secret-1' },
    transcription_enabled: true,
    transcription_config: { provider: 'deepgram', api_key: 'planted-secret-2' },
  })
  const texts: string[] = []
  for (const path of ['', `/${id}`, `/${id}/events`, `/${id}/series`, `/${id}/events/${event.event_id}`])
    texts.push((await team.get(`/v2/calendars${path}`)).text)
  for (const table of ['calendars', 'calendar_channels', 'calendar_events', 'calendar_intents', 'messages'] as const)
    texts.push(JSON.stringify(await world.database.selectFrom(table).selectAll().execute(), withoutBytes))
  const planted = [
    world.microsoft.tokens.clientSecret,
    world.google.tokens.clientSecret,
    'planted-secret',
    'refresh.',
    'access.',
  ]
  for (const text of texts) for (const secret of planted) expect(text).not.toContain(secret)
})

/** Sealed values are bytes; their content is the business of the seals' own tests. */
function withoutBytes(_key: string, value: unknown): unknown {
  const isBytes = typeof value === 'object' && value !== null && (value as { type?: unknown }).type === 'Buffer'
  return isBytes ? 'bytes' : value
}
