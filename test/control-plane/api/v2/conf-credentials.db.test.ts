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

type Fields = Parameters<Awaited<ReturnType<typeof world.team>>['post']>[1]
/** A credential of a new team, or of one: a user unless the body has no code. */
async function stored(body: Fields = withCode().body, of?: Awaited<ReturnType<typeof world.team>>) {
  const team = of ?? (await world.team())
  const { status, body: answer, text } = await team.post(PATH, body)
  if (status !== 201) throw new Error(text)
  const id: string = answer.data.credential_id
  return { team, id, path: `${PATH}/${id}`, data: answer.data }
}
const problem = { message: 'Token refresh failed', isPermanent: true }
const idOf = ({ credential_id }: { credential_id: string }) => credential_id
const app = () => ({ name: 'App', ...keys() })
/** What is sealed of a credential. */
async function secretsOf(id: string) {
  const row = await world.one('connections', { id })
  const open = (column: 'access_token' | 'refresh_token' | 'client_secret') =>
    row[column] && world.dependencies.seals.open(row[column], connectionPlace(column, id))
  return { access: open('access_token'), refresh: open('refresh_token'), client: open('client_secret') }
}
const refused = { outcome: '400 FST_ERR_OAUTH_EXCHANGE_FAILED' }

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
        ...{ conf_user_id: null, conf_account_id: null, conf_email: null, conf_display_name: null, scopes: null },
        ...{ state: 'active', last_error_message: null, last_error_at: null },
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
    const { access, refresh } = await secretsOf(made.body.data.credential_id)
    expect([access, refresh]).toEqual([expect.stringMatching(/^access\./), expect.stringMatching(/^refresh\./)])
    const shown = JSON.stringify([made.text, (await team.get(PATH)).text])
    for (const secret of [access!, refresh!, 'marker-client-secret']) expect(shown).not.toContain(secret)
  })

  test('a code works once', async () => {
    const { body } = withCode()
    const { team } = await stored(body)
    expect(await team.post(PATH, body)).toMatchObject({
      ...refused,
      body: {
        message:
          'The conferencing provider refused the authorization. Zoom answered 400: invalid_grant (Invalid authorization code). A code works once and for about ten minutes: let the user authorize the app again.',
      },
    })
    expect((await team.get(PATH)).body.data).toHaveLength(1)
  })

  test.each([
    ['another address', { redirect_uri: 'https://other.example/' }, 'Redirect URI mismatch'],
    ['a wrong secret', { client_secret: 'wrong-secret' }, 'invalid_client'],
    ['a code that never was', { authorization_code: 'none-such' }, 'invalid_grant'],
  ])('%s is refused in the words of the provider', async (_name, fields, words) => {
    const team = await world.team()
    expect(await team.post(PATH, withCode(fields).body)).toMatchObject({
      ...refused,
      text: expect.stringContaining(words),
    })
    expect((await team.get(PATH)).body.data).toEqual([])
  })

  test('a user who has not allowed to read the profile is refused with the scope', async () => {
    const { zoom, app } = conferencing
    const authorization_code = zoom.allow(app, zoom.addUser(), { scopes: ['user:read:token'] })
    const text = expect.stringContaining('Add the scope user:read:user to the app.')
    const answer = await (await world.team()).post(PATH, withCode({ authorization_code }).body)
    expect(answer).toMatchObject({ status: 400, text })
  })

  test('a profile that does not come at once is asked for again, since the code is spent', async () => {
    conferencing.zoom.script('profile', refusals.SERVER_ERROR, 2)
    expect((await stored()).data.state).toBe('active')
  })

  test('a provider that is away is 503 with a time, and the same code works later', async () => {
    const team = await world.team()
    const { body } = withCode()
    conferencing.zoom.script('exchange', refusals.tooManyRequests(7))
    const away = { outcome: '503 FST_ERR_SERVICE_UNAVAILABLE', headers: { 'retry-after': '7' } }
    expect(await team.post(PATH, body)).toMatchObject(away)
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
    const text = expect.stringContaining(message)
    expect(await team.post(PATH, withCode(fields).body)).toMatchObject({ outcome: '400 FST_ERR_VALIDATION', text })
    expect(conferencing.zoom.count('exchange')).toBe(before)
  })

  test('a key that may only send bots is refused', async () => {
    const team = await world.team({}, 'sending')
    expect((await team.post(PATH, { name: 'x', ...keys() })).status).toBe(403)
    expect((await team.get(PATH)).status).toBe(403)
  })
})

