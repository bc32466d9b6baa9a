/** Every changing operation of every document leaves its entries in the audit log, for its team only. */

import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { requestRetranscription } from '../../../control-plane/bots/actions/retranscribe.ts'
import { createSignInLink } from '../../../control-plane/store/people/sessions.ts'
import { insertMessages } from '../../../control-plane/store/webhooks/messages.ts'
import { atEnd } from '../../fakes/at-end.ts'
import { openCalendarWorld } from './calendars/stand-ins.ts'
import { operationsServed } from './openapi-judge.ts'
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
/** A team with a key and an owner who is signed in. */
const newTeam = () => world.person()

const entriesOf = async ({ get }: Pick<Team, 'get'>, query = '') =>
  (await get(`/v2/audit-log?limit=250${query}`)).body.data as Record<string, unknown>[]

/** Sends the operation with the team's key, or with its session where it is one of the dashboard. */
function request(team: Team, method: string, path: string, body?: unknown) {
  if (path.startsWith('/dashboard/')) return team.send(method as 'POST', path, body)
  return team[method.toLowerCase() as 'post'](path, body)
}

// --- What the operations need ----------------------------------------------------------------------------------------

const plain = () => ({ bot_name: 'Notes', meeting_url: freshMeet() })
const later = () => ({ ...plain(), join_at: new Date(Date.now() + HOUR).toISOString() })
const scheduled = async (team: Team): Promise<string> =>
  (await team.post('/v2/bots/scheduled', later())).body.data.bot_id

const bot =
  (values: object = { bot_name: 'Notes' }) =>
  async (team: Team): Promise<string> => {
    const id = await world.bot(team, plain())
    await world.set(id, values)
    return id
  }
const older = { generation: 'older' }
const inCall = { phase: 'running', status: 'in_call_recording', attempt: 1 }
const ended = { phase: 'closed', status: 'completed', end_code: 'API_REQUEST', ended_at: new Date(), attempt: 1 }
const recorded = (values: object) => async (team: Team) => {
  const id = await bot({ ...values, joined_attempt: 1, duration_seconds: 9 })(team)
  const location = `${id}/1/${id}/audio.m4a`
  await world.insert('artifacts', { bot_id: id, attempt: 1, name: 'audio.m4a', location, bytes: 1 })
  return id
}

function credentials(account = world.google.addAccount()) {
  const { tokens } = world.google
  const { clientId: oauth_client_id, clientSecret: oauth_client_secret } = tokens
  return { oauth_client_id, oauth_client_secret, oauth_refresh_token: tokens.consent(account) }
}
function ofCalendar() {
  const account = world.google.addAccount()
  account.primary.create({ start: new Date(Date.now() + 2 * HOUR), link: freshMeet() })
  return { ...credentials(account), raw_calendar_id: account.primary.id }
}
async function calendar(team: Team, path = '/v2/calendars') {
  const fields = ofCalendar()
  const { body } = await team.post(path, { ...google(path), ...fields })
  const calendar_id: string = body.data?.calendar_id ?? body.calendar.uuid
  await expect.poll(() => world.rows('calendar_events', { calendar_id })).toHaveLength(1)
  const { id: event_id } = await world.one('calendar_events', { calendar_id })
  return { ...fields, calendar_id, uuid: calendar_id, event_id }
}
const olderCalendar = (team: Team) => calendar(team, '/calendars')
const google = (path: string) => (path.startsWith('/v2/') ? { calendar_platform: 'google' } : { platform: 'google' })
const withBot = async (team: Team) => {
  const made = await calendar(team)
  const { calendar_id, event_id } = made
  await team.post(`/v2/calendars/${calendar_id}/bots`, { event_id, bot_name: 'Notes' })
  return made
}
const olderEvent = async (team: Team) => ({ uuid: (await olderCalendar(team)).event_id })
const olderWithBot = async (team: Team) => {
  const made = await olderEvent(team)
  await team.post(`/calendar_events/${made.uuid}/bot`, { bot_name: 'Notes' })
  return made
}
const botOf =
  (bot_name: string) =>
  ({ event_id }: Ids) => ({ event_id, bot_name })
const eventOf = ({ event_id }: Ids) => ({ event_id })
const renewed = ({ oauth_client_id, oauth_client_secret, oauth_refresh_token }: Ids) => ({
  oauth_client_id,
  oauth_client_secret,
  oauth_refresh_token,
})

const olderRenewed = (ids: Ids) => ({ platform: 'google', ...renewed(ids) })

