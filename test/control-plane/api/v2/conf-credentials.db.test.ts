import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { connectionPlace } from '../../../../control-plane/store/connections/connections.ts'
import { noteOutcome } from '../../../../control-plane/store/connections/outcomes.ts'
import { refusals } from '../../../../packages/mock/zoom-oauth/index.ts'
import { openWorld } from '../../world.ts'
import { openConferencing } from '../conferencing.ts'

const PATH = '/v2/conf-credentials'
const ZOOM = 'https://zoom.us/j/88240852079?pwd=x'
const UNKNOWN = randomUUID()

const conferencing = await openConferencing()
const world = await openWorld({ api: { conferencing: conferencing.authority } })

const keys = () => ({ client_id: conferencing.app.clientId, client_secret: conferencing.app.clientSecret })
const address = () => conferencing.app.redirectUris[0]!

/** A body that connects a new user of the stand-in. */
function withCode(fields: object = {}) {
  const { zoom, app } = conferencing
  const user = zoom.addUser()
  const body = { name: 'Ann', ...keys(), authorization_code: zoom.allow(app, user), redirect_uri: address(), ...fields }
  return { user, body }
}

describe('create', () => {
  test('without a code stores the keys of an app', async () => {
    const team = await world.team()
    const { status, body, text } = await team.post(PATH, { name: 'Our app', ...keys(), extra: { tier: 1 } })
    expect(status).toBe(201)
    expect(body).toEqual({
      success: true,
      data: {
        credential_id: expect.any(String),
        name: 'Our app',
        platform: 'zoom',
        tenant_id: null,
        credential_type: 'app',
        conf_user_id: null,
        conf_account_id: null,
        conf_email: null,
        conf_display_name: null,
        scopes: null,
        state: 'active',
        last_error_message: null,
        last_error_at: null,
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
        extra: { tier: 1 },
      },
    })
    expect(text).not.toContain('marker-client-secret')
    const one = await team.get(`${PATH}/${body.data.credential_id}`)
    expect(one.body).toEqual(body)
  })

  test('with a code stores a user with tokens, which are sealed and never answered', async () => {
    const team = await world.team()
    const { user, body } = withCode()
    const made = await team.post(PATH, body)
    expect(made).toMatchObject({
      status: 201,
      body: {
        data: {
          credential_type: 'user',
          conf_user_id: user.id,
          conf_account_id: user.accountId,
          conf_email: user.email,
          conf_display_name: `${user.firstName} ${user.lastName}`,
          scopes: 'user:read:user,user:read:token,user:read:zak',
          state: 'active',
        },
      },
    })
    const id = made.body.data.credential_id
    const row = await world.database
      .selectFrom('connections')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const access = world.dependencies.seals.open(row.access_token!, connectionPlace('access_token', id))
    const refresh = world.dependencies.seals.open(row.refresh_token!, connectionPlace('refresh_token', id))
    expect([access, refresh]).toEqual([expect.stringMatching(/^access\./), expect.stringMatching(/^refresh\./)])
    const shown = JSON.stringify([made.text, (await team.get(PATH)).text])
    for (const secret of [access, refresh, 'marker-client-secret']) expect(shown).not.toContain(secret)
  })

  test('a code works once', async () => {
    const team = await world.team()
    const { body } = withCode()
    expect((await team.post(PATH, body)).status).toBe(201)
    const again = await team.post(PATH, body)
    expect(again).toMatchObject({ status: 400, body: { code: 'FST_ERR_OAUTH_EXCHANGE_FAILED' } })
    expect(again.body.message).toBe(
      'The conferencing provider refused the authorization. Zoom answered 400: invalid_grant (Invalid authorization code). A code works once and for about ten minutes: let the user authorize the app again.',
    )
    expect((await team.get(PATH)).body.data).toHaveLength(1)
  })

  test.each([
    ['another address', { redirect_uri: 'https://other.example/' }, 'Redirect URI mismatch'],
    ['a wrong secret', { client_secret: 'wrong-secret' }, 'invalid_client'],
    ['a code that never was', { authorization_code: 'none-such' }, 'invalid_grant'],
  ])('%s is refused in the words of the provider', async (_name, fields, words) => {
    const team = await world.team()
    const answer = await team.post(PATH, withCode(fields).body)
    expect(answer).toMatchObject({ status: 400, body: { code: 'FST_ERR_OAUTH_EXCHANGE_FAILED' } })
    expect(answer.body.message).toContain(words)
    expect((await team.get(PATH)).body.data).toEqual([])
  })

  test('a user who has not allowed to read the profile is refused with the scope', async () => {
    const team = await world.team()
    const { zoom, app } = conferencing
    const authorization_code = zoom.allow(app, zoom.addUser(), { scopes: ['user:read:token'] })
    const answer = await team.post(PATH, withCode({ authorization_code }).body)
    expect(answer.status).toBe(400)
    expect(answer.body.message).toContain('Add the scope user:read:user to the app.')
  })

  test('a profile that does not come at once is asked for again, since the code is spent', async () => {
    const team = await world.team()
    conferencing.zoom.script('profile', refusals.SERVER_ERROR, 2)
    expect((await team.post(PATH, withCode().body)).status).toBe(201)
  })

  test('a provider that is away is 503 with a time, and the same code works later', async () => {
    const team = await world.team()
    const { body } = withCode()
    conferencing.zoom.script('exchange', refusals.tooManyRequests(7))
    const away = await team.post(PATH, body)
    expect(away).toMatchObject({
      status: 503,
      headers: { 'retry-after': '7' },
      body: { code: 'FST_ERR_SERVICE_UNAVAILABLE' },
    })
    expect((await team.post(PATH, body)).status).toBe(201)
  })

  test('with an Idempotency-Key a repeated request gets the first answer and spends no second code', async () => {
    const team = await world.team()
    const { body } = withCode()
    const headers = { 'idempotency-key': randomUUID() }
    const first = await team.post(PATH, body, headers)
    const second = await team.post(PATH, body, headers)
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body).toEqual(first.body)
  })

  test.each([
    ['no name', { name: undefined }, 'body/name is missing'],
    ['a long name', { name: 'x'.repeat(101) }, 'body/name'],
    ['no secret', { client_secret: undefined }, 'body/client_secret is missing'],
    ['a colon in the client id', { client_id: 'a:b' }, 'body/client_id must not contain a colon'],
    ['a code without its address', { redirect_uri: undefined }, 'body/redirect_uri is required together'],
    ['an address that is none', { redirect_uri: 'not an address' }, 'body/redirect_uri must be an address'],
    ['a long code', { authorization_code: 'x'.repeat(2001) }, 'body/authorization_code'],
    ['extra that is no object', { extra: 'text' }, 'body/extra'],
    ['NUL', { name: 'a\0b' }, 'body/name'],
    ['a field that is not known', { colour: 'red' }, 'body/colour unknown field'],
  ])('%s is refused by its place', async (_name, fields, message) => {
    const team = await world.team()
    const before = conferencing.zoom.count('exchange')
    const answer = await team.post(PATH, withCode(fields).body)
    expect(answer).toMatchObject({ status: 400, body: { code: 'FST_ERR_VALIDATION' } })
    expect(answer.body.message).toContain(message)
    expect(conferencing.zoom.count('exchange')).toBe(before)
  })

  test('a key that may only send bots is refused', async () => {
    const team = await world.team({}, 'sending')
    expect(await team.post(PATH, { name: 'x', ...keys() })).toMatchObject({ status: 403 })
    expect(await team.get(PATH)).toMatchObject({ status: 403 })
  })
})

