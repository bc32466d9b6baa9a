/** The part of a stored credential that a bot gets at its start, and the bot's error where it gets none. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  connectionPlace,
  createConnection,
  deleteConnection,
} from '../../../control-plane/store/connections/connections.ts'
import { refusals } from '../../../packages/mock/zoom-oauth/index.ts'
import { openWorld, seals } from '../world.ts'

const world = await openWorld({ connections: true })

describe('a credential of a user', () => {
  test('gives the keys of its app and a fresh token for this meeting', async () => {
    const { zoom, app, process, connection, asking } = await world.connectionSetting()
    const { id } = await connection({ isFresh: true })
    const { grants } = process()
    const first = await grants.fetch(asking(id))
    expect(first).toEqual({
      sdkId: app.clientId,
      sdkPassword: app.clientSecret,
      obfToken: expect.stringMatching(/^obf\./),
      accessKey: null,
    })
    expect((await grants.fetch(asking(id))).obfToken).not.toBe(first.obfToken)
    expect(zoom.requests.at(-1)?.query).toEqual({ type: 'onbehalf', meeting_id: '88240852079' })
  })

  test('is found by its user too', async () => {
    const { process, connection, asking } = await world.connectionSetting()
    const { id, user } = await connection()
    const request = asking(id, { credentialId: null, credentialUserId: user.id })
    expect((await process().grants.fetch(request)).obfToken).toMatch(/^obf\./)
  })

  test('gives a token for any meeting where the link has no number', async () => {
    const { zoom, process, connection, asking } = await world.connectionSetting()
    const { id } = await connection()
    await process().grants.fetch(asking(id, { meetingUrl: 'https://zoom.us/my/ann.host' }))
    expect(zoom.requests.at(-1)?.query).toEqual({ type: 'onbehalf' })
  })

  test('gives only the keys where the bot brings its own token', async () => {
    const { zoom, app, process, connection, asking } = await world.connectionSetting()
    const { id } = await connection()
    expect(await process().grants.fetch(asking(id, { wantsToken: false }))).toEqual({
      sdkId: app.clientId,
      sdkPassword: app.clientSecret,
      obfToken: null,
      accessKey: null,
    })
    expect(zoom.count('refresh') + zoom.count('user_token')).toBe(0)
  })

  test('gives an access key where the user has allowed only that', async () => {
    const { process, connection, asking } = await world.connectionSetting()
    const { id } = await connection({ scopes: ['user:read:user', 'user:read:zak'] })
    expect(await process().grants.fetch(asking(id))).toMatchObject({
      obfToken: null,
      accessKey: expect.stringMatching(/^zak\./),
    })
  })

  test('refreshes once more where its access token was refused before its time', async () => {
    const { zoom, process, connection, asking, row } = await world.connectionSetting()
    const { id } = await connection({ isFresh: true })
    zoom.account.expireAccess()
    expect((await process().grants.fetch(asking(id))).obfToken).toMatch(/^obf\./)
    expect(zoom.count('refresh')).toBe(1)
    expect(await row(id)).toMatchObject({ state: 'active', last_error_message: null })
  })

  test('two bots that start at once in two processes both get a token, with one refresh', async () => {
    const { zoom, process, connection, asking } = await world.connectionSetting()
    const { id } = await connection()
    zoom.delayMs = 200
    const granted = await Promise.all([process(), process()].map(({ grants }) => grants.fetch(asking(id))))
    expect(new Set(granted.map(({ obfToken }) => obfToken)).size).toBe(2)
    expect(zoom.count('refresh')).toBe(1)
  })
})

test('a credential of an app gives its keys', async () => {
  const { app, teamId, process, asking } = await world.connectionSetting()
  const made = await createConnection(world.database, seals, { teamId, name: 'App', app, user: null, extra: null })
  expect(await process().grants.fetch(asking(made.id))).toMatchObject({ sdkId: app.clientId, obfToken: null })
})

describe('is refused for good, with its code and what helps', () => {
  const OBF = 'CONF_OBF_TOKEN_ERROR'
  const ZAK = 'CONF_ACCESS_TOKEN_ERROR'

  test('a credential that never was, of another team, or deleted', async () => {
    const { teamId, process, connection, asking } = await world.connectionSetting()
    const other = await world.connectionSetting()
    const { id } = await connection()
    const foreign = await other.connection()
    await deleteConnection(world.database, teamId, id)
    for (const one of [id, randomUUID(), foreign.id])
      await expect(process().grants.fetch(asking(one))).rejects.toMatchObject({
        name: 'GrantRefused',
        code: OBF,
        message: 'The stored credential was deleted or never existed.',
      })
  })

  test('a user without a credential, and one with two', async () => {
    const { platform, app, zoom, teamId, process, connection, asking } = await world.connectionSetting()
    const { id, user } = await connection()
    const { grants } = process()
    const of = (credentialUserId: string) => grants.fetch(asking(id, { credentialId: null, credentialUserId }))
    await expect(of('nobody')).rejects.toMatchObject({
      code: OBF,
      message: 'No stored credential belongs to the conferencing user "nobody".',
    })
    const code = zoom.allow(app, user)
    const tokens = await platform.exchange(app, { code, redirectUri: app.redirectUris[0]! })
    const profile = { userId: user.id, accountId: null, email: null, displayName: null }
    await createConnection(world.database, seals, { teamId, name: '2', app, user: { tokens, profile }, extra: null })
    await expect(of(user.id)).rejects.toMatchObject({ code: OBF, message: expect.stringContaining('credential_id') })
  })

  test('a connection that its user took back', async () => {
    const { zoom, process, connection, asking, row } = await world.connectionSetting()
    const { id, grant } = await connection({ isFresh: true })
    zoom.account.revoke((one) => one === grant)
    await expect(process().grants.fetch(asking(id))).rejects.toMatchObject({
      name: 'GrantRefused',
      code: OBF,
      message:
        'The on-behalf-of token of the credential "Ann" could not be fetched. Token refresh failed: Zoom answered 400: invalid_grant (Invalid Token!). Its user has to authorize the app again.',
    })
    expect(await row(id)).toMatchObject({ state: 'invalid' })
  })

  test('a scope that is missing', async () => {
    const { process, connection, asking, row } = await world.connectionSetting()
    const { id } = await connection({ scopes: ['user:read:user'] })
    await expect(process().grants.fetch(asking(id))).rejects.toMatchObject({
      code: OBF,
      message: expect.stringContaining('Add the scope user:read:token to the app'),
    })
    expect(await row(id)).toMatchObject({ state: 'active', last_error_message: expect.stringContaining('4711') })
  })

  test('a user who is gone', async () => {
    const { zoom, process, connection, asking, row } = await world.connectionSetting()
    const { id, user } = await connection({ scopes: ['user:read:zak'] })
    zoom.account.users.splice(zoom.account.users.indexOf(user), 1)
    await expect(process().grants.fetch(asking(id))).rejects.toMatchObject({
      code: ZAK,
      message: expect.stringContaining('no longer part of the account'),
    })
    expect(await row(id)).toMatchObject({ state: 'invalid' })
  })

  test('a wrong secret of the app', async () => {
    const { app, process, connection, asking } = await world.connectionSetting()
    const { id } = await connection()
    app.clientSecret = 'changed'
    await expect(process().grants.fetch(asking(id))).rejects.toMatchObject({
      code: OBF,
      message: expect.stringContaining('Check the client id and the client secret'),
    })
  })

  test('a parameter that the provider does not take', async () => {
    const { zoom, process, connection, asking } = await world.connectionSetting()
    const { id } = await connection({ isFresh: true })
    zoom.script('user_token', refusals.badParameter('Invalid field: meeting_id.'))
    await expect(process().grants.fetch(asking(id))).rejects.toMatchObject({ name: 'GrantRefused', code: OBF })
  })
})

describe('is late, and may come', () => {
  test.each([
    ['the limit', refusals.tooManyRequests(7), 7000],
    ['an error of the provider', refusals.SERVER_ERROR, null],
    ['a page of a proxy', { status: 403, body: '<html>Forbidden</html>' }, null],
  ] as const)('%s', async (_name, answer, retryAfterMs) => {
    const { zoom, process, connection, asking, row } = await world.connectionSetting()
    const { id } = await connection({ isFresh: true })
    zoom.script('user_token', answer)
    const { grants } = process()
    await expect(grants.fetch(asking(id))).rejects.toMatchObject({ name: 'GrantDelayed', retryAfterMs })
    expect(await row(id)).toMatchObject({ state: 'active', last_error_message: expect.any(String) })
    expect((await grants.fetch(asking(id))).obfToken).toMatch(/^obf\./)
    expect(await row(id)).toMatchObject({ last_error_message: null })
  })

  test('a provider that does not answer is not waited for longer than the bounds', async () => {
    const { zoom, process, connection, asking } = await world.connectionSetting()
    const { id } = await connection({ isFresh: true })
    zoom.script('user_token', 'hang')
    await expect(process({}, 300).grants.fetch(asking(id))).rejects.toMatchObject({
      name: 'GrantDelayed',
      message: 'The provider did not answer within 0.3 s.',
    })
  })

  test('a refresh is stored even if its caller has stopped waiting', async () => {
    const { zoom, process, connection, asking, row } = await world.connectionSetting()
    const { id } = await connection()
    zoom.delayMs = 800
    const { grants, tokens } = process({}, 200)
    await expect(grants.fetch(asking(id))).rejects.toMatchObject({ name: 'GrantDelayed' })
    await tokens.close(1_000)
    expect(await row(id)).toMatchObject({ tokens_version: 1, state: 'active' })
  })
})

test('no text of a refusal, a log line or a column of text holds a secret, also where the provider repeats it', async () => {
  const { zoom, app, process, connection, asking, row, logged } = await world.connectionSetting()
  app.clientSecret = 'marker-secret-of-the-app'
  const { id } = await connection()
  const refreshToken = seals.open((await row(id)).refresh_token!, connectionPlace('refresh_token', id))
  const said = `bad token ${refreshToken} of ${app.clientId}:${app.clientSecret}`
  zoom.script('refresh', { status: 400, body: { reason: said, error: 'invalid_grant' } })
  const { grants } = process()
  const failure = await grants.fetch(asking(id)).catch((error: Error) => error.message)
  const granted = await grants.fetch(asking(id))
  const stored = await row(id)
  const access = seals.open(stored.access_token!, connectionPlace('access_token', id))
  zoom.script('user_token', { status: 400, body: { code: 300, message: `bad token ${access}` } })
  const second = await grants.fetch(asking(id)).catch((error: Error) => error.message)
  const columns = Object.values(await row(id)).filter((value) => !Buffer.isBuffer(value))
  const texts = JSON.stringify([failure, second, columns, logged])
  expect(texts).toContain('[hidden]')
  for (const secret of [refreshToken, access, app.clientSecret, granted.obfToken!]) expect(texts).not.toContain(secret)
  for (const value of Object.values(stored))
    if (Buffer.isBuffer(value)) expect(value.toString('latin1')).not.toContain('marker')
})
