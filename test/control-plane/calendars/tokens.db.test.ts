/** Refresh tokens that rotate: one refresh at a time, and none of them lost. */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CalendarProblem } from '../../../control-plane/calendars/operations.ts'
import { ProviderProblem } from '../../../control-plane/calendars/ports.ts'
import { createTokens } from '../../../control-plane/calendars/tokens.ts'
import { readTokens } from '../../../control-plane/store/calendars/tokens.ts'
import { type Database, openDatabase } from '../../../control-plane/store/database.ts'
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
  const tokensOn = (database: Database = set.database, logged: string[] = []) =>
    createTokens({
      database,
      seals,
      providers: { google: set.provider, microsoft: set.provider },
      log: {
        ...quiet,
        error: (_fields, message) => void logged.push(message),
        warn: (_f, message) => void logged.push(message),
      },
    })
  const expire = () => set.database.updateTable('calendars').set({ access_token: null }).where('id', '=', id).execute()
  const stored = async () =>
    (JSON.parse((await readTokens(set.database, seals, id, 0))!.credentials) as { refreshToken: string }).refreshToken
  return { ...set, calendar, name, id, tokensOn, expire, stored }
}

const value = async (token: string) => token

const OWN_ROLE = 'unlucky'
const openUnlucky = (url: string) => openDatabase({ url, role: OWN_ROLE, connections: 2 })

/** From now on the pool above cannot write access tokens; every other one can. */
async function forbid(database: Database): Promise<void> {
  await sql
    .raw(`
    create or replace function refuse_tokens() returns trigger language plpgsql as $$
      begin
        if current_setting('application_name') = 'standin ${OWN_ROLE}'
        then raise exception 'The disk is full'; end if;
        return new;
      end $$;
    create or replace trigger refuse_tokens before update of access_token on calendars
      for each row execute function refuse_tokens()`)
    .execute(database)
}

async function allow(database: Database): Promise<void> {
  await sql.raw('drop trigger if exists refuse_tokens on calendars').execute(database)
}

describe('one refresh at a time', () => {
  test('many that need a token at once, in several processes, make one refresh', async () => {
    const { calendar, provider, id, tokensOn, expire, stored } = await withRotation()
    await expire()
    const before = provider.calls.refresh
    provider.afterRefresh = () => new Promise((resolve) => setTimeout(resolve, 50))
    const processes = Array.from({ length: 5 }, () => tokensOn())
    const found = await Promise.all([...processes, ...processes].map((tokens) => tokens.withToken(id, value)))
    expect(new Set(found).size).toBe(1)
    expect(provider.calls.refresh - before).toBe(1)
    expect(await stored()).toBe(calendar.refreshToken)
  })

  test('a token that is still good is used without a request to the provider', async () => {
    const { provider, id, tokensOn } = await withRotation()
    const before = provider.calls.refresh
    await tokensOn().withToken(id, value)
    expect(provider.calls.refresh).toBe(before)
  })

  test('a token that the provider refuses is replaced once, and the call repeated once', async () => {
    const { calendar, provider, id, tokensOn, stored } = await withRotation()
    const before = provider.calls.refresh
    const tried: string[] = []
    const work = async (token: string) => {
      tried.push(token)
      if (tried.length === 1) throw new ProviderProblem('token_refused', 'Not any more')
      return 'done'
    }
    expect(await tokensOn().withToken(id, work)).toBe('done')
    expect(new Set(tried).size).toBe(2)
    expect(provider.calls.refresh - before).toBe(1)
    expect(await stored()).toBe(calendar.refreshToken)
    const always = async () => {
      throw new ProviderProblem('token_refused', 'Never')
    }
    await expect(tokensOn().withToken(id, always)).rejects.toMatchObject({ kind: 'unavailable' })
  })

  test('a process that crashes with the lease of a refresh delays other processes no longer than the lease', async () => {
    const { database, id, tokensOn, expire } = await withRotation()
    await expire()
    await database
      .updateTable('calendars')
      .set({
        refresh_lease_owner: '00000000-0000-4000-8000-000000000000',
        refresh_lease_until: new Date(Date.now() + 300),
      })
      .where('id', '=', id)
      .execute()
    expect(await tokensOn().withToken(id, value)).toMatch(/^access-/)
  })
})