describe('list', () => {
  test('filters by every field, all of them together', async () => {
    const team = await world.team()
    const { user, body } = withCode({ name: 'Sales 50%', extra: { tier: 1, place: 'a:b' } })
    const sales = (await team.post(PATH, body)).body.data.credential_id
    const app = (await team.post(PATH, { name: 'App', ...keys(), extra: { tier: '1' } })).body.data.credential_id
    const broken = (await team.post(PATH, withCode({ name: 'Broken' }).body)).body.data.credential_id
    const problem = { message: 'Token refresh failed', isPermanent: true }
    await noteOutcome(world.database, { id: broken, version: 0 }, problem)
    const found = async (query: string) =>
      (await team.get(`${PATH}?${query}`)).body.data.map((one: { credential_id: string }) => one.credential_id)
    expect(await found('')).toEqual([sales, app, broken])
    expect(await found('name=SALES')).toEqual([sales])
    expect(await found('name=50%25')).toEqual([sales])
    expect(await found('name=%25')).toEqual([sales])
    expect(await found(`conf_email=${user.email.toUpperCase()}`)).toEqual([sales])
    expect(await found(`conf_display_name=${user.lastName}`)).toContain(sales)
    expect(await found(`conf_user_id=${encodeURIComponent(user.id)}`)).toEqual([sales])
    expect(await found(`conf_user_id=${encodeURIComponent(user.id.slice(1))}`)).toEqual([])
    expect(await found('credential_type=app')).toEqual([app])
    expect(await found('credential_type=app,user&state=invalid')).toEqual([broken])
    expect(await found('state=active')).toEqual([sales, app])
    expect(await found('extra=tier:1')).toEqual([sales, app])
    expect(await found('extra=tier:1,place:a:b')).toEqual([sales])
    expect((await team.get(`${PATH}?state=lost`)).status).toBe(400)
    expect((await team.get(PATH)).body.data[2]).toMatchObject({
      state: 'invalid',
      last_error_message: 'Token refresh failed',
      last_error_at: expect.any(String),
    })
  })

  test('shows a team its own only', async () => {
    const team = await world.team()
    const other = await world.team()
    const id = (await team.post(PATH, { name: 'x', ...keys() })).body.data.credential_id
    expect((await other.get(PATH)).body.data).toEqual([])
    for (const answer of [
      await other.get(`${PATH}/${id}`),
      await other.patch(`${PATH}/${id}`, { name: 'mine' }),
      await other.delete(`${PATH}/${id}`),
    ])
      expect(answer).toMatchObject({ status: 404, body: { code: 'FST_ERR_CREDENTIAL_NOT_FOUND_BY_ID' } })
    expect((await team.get(`${PATH}/${id}`)).body.data.name).toBe('x')
  })
})

