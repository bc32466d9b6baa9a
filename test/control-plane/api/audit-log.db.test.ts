/** Every changing operation of every document leaves its entries in the audit log, for its team only. */

import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { requestRetranscription } from '../../../control-plane/bots/actions/retranscribe.ts'
import { createInvitation, createSignInLink } from '../../../control-plane/store/people/sessions.ts'
import { createEndpoint } from '../../../control-plane/store/webhooks/endpoints.ts'
import { insertMessages } from '../../../control-plane/store/webhooks/messages.ts'
import { atEnd } from '../../fakes/at-end.ts'
import { openCalendarWorld } from './calendars/stand-ins.ts'
import { freshMeet } from './reporting.ts'

const SECRET = 'marker-of-a-secret'
const HOUR = 3_600_000
const world = await openCalendarWorld({
  retranscribe: (...asked) => requestRetranscription(world.database, world.dependencies.seals, ...asked),
  conferencing: { authorize: async () => ({ user: newUser() }), checkTeamsApp: async () => null },
})
atEnd(world.close)

const newUser = () => ({
  tokens: { accessToken: SECRET, refreshToken: SECRET, accessTokenSeconds: 3600, scopes: [] },
  profile: { userId: randomUUID(), accountId: null, email: 'ann@example.com', displayName: 'Ann' },
})

type Team = Awaited<ReturnType<typeof newTeam>>
type Method = 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** A team with a key and an owner who is signed in. */
async function newTeam() {
  const team = await world.person()
  return {
    ...team,
    page: (method: Method, path: string, body?: object) => team.send(method, `/dashboard/api${path}`, body),
  }
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
  if (Object.keys(values).length > 0) await world.set(id, values)
  return id
}
const older = (team: Team, values: object = {}) => bot(team, { generation: 'older', ...values })
const inCall = (team: Team, status = 'in_call_recording') => bot(team, { phase: 'running', status, attempt: 1 })
const ENDED = { phase: 'closed', status: 'completed', end_code: 'API_REQUEST', ended_at: new Date(), attempt: 1 }