const hook = { url: `https://example.com/${SECRET}` }
const transcription = { provider: 'deepgram', api_key: SECRET }
const app = { name: 'App', client_id: 'id', client_secret: SECRET }
const session = { cookies: [{ name: 'SID', value: SECRET, domain: '.zoom.us' }] }
const account = { platform: 'zoom', label: 'Notes', session }
const oauthUser = {
  ...{ conf_client_id: 'id', conf_client_secret: SECRET },
  ...{ authorization_code: 'code', redirect_uri: 'https://example.com/back' },
}
const person = () => ({ name: 'Bob', email: `bob-${randomUUID()}@example.com`, role: 'member' })
/** Makes what the path of an operation names, by another operation. */
const by = (path: string, body: object | (() => object)) => async (team: Team) => {
  const { body: made } = await request(team, 'POST', path, typeof body === 'function' ? body() : body)
  return (made.data ?? made) as Ids
}
const signInLink = ({ personId }: Team) => createSignInLink(world.database, personId)
async function ofTwoTeams({ personId: person_id }: Team) {
  const row = { sign_in: randomUUID(), person_id }
  await world.insert('sign_in_people', row)
  await world.change('sessions', { person_id }, row)
  return person_id
}
const newPerson = by('/dashboard/api/people', person)
const newEndpoint = by('/dashboard/api/endpoints', hook)
const newAccount = by('/v2/accounts', account)
const newCredential = by('/v2/conf-credentials', app)

const since = { since: '2020-01-01T00:00:00Z' }
async function failedDelivery({ teamId }: Team) {
  const url = 'https://example.com/hook'
  const { id: endpoint_id } = await world.endpoint({ teamId, kind: 'team', url })
  const message = { id: randomUUID(), event: 'bot.completed', body: { a: 1 }, botId: null, teamId }
  await world.database
    .transaction()
    .execute((tx) =>
      insertMessages(tx, [{ ...message, orderingKey: 'a', isCompat: false, channel: 'webhooks' } as never]),
    )
  await world.change('deliveries', { endpoint_id }, { state: 'failed', finished_at: new Date() })
  return { endpoint_id, delivery: String((await world.one('deliveries', { endpoint_id })).id) }
}

// --- The operations --------------------------------------------------------------------------------------------------

type Ids = Record<string, string>
/** Actions of its entries, what makes the rows that its path names, and its body. */
type Case = [actions: string, make?: ((team: Team) => Promise<string | Ids>) | null, body?: unknown]

const showing = { camera: { kind: 'webpage', url: 'https://example.com/captions' } }

