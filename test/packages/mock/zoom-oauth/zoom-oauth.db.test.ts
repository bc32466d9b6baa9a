/** The stand-in of Zoom's OAuth server is as strict as Zoom, in Zoom's words. */
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  challengeOf,
  type StandInApp,
  type StandInUser,
  startZoomOauth,
  type ZoomOauth,
} from '../../../../packages/mock/zoom-oauth/index.ts'

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
})

describe('an access token', () => {
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
})
