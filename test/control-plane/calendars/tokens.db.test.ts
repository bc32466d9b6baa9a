/** Credentials that callers send, and refresh tokens that rotate. */
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { createTokens } from '../../../control-plane/calendars/tokens.ts'
import { ProviderError } from '../../../control-plane/platform/ports.ts'
import { credentialsPlace } from '../../../control-plane/store/calendars/calendars.ts'
import { openWorld, quiet, seals } from '../world.ts'

const world = await openWorld({ calendars: true })
const platform = 'microsoft'

async function withRotation() {
  const set = await world.calendar({ platform })
  const { database, provider, id } = set
  const tokens = createTokens({ database, seals, providers: { google: provider, microsoft: provider }, log: quiet })
  const expire = () => set.alter({ access_token: null })
  const stored = async () => JSON.parse(seals.open((await set.row()).credentials!, credentialsPlace(id))).refreshToken
  return { ...set, tokens, expire, stored, ...set.engine.operations }
}

test('a token that the provider refuses is replaced once, and the call repeated once', async () => {
  const { account, standIn, provider, id, tokens, stored } = await withRotation()
  const before = provider.calls.refresh
  const tried: string[] = []
  const work = async (token: string) => {
    tried.push(token)
    if (tried.length === 1) throw new ProviderError('token_refused', 'Not any more')
    return 'done'
  }
  expect(await tokens.withToken(id, work)).toBe('done')
  expect(new Set(tried).size).toBe(2)
  expect(provider.calls.refresh - before).toBe(1)
  expect(await stored()).toBe(standIn.tokens.liveToken(account))
  const always = async () => Promise.reject(new ProviderError('token_refused', 'Never'))
  await expect(tokens.withToken(id, always)).rejects.toMatchObject({ kind: 'unavailable' })
})

test('a calendar whose refresh token was refused is synced again as soon as a refresh works', async () => {
  const { standIn, provider, id, tokens, expire, row, engine } = await withRotation()
  await expire()
  provider.failures.set('refresh', ['revoked'])
  await expect(tokens.withToken(id, async () => {})).rejects.toMatchObject({ kind: 'revoked' })
  expect(await row()).toMatchObject({ status: 'revoked' })
  const isKnown = async (token: string) => standIn.tokens.accessOf(`Bearer ${token}`) !== null
  expect(await tokens.withToken(id, isKnown)).toBe(true)
  await engine.settle()
  expect(await row()).toMatchObject({ status: 'active' })
})

describe('callers', () => {
  test.each([
    ['revoked', 'error'],
    ['client_refused', 'error'],
    ['unavailable', 'active'],
  ] as const)('credentials that the provider answers with %s', async (kind, status) => {
    const { provider, credentials, caller, name, row, listRaw, connect, update } = await withRotation()
    const given = credentials()
    provider.failures.set('refresh', [kind, kind, kind])
    await expect(listRaw(platform, given)).rejects.toMatchObject({ kind })
    const connection = { platform, credentials: given, rawCalendarId: null } as const
    await expect(connect(caller, connection)).rejects.toMatchObject({ kind })
    await expect(update(name, given)).rejects.toMatchObject({ kind })
    expect((await row()).status).toBe(status)
  })

  test('listing and connecting with one refresh token work one after the other, although it rotates', async () => {
    const { account, standIn, credentials, caller, name, listRaw, connect, disconnect } = await withRotation()
    await disconnect(name)
    const given = credentials()
    const [raw] = await listRaw(platform, given)
    expect(standIn.tokens.liveToken(account)).not.toBe(given.refreshToken)
    const connection = { platform, credentials: given, rawCalendarId: raw!.id } as const
    expect((await connect(caller, connection)).status).toBe('active')
    await expect(connect(caller, connection)).rejects.toMatchObject({ kind: 'already_connected' })
  })

  test('a team connects as many calendars as it may', async () => {
    const { teamId, standIn, caller, connect } = await withRotation()
    await world.setTeam(teamId, { calendars: 1 })
    const credentials = world.credentialsOf(platform, standIn.addAccount())
    const other = connect(caller, { platform, credentials, rawCalendarId: null })
    await expect(other).rejects.toMatchObject({ kind: 'limit_reached' })
  })

  test('no column of text contains a secret', async () => {
    const { database, account, standIn, tokens, stored, id } = await withRotation()
    // The whole rows as text, bytes in hexadecimal.
    const { rows } = await sql<{ text: string }>`select c::text as text from calendars c`.execute(database)
    const text = rows.map((row) => row.text).join('\n')
    expect(text).toContain(id)
    const access = await tokens.withToken(id, async (token) => token)
    expect(await stored()).toBe(standIn.tokens.liveToken(account))
    for (const secret of [await stored(), standIn.tokens.clientSecret, access]) {
      expect(text).not.toContain(`"${secret}"`)
      expect(text).not.toContain(Buffer.from(secret).toString('hex'))
    }
  })
})