const CASES: Record<string, Case> = {
  'POST /v2/bots': ['bot.create', null, plain],
  'POST /v2/bots/batch': ['bot.create bot.create', null, () => [plain(), {}, plain()]],
  'POST /v2/bots/scheduled': ['bot.create', null, later],
  'POST /v2/bots/scheduled/batch': ['bot.create', null, () => [later()]],
  'PATCH /v2/bots/scheduled/{bot_id}': ['bot.change', scheduled, { bot_name: 'Other' }],
  'DELETE /v2/bots/scheduled/{bot_id}': ['bot.stop', scheduled],
  'POST /v2/bots/{bot_id}/leave': ['bot.stop', bot()],
  'POST /v2/bots/{bot_id}/send-chat-message': ['bot.command', bot(inCall), { message: SECRET }],
  'POST /v2/bots/{bot_id}/say': ['bot.command', bot(inCall), { text: SECRET }],
  'POST /v2/bots/{bot_id}/stop-saying': ['bot.command', bot(inCall)],
  'POST /v2/bots/{bot_id}/output-media': ['bot.command', bot(inCall), showing],
  'DELETE /v2/bots/{bot_id}/output-media': ['bot.command', bot(inCall)],
  'POST /v2/bots/{bot_id}/agent': ['bot.command', bot(inCall), { enabled: false }],
  'POST /v2/bots/{bot_id}/pause-recording': ['bot.command', bot(inCall)],
  'POST /v2/bots/{bot_id}/resume-recording': ['bot.command', bot({ ...inCall, status: 'recording_paused' })],
  'PATCH /v2/bots/{bot_id}/update-config': ['bot.change', bot(), { extra: { a: SECRET } }],
  'DELETE /v2/bots/{bot_id}/delete-data': ['bot.delete_data', bot(ended)],
  'POST /v2/bots/{bot_id}/resend-webhook': ['bot.resend_webhook', bot(ended)],
  'POST /v2/bots/{bot_id}/retry-callback': ['bot.resend_webhook', bot(ended), { ...hook, secret: SECRET }],
  'POST /v2/bots/{bot_id}/retranscribe': ['bot.retranscribe', recorded(ended), { transcription }],
  'POST /v2/calendars/list-raw': ['', null, () => ({ calendar_platform: 'google', ...credentials() })],
  'POST /v2/calendars': ['calendar.connect', null, () => ({ calendar_platform: 'google', ...ofCalendar() })],
  'PATCH /v2/calendars/{calendar_id}': ['calendar.change', calendar, renewed],
  'DELETE /v2/calendars/{calendar_id}': ['calendar.disconnect', calendar],
  'POST /v2/calendars/{calendar_id}/sync': ['', calendar],
  'POST /v2/calendars/{calendar_id}/resubscribe': ['', calendar],
  'POST /v2/calendars/{calendar_id}/bots': ['calendar_bots.schedule', calendar, botOf('Notes')],
  'PATCH /v2/calendars/{calendar_id}/bots': ['calendar_bots.change', withBot, botOf('Other')],
  'DELETE /v2/calendars/{calendar_id}/bots': ['calendar_bots.cancel', withBot, eventOf],
  'POST /v2/accounts': ['account.create', null, account],
  'PATCH /v2/accounts/{account_id}': ['account.change', newAccount, { label: 'Other', session }],
  'POST /v2/accounts/{account_id}/check': ['account.check', newAccount],
  'DELETE /v2/accounts/{account_id}': ['account.delete', newAccount],
  'POST /v2/conf-credentials': ['credential.create', null, app],
  'PATCH /v2/conf-credentials/{credential_id}': ['credential.change', newCredential, { ...app, client_id: 'new' }],
  'DELETE /v2/conf-credentials/{credential_id}': ['credential.delete', newCredential],

  'POST /bots': ['bot.create', null, () => ({ ...plain(), reserved: false })],
  'DELETE /bots/{bot_id}': ['bot.stop', bot(older)],
  'POST /bots/{bot_id}/delete_data': ['bot.delete_data', bot({ ...older, ...ended })],
  'POST /bots/retranscribe': [
    'bot.retranscribe',
    recorded({ ...older, ...ended }),
    (bot_uuid: string) => ({ bot_uuid }),
  ],
  'POST /accounts/webhook_url': ['endpoint.create', null, { webhook_url: hook.url }],
  'POST /calendars/raw': ['', null, () => ({ platform: 'google', ...credentials() })],
  'POST /calendars': ['calendar.connect', null, () => ({ platform: 'google', ...ofCalendar() })],
  'PATCH /calendars/{uuid}': ['calendar.change', olderCalendar, olderRenewed],
  'DELETE /calendars/{uuid}': ['calendar.disconnect', olderCalendar],
  'POST /calendars/resync_all': [''],
  'POST /calendar_events/{uuid}/bot': ['calendar_bots.schedule', olderEvent, { bot_name: 'Notes' }],
  'PATCH /calendar_events/{uuid}/bot': ['calendar_bots.change', olderWithBot, { bot_name: 'Other' }],
  'DELETE /calendar_events/{uuid}/bot': ['calendar_bots.cancel', olderWithBot],
  'POST /conf_oauth_connections': ['credential.create', null, oauthUser],
  'DELETE /conf_oauth_connections/{uuid}': ['credential.delete', by('/conf_oauth_connections', oauthUser)],

  // The consent itself connects: test/control-plane/api/dashboard/connect.db.test.ts.
  'POST /dashboard/api/connect/{provider}': ['', async () => 'google', {}],
  'POST /dashboard/api/sign-in': ['', null, { email: 'a@example.com', password: SECRET }],
  'POST /dashboard/api/sign-in-link': ['', signInLink, (token: string) => ({ token })],
  'POST /dashboard/api/sign-in-choices': ['', signInLink, (token: string) => ({ tokens: [token] })],
  'POST /dashboard/api/change-team': ['', ofTwoTeams, (person_id: string) => ({ person_id })],
  'POST /dashboard/api/sign-out': [''],
  'PATCH /dashboard/api/me': ['person.change_password', null, { password: `${SECRET} long enough` }],
  'POST /dashboard/api/people': ['person.create person.invite', null, person],
  'POST /dashboard/api/people/{person_id}/link': ['person.invite', newPerson],
  'POST /dashboard/api/people/{person_id}/invitation': ['person.invite', newPerson],
  'DELETE /dashboard/api/people/{person_id}/invitation': ['person.withdraw_invitation', newPerson],
  'PATCH /dashboard/api/people/{person_id}': ['person.change', newPerson, { role: 'owner' }],
  'DELETE /dashboard/api/people/{person_id}': ['person.remove', newPerson],
  'POST /dashboard/api/keys': ['key.create', null, { name: 'CI' }],
  'DELETE /dashboard/api/keys/{key_id}': ['key.revoke', by('/dashboard/api/keys', { name: 'CI' })],
  'POST /dashboard/api/endpoints': ['endpoint.create', null, hook],
  'PATCH /dashboard/api/endpoints/{endpoint_id}': ['endpoint.change', newEndpoint, { url: `${hook.url}/2` }],
  'DELETE /dashboard/api/endpoints/{endpoint_id}': ['endpoint.remove', newEndpoint],
  'POST /dashboard/api/endpoints/{endpoint_id}/disable': ['endpoint.disable', newEndpoint],
  'POST /dashboard/api/endpoints/{endpoint_id}/rotate': ['endpoint.rotate_secret', newEndpoint],
  'POST /dashboard/api/endpoints/{endpoint_id}/enable': ['endpoint.enable', newEndpoint],
  'POST /dashboard/api/endpoints/{endpoint_id}/test': ['', newEndpoint],
  'POST /dashboard/api/endpoints/{endpoint_id}/replay': ['endpoint.replay', failedDelivery, since],
  'POST /dashboard/api/deliveries/{delivery}/replay': ['endpoint.replay', failedDelivery],
  'POST /dashboard/api/live/pictures': [''],
  'POST /dashboard/api/live/pictures/{bot_id}': ['', bot(inCall)],
}

