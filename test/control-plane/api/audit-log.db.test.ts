/** Every changing operation of every document leaves its entries in the audit log, for its team only. */
import { randomUUID } from 'node:crypto'
import type { Response } from 'light-my-request'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { requestRetranscription } from '../../../control-plane/actions/retranscribe.ts'
import { createPerson } from '../../../control-plane/store/people/people.ts'
import { createInvitation, createSignInLink } from '../../../control-plane/store/people/sessions.ts'
import { createEndpoint } from '../../../control-plane/store/webhooks/endpoints.ts'
import { insertMessages } from '../../../control-plane/store/webhooks/messages.ts'
import { openCalendarWorld } from './calendars/stand-ins.ts'
import { freshMeet } from './reporting.ts'

const SECRET = 'marker-of-a-secret'
const HOUR = 3_600_000
let world: Awaited<ReturnType<typeof openCalendarWorld>>
beforeAll(async () => {
  world = await openCalendarWorld({
    retranscribe: (...asked) => requestRetranscription(world.database, world.dependencies.seals, ...asked),
    conferencing: { authorize: async () => ({ user: newUser() }), checkTeamsApp: async () => null },
  })
})
afterAll(() => world.close())

const newUser = () => ({
  tokens: { accessToken: SECRET, refreshToken: SECRET, accessTokenSeconds: 3600, scopes: [] },
  profile: { userId: randomUUID(), accountId: null, email: 'ann@example.com', displayName: 'Ann' },
})

type Team = Awaited<ReturnType<typeof newTeam>>
type Method = 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** A team with a key and an owner who is signed in. */
async function newTeam() {
  const team = await world.team()
  const person = { teamId: team.teamId, name: 'Ada', email: null, role: 'owner' as const }
  const personId = (await createPerson(world.database, person))!
  const token = await createSignInLink(world.database, personId)
  const headers = { 'x-requested-by': 'dashboard', 'content-type': 'application/json' }
  const url = '/dashboard/api/sign-in-link'
  const signIn: Response = await world.app.inject({ method: 'POST', url, headers, payload: JSON.stringify({ token }) })
  const cookie = String(signIn.headers['set-cookie']).split(';', 1)[0]!
  const send = async (method: Method | 'GET', path: string, body?: object) => {
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) }
    const answer: Response = await world.app.inject({ method, url: path, headers: { ...headers, cookie }, ...payload })
    return { status: answer.statusCode, body: answer.json() }
  }
  const page = (method: Method, path: string, body?: object) => send(method, `/dashboard/api${path}`, body)
  return { ...team, personId, send, page }
}

const entriesOf = async ({ get }: Pick<Team, 'get'>, query = '') =>
  (await get(`/v2/audit-log?limit=250${query}`)).body.data as Record<string, unknown>[]

// --- What the operations need ----------------------------------------------------------------------------------------

const plain = () => ({ bot_name: 'Notes', meeting_url: freshMeet() })
const later = () => ({ ...plain(), join_at: new Date(Date.now() + HOUR).toISOString() })
const scheduled = async (team: Team): Promise<string> =>
  (await team.post('/v2/bots/scheduled', later())).body.data.bot_id

async function bot(team: Team, values: object = {}): Promise<string> {
  const id = await world.bot(team, plain())
  if (Object.keys(values).length > 0)
    await world.database.updateTable('bots').set(values).where('id', '=', id).execute()
  return id
}
const older = (team: Team, values: object = {}) => bot(team, { generation: 'older', ...values })
const inCall = (team: Team, status = 'in_call_recording') => bot(team, { phase: 'running', status, attempt: 1 })
const ENDED = { phase: 'closed', status: 'completed', end_code: 'API_REQUEST', ended_at: new Date(), attempt: 1 }