async function withAudio(botId: string): Promise<string> {
  await world.set(botId, { joined_attempt: 1, duration_seconds: 9 })
  const location = `${botId}/1/${botId}/audio.m4a`
  await world.insert('artifacts', { bot_id: botId, attempt: 1, name: 'audio.m4a', location, bytes: 1 })
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
interface Case {
  actions: string[]
  prepare(team: Team): Promise<() => Promise<Answer>>
}

const on = <T>(
  actions: string,
  make: (team: Team) => Promise<T>,
  request: (team: Team, made: T) => Promise<Answer>,
): Case => ({
  actions: actions === '' ? [] : actions.split(' '),
  async prepare(team) {
    const made = await make(team)
    return () => request(team, made)
  },
})
const by = (actions: string, request: (team: Team) => Promise<Answer>) => on(actions, async () => null, request)
const onEndpoint = (actions: string, method: 'POST' | 'PATCH' | 'DELETE', tail = '', body?: object) =>
  on(actions, newEndpoint, (team, id) => team.page(method, `/endpoints/${id}${tail}`, body))

const CASES: Record<string, Case> = {
  'POST /v2/bots': by('bot.create', (team) => team.post('/v2/bots', plain())),
  'POST /v2/bots/batch': by('bot.create bot.create', (team) => team.post('/v2/bots/batch', [plain(), {}, plain()])),
  'POST /v2/bots/scheduled': by('bot.create', (team) => team.post('/v2/bots/scheduled', later())),
  'POST /v2/bots/scheduled/batch': by('bot.create', (team) => team.post('/v2/bots/scheduled/batch', [later()])),
  'PATCH /v2/bots/scheduled/{bot_id}': on('bot.change', scheduled, (team, id) =>
    team.patch(`/v2/bots/scheduled/${id}`, { bot_name: 'Other' }),
  ),
  'DELETE /v2/bots/scheduled/{bot_id}': on('bot.stop', scheduled, (team, id) =>
    team.delete(`/v2/bots/scheduled/${id}`),
  ),
  'POST /v2/bots/{bot_id}/leave': on('bot.stop', bot, (team, id) => team.post(`/v2/bots/${id}/leave`)),
  'POST /v2/bots/{bot_id}/send-chat-message': on('bot.command', inCall, (team, id) =>
    team.post(`/v2/bots/${id}/send-chat-message`, { message: SECRET }),
  ),
  'POST /v2/bots/{bot_id}/pause-recording': on('bot.command', inCall, (team, id) =>
    team.post(`/v2/bots/${id}/pause-recording`),
  ),
  'POST /v2/bots/{bot_id}/resume-recording': on(
    'bot.command',
    (team) => inCall(team, 'recording_paused'),
    (team, id) => team.post(`/v2/bots/${id}/resume-recording`),
  ),
  'PATCH /v2/bots/{bot_id}/update-config': on('bot.change', bot, (team, id) =>
    team.patch(`/v2/bots/${id}/update-config`, { extra: { a: SECRET } }),
  ),
  'DELETE /v2/bots/{bot_id}/delete-data': on(
    'bot.delete_data',
    (team) => bot(team, ENDED),
    (team, id) => team.delete(`/v2/bots/${id}/delete-data`),
  ),
  'POST /v2/bots/{bot_id}/resend-webhook': on(
    'bot.resend_webhook',
    (team) => bot(team, ENDED),
    (team, id) => team.post(`/v2/bots/${id}/resend-webhook`),
  ),
  'POST /v2/bots/{bot_id}/retry-callback': on(
    'bot.resend_webhook',
    (team) => bot(team, ENDED),
    (team, id) => team.post(`/v2/bots/${id}/retry-callback`, { url: 'https://example.com/c', secret: SECRET }),
  ),
  'POST /v2/bots/{bot_id}/retranscribe': on(
    'bot.retranscribe',
    async (team) => withAudio(await bot(team, ENDED)),
    (team, id) =>
      team.post(`/v2/bots/${id}/retranscribe`, { transcription: { provider: 'deepgram', api_key: SECRET } }),
  ),
  'POST /v2/calendars/list-raw': by('', (team) => {
    const { raw_calendar_id: _id, ...credentials } = oauth()
    return team.post('/v2/calendars/list-raw', { calendar_platform: 'google', ...credentials })
  }),
  'POST /v2/calendars': by('calendar.connect', (team) =>
    team.post('/v2/calendars', { calendar_platform: 'google', ...oauth() }),
  ),
  'PATCH /v2/calendars/{calendar_id}': on('calendar.change', calendar, (team, { id, credentials }) =>
    team.patch(`/v2/calendars/${id}`, credentials),
  ),
  'DELETE /v2/calendars/{calendar_id}': on('calendar.disconnect', calendar, (team, { id }) =>
    team.delete(`/v2/calendars/${id}`),
  ),
  'POST /v2/calendars/{calendar_id}/sync': on('', calendar, (team, { id }) => team.post(`/v2/calendars/${id}/sync`)),
  'POST /v2/calendars/{calendar_id}/resubscribe': on('', calendar, (team, { id }) =>
    team.post(`/v2/calendars/${id}/resubscribe`),
  ),
  'POST /v2/calendars/{calendar_id}/bots': on('calendar_bots.schedule', calendar, (team, { id, eventId }) =>
    team.post(`/v2/calendars/${id}/bots`, { event_id: eventId, bot_name: 'Notes' }),
  ),
  'PATCH /v2/calendars/{calendar_id}/bots': on(
    'calendar_bots.change',
    (team) => eventWithBot(team, 'v2'),
    (team, { path, eventId }) => team.patch(path, { event_id: eventId, bot_name: 'Other' }),
  ),
  'DELETE /v2/calendars/{calendar_id}/bots': on(
    'calendar_bots.cancel',
    (team) => eventWithBot(team, 'v2'),
    (team, { path, eventId }) => team.delete(path, { event_id: eventId }),
  ),
  'POST /v2/accounts': by('account.create', (team) => newAccount(team)),
  'PATCH /v2/accounts/{account_id}': on('account.change', account, (team, id) =>
    team.patch(`/v2/accounts/${id}`, { label: 'Other', session }),
  ),
  'POST /v2/accounts/{account_id}/check': on('account.check', account, (team, id) =>
    team.post(`/v2/accounts/${id}/check`),
  ),
  'DELETE /v2/accounts/{account_id}': on('account.delete', account, (team, id) => team.delete(`/v2/accounts/${id}`)),
  'POST /v2/conf-credentials': by('credential.create', (team) => team.post('/v2/conf-credentials', app)),
  'PATCH /v2/conf-credentials/{credential_id}': on('credential.change', credential, (team, id) =>
    team.patch(`/v2/conf-credentials/${id}`, { client_id: 'new', client_secret: SECRET }),
  ),
  'DELETE /v2/conf-credentials/{credential_id}': on('credential.delete', credential, (team, id) =>
    team.delete(`/v2/conf-credentials/${id}`),
  ),

  'POST /bots': by('bot.create', (team) => team.post('/bots', { ...plain(), reserved: false })),
  'DELETE /bots/{bot_id}': on('bot.stop', older, (team, id) => team.delete(`/bots/${id}`)),
  'POST /bots/{bot_id}/delete_data': on(
    'bot.delete_data',
    (team) => older(team, ENDED),
    (team, id) => team.post(`/bots/${id}/delete_data`),
  ),
  'POST /bots/retranscribe': on(
    'bot.retranscribe',
    async (team) => withAudio(await older(team, ENDED)),
    (team, id) => team.post('/bots/retranscribe', { bot_uuid: id }),
  ),
  'POST /accounts/webhook_url': by('endpoint.create', (team) =>
    team.post('/accounts/webhook_url', { webhook_url: `https://example.com/${SECRET}` }),
  ),
  'POST /calendars/raw': by('', (team) => {
    const { raw_calendar_id: _id, ...credentials } = oauth()
    return team.post('/calendars/raw', { platform: 'google', ...credentials })
  }),
  'POST /calendars': by('calendar.connect', (team) => team.post('/calendars', { platform: 'google', ...oauth() })),
  'PATCH /calendars/{uuid}': on(
    'calendar.change',
    (team) => calendar(team, 'older'),
    (team, { id, credentials }) => team.patch(`/calendars/${id}`, { platform: 'google', ...credentials }),
  ),
  'DELETE /calendars/{uuid}': on(
    'calendar.disconnect',
    (team) => calendar(team, 'older'),
    (team, { id }) => team.delete(`/calendars/${id}`),
  ),
  'POST /calendars/resync_all': by('', (team) => team.post('/calendars/resync_all')),
  'POST /calendar_events/{uuid}/bot': on(
    'calendar_bots.schedule',
    (team) => calendar(team, 'older'),
    (team, { eventId }) => team.post(`/calendar_events/${eventId}/bot`, { bot_name: 'Notes' }),
  ),
  'PATCH /calendar_events/{uuid}/bot': on(
    'calendar_bots.change',
    (team) => eventWithBot(team, 'older'),
    (team, { eventId }) => team.patch(`/calendar_events/${eventId}/bot`, { bot_name: 'Other' }),
  ),
  'DELETE /calendar_events/{uuid}/bot': on(
    'calendar_bots.cancel',
    (team) => eventWithBot(team, 'older'),
    (team, { eventId }) => team.delete(`/calendar_events/${eventId}/bot`),
  ),
  'POST /conf_oauth_connections': by('credential.create', (team) => team.post('/conf_oauth_connections', oauthUser)),
  'DELETE /conf_oauth_connections/{uuid}': on(
    'credential.delete',
    async (team) => (await team.post('/conf_oauth_connections', oauthUser)).body,
    (team, { uuid }) => team.delete(`/conf_oauth_connections/${uuid}`),
  ),

  // The consent itself connects: test/control-plane/api/dashboard/connect.db.test.ts.
  'POST /dashboard/api/connect/{provider}': by('', (team) => team.page('POST', '/connect/google', {})),
  'POST /dashboard/api/sign-in': by('', (team) =>
    team.page('POST', '/sign-in', { email: 'a@example.com', password: SECRET }),
  ),
  'POST /dashboard/api/sign-in-link': on(
    '',
    (team) => createSignInLink(world.database, team.personId),
    (team, token) => team.page('POST', '/sign-in-link', { token }),
  ),
  'POST /dashboard/api/sign-in-choices': on(
    '',
    (team) => createSignInLink(world.database, team.personId),
    (team, token) => team.page('POST', '/sign-in-choices', { tokens: [token] }),
  ),
  'POST /dashboard/api/change-team': on(
    '',
    async (team) => {
      const row = { sign_in: randomUUID(), person_id: team.personId }
      await world.insert('sign_in_people', row)
      await world.database.updateTable('sessions').set(row).where('person_id', '=', team.personId).execute()
    },
    (team) => team.page('POST', '/change-team', { person_id: team.personId }),
  ),
  'POST /dashboard/api/sign-out': by('', (team) => team.page('POST', '/sign-out')),
  'PATCH /dashboard/api/me': by('person.change_password', (team) =>
    team.page('PATCH', '/me', { password: `${SECRET} long enough` }),
  ),
  'POST /dashboard/api/people': by('person.create person.invite', (team) => team.page('POST', '/people', person())),
  'POST /dashboard/api/people/{person_id}/link': on('person.invite', newPerson, (team, id) =>
    team.page('POST', `/people/${id}/link`),
  ),
  'POST /dashboard/api/people/{person_id}/invitation': on('person.invite', newPerson, (team, id) =>
    team.page('POST', `/people/${id}/invitation`),
  ),
  'DELETE /dashboard/api/people/{person_id}/invitation': on(
    'person.withdraw_invitation',
    async (team) => {
      const id = await newPerson(team)
      await createInvitation(world.database, id)
      return id
    },
    (team, id) => team.page('DELETE', `/people/${id}/invitation`),
  ),
  'PATCH /dashboard/api/people/{person_id}': on('person.change', newPerson, (team, id) =>
    team.page('PATCH', `/people/${id}`, { role: 'owner' }),
  ),
  'DELETE /dashboard/api/people/{person_id}': on('person.remove', newPerson, (team, id) =>
    team.page('DELETE', `/people/${id}`),
  ),
  'POST /dashboard/api/keys': by('key.create', (team) => team.page('POST', '/keys', { name: 'CI' })),
  'DELETE /dashboard/api/keys/{key_id}': on(
    'key.revoke',
    (team) => team.page('POST', '/keys', { name: 'CI' }),
    (team, { body }) => team.page('DELETE', `/keys/${body.data.key_id}`),
  ),
  'POST /dashboard/api/endpoints': by('endpoint.create', (team) =>
    team.page('POST', '/endpoints', { url: `https://example.com/${SECRET}` }),
  ),
  'PATCH /dashboard/api/endpoints/{endpoint_id}': onEndpoint('endpoint.change', 'PATCH', '', {
    url: `https://example.org/${SECRET}`,
  }),
  'DELETE /dashboard/api/endpoints/{endpoint_id}': onEndpoint('endpoint.remove', 'DELETE'),
  'POST /dashboard/api/endpoints/{endpoint_id}/disable': onEndpoint('endpoint.disable', 'POST', '/disable'),
  'POST /dashboard/api/endpoints/{endpoint_id}/rotate': onEndpoint('endpoint.rotate_secret', 'POST', '/rotate'),
  'POST /dashboard/api/endpoints/{endpoint_id}/enable': onEndpoint('endpoint.enable', 'POST', '/enable'),
  'POST /dashboard/api/endpoints/{endpoint_id}/test': onEndpoint('', 'POST', '/test'),
  'POST /dashboard/api/endpoints/{endpoint_id}/replay': on('endpoint.replay', failedDelivery, (team, { endpointId }) =>
    team.page('POST', `/endpoints/${endpointId}/replay`, { since: '2020-01-01T00:00:00Z' }),
  ),
  'POST /dashboard/api/deliveries/{delivery}/replay': on('endpoint.replay', failedDelivery, (team, { delivery }) =>
    team.page('POST', `/deliveries/${delivery}/replay`),
  ),
  'POST /dashboard/api/live/pictures': by('', (team) => team.page('POST', '/live/pictures')),
  'POST /dashboard/api/live/pictures/{bot_id}': on('', inCall, (team, id) => team.page('POST', `/live/pictures/${id}`)),
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

test.each(Object.entries(CASES).map(([name, one]) => ({ name, ...one })))(
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
        address: isPage ? expect.stringMatching(/^198\.18\./) : '127.0.0.1',
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