/** Their answers need a bot that answers, or a password that was set. */
const MAY_FAIL = /send-chat|\/say$|stop-saying|output-media|\/agent$|pause-|resume-|\/sign-in$/

test('the operations above are all that change something', async () => {
  const changing = (await operationsServed(world.app)).filter(({ method }) => method !== 'get' && method !== 'head')
  expect(Object.keys(CASES).sort()).toEqual([...new Set(changing.map(({ name }) => name))].sort())
})

test.each(Object.entries(CASES))('%s: %j', async (name, [actions, make, body]) => {
  const [team, other] = [await newTeam(), await newTeam()]
  const made = (await make?.(team)) ?? ''
  const before = (await entriesOf(team)).map(({ entry_id }) => entry_id)
  const ofOthers = await entriesOf(other)
  const [method, path] = name.split(' ') as [string, string]
  const url = path.replace(/\{(\w+)\}/, (_, id: string) => (typeof made === 'string' ? made : made[id]!))
  const answer = await request(team, method, url, typeof body === 'function' ? body(made) : body)
  if (!MAY_FAIL.test(name)) expect(answer.status, answer.text).toBeLessThan(300)
  const entries = (await entriesOf(team)).filter(({ entry_id }) => !before.includes(entry_id))
  expect(entries.map(({ action }) => action)).toEqual(actions.split(' ').filter(Boolean).reverse())
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
})

test('a refused request leaves no entry, and a repeated one no second entry', async () => {
  const [team, other] = [await newTeam(), await newTeam()]
  const id = await bot()(other)
  const before = [await entriesOf(team), await entriesOf(other)]
  expect((await team.post('/v2/bots', { bot_name: 'x' })).status).toBe(400)
  expect((await team.post(`/v2/bots/${id}/leave`)).status).toBe(404)
  expect((await team.ask('DELETE', `/keys/${other.keyId}`)).status).toBe(404)
  expect((await team.ask('PATCH', `/people/${team.personId}`, { role: 'viewer' })).status).toBe(409)
  expect([await entriesOf(team), await entriesOf(other)]).toEqual(before)
  const key = { 'idempotency-key': randomUUID() }
  const body = plain()
  for (let count = 0; count < 2; count++) expect((await team.post('/v2/bots', body, key)).status).toBe(201)
  expect(await entriesOf(team)).toHaveLength(before[0]!.length + 1)
})

test('owners read it with their session; members and keys that only send do not', async () => {
  const team = await newTeam()
  expect((await team.send('GET', '/v2/audit-log')).status).toBe(200)
  const { person_id: member } = await newPerson(team)
  await world.change('people', { id: team.personId }, { role: 'member' })
  expect((await team.send('GET', '/v2/audit-log')).status).toBe(403)
  const sender = await world.team({}, 'sending')
  expect((await sender.get('/v2/audit-log')).status).toBe(403)
  const found = await entriesOf(team, `&target=${member}&action=person.create,person.invite&actor=person`)
  expect(found.map(({ action }) => action)).toEqual(['person.invite', 'person.create'])
  expect(await entriesOf(team, '&actor=operator')).toEqual([])
  expect((await team.get('/v2/audit-log?action=nothing')).status).toBe(400)
})