describe('list', () => {
  test('filters by every field, all of them together', async () => {
    const team = await world.team()
    const { user, body } = withCode({ name: 'Sales 50%', extra: { tier: 1, place: 'a:b' } })
    const { id: sales } = await stored(body, team)
    const { id: ofApp } = await stored({ ...app(), extra: { tier: '1' } }, team)
    const { id: broken } = await stored(withCode({ name: 'Broken' }).body, team)
    await noteOutcome(world.database, { id: broken, version: 0 }, problem)
    for (const [query, ids] of [
      ['', [sales, ofApp, broken]],
      ['name=SALES', [sales]],
      ['name=50%25', [sales]],
      ['name=%25', [sales]],
      [`conf_email=${user.email.toUpperCase()}`, [sales]],
      [`conf_display_name=${encodeURIComponent(`${user.firstName} ${user.lastName}`)}`, [sales]],
      [`conf_user_id=${encodeURIComponent(user.id)}`, [sales]],
      [`conf_user_id=${encodeURIComponent(user.id.slice(1))}`, []],
      ['credential_type=app', [ofApp]],
      ['credential_type=app,user&state=invalid', [broken]],
      ['state=active', [sales, ofApp]],
      ['extra=tier:1', [sales, ofApp]],
      ['extra=tier:1,place:a:b', [sales]],
    ] as const)
      expect((await team.get(`${PATH}?${query}`)).body.data.map(idOf), query).toEqual(ids)
    expect((await team.get(`${PATH}?state=lost`)).status).toBe(400)
    expect((await team.get(PATH)).body.data[2]).toMatchObject({
      state: 'invalid',
      last_error_message: 'Token refresh failed',
      last_error_at: expect.any(String),
    })
  })

  test('shows a team its own only', async () => {
    const [{ team, path }, other] = [await stored(app()), await world.team()]
    expect((await other.get(PATH)).body.data).toEqual([])
    for (const answer of [await other.get(path), await other.patch(path, { name: 'mine' }), await other.delete(path)])
      expect(answer.outcome).toBe('404 FST_ERR_CREDENTIAL_NOT_FOUND_BY_ID')
    expect((await team.get(path)).body.data.name).toBe('App')
  })
})

describe('update', () => {
  test('renames, replaces extra and clears it', async () => {
    const { team, path } = await stored(withCode({ extra: { a: 1 } }).body)
    for (const [change, expected] of [
      [{ name: 'New name' }, { name: 'New name', extra: { a: 1 } }],
      [{ extra: { b: 2 } }, { extra: { b: 2 } }],
      [{ extra: null }, { extra: null }],
      [undefined, { name: 'New name' }],
      [{}, { name: 'New name' }],
    ])
      expect(await team.patch(path, change)).toMatchObject({ status: 200, body: { data: expected } })
  })

  test.each(['a user', 'an app'])(
    'authorizes %s again: active, without errors, with the profile of now',
    async (what) => {
      const { team, id, path, data } = await stored(what === 'an app' ? app() : undefined)
      await noteOutcome(world.database, { id, version: 0 }, problem)
      const { user, body } = withCode()
      const now = { credential_type: 'user', conf_user_id: user.id, state: 'active' }
      expect(await team.patch(path, { ...body, name: undefined })).toMatchObject({
        status: 200,
        body: { data: { ...now, credential_id: id, name: data.name, last_error_message: null, last_error_at: null } },
      })
    },
  )

  test('a code that is refused changes nothing', async () => {
    const { user, body } = withCode()
    const { team, path } = await stored(body)
    expect(await team.patch(path, { ...body, name: 'Other' })).toMatchObject(refused)
    expect((await team.get(path)).body.data).toMatchObject({ name: 'Ann', conf_user_id: user.id })
  })

  test.each([
    ['one key alone', { client_id: 'a' }],
    ['the other key alone', { client_secret: 'a' }],
    ['a code without keys', { authorization_code: 'c', redirect_uri: 'https://a.example/' }],
    ['a code without its address', { authorization_code: 'c', client_id: 'a', client_secret: 'b' }],
  ])('%s is refused', async (_name, fields) => {
    const { team, path } = await stored(app())
    expect((await team.patch(path, fields)).outcome).toBe('400 FST_ERR_VALIDATION')
  })

  test('spends no code for a credential that is not there', async () => {
    const team = await world.team()
    const before = conferencing.zoom.count('exchange')
    expect((await team.patch(`${PATH}/${UNKNOWN}`, withCode().body)).status).toBe(404)
    expect(conferencing.zoom.count('exchange')).toBe(before)
  })
})

test('a deleted credential is gone with its secrets', async () => {
  const { team, id, path } = await stored()
  const message = 'Conf credential deleted successfully'
  expect(await team.delete(path)).toMatchObject({ status: 200, body: { success: true, data: { message } } })
  expect([(await team.get(path)).status, (await team.delete(path)).status]).toEqual([404, 404])
  expect((await team.get(PATH)).body.data).toEqual([])
  expect(await secretsOf(id)).toEqual({ access: null, refresh: null, client: null })
})

describe('bots that name a credential', () => {
  const bot = (conf_config: object) => ({ bot_name: 'Bot', meeting_url: ZOOM, conf_config })
  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

  test('are made where it is there, of the team, in every way', async () => {
    const { team, data: made } = await stored()
    for (const conf of [{ credential_id: made.credential_id }, { credential_user_id: made.conf_user_id }]) {
      const { status, body } = await team.post('/v2/bots', bot(conf))
      expect(status).toBe(201)
      expect((await team.get(`/v2/bots/${body.data.bot_id}`)).body.data.conf_config).toMatchObject(conf)
    }
  })

  test('are refused where it is not, in every way', async () => {
    const team = await world.team()
    const unknown = { outcome: '404 FST_ERR_CREDENTIAL_NOT_FOUND_BY_ID' }
    for (const id of [UNKNOWN, (await stored(app())).id]) {
      expect(await team.post('/v2/bots', bot({ credential_id: id }))).toMatchObject(unknown)
      const later = { ...bot({ credential_id: id }), join_at: inAnHour() }
      expect(await team.post('/v2/bots/scheduled', later)).toMatchObject(unknown)
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
    const text = expect.stringContaining('belongs to 2 stored credentials')
    const answer = await team.post('/v2/bots', bot({ credential_user_id: user.id }))
    expect(answer).toMatchObject({ outcome: '400 FST_ERR_VALIDATION', text })
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
    expect((await secretsOf(id)).client).toBe('marker-newer-secret')
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