async function withAudio(botId: string): Promise<string> {
  await world.database
    .updateTable('bots')
    .set({ joined_attempt: 1, duration_seconds: 9 })
    .where('id', '=', botId)
    .execute()
  const location = `${botId}/1/${botId}/audio.m4a`
  await world.database
    .insertInto('artifacts')
    .values({ bot_id: botId, attempt: 1, name: 'audio.m4a', location, bytes: 1 })
    .execute()
  return botId
}

const oauth = () => {
  const account = world.google.addAccount()
  account.primary.create({ start: new Date(Date.now() + 2 * HOUR), link: freshMeet() })
  const { tokens } = world.google
  return {
    oauth_client_id: tokens.clientId,
    oauth_client_secret: tokens.clientSecret,
    oauth_refresh_token: tokens.consent(account),
    raw_calendar_id: account.primary.id,
  }
}

async function calendar(team: Team, generation: 'v2' | 'older' = 'v2') {
  const { raw_calendar_id, ...credentials } = oauth()
  const fields = { ...credentials, raw_calendar_id }
  const id =
    generation === 'v2'
      ? (await team.post('/v2/calendars', { calendar_platform: 'google', ...fields })).body.data.calendar_id
      : (await team.post('/calendars', { platform: 'google', ...fields })).body.calendar.uuid
  const event = () =>
    world.database.selectFrom('calendar_events').select('id').where('calendar_id', '=', id).executeTakeFirst()
  await expect.poll(event).toBeDefined()
  return { id, credentials, eventId: (await event())!.id }
}

async function eventWithBot(team: Team, generation: 'v2' | 'older') {
  const { id, eventId } = await calendar(team, generation)
  if (generation === 'v2') await team.post(`/v2/calendars/${id}/bots`, { event_id: eventId, bot_name: 'Notes' })
  else await team.post(`/calendar_events/${eventId}/bot`, { bot_name: 'Notes' })
  return { path: `/v2/calendars/${id}/bots`, eventId }
}

const app = { name: 'App', client_id: 'id', client_secret: SECRET }
const session = { cookies: [{ name: 'SID', value: SECRET, domain: '.zoom.us' }] }
const newAccount = (team: Team) => team.post('/v2/accounts', { platform: 'zoom', label: 'Notes', session })
const account = async (team: Team) => (await newAccount(team)).body.data.account_id
const credential = async (team: Team) => (await team.post('/v2/conf-credentials', app)).body.data.credential_id
const oauthUser = {
  ...{ conf_client_id: 'id', conf_client_secret: SECRET },
  ...{ authorization_code: 'code', redirect_uri: 'https://example.com/back' },
}
const person = () => ({ name: 'Bob', email: `bob-${randomUUID()}@example.com`, role: 'member' })
const newPerson = async (team: Team) => (await team.page('POST', '/people', person())).body.data.person_id
const newEndpoint = async (team: Team) =>
  (await team.page('POST', '/endpoints', { url: `https://example.com/${SECRET}` })).body.data.endpoint_id

const onEndpoint =
  (method: 'POST' | 'PATCH' | 'DELETE', tail = '', body?: object) =>
  async (team: Team) => {
    const id = await newEndpoint(team)
    return () => team.page(method, `/endpoints/${id}${tail}`, body)
  }

async function failedDelivery(team: Team) {
  const { seals } = world.dependencies
  const url = 'https://example.com/hook'
  const { id: endpointId } = await createEndpoint(world.database, seals, { teamId: team.teamId, kind: 'team', url })
  const message = { id: randomUUID(), event: 'bot.completed', body: { a: 1 }, botId: null, teamId: team.teamId }
  await world.database
    .transaction()
    .execute((tx) =>
      insertMessages(tx, [{ ...message, orderingKey: 'a', isCompat: false, channel: 'webhooks' } as never]),
    )
  const { id } = await world.database
    .updateTable('deliveries')
    .set({ state: 'failed', finished_at: new Date() })
    .where('endpoint_id', '=', endpointId)
    .returning('id')
    .executeTakeFirstOrThrow()
  return { endpointId, delivery: id }
}

