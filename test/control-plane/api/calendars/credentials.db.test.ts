/** Bots of calendar events name stored credentials, in both generations, and keep them until their start. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { grantRequestOf } from '../../../../control-plane/bots/grant-request.ts'
import { openConferencing } from '../conferencing.ts'
import { openCalendarWorld } from './stand-ins.ts'

const LONG = { timeout: 30_000, interval: 50 }
const ZOOM = 'https://zoom.us/j/88240852079?pwd=x'

let conferencing: Awaited<ReturnType<typeof openConferencing>>
let world: Awaited<ReturnType<typeof openCalendarWorld>>

beforeAll(async () => {
  conferencing = await openConferencing()
  world = await openCalendarWorld({ conferencing: conferencing.authority })
})
afterAll(async () => {
  await world?.close()
  await conferencing?.close()
})

/** A team with a calendar of one event, and a connected user. */
async function setting(generation: 'v2' | 'older') {
  const team = await world.team()
  const account = world.google.addAccount()
  account.primary.create({ start: new Date(Date.now() + 7_200_000), link: ZOOM })
  const oauth = {
    oauth_client_id: world.google.tokens.clientId,
    oauth_client_secret: world.google.tokens.clientSecret,
    oauth_refresh_token: world.google.tokens.consent(account),
    raw_calendar_id: account.primary.id,
  }
  const { zoom, app } = conferencing
  const user = zoom.addUser()
  const credential = await team.post('/v2/conf-credentials', {
    name: 'Ann',
    client_id: app.clientId,
    client_secret: app.clientSecret,
    authorization_code: zoom.allow(app, user),
    redirect_uri: app.redirectUris[0],
  })
  const connected =
    generation === 'v2'
      ? (await team.post('/v2/calendars', { calendar_platform: 'google', ...oauth })).body.data.calendar_id
      : (await team.post('/calendars/', { platform: 'Google', ...oauth })).body.calendar.uuid
  const list = generation === 'v2' ? `/v2/calendars/${connected}/events` : `/calendar_events/?calendar_id=${connected}`
  await expect.poll(async () => (await team.get(list)).body.data, LONG).toHaveLength(1)
  const [event] = (await team.get(list)).body.data
  return { team, user, calendarId: connected, credentialId: credential.body.data.credential_id, event }
}

const botsOf = (teamId: string) =>
  world.database.selectFrom('bots').selectAll().where('team_id', '=', teamId).where('phase', '<>', 'closed').execute()

test('in the newer generation by the id of the credential', async () => {
  const { team, calendarId, credentialId, event } = await setting('v2')
  const path = `/v2/calendars/${calendarId}/bots`
  const body = {
    series_id: event.series_id,
    event_id: event.event_id,
    all_occurrences: false,
    bot_name: 'Bot',
    conf_config: { credential_id: credentialId },
  }
  const unknown = { ...body, conf_config: { credential_id: randomUUID() } }
  expect(await team.post(path, unknown)).toMatchObject({
    status: 404,
    body: { code: 'FST_ERR_CREDENTIAL_NOT_FOUND_BY_ID' },
  })
  expect(await team.post(path, body)).toMatchObject({ status: 201, body: { errors: [] } })
  await expect.poll(() => botsOf(team.teamId), LONG).toHaveLength(1)
  const [bot] = await botsOf(team.teamId)
  expect(grantRequestOf(bot!)).toEqual({
    teamId: team.teamId,
    credentialId,
    credentialUserId: null,
    wantsToken: true,
    meetingUrl: ZOOM,
  })
  expect(await team.patch(path, unknown)).toMatchObject({ status: 404 })
})

test('in the older generation by the user, with the fields of the bot parameter object', async () => {
  const { team, user, event } = await setting('older')
  const path = `/calendar_events/${event.uuid}/bot`
  const body = {
    bot_name: 'Bot',
    conf_obf_token_user_id: user.id,
    conf_sdk_id: 'sdk-id',
    conf_sdk_pwd: 'marker-sdk-password',
    conf_access_token_url: 'https://example.com/zak',
  }
  const made = await team.post(path, body)
  expect(made.status).toBe(200)
  expect(made.body[0].bot_param).toMatchObject({
    conf_obf_token_user_id: user.id,
    conf_access_token_url: 'https://example.com/zak',
    conf_obf_token_url: null,
  })
  expect(made.text).not.toContain('marker-sdk-password')
  await expect.poll(() => botsOf(team.teamId), LONG).toHaveLength(1)
  const [bot] = await botsOf(team.teamId)
  expect(grantRequestOf(bot!)).toMatchObject({ credentialUserId: user.id, wantsToken: true, meetingUrl: ZOOM })
  const opened = world.dependencies.seals.open(bot!.secrets!, { table: 'bots', column: 'secrets', row: bot!.id })
  expect(JSON.parse(opened)).toMatchObject({ sdkId: 'sdk-id', sdkPassword: 'marker-sdk-password' })
})

const NEEDS_APP = 'works only with an app of Zoom'
const TOKEN_URL = 'https://tokens.example/obf'

test.each([
  ['one event', {}],
  ['its series', { all_occurrences: true }],
])('without an app, a token of Zoom is refused at once in the newer generation: %s', async (_what, which) => {
  const { team, calendarId, event } = await setting('v2')
  const path = `/v2/calendars/${calendarId}/bots`
  const named = { series_id: event.series_id, event_id: event.event_id, ...which }
  const token = { conf_config: { obf_token: 'obf' } }
  const refused = await team.post(path, { ...named, bot_name: 'Bot', ...token })
  expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('body/conf_config an on') } })
  expect(refused.body.message).toContain(NEEDS_APP)
  expect(await botsOf(team.teamId)).toEqual([])
  expect((await team.post(path, { ...named, bot_name: 'Bot' })).status).toBe(201)
  const changed = await team.patch(path, { ...named, ...token, bot_name: 'Other' })
  expect(changed).toMatchObject({ status: 400, body: { message: expect.stringContaining(NEEDS_APP) } })
  expect((await botsOf(team.teamId)).map((bot) => bot.bot_name)).toEqual(['Bot'])
})

test('without an app, a token of Zoom is refused at once in the older generation', async () => {
  const { team, event } = await setting('older')
  const path = `/calendar_events/${event.uuid}/bot`
  const token = { conf_obf_token_url: TOKEN_URL }
  const refused = await team.post(path, { bot_name: 'Bot', ...token })
  expect(refused.status).toBeGreaterThanOrEqual(400)
  expect(refused.text).toContain(`body/conf_obf_token an on-behalf-of token or an access key ${NEEDS_APP}`)
  expect((await team.post(path, { bot_name: 'Bot' })).status).toBe(200)
  expect((await team.patch(path, token)).text).toContain(NEEDS_APP)
  const keys = { conf_sdk_id: 'id', conf_sdk_pwd: 'password' }
  expect((await team.patch(path, { ...token, ...keys })).status).toBe(200)
  expect(await botsOf(team.teamId)).toHaveLength(1)
})