describe('update', () => {
  test('renames, replaces extra and clears it', async () => {
    const team = await world.team()
    const made = await team.post(PATH, withCode({ extra: { a: 1 } }).body)
    const id = made.body.data.credential_id
    const renamed = await team.patch(`${PATH}/${id}`, { name: 'New name' })
    expect(renamed).toMatchObject({ status: 200, body: { data: { name: 'New name', extra: { a: 1 } } } })
    expect((await team.patch(`${PATH}/${id}`, { extra: { b: 2 } })).body.data.extra).toEqual({ b: 2 })
    expect((await team.patch(`${PATH}/${id}`, { extra: null })).body.data.extra).toBeNull()
    expect((await team.patch(`${PATH}/${id}`)).status).toBe(200)
    expect((await team.patch(`${PATH}/${id}`, {})).body.data.name).toBe('New name')
  })

  test('authorizes again: active, without errors, with the profile of now', async () => {
    const team = await world.team()
    const id = (await team.post(PATH, withCode().body)).body.data.credential_id
    await noteOutcome(world.database, { id, version: 0 }, { message: 'Token refresh failed', isPermanent: true })
    const { user, body } = withCode()
    const { name: _, ...grant } = body
    const answer = await team.patch(`${PATH}/${id}`, grant)
    expect(answer).toMatchObject({
      status: 200,
      body: {
        data: {
          credential_id: id,
          name: 'Ann',
          conf_user_id: user.id,
          state: 'active',
          last_error_message: null,
          last_error_at: null,
        },
      },
    })
  })

  test('makes a user of an app', async () => {
    const team = await world.team()
    const id = (await team.post(PATH, { name: 'App', ...keys() })).body.data.credential_id
    const { user, body } = withCode()
    const answer = await team.patch(`${PATH}/${id}`, { ...body, name: undefined })
    expect(answer.body.data).toMatchObject({ name: 'App', credential_type: 'user', conf_user_id: user.id })
  })

  test('a code that is refused changes nothing', async () => {
    const team = await world.team()
    const { user, body } = withCode()
    const id = (await team.post(PATH, body)).body.data.credential_id
    const answer = await team.patch(`${PATH}/${id}`, { ...body, name: 'Other' })
    expect(answer).toMatchObject({ status: 400, body: { code: 'FST_ERR_OAUTH_EXCHANGE_FAILED' } })
    expect((await team.get(`${PATH}/${id}`)).body.data).toMatchObject({ name: 'Ann', conf_user_id: user.id })
  })

  test.each([
    ['one key alone', { client_id: 'a' }],
    ['the other key alone', { client_secret: 'a' }],
    ['a code without keys', { authorization_code: 'c', redirect_uri: 'https://a.example/' }],
    ['a code without its address', { authorization_code: 'c', client_id: 'a', client_secret: 'b' }],
  ])('%s is refused', async (_name, fields) => {
    const team = await world.team()
    const id = (await team.post(PATH, { name: 'App', ...keys() })).body.data.credential_id
    expect(await team.patch(`${PATH}/${id}`, fields)).toMatchObject({
      status: 400,
      body: { code: 'FST_ERR_VALIDATION' },
    })
  })

  test('spends no code for a credential that is not there', async () => {
    const team = await world.team()
    const before = conferencing.zoom.count('exchange')
    expect((await team.patch(`${PATH}/${UNKNOWN}`, withCode().body)).status).toBe(404)
    expect(conferencing.zoom.count('exchange')).toBe(before)
  })
})