// --- The operations --------------------------------------------------------------------------------------------------

type Answer = { status: number; body: unknown }
/** The actions of its entries, and the operation with what it needs: `prepare` resolves with the request. */
type Case = [actions: string[], prepare: (team: Team) => Promise<() => Promise<Answer>> | (() => Promise<Answer>)]
const NONE: string[] = []

const CASES: Record<string, Case> = {
  'POST /v2/bots': [['bot.create'], (team) => () => team.post('/v2/bots', plain())],
  'POST /v2/bots/batch': [
    ['bot.create', 'bot.create'],
    (team) => () => team.post('/v2/bots/batch', [plain(), {}, plain()]),
  ],
  'POST /v2/bots/scheduled': [['bot.create'], (team) => () => team.post('/v2/bots/scheduled', later())],
  'POST /v2/bots/scheduled/batch': [['bot.create'], (team) => () => team.post('/v2/bots/scheduled/batch', [later()])],
  'PATCH /v2/bots/scheduled/{bot_id}': [
    ['bot.change'],
    async (team) => {
      const id = await scheduled(team)
      return () => team.patch(`/v2/bots/scheduled/${id}`, { bot_name: 'Other' })
    },
  ],
  'DELETE /v2/bots/scheduled/{bot_id}': [
    ['bot.stop'],
    async (team) => {
      const id = await scheduled(team)
      return () => team.delete(`/v2/bots/scheduled/${id}`)
    },
  ],
  'POST /v2/bots/{bot_id}/leave': [
    ['bot.stop'],
    async (team) => {
      const id = await bot(team)
      return () => team.post(`/v2/bots/${id}/leave`)
    },
  ],
  'POST /v2/bots/{bot_id}/send-chat-message': [
    ['bot.command'],
    async (team) => {
      const id = await inCall(team)
      return () => team.post(`/v2/bots/${id}/send-chat-message`, { message: SECRET })
    },
  ],
  'POST /v2/bots/{bot_id}/pause-recording': [
    ['bot.command'],
    async (team) => {
      const id = await inCall(team)
      return () => team.post(`/v2/bots/${id}/pause-recording`)
    },
  ],
  'POST /v2/bots/{bot_id}/resume-recording': [
    ['bot.command'],
    async (team) => {
      const id = await inCall(team, 'recording_paused')
      return () => team.post(`/v2/bots/${id}/resume-recording`)
    },
  ],
  'PATCH /v2/bots/{bot_id}/update-config': [
    ['bot.change'],
    async (team) => {
      const id = await bot(team)
      return () => team.patch(`/v2/bots/${id}/update-config`, { extra: { a: SECRET } })
    },
  ],
  'DELETE /v2/bots/{bot_id}/delete-data': [
    ['bot.delete_data'],
    async (team) => {
      const id = await bot(team, ENDED)
      return () => team.delete(`/v2/bots/${id}/delete-data`)
    },
  ],
  'POST /v2/bots/{bot_id}/resend-webhook': [
    ['bot.resend_webhook'],
    async (team) => {
      const id = await bot(team, ENDED)
      return () => team.post(`/v2/bots/${id}/resend-webhook`)
    },
  ],
  'POST /v2/bots/{bot_id}/retry-callback': [
    ['bot.resend_webhook'],
    async (team) => {
      const id = await bot(team, ENDED)
      return () => team.post(`/v2/bots/${id}/retry-callback`, { url: 'https://example.com/c', secret: SECRET })
    },
  ],
  'POST /v2/bots/{bot_id}/retranscribe': [
    ['bot.retranscribe'],
    async (team) => {
      const id = await withAudio(await bot(team, ENDED))
      return () =>
        team.post(`/v2/bots/${id}/retranscribe`, { transcription: { provider: 'deepgram', api_key: SECRET } })
    },
  ],
  'POST /v2/calendars/list-raw': [
    NONE,
    (team) => () => {
      const { raw_calendar_id: _id, ...credentials } = oauth()
      return team.post('/v2/calendars/list-raw', { calendar_platform: 'google', ...credentials })
    },
  ],
  'POST /v2/calendars': [
    ['calendar.connect'],
    (team) => () => team.post('/v2/calendars', { calendar_platform: 'google', ...oauth() }),
  ],
  'PATCH /v2/calendars/{calendar_id}': [
    ['calendar.change'],
    async (team) => {
      const { id, credentials } = await calendar(team)
      return () => team.patch(`/v2/calendars/${id}`, credentials)
    },
  ],
  'DELETE /v2/calendars/{calendar_id}': [
    ['calendar.disconnect'],
    async (team) => {
      const { id } = await calendar(team)
      return () => team.delete(`/v2/calendars/${id}`)
    },
  ],
  'POST /v2/calendars/{calendar_id}/sync': [
    NONE,
    async (team) => {
      const { id } = await calendar(team)
      return () => team.post(`/v2/calendars/${id}/sync`)
    },
  ],
  'POST /v2/calendars/{calendar_id}/resubscribe': [
    NONE,
    async (team) => {
      const { id } = await calendar(team)
      return () => team.post(`/v2/calendars/${id}/resubscribe`)
    },
  ],
  'POST /v2/calendars/{calendar_id}/bots': [
    ['calendar_bots.schedule'],
    async (team) => {
      const { id, eventId } = await calendar(team)
      return () => team.post(`/v2/calendars/${id}/bots`, { event_id: eventId, bot_name: 'Notes' })
    },
  ],
  'PATCH /v2/calendars/{calendar_id}/bots': [
    ['calendar_bots.change'],
    async (team) => {
      const { path, eventId } = await eventWithBot(team, 'v2')
      return () => team.patch(path, { event_id: eventId, bot_name: 'Other' })
    },
  ],
  'DELETE /v2/calendars/{calendar_id}/bots': [
    ['calendar_bots.cancel'],
    async (team) => {
      const { path, eventId } = await eventWithBot(team, 'v2')
      return () => team.delete(path, { event_id: eventId })
    },
  ],
  'POST /v2/accounts': [['account.create'], (team) => () => newAccount(team)],
  'PATCH /v2/accounts/{account_id}': [
    ['account.change'],
    async (team) => {
      const id = await account(team)
      return () => team.patch(`/v2/accounts/${id}`, { label: 'Other', session })
    },
  ],
  'POST /v2/accounts/{account_id}/check': [
    ['account.check'],
    async (team) => {
      const id = await account(team)
      return () => team.post(`/v2/accounts/${id}/check`)
    },
  ],
  'DELETE /v2/accounts/{account_id}': [
    ['account.delete'],
    async (team) => {
      const id = await account(team)
      return () => team.delete(`/v2/accounts/${id}`)
    },
  ],
  'POST /v2/conf-credentials': [['credential.create'], (team) => () => team.post('/v2/conf-credentials', app)],
  'PATCH /v2/conf-credentials/{credential_id}': [
    ['credential.change'],
    async (team) => {
      const id = await credential(team)
      return () => team.patch(`/v2/conf-credentials/${id}`, { client_id: 'new', client_secret: SECRET })
    },
  ],
  'DELETE /v2/conf-credentials/{credential_id}': [
    ['credential.delete'],
    async (team) => {
      const id = await credential(team)
      return () => team.delete(`/v2/conf-credentials/${id}`)
    },
  ],

  'POST /bots': [['bot.create'], (team) => () => team.post('/bots', { ...plain(), reserved: false })],
  'DELETE /bots/{bot_id}': [
    ['bot.stop'],
    async (team) => {
      const id = await older(team)
      return () => team.delete(`/bots/${id}`)
    },
  ],
  'POST /bots/{bot_id}/delete_data': [
    ['bot.delete_data'],
    async (team) => {
      const id = await older(team, ENDED)
      return () => team.post(`/bots/${id}/delete_data`)
    },
  ],
  'POST /bots/retranscribe': [
    ['bot.retranscribe'],
    async (team) => {
      const id = await withAudio(await older(team, ENDED))
      return () => team.post('/bots/retranscribe', { bot_uuid: id })
    },
  ],
  'POST /accounts/webhook_url': [
    ['endpoint.create'],
    (team) => () => team.post('/accounts/webhook_url', { webhook_url: `https://example.com/${SECRET}` }),
  ],
  'POST /calendars/raw': [
    NONE,
    (team) => () => {
      const { raw_calendar_id: _id, ...credentials } = oauth()
      return team.post('/calendars/raw', { platform: 'google', ...credentials })
    },
  ],
  'POST /calendars': [
    ['calendar.connect'],
    (team) => () => team.post('/calendars', { platform: 'google', ...oauth() }),
  ],
  'PATCH /calendars/{uuid}': [
    ['calendar.change'],
    async (team) => {
      const { id, credentials } = await calendar(team, 'older')
      return () => team.patch(`/calendars/${id}`, { platform: 'google', ...credentials })
    },
  ],
  'DELETE /calendars/{uuid}': [
    ['calendar.disconnect'],
    async (team) => {
      const { id } = await calendar(team, 'older')
      return () => team.delete(`/calendars/${id}`)
    },
  ],
  'POST /calendars/resync_all': [NONE, (team) => () => team.post('/calendars/resync_all')],
  'POST /calendar_events/{uuid}/bot': [
    ['calendar_bots.schedule'],
    async (team) => {
      const { eventId } = await calendar(team, 'older')
      return () => team.post(`/calendar_events/${eventId}/bot`, { bot_name: 'Notes' })
    },
  ],
  'PATCH /calendar_events/{uuid}/bot': [
    ['calendar_bots.change'],
    async (team) => {
      const { eventId } = await eventWithBot(team, 'older')
      return () => team.patch(`/calendar_events/${eventId}/bot`, { bot_name: 'Other' })
    },
  ],
  'DELETE /calendar_events/{uuid}/bot': [
    ['calendar_bots.cancel'],
    async (team) => {
      const { eventId } = await eventWithBot(team, 'older')
      return () => team.delete(`/calendar_events/${eventId}/bot`)
    },
  ],
  'POST /conf_oauth_connections': [
    ['credential.create'],
    (team) => () => team.post('/conf_oauth_connections', oauthUser),
  ],
  'DELETE /conf_oauth_connections/{uuid}': [
    ['credential.delete'],
    async (team) => {
      const { uuid } = (await team.post('/conf_oauth_connections', oauthUser)).body
      return () => team.delete(`/conf_oauth_connections/${uuid}`)
    },
  ],

  // The consent itself connects: test/control-plane/api/dashboard/connect.test.ts.
  'POST /dashboard/api/connect/{provider}': [NONE, (team) => () => team.page('POST', '/connect/google', {})],
  'POST /dashboard/api/sign-in': [
    NONE,
    (team) => async () => ({ ...(await team.page('POST', '/sign-in', { email: 'a@example.com', password: SECRET })) }),
  ],
  'POST /dashboard/api/sign-in-link': [
    NONE,
    async (team) => {
      const token = await createSignInLink(world.database, team.personId)
      return () => team.page('POST', '/sign-in-link', { token })
    },
  ],
  'POST /dashboard/api/change-team': [
    NONE,
    async (team) => {
      const signIn = randomUUID()
      const row = { sign_in: signIn, person_id: team.personId }
      await world.database.insertInto('sign_in_people').values(row).execute()
      await world.database
        .updateTable('sessions')
        .set({ sign_in: signIn })
        .where('person_id', '=', team.personId)
        .execute()
      return () => team.page('POST', '/change-team', { person_id: team.personId })
    },
  ],
  'POST /dashboard/api/sign-out': [NONE, (team) => () => team.page('POST', '/sign-out')],
  'PATCH /dashboard/api/me': [
    ['person.change_password'],
    (team) => () => team.page('PATCH', '/me', { password: `${SECRET} long enough` }),
  ],
  'POST /dashboard/api/people': [
    ['person.create', 'person.invite'],
    (team) => () => team.page('POST', '/people', person()),
  ],
  'POST /dashboard/api/people/{person_id}/link': [
    ['person.invite'],
    async (team) => {
      const id = await newPerson(team)
      return () => team.page('POST', `/people/${id}/link`)
    },
  ],
  'POST /dashboard/api/people/{person_id}/invitation': [
    ['person.invite'],
    async (team) => {
      const id = await newPerson(team)
      return () => team.page('POST', `/people/${id}/invitation`)
    },
  ],
  'DELETE /dashboard/api/people/{person_id}/invitation': [
    ['person.withdraw_invitation'],
    async (team) => {
      const id = await newPerson(team)
      await createInvitation(world.database, id)
      return () => team.page('DELETE', `/people/${id}/invitation`)
    },
  ],
  'PATCH /dashboard/api/people/{person_id}': [
    ['person.change'],
    async (team) => {
      const id = await newPerson(team)
      return () => team.page('PATCH', `/people/${id}`, { role: 'owner' })
    },
  ],
  'DELETE /dashboard/api/people/{person_id}': [
    ['person.remove'],
    async (team) => {
      const id = await newPerson(team)
      return () => team.page('DELETE', `/people/${id}`)
    },
  ],
  'POST /dashboard/api/keys': [['key.create'], (team) => () => team.page('POST', '/keys', { name: 'CI' })],
  'DELETE /dashboard/api/keys/{key_id}': [
    ['key.revoke'],
    async (team) => {
      const { body } = await team.page('POST', '/keys', { name: 'CI' })
      return () => team.page('DELETE', `/keys/${body.data.key_id}`)
    },
  ],
  'POST /dashboard/api/endpoints': [
    ['endpoint.create'],
    (team) => () => team.page('POST', '/endpoints', { url: `https://example.com/${SECRET}` }),
  ],
  'PATCH /dashboard/api/endpoints/{endpoint_id}': [
    ['endpoint.change'],
    onEndpoint('PATCH', '', { url: `https://example.org/${SECRET}` }),
  ],
  'DELETE /dashboard/api/endpoints/{endpoint_id}': [['endpoint.remove'], onEndpoint('DELETE')],
  'POST /dashboard/api/endpoints/{endpoint_id}/disable': [['endpoint.disable'], onEndpoint('POST', '/disable')],
  'POST /dashboard/api/endpoints/{endpoint_id}/rotate': [['endpoint.rotate_secret'], onEndpoint('POST', '/rotate')],
  'POST /dashboard/api/endpoints/{endpoint_id}/enable': [['endpoint.enable'], onEndpoint('POST', '/enable')],
  'POST /dashboard/api/endpoints/{endpoint_id}/test': [NONE, onEndpoint('POST', '/test')],
  'POST /dashboard/api/endpoints/{endpoint_id}/replay': [
    ['endpoint.replay'],
    async (team) => {
      const { endpointId } = await failedDelivery(team)
      return () => team.page('POST', `/endpoints/${endpointId}/replay`, { since: '2020-01-01T00:00:00Z' })
    },
  ],
  'POST /dashboard/api/deliveries/{delivery}/replay': [
    ['endpoint.replay'],
    async (team) => {
      const { delivery } = await failedDelivery(team)
      return () => team.page('POST', `/deliveries/${delivery}/replay`)
    },
  ],
  'POST /dashboard/api/live/pictures': [NONE, (team) => () => team.page('POST', '/live/pictures')],
  'POST /dashboard/api/live/pictures/{bot_id}': [
    NONE,
    async (team) => {
      const id = await inCall(team)
      return () => team.page('POST', `/live/pictures/${id}`)
    },
  ],
}

