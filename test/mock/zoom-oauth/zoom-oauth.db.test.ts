/** The stand-in of Zoom's OAuth server is as strict as Zoom, in Zoom's words. */
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  challengeOf,
  type StandInApp,
  type StandInUser,
  startZoomOauth,
  type ZoomOauth,
} from '../../../mock/zoom-oauth/index.ts'

let zoom: ZoomOauth
let app: StandInApp
let user: StandInUser
let now: number

beforeEach(async () => {
  now = Date.now()
  zoom = await startZoomOauth({ now: () => now })
  app = zoom.addApp()
  user = zoom.addUser()
  onTestFinished(() => zoom.close())
})

async function token(form: Record<string, string>, given = app) {
  const basic = Buffer.from(`${given.clientId}:${given.clientSecret}`).toString('base64')
  const answer = await fetch(`${zoom.url}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams(form),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, string> }
}

const exchange = (fields: Record<string, string> = {}, given = app) =>
  token(
    {
      grant_type: 'authorization_code',
      code: zoom.allow(app, user),
      redirect_uri: app.redirectUris[0]!,
      ...fields,
    },
    given,
  )
const refresh = (refreshToken: string, given = app) =>
  token({ grant_type: 'refresh_token', refresh_token: refreshToken }, given)

async function get(path: string, access: string) {
  const answer = await fetch(`${zoom.url}${path}`, { headers: { authorization: `Bearer ${access}` } })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

const INVALID_GRANT = { status: 400, body: { error: 'invalid_grant' } }

describe('a code', () => {
  test('gives tokens once', async () => {
    const code = zoom.allow(app, user)
    expect(await exchange({ code })).toMatchObject({
      status: 200,
      body: { token_type: 'bearer', expires_in: 3599, scope: 'user:read:user user:read:token user:read:zak' },
    })
    expect(await exchange({ code })).toMatchObject(INVALID_GRANT)
  })

  test('ends after ten minutes', async () => {
    const code = zoom.allow(app, user)
    now += 10 * 60_000 + 1
    expect(await exchange({ code })).toMatchObject(INVALID_GRANT)
  })

  test('belongs to its app, its address and its challenge', async () => {
    expect(await exchange({}, zoom.addApp())).toMatchObject(INVALID_GRANT)
    expect(await exchange({}, { ...app, clientSecret: 'wrong' })).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    })
    expect(await exchange({ redirect_uri: 'https://other.example/' })).toMatchObject({
      status: 400,
      body: { reason: 'Redirect URI mismatch.' },
    })
    const code = zoom.allow(app, user, { challenge: challengeOf('a-verifier') })
    expect(await exchange({ code, code_verifier: 'another' })).toMatchObject(INVALID_GRANT)
    expect(await exchange({ code, code_verifier: 'a-verifier' })).toMatchObject({ status: 200 })
  })
})

describe('a refresh token', () => {
  test('works once, and its successor works', async () => {
    const first = (await exchange()).body
    const second = await refresh(first.refresh_token!)
    expect(second).toMatchObject({ status: 200, body: { scope: first.scope } })
    expect(await refresh(first.refresh_token!)).toMatchObject({ ...INVALID_GRANT, body: { reason: 'Invalid Token!' } })
    expect(await refresh(second.body.refresh_token!)).toMatchObject({ status: 200 })
    expect(zoom.account.refreshTokens).toBe(1)
  })

  test('is used up even if the answer is lost', async () => {
    const { refresh_token } = (await exchange()).body
    zoom.script('refresh', 'lose')
    await expect(refresh(refresh_token!)).rejects.toThrow()
    expect(await refresh(refresh_token!)).toMatchObject(INVALID_GRANT)
  })

  test('ends when the user revokes the authorization, and so does the access token', async () => {
    const { access_token, refresh_token } = (await exchange()).body
    zoom.account.revoke(({ user: owner }) => owner === user)
    expect(await refresh(refresh_token!)).toMatchObject(INVALID_GRANT)
    expect(await get('/v2/users/me', access_token!)).toMatchObject({ status: 401, body: { code: 124 } })
  })

  test('can be revoked by its app', async () => {
    const { refresh_token } = (await exchange()).body
    const basic = Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64')
    const answer = await fetch(`${zoom.url}/oauth/revoke`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({ token: refresh_token! }),
    })
    expect(await answer.json()).toEqual({ status: 'success' })
    expect(await refresh(refresh_token!)).toMatchObject(INVALID_GRANT)
  })
})

describe('an access token', () => {
  test('reads the profile and gives tokens of the user', async () => {
    const { access_token } = (await exchange()).body
    const access = access_token!
    expect(await get('/v2/users/me', access)).toMatchObject({
      status: 200,
      body: { id: user.id, account_id: user.accountId, email: user.email, status: 'active' },
    })
    for (const path of [
      '/v2/users/me/token?type=onbehalf&meeting_id=88240852079',
      `/v2/users/${user.id}/token?type=zak`,
      '/v2/users/me/zak',
    ])
      expect(await get(path, access)).toMatchObject({ status: 200, body: { token: expect.any(String) } })
    expect(await get('/v2/users/me/token?type=other', access)).toMatchObject({ status: 400, body: { code: 300 } })
    expect(await get('/v2/users/me/token?type=onbehalf&meeting_id=x', access)).toMatchObject({ body: { code: 300 } })
    expect(await get('/v2/users/other/token?type=zak', access)).toMatchObject({ status: 404, body: { code: 1001 } })
  })

  test('ends after an hour', async () => {
    const { access_token } = (await exchange()).body
    now += 3_600_000
    expect(await get('/v2/users/me', access_token!)).toMatchObject({
      status: 401,
      body: { code: 124, message: 'Access token is expired.' },
    })
  })

  test('does only what was allowed', async () => {
    const code = zoom.allow(app, user, { scopes: ['user:read:zak'] })
    const { access_token } = (await exchange({ code })).body
    expect(await get('/v2/users/me', access_token!)).toMatchObject({ status: 400, body: { code: 4711 } })
    expect(await get('/v2/users/me/token?type=onbehalf', access_token!)).toMatchObject({ body: { code: 4711 } })
    expect(await get('/v2/users/me/token?type=zak', access_token!)).toMatchObject({ status: 200 })
  })

  test('finds no user after the user is deleted', async () => {
    const { access_token } = (await exchange()).body
    zoom.account.users.length = 0
    expect(await get('/v2/users/me', access_token!)).toMatchObject({ status: 404, body: { code: 1001 } })
  })
})

describe('for a person', () => {
  const authorize = (fields: Record<string, string> = {}) => {
    const [redirect_uri] = app.redirectUris as [string]
    const query = { response_type: 'code', client_id: app.clientId, redirect_uri, state: 's 1', ...fields }
    return `${zoom.url}/oauth/authorize?${new URLSearchParams(query)}`
  }
  const press = (form: string[][]) =>
    fetch(authorize(), { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })

  test('the page of consent sends back with a code that works', async () => {
    expect(await (await fetch(authorize())).text()).toContain(user.email)
    const answer = await press([
      ['decision', 'allow'],
      ['account', user.id],
      ['scope', 'user:read:user'],
    ])
    const target = new URL(answer.headers.get('location')!)
    expect(`${target.origin}${target.pathname}`).toBe(app.redirectUris[0])
    expect(target.searchParams.get('state')).toBe('s 1')
    expect(await exchange({ code: target.searchParams.get('code')! })).toMatchObject({
      body: { scope: 'user:read:user' },
    })
  })

  test('a refusal is sent back too', async () => {
    const answer = await press([['decision', 'deny']])
    expect(new URL(answer.headers.get('location')!).searchParams.get('error')).toBe('access_denied')
  })

  test('an unknown app or address is not redirected', async () => {
    expect((await fetch(authorize({ client_id: 'x' }))).status).toBe(400)
    expect((await fetch(authorize({ redirect_uri: 'https://evil.example/' }))).status).toBe(400)
  })

  test('the overview page makes requests fail', async () => {
    const { refresh_token } = (await exchange()).body
    expect(await (await fetch(zoom.url)).text()).toContain(app.clientId)
    await fetch(`${zoom.url}/happen`, {
      method: 'POST',
      body: new URLSearchParams({ what: 'Every user removes the app' }),
      redirect: 'manual',
    })
    expect(await refresh(refresh_token!)).toMatchObject(INVALID_GRANT)
  })

  test('the page of the end shows the code as text, and nothing else that it was sent', async () => {
    const page = await (await fetch(`${zoom.url}/done?code=${encodeURIComponent('<script>')}`)).text()
    expect(page).toContain('&#60;script&#62;')
    expect(page).not.toContain('<script>')
  })
})
