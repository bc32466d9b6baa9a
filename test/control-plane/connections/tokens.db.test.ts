/** Tokens are refreshed when they are used, one refresh at a time, and a rotation is never lost. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConnectionGone } from '../../../control-plane/connections/tokens.ts'
import {
  changeConnection,
  connectionPlace,
  deleteConnection,
} from '../../../control-plane/store/connections/connections.ts'
import { refusals } from '../../../mock/zoom-oauth/index.ts'
import { openConnectionWorld, seals } from './world.ts'

const LONG = { timeout: 20_000, interval: 50 }
let world: Awaited<ReturnType<typeof openConnectionWorld>>

beforeAll(async () => {
  world = await openConnectionWorld()
})
afterAll(() => world?.close())

test('a fresh access token is used as it is', async () => {
  const { zoom, process, connection } = await world.setting()
  const { id } = await connection({ isFresh: true })
  const { tokens } = process()
  const first = await tokens.accessOf(id)
  expect(await tokens.accessOf(id)).toEqual(first)
  expect(zoom.count('refresh')).toBe(0)
})

test('an access token that has ended is refreshed, and the new pair is stored', async () => {
  const { zoom, process, connection, row } = await world.setting()
  const { id } = await connection()
  const { tokens } = process()
  const { token } = await tokens.accessOf(id)
  const stored = await row(id)
  expect(stored).toMatchObject({ tokens_version: 1, lease_owner: null, state: 'active' })
  expect(seals.open(stored.access_token!, connectionPlace('access_token', id))).toBe(token)
  // The stored refresh token is the one that works.
  await world.database.updateTable('connections').set({ access_token_until: null }).where('id', '=', id).execute()
  await tokens.accessOf(id)
  expect(zoom.requests.map(({ operation, status }) => [operation, status])).toEqual([
    ['exchange', 200],
    ['refresh', 200],
    ['refresh', 200],
  ])
})

test('many users of one connection in several processes make one refresh', async () => {
  const { zoom, process, connection } = await world.setting()
  const { id } = await connection()
  zoom.delayMs = 300
  const processes = [process(), process(), process()]
  const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => processes[index % 3]!.tokens.accessOf(id)))
  expect(new Set(answers.map(({ token }) => token)).size).toBe(1)
  expect(zoom.count('refresh')).toBe(1)
})

test('a process whose lease ended in the middle of its refresh does no harm', async () => {
  const { zoom, process, connection, row } = await world.setting()
  const { id } = await connection()
  // The first refresh is answered after its lease is over; the second one meets a spent token.
  zoom.delayMs = 1500
  const slow = process({ leaseSeconds: 0 })
  const other = process({ leaseSeconds: 30 })
  const first = slow.tokens.accessOf(id)
  await expect.poll(() => zoom.count('refresh'), LONG).toBe(1)
  const second = other.tokens.accessOf(id)
  const [one, two] = await Promise.allSettled([first, second])
  expect(one).toMatchObject({ status: 'fulfilled' })
  // It read the pair of the other one, or was refused before that was stored and gets the refusal.
  if (two.status === 'fulfilled') expect(two.value).toEqual((one as PromiseFulfilledResult<unknown>).value)
  expect(await row(id)).toMatchObject({ tokens_version: 1, state: 'active', last_error_message: null })
  zoom.delayMs = 0
  await expect(other.tokens.accessOf(id)).resolves.toMatchObject({ version: 1 })
})

test('a pair that the database refuses is used from memory, and written when the database accepts it', async () => {
  const { zoom, process, connection, row, logged } = await world.setting()
  const { id } = await connection()
  await refuseWrites(id)
  const { tokens } = process({ saveAgainMs: { first: 50, max: 50, jitter: 0 } })
  const { token } = await tokens.accessOf(id)
  expect(await tokens.accessOf(id)).toMatchObject({ token })
  expect(await row(id)).toMatchObject({ tokens_version: 0 })
  expect(zoom.count('refresh')).toBe(1)
  await allowWrites()
  await expect.poll(async () => (await row(id)).tokens_version, LONG).toBe(1)
  const stored = await row(id)
  expect(seals.open(stored.access_token!, connectionPlace('access_token', id))).toBe(token)
  await world.database.updateTable('connections').set({ access_token_until: null }).where('id', '=', id).execute()
  await expect(process().tokens.accessOf(id)).resolves.toMatchObject({ version: 2 })
  expect(JSON.stringify(logged)).toContain('kept in memory')
})

test('a pair that is kept in memory is written when the process ends', async () => {
  const { process, connection, row } = await world.setting()
  const { id } = await connection()
  await refuseWrites(id)
  const { tokens } = process({ saveAgainMs: { first: 60_000, max: 60_000, jitter: 0 } })
  await tokens.accessOf(id)
  await allowWrites()
  await tokens.close()
  expect(await row(id)).toMatchObject({ tokens_version: 1 })
})

test('another process that meets the spent token meanwhile does not end the connection for good', async () => {
  const { zoom, process, connection, row } = await world.setting()
  const { id } = await connection()
  await refuseWrites(id)
  const holder = process({ saveAgainMs: { first: 50, max: 50, jitter: 0 }, leaseSeconds: 0 })
  await holder.tokens.accessOf(id)
  await expect(process().tokens.accessOf(id)).rejects.toMatchObject({ kind: 'revoked' })
  expect(zoom.count('refresh')).toBe(2)
  expect(await row(id)).toMatchObject({
    state: 'invalid',
    last_error_message: expect.stringContaining('invalid_grant'),
  })
  await allowWrites()
  await expect.poll(async () => (await row(id)).state, LONG).toBe('active')
  expect(await row(id)).toMatchObject({ tokens_version: 1, last_error_message: null, last_error_at: null })
})

test('a revoked connection is invalid, says why, and works again when it is authorized again', async () => {
  const { zoom, platform, app, teamId, process, connection, row } = await world.setting()
  const { id, user, grant } = await connection()
  zoom.account.revoke((one) => one === grant)
  const { tokens } = process()
  await expect(tokens.accessOf(id)).rejects.toMatchObject({ kind: 'revoked' })
  const failed = await row(id)
  expect(failed).toMatchObject({ state: 'invalid', lease_owner: null })
  expect(failed.last_error_message).toBe('Token refresh failed: Zoom answered 400: invalid_grant (Invalid Token!).')
  expect(failed.last_error_at).toBeInstanceOf(Date)
  const again = await platform.exchange(app, { code: zoom.allow(app, user), redirectUri: app.redirectUris[0]! })
  const profile = { userId: user.id, accountId: null, email: null, displayName: null }
  await changeConnection(world.database, seals, { teamId, id }, { user: { tokens: again, profile } })
  await expect(tokens.accessOf(id)).resolves.toMatchObject({ token: again.accessToken })
  expect(await row(id)).toMatchObject({ state: 'active', last_error_message: null, last_error_at: null })
})

test('a new authorization during a refresh stays, and the refreshed pair is dropped', async () => {
  const { zoom, platform, app, teamId, process, connection, row } = await world.setting()
  const { id, user } = await connection()
  const newer = await platform.exchange(app, { code: zoom.allow(app, user), redirectUri: app.redirectUris[0]! })
  zoom.delayMs = 500
  const refreshing = process().tokens.accessOf(id)
  await expect.poll(() => zoom.count('refresh'), LONG).toBe(1)
  const profile = { userId: user.id, accountId: null, email: null, displayName: null }
  await changeConnection(world.database, seals, { teamId, id }, { user: { tokens: newer, profile } })
  await expect(refreshing).resolves.toMatchObject({ token: newer.accessToken })
  expect(await row(id)).toMatchObject({ tokens_version: 1 })
})

test.each([
  ['500', refusals.SERVER_ERROR, 'unavailable'],
  ['429', refusals.tooManyRequests(7), 'rate_limited'],
  ['a page of a proxy', { status: 502, body: '<html>Bad gateway</html>' }, 'unavailable'],
  ['a page that says that all is well', { status: 200, body: '<html>Hello</html>' }, 'unavailable'],
  ['an answer without tokens', { status: 200, body: { access_token: 'a' } }, 'unavailable'],
] as const)('%s leaves the connection active, and the next use works', async (_name, answer, kind) => {
  const { zoom, process, connection, row } = await world.setting()
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
  const { app, teamId, process, connection, row } = await world.setting()
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
  const { zoom, teamId, process, connection, row } = await world.setting()
  const { id } = await connection()
  zoom.delayMs = 500
  const { tokens } = process()
  const refreshing = tokens.accessOf(id)
  await expect.poll(() => zoom.count('refresh'), LONG).toBe(1)
  await deleteConnection(world.database, teamId, id)
  await expect(refreshing).rejects.toThrow(ConnectionGone)
  expect(await row(id)).toMatchObject({ client_secret: null, refresh_token: null, access_token: null })
})

/** Only the writes of new pairs fail, as on a disk that is full for a moment. */
async function refuseWrites(id: string): Promise<void> {
  await sql
    .raw(`create or replace function refuse_tokens() returns trigger language plpgsql as $$
      begin
        if new.id = '${id}' and new.tokens_version <> old.tokens_version then raise exception 'no space'; end if;
        return new;
      end $$;
    create or replace trigger refuse_tokens before update on connections for each row execute function refuse_tokens();`)
    .execute(world.database)
}

async function allowWrites(): Promise<void> {
  await sql.raw('drop trigger refuse_tokens on connections').execute(world.database)
}