/** Their answers need a bot that answers, or a password that was set. */
const MAY_FAIL = /send-chat|pause-|resume-|\/sign-in$/

test('the operations above are all that change something', async () => {
  const operations: string[] = []
  for (const [document, prefix] of [
    ['/openapi.json', ''],
    ['/openapi-older.json', ''],
    ['/openapi-dashboard.json', '/dashboard/api'],
  ] as const) {
    const { paths } = (await world.app.inject(document)).json() as { paths: Record<string, object> }
    for (const [path, methods] of Object.entries(paths))
      for (const method of Object.keys(methods))
        if (method !== 'get' && method !== 'head') operations.push(`${method.toUpperCase()} ${prefix}${path}`)
  }
  expect(Object.keys(CASES).sort()).toEqual([...new Set(operations)].sort())
})

test.each(Object.entries(CASES).map(([name, [actions, prepare]]) => ({ name, actions, prepare })))(
  '$name: $actions',
  async ({ name, actions, prepare }) => {
    const [team, other] = [await newTeam(), await newTeam()]
    const operation = await prepare(team)
    const before = (await entriesOf(team)).map(({ entry_id }) => entry_id)
    const ofOthers = await entriesOf(other)
    const { status, body } = await operation()
    if (!MAY_FAIL.test(name)) expect(status, JSON.stringify(body)).toBeLessThan(300)
    const entries = (await entriesOf(team)).filter(({ entry_id }) => !before.includes(entry_id))
    expect(entries.map(({ action }) => action)).toEqual([...actions].reverse())
    const isPage = name.includes('/dashboard/')
    for (const entry of entries)
      expect(entry).toMatchObject({
        actor: isPage
          ? { kind: 'person', id: team.personId, name: 'Ada' }
          : { kind: 'key', id: team.keyId, name: 'test' },
        address: '127.0.0.1',
        target: name.includes('/deliveries/') ? null : expect.any(String),
      })
    expect(JSON.stringify(entries)).not.toContain(SECRET)
    expect(await entriesOf(other)).toEqual(ofOthers)
  },
)

