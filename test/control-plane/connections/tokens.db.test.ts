/** The state of a connection after a refresh that was refused or failed. */
import { expect, test } from 'vitest'
import { changeConnection, deleteConnection } from '../../../control-plane/store/connections/connections.ts'
import { refusals } from '../../../packages/mock/zoom-oauth/index.ts'
import { openWorld, seals } from '../world.ts'

const LONG = { timeout: 20_000, interval: 50 }
const world = await openWorld({ connections: true })

test('a revoked connection is invalid, says why, and works again when it is authorized again', async () => {
  const { zoom, platform, app, teamId, process, connection, row } = await world.connectionSetting()
  const { id, user, grant } = await connection()
  zoom.account.revoke((one) => one === grant)
  const { tokens } = process()
  await expect(tokens.accessOf(id)).rejects.toMatchObject({ kind: 'revoked' })
  const failed = await row(id)
  expect(failed).toMatchObject({ state: 'invalid', refresh_lease_owner: null })
  expect(failed.last_error_message).toBe('Token refresh failed: Zoom answered 400: invalid_grant (Invalid Token!).')
  expect(failed.last_error_at).toBeInstanceOf(Date)
  const again = await platform.exchange(app, { code: zoom.allow(app, user), redirectUri: app.redirectUris[0]! })
  const profile = { userId: user.id, accountId: null, email: null, displayName: null }
  await changeConnection(world.database, seals, { teamId, id }, { user: { tokens: again, profile } })
  await expect(tokens.accessOf(id)).resolves.toMatchObject({ token: again.accessToken })
  expect(await row(id)).toMatchObject({ state: 'active', last_error_message: null, last_error_at: null })
})

test.each([
  ['500', refusals.SERVER_ERROR, 'unavailable'],
  ['429', refusals.tooManyRequests(7), 'rate_limited'],
  ['a page of a proxy', { status: 502, body: '<html>Bad gateway</html>' }, 'unavailable'],
  ['a page that says that all is well', { status: 200, body: '<html>Hello</html>' }, 'unavailable'],
  ['an answer without tokens', { status: 200, body: {} }, 'unavailable'],
] as const)('%s leaves the connection active, and the next use works', async (_name, answer, kind) => {
  const { zoom, process, connection, row } = await world.connectionSetting()
  const { id } = await connection()
  zoom.script('refresh', answer)
  const { tokens } = process()
  await expect(tokens.accessOf(id)).rejects.toMatchObject({ kind, isPassing: true })
  expect(await row(id)).toMatchObject({
    state: 'active',
    last_error_message: expect.stringMatching(/^Token refresh failed/),
  })
  await tokens.accessOf(id)
  expect(await row(id)).toMatchObject({ state: 'active', last_error_message: null })
})

test('a client secret that was changed at the provider makes the connection invalid until it is changed here', async () => {
  const { app, teamId, process, connection, row } = await world.connectionSetting()
  const { id } = await connection()
  app.clientSecret = 'changed-at-the-provider'
  const { tokens } = process()
  await expect(tokens.accessOf(id)).rejects.toMatchObject({ kind: 'client_refused' })
  expect(await row(id)).toMatchObject({ state: 'invalid' })
  await changeConnection(world.database, seals, { teamId, id }, { app })
  await tokens.accessOf(id)
  expect(await row(id)).toMatchObject({ state: 'active', last_error_message: null })
})

test('a connection that is deleted during its refresh stays deleted, without tokens', async () => {
  const { zoom, teamId, process, connection, row } = await world.connectionSetting()
  const { id } = await connection()
  zoom.delayMs = 500
  const { tokens } = process()
  const refreshing = tokens.accessOf(id)
  await expect.poll(() => zoom.count('refresh'), LONG).toBe(1)
  await deleteConnection(world.database, teamId, id)
  await expect(refreshing).rejects.toMatchObject({ kind: 'not_found' })
  expect(await row(id)).toMatchObject({ client_secret: null, refresh_token: null, access_token: null })
})