test('a deleted credential is gone with its secrets', async () => {
  const team = await world.team()
  const id = (await team.post(PATH, withCode().body)).body.data.credential_id
  expect(await team.delete(`${PATH}/${id}`)).toMatchObject({
    status: 200,
    body: { success: true, data: { message: 'Conf credential deleted successfully' } },
  })
  expect((await team.get(`${PATH}/${id}`)).status).toBe(404)
  expect((await team.delete(`${PATH}/${id}`)).status).toBe(404)
  expect((await team.get(PATH)).body.data).toEqual([])
  const row = await world.database.selectFrom('connections').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  expect(row).toMatchObject({ client_secret: null, refresh_token: null, access_token: null })
})

describe('bots that name a credential', () => {
  const bot = (conf_config: object) => ({ bot_name: 'Bot', meeting_url: ZOOM, conf_config })
  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

  test('are made where it is there, of the team, in every way', async () => {
    const team = await world.team()
    const made = (await team.post(PATH, withCode().body)).body.data
    for (const conf of [{ credential_id: made.credential_id }, { credential_user_id: made.conf_user_id }]) {
      const { status, body } = await team.post('/v2/bots', bot(conf))
      expect(status).toBe(201)
      expect((await team.get(`/v2/bots/${body.data.bot_id}`)).body.data.conf_config).toMatchObject(conf)
    }
  })

  test('are refused where it is not, in every way', async () => {
    const team = await world.team()
    const foreign = await (await world.team()).post(PATH, { name: 'x', ...keys() })
    const unknown = { status: 404, body: { code: 'FST_ERR_CREDENTIAL_NOT_FOUND_BY_ID' } }
    for (const id of [UNKNOWN, foreign.body.data.credential_id]) {
      expect(await team.post('/v2/bots', bot({ credential_id: id }))).toMatchObject(unknown)
      expect(
        await team.post('/v2/bots/scheduled', { ...bot({ credential_id: id }), join_at: inAnHour() }),
      ).toMatchObject(unknown)
      const batch = await team.post('/v2/bots/batch', [bot({ credential_id: id }), bot({})])
      expect(batch).toMatchObject({
        status: 201,
        body: { data: [{ index: 1 }], errors: [{ index: 0, code: 'CREDENTIAL_NOT_FOUND_BY_ID' }] },
      })
    }
    const scheduled = await team.post('/v2/bots/scheduled', { ...bot({}), join_at: inAnHour() })
    const change = { conf_config: { credential_id: UNKNOWN } }
    expect(await team.patch(`/v2/bots/scheduled/${scheduled.body.data.bot_id}`, change)).toMatchObject(unknown)
  })

  test('are refused where extra is too long for the address of a token, in both generations', async () => {
    const team = await world.team()
    const extra = { text: 'x'.repeat(7000) }
    const newer = await team.post('/v2/bots', { ...bot({ obf_token_url: 'https://example.com/obf' }), extra })
    expect(newer).toMatchObject({ status: 400, body: { code: 'FST_ERR_VALIDATION' } })
    expect(newer.body.message).toContain('body/extra is sent within the address of the token')
    const older = { bot_name: 'Bot', meeting_url: ZOOM, conf_access_token_url: 'https://example.com/zak', extra }
    expect((await team.post('/bots/', older)).status).toBe(422)
    expect((await team.post('/v2/bots', { ...bot({}), extra })).status).toBe(201)
  })

  test('are refused where their user has two credentials, and taken where the user has none yet', async () => {
    const team = await world.team()
    const { zoom, app } = conferencing
    const { user, body } = withCode()
    await team.post(PATH, body)
    await team.post(PATH, { ...body, authorization_code: zoom.allow(app, user) })
    const answer = await team.post('/v2/bots', bot({ credential_user_id: user.id }))
    expect(answer).toMatchObject({ status: 400, body: { code: 'FST_ERR_VALIDATION' } })
    expect(answer.body.message).toContain('belongs to 2 stored credentials')
    expect((await team.post('/v2/bots', bot({ credential_user_id: 'nobody-yet' }))).status).toBe(201)
  })
})