test('a refused request leaves no entry, and a repeated one no second entry', async () => {
  const [team, other] = [await newTeam(), await newTeam()]
  const id = await bot(other)
  const before = [await entriesOf(team), await entriesOf(other)]
  expect((await team.post('/v2/bots', { bot_name: 'x' })).status).toBe(400)
  expect((await team.post(`/v2/bots/${id}/leave`)).status).toBe(404)
  expect((await team.page('DELETE', `/keys/${other.keyId}`)).status).toBe(404)
  expect((await team.page('PATCH', `/people/${team.personId}`, { role: 'viewer' })).status).toBe(409)
  expect([await entriesOf(team), await entriesOf(other)]).toEqual(before)
  const key = { 'idempotency-key': randomUUID() }
  const body = plain()
  for (let count = 0; count < 2; count++) expect((await team.post('/v2/bots', body, key)).status).toBe(201)
  expect(await entriesOf(team)).toHaveLength(before[0]!.length + 1)
})

test('owners read it with their session; members and keys that only send do not', async () => {
  const team = await newTeam()
  expect((await team.send('GET', '/v2/audit-log')).status).toBe(200)
  const member = await newPerson(team)
  await world.database.updateTable('people').set({ role: 'member' }).where('id', '=', team.personId).execute()
  expect((await team.send('GET', '/v2/audit-log')).status).toBe(403)
  const sender = await world.team({}, 'sending')
  expect((await sender.get('/v2/audit-log')).status).toBe(403)
  const found = await entriesOf(team, `&target=${member}&action=person.create,person.invite&actor=person`)
  expect(found.map(({ action }) => action)).toEqual(['person.invite', 'person.create'])
  expect(await entriesOf(team, '&actor=operator')).toEqual([])
  expect((await team.get('/v2/audit-log?action=nothing')).status).toBe(400)
})
