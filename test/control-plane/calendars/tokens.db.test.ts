/** Credentials that callers send, and refresh tokens that rotate. */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTokens } from '../../../control-plane/calendars/tokens.ts'
import { ProviderError } from '../../../control-plane/platform/ports.ts'
import { credentialsPlace } from '../../../control-plane/store/calendars/calendars.ts'
import { eventOf } from './memory-provider.ts'
import { type CalendarWorld, openCalendarWorld, quiet, seals } from './world.ts'

let world: CalendarWorld
beforeAll(async () => {
  world = await openCalendarWorld()
})
afterAll(() => world.close())

async function withRotation() {
  const set = await world.setting({ platform: 'microsoft' })
  const calendar = set.provider.add(`c${set.newId()}`)
  calendar.put(eventOf('a', 60))
  calendar.rotates = true
  const name = await set.connect(calendar)
  const id = name.calendarId
  const providers = { google: set.provider, microsoft: set.provider }
  const tokens = createTokens({ database: set.database, seals, providers, log: quiet })
  const expire = () => set.alter(id, { access_token: null })
  const stored = async () =>
    JSON.parse(seals.open((await set.row(id)).credentials!, credentialsPlace(id))).refreshToken as string
  return { ...set, calendar, name, id, tokens, expire, stored }
}

test('a token that the provider refuses is replaced once, and the call repeated once', async () => {
  const { calendar, provider, id, tokens, stored } = await withRotation()
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
  expect(await stored()).toBe(calendar.refreshToken)
  const always = async () => {
    throw new ProviderError('token_refused', 'Never')
  }
  await expect(tokens.withToken(id, always)).rejects.toMatchObject({ kind: 'unavailable' })
})

test('a calendar whose refresh token was refused is synced again as soon as a refresh works', async () => {
  const { calendar, provider, id, tokens, expire, row, engine } = await withRotation()
  await expire()
  provider.failures.set('refresh', ['revoked'])
  await expect(tokens.withToken(id, async () => {})).rejects.toMatchObject({ kind: 'revoked' })
  expect(await row(id)).toMatchObject({ status: 'revoked' })
  expect(await tokens.withToken(id, async (token) => calendar.accessTokens.has(token))).toBe(true)
  await engine.settle()
  expect(await row(id)).toMatchObject({ status: 'active' })
})

describe('callers', () => {
  test.each([
    ['revoked', 'error'],
    ['client_refused', 'error'],
    ['unavailable', 'active'],
  ] as const)('credentials that the provider answers with %s', async (kind, status) => {
    const { provider, calendar, name, engine, row } = await withRotation()
    const credentials = provider.credentialsOf(calendar)
    provider.failures.set('refresh', [kind, kind, kind])
    const { operations } = engine
    await expect(operations.listRaw('microsoft', credentials)).rejects.toMatchObject({ kind })
    const { teamId } = name
    const caller = { teamId, apiKeyId: null, generation: 'v2' as const, isCompat: false }
    const connection = { platform: 'microsoft' as const, credentials, rawCalendarId: null }
    await expect(operations.connect(caller, connection)).rejects.toMatchObject({ kind })
    await expect(operations.update(name, credentials)).rejects.toMatchObject({ kind })
    expect((await row(name.calendarId)).status).toBe(status)
  })

  test('listing and connecting with one refresh token work one after the other, although it rotates', async () => {
    const { provider, calendar, name, engine } = await withRotation()
    await engine.operations.disconnect(name)
    const { operations } = engine
    const credentials = provider.credentialsOf(calendar)
    const [raw] = await operations.listRaw('microsoft', credentials)
    expect(calendar.refreshToken).not.toBe(credentials.refreshToken)
    const caller = { teamId: name.teamId, apiKeyId: null, generation: 'v2' as const, isCompat: false }
    const connected = await operations.connect(caller, { platform: 'microsoft', credentials, rawCalendarId: raw!.id })
    expect(connected.status).toBe('active')
    await expect(
      operations.connect(caller, { platform: 'microsoft', credentials, rawCalendarId: raw!.id }),
    ).rejects.toMatchObject({ kind: 'already_connected' })
  })

  test('a team connects as many calendars as it may', async () => {
    const { database, provider, name, engine } = await withRotation()
    await database.updateTable('teams').set({ calendars: 1 }).where('id', '=', name.teamId).execute()
    const other = provider.add('other')
    const caller = { teamId: name.teamId, apiKeyId: null, generation: 'v2' as const, isCompat: false }
    const connection = {
      platform: 'microsoft' as const,
      credentials: provider.credentialsOf(other),
      rawCalendarId: null,
    }
    await expect(engine.operations.connect(caller, connection)).rejects.toMatchObject({ kind: 'limit_reached' })
  })

  test('no column of text contains a secret', async () => {
    const { database, provider, calendar, name } = await withRotation()
    // The whole rows as text, bytes in hexadecimal.
    const { rows } = await sql<{ text: string }>`select c::text as text from calendars c`.execute(database)
    const text = rows.map((row) => row.text).join('\n')
    expect(text).toContain(name.calendarId)
    for (const secret of [
      calendar.refreshToken,
      provider.credentialsOf(calendar).clientSecret,
      ...calendar.accessTokens,
    ]) {
      expect(text).not.toContain(`"${secret}"`)
      expect(text).not.toContain(Buffer.from(secret).toString('hex'))
    }
  })
})