describe('rotation', () => {
  test('a replaced token is written, and the version rises with it', async () => {
    const { calendar, id, tokensOn, expire, stored, row } = await withRotation()
    const { credentials_version: version } = await row(id)
    for (let round = 1; round <= 3; round++) {
      await expire()
      await tokensOn().withToken(id, value)
      expect(await stored()).toBe(calendar.refreshToken)
      expect((await row(id)).credentials_version).toBe(version + round)
    }
  })

  test('where the write fails the new token is kept in memory, used, and written as soon as that is possible', async () => {
    const { url, database, calendar, provider, id, tokensOn, expire, stored, row } = await withRotation()
    await expire()
    const own = openUnlucky(url)
    const logged: string[] = []
    const tokens = tokensOn(own, logged)
    const old = await stored()
    provider.afterRefresh = async () => {
      provider.afterRefresh = null
      await forbid(database)
    }
    const first = await tokens.withToken(id, value)
    expect(await stored()).toBe(old)
    expect(logged).toContainEqual(expect.stringContaining('kept in memory'))
    expect(await tokens.withToken(id, value)).toBe(first)
    const before = provider.calls.refresh
    await allow(database)
    await expect.poll(stored).toBe(calendar.refreshToken)
    expect(provider.calls.refresh).toBe(before)
    // A second step, after the token.
    await expect.poll(() => row(id)).toMatchObject({ refresh_lease_owner: null, sync_due_at: new Date(0) })
    await tokens.close(1000)
    await own.destroy()
  })

  test('one that is still not written when the process ends is written by its closing', async () => {
    const { url, database, calendar, provider, id, tokensOn, expire, stored } = await withRotation()
    await expire()
    const own = openUnlucky(url)
    const tokens = tokensOn(own)
    provider.afterRefresh = async () => {
      provider.afterRefresh = null
      await forbid(database)
    }
    await tokens.withToken(id, value)
    const closed = tokens.close(10_000)
    await allow(database)
    await closed
    expect(await stored()).toBe(calendar.refreshToken)
    await own.destroy()
  })

  test('a result does not overwrite credentials that a caller replaced meanwhile', async () => {
    const { calendar, provider, name, engine, id, tokensOn, expire, stored } = await withRotation()
    await expire()
    let newest = ''
    provider.afterRefresh = async () => {
      provider.afterRefresh = null
      await engine.operations.update(name, provider.credentialsOf(calendar))
      newest = calendar.refreshToken
    }
    await tokensOn().withToken(id, value)
    expect(newest).not.toBe('')
    expect(await stored()).toBe(newest)
  })

  test('a use of the old token meanwhile made the connection revoked, and the write corrects the status', async () => {
    const { url, database, provider, id, tokensOn, expire, row, engine } = await withRotation()
    await expire()
    const own = openUnlucky(url)
    const tokens = tokensOn(own)
    provider.afterRefresh = async () => {
      provider.afterRefresh = null
      await forbid(database)
    }
    await tokens.withToken(id, value)
    await database.updateTable('calendars').set({ refresh_lease_until: null }).where('id', '=', id).execute()
    await expect(tokensOn().withToken(id, value)).rejects.toMatchObject({ kind: 'revoked' })
    expect(await row(id)).toMatchObject({ status: 'revoked' })
    await allow(database)
    await expect.poll(async () => (await row(id)).sync_due_at).toEqual(new Date(0))
    await engine.settle()
    expect(await row(id)).toMatchObject({ status: 'active' })
    await tokens.close(1000)
    await own.destroy()
  })
})

describe('callers', () => {
  test.each([
    ['revoked', 'token_refused'],
    ['client_refused', 'token_refused'],
    ['unavailable', 'provider_unavailable'],
  ] as const)('credentials that the provider answers with %s', async (problem, kind) => {
    const { provider, calendar, name, engine, row } = await withRotation()
    const credentials = provider.credentialsOf(calendar)
    provider.failures.set('refresh', [problem, problem, problem])
    const { operations } = engine
    await expect(operations.listRaw('microsoft', credentials)).rejects.toMatchObject({ kind })
    const { teamId } = name
    const caller = { teamId, apiKeyId: null, generation: 'v2' as const, isCompat: false }
    const connection = { platform: 'microsoft' as const, credentials, rawCalendarId: null }
    await expect(operations.connect(caller, connection)).rejects.toBeInstanceOf(CalendarProblem)
    await expect(operations.update(name, credentials)).rejects.toMatchObject({ kind })
    expect((await row(name.calendarId)).status).toBe(kind === 'token_refused' ? 'error' : 'active')
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