describe('a bot that is registered at Microsoft Teams', () => {
  test('is checked at once, listed with its tenant and without its secret, and gets a new secret', async () => {
    const { microsoft, registration } = conferencing
    const team = await world.team()
    const made = await team.post(PATH, registration())
    expect(made).toMatchObject({
      status: 201,
      body: { data: { platform: 'teams', tenant_id: 'example.com', credential_type: 'app', state: 'active' } },
    })
    const id: string = made.body.data.credential_id
    expect((await team.get(`${PATH}?platform=teams`)).body.data).toEqual([made.body.data])
    expect((await team.get(`${PATH}?platform=zoom`)).body.data).toEqual([])
    const old = registration()
    microsoft.tokens.clientSecret = 'marker-newer-secret'
    const [refused, unknown] = [
      await team.patch(`${PATH}/${id}`, { client_id: old.client_id, client_secret: old.client_secret }),
      await team.post(PATH, { ...registration(), tenant_id: 'unknown.example' }),
    ]
    expect([refused.status, unknown.status]).toEqual([400, 400])
    expect(refused.body.message).toContain('Check the tenant id, the client id and the client secret.')
    const { client_id, client_secret } = registration()
    const changed = await team.patch(`${PATH}/${id}`, { client_id, client_secret })
    expect(changed.body.data).toMatchObject({ tenant_id: 'example.com', state: 'active' })
    const row = await world.database
      .selectFrom('connections')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(world.dependencies.seals.open(row.client_secret!, connectionPlace('client_secret', id))).toBe(
      'marker-newer-secret',
    )
    const texts = [made, refused, unknown, changed].map(({ text }) => text).join()
    for (const secret of [old.client_secret, client_secret]) expect(texts).not.toContain(secret)
    expect((await team.delete(`${PATH}/${id}`)).status).toBe(200)
  })

  test('cannot be stored while Microsoft is away', async () => {
    conferencing.microsoft.server.script('token', { status: 503, body: 'busy' })
    expect((await (await world.team()).post(PATH, conferencing.registration())).status).toBe(503)
  })

  test.each([
    ['without a tenant', { tenant_id: undefined }],
    ['with a tenant that changes the address', { tenant_id: '../x' }],
    ['with a code', { authorization_code: 'a', redirect_uri: 'https://app.example' }],
    ['as one of Zoom', { platform: 'zoom' }],
  ])('%s is refused', async (_name, fields) => {
    const team = await world.team()
    expect((await team.post(PATH, { ...conferencing.registration(), ...fields })).status).toBe(400)
  })
})
