/**
 * Random histories of a calendar and of a connection: several processes use the tokens at once while writes fail, the
 * provider fails or answers oddly, tokens are refused before their time, and processes start again. No refresh token is
 * lost. While no lease is lost, one refresh runs at a time, and none uses a token after the provider replaced it.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import type { OAuthCredentials } from '../../../control-plane/calendars/ports.ts'
import { createTokens } from '../../../control-plane/calendars/tokens.ts'
import type { OAuthTokenSettings } from '../../../control-plane/connections/oauth-tokens.ts'
import { connectionTokens } from '../../../control-plane/connections/tokens.ts'
import { ProviderError, type TokenAnswer } from '../../../control-plane/platform/ports.ts'
import { credentialsPlace, insertCalendar } from '../../../control-plane/store/calendars/calendars.ts'
import {
  changeConnection,
  connectionPlace,
  createConnection,
} from '../../../control-plane/store/connections/connections.ts'
import { openWorld, seals } from '../world.ts'

const PROCESSES = 3
const db = await openWorld()
const teamId = await db.teamId()

beforeAll(async () => {
  await sql
    .raw(
      `create table refused_writes (id uuid primary key);
      create function refuse_tokens() returns trigger language plpgsql as $$
      begin
        if new.tokens_version <> old.tokens_version and exists (select from refused_writes where id = new.id)
        then raise exception 'no space'; end if;
        return new;
      end $$;
      create trigger refuse_tokens before update on calendars for each row execute function refuse_tokens();
      create trigger refuse_tokens before update on connections for each row execute function refuse_tokens();`,
    )
    .execute(db.database)
})

/** An OAuth server with one user. Each refresh replaces the refresh token. */
class Server {
  newest = 'refresh-0'
  readonly live = new Set([this.newest])
  access = new Set<string>()
  planned: ('fails' | 'gives no access token' | 'keeps the refresh token')[] = []
  made = 0
  underWay = 0
  mostAtOnce = 0
  refused = 0

  /** A further consent of the user. */
  allow(): string {
    this.newest = `refresh-${++this.made}`
    this.live.add(this.newest)
    return this.newest
  }

  async refresh(token: string): Promise<TokenAnswer> {
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.underWay)
    try {
      await sleep(Math.random() * 4)
      const plan = this.planned.shift()
      if (plan === 'fails') throw new ProviderError('unavailable', 'It answers 500.')
      if (!this.live.has(token)) {
        this.refused++
        throw new ProviderError('revoked', 'The refresh token was used.')
      }
      const accessToken = plan === 'gives no access token' ? null : `access-${++this.made}`
      if (accessToken !== null) this.access.add(accessToken)
      const keeps = plan === 'keeps the refresh token'
      if (!keeps) {
        this.live.delete(token)
        const replaced = `refresh-${++this.made}`
        this.live.add(replaced)
        if (token === this.newest) this.newest = replaced
      }
      const refreshToken = keeps ? null : [...this.live].at(-1)!
      await sleep(Math.random() * 12)
      return { accessToken, accessTokenSeconds: 3600, refreshToken, scopes: null }
    } finally {
      this.underWay--
    }
  }
}

const OWNERS = {
  async calendars(server: Server) {
    const credentials = { clientId: 'id', clientSecret: 'secret', refreshToken: server.newest, tenantId: 'common' }
    const row = await insertCalendar(
      db.database,
      seals,
      {
        ...{ teamId, apiKeyId: null, generation: 'v2', isCompat: false, platform: 'microsoft', providerMetadata: null },
        ...{ rawCalendarId: randomUUID(), name: 'Work', accountEmail: 'ann@example.com', isPrimary: true },
        ...{ credentials: JSON.stringify(credentials), accessToken: 'access-0', accessTokenSeconds: 0 },
      },
      () => [],
    )
    const { id } = row as { id: string }
    const provider = { refresh: (given: OAuthCredentials) => server.refresh(given.refreshToken) } as never
    const read = () => db.database.selectFrom('calendars').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const sealed = (refreshToken: string) =>
      seals.seal(JSON.stringify({ ...credentials, refreshToken }), credentialsPlace(id))
    return {
      id,
      process: (settings: OAuthTokenSettings) =>
        createTokens({ ...settings, providers: { google: provider, microsoft: provider } }),
      stored: async () => JSON.parse(seals.open((await read()).credentials!, credentialsPlace(id))).refreshToken,
      /** Its status is right, or the sync that corrects it is due. */
      isWell: async () => ((row) => row.status === 'active' || row.sync_due_at.getTime() === 0)(await read()),
      allowAgain: () =>
        db.database
          .updateTable('calendars')
          .set((given) => ({
            credentials: sealed(server.allow()),
            tokens_version: given('tokens_version', '+', 1),
            access_token_until: null,
            status: 'active',
          }))
          .where('id', '=', id)
          .execute(),
    }
  },
  async connections(server: Server) {
    const app = { clientId: 'id', clientSecret: 'secret' }
    const profile = { userId: randomUUID(), accountId: null, email: null, displayName: null }
    const user = () => ({
      tokens: { accessToken: 'access-0', accessTokenSeconds: 0, refreshToken: server.newest, scopes: [] },
      profile,
    })
    const { id } = await createConnection(db.database, seals, { teamId, name: 'Ann', app, user: user(), extra: null })
    const platform = { refresh: (_app: unknown, token: string) => server.refresh(token) }
    const read = () => db.database.selectFrom('connections').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    return {
      id,
      process: (settings: OAuthTokenSettings) => connectionTokens({ ...settings, platform }),
      stored: async () => seals.open((await read()).refresh_token!, connectionPlace('refresh_token', id)),
      isWell: async () => ((row) => row.state === 'active' && row.last_error_message === null)(await read()),
      allowAgain: async () => {
        server.allow()
        await changeConnection(db.database, seals, { teamId, id }, { user: user() })
      },
    }
  },
}

const CALM = [
  ...[
    'use',
    'use',
    'use',
    'use',
    'expire',
    'expire',
    'refuse access',
    'writes fail',
    'writes work',
    'restart',
    'pause',
  ],
  ...['fails', 'gives no access token', 'keeps the refresh token'],
] as const
const WILD = [...CALM, 'lose lease', 'lose lease', 'lose lease', 'crash with a lease', 'authorize again'] as const
type Step = (typeof WILD)[number]

async function live(table: keyof typeof OWNERS, steps: readonly (readonly [Step, number])[], isWild: boolean) {
  const server = new Server()
  const owner = await OWNERS[table](server)
  const { id } = owner
  const counts = { kept: 0, lost: 0, expired: 1 }
  const note = (_fields: object, message: string) => {
    if (message.includes('kept in memory and')) counts.kept++
    if (message.includes('are lost')) counts.lost++
  }
  const start = () =>
    owner.process({
      database: db.database,
      seals,
      log: { info: note, warn: note, error: note },
      saveAgainMs: { first: 2, max: 10, jitter: 0 },
      leaseSeconds: isWild ? 0.1 : 60,
    })
  const processes = Array.from({ length: PROCESSES }, start)
  let writesFail = false
  const underWay: Promise<unknown>[] = []
  const set = (values: object) =>
    db.database
      .updateTable(table as 'calendars')
      .set(values)
      .where('id', '=', id)
      .execute()
  const setWrites = (fail: boolean) => {
    writesFail = fail
    return (
      fail
        ? sql`insert into refused_writes values (${id}::uuid) on conflict do nothing`
        : sql`delete from refused_writes where id = ${id}::uuid`
    ).execute(db.database)
  }
  const use = (one: (typeof processes)[number]) =>
    one
      .withToken(id, async (given) => {
        const token = typeof given === 'string' ? given : given.token
        if (!server.access.has(token)) throw new ProviderError('token_refused', 'It answers 401.')
      })
      .catch((error: unknown) => {
        if (!(error instanceof ProviderError)) throw error
        return error
      })

  for (const [step, number] of steps) {
    if (step === 'use') underWay.push(use(processes[number]!))
    else if (step === 'pause') await sleep(10)
    else if (step === 'expire') counts.expired += (await set({ access_token_until: null })).length
    else if (step === 'refuse access') counts.expired += Number(server.access.delete([...server.access].at(-1) ?? ''))
    else if (step === 'writes fail') await setWrites(true)
    else if (step === 'writes work') await setWrites(false)
    else if (step === 'restart') {
      underWay.push(processes[number]!.close(60_000))
      processes[number] = start()
    } else if (step === 'lose lease') await set({ refresh_lease_until: new Date(0) })
    else if (step === 'crash with a lease')
      await set({ refresh_lease_owner: randomUUID(), refresh_lease_until: new Date(Date.now() + 20) })
    else if (step === 'authorize again') {
      if (!writesFail) await owner.allowAgain()
    } else {
      server.planned.push(step)
      counts.expired++
    }
    await sleep(number)
  }

  await setWrites(false)
  await Promise.all(underWay)
  await Promise.all(processes.map((one) => one.close(60_000)))
  expect(counts.lost).toBe(0)
  expect(await owner.stored()).toBe(server.newest)
  if (!isWild) {
    expect(server.refused).toBe(0)
    expect(server.mostAtOnce).toBeLessThan(2)
    // Many uses of one token that ended made one refresh.
    expect(server.made).toBeLessThanOrEqual(2 * counts.expired)
  }
  server.planned = []
  await set({ access_token_until: null, refresh_lease_until: null })
  expect(await use(start())).toBeUndefined()
  expect(await owner.isWell()).toBe(true)
  return { kept: counts.kept, refused: server.refused }
}

test.each([
  ['calm', CALM],
  ['wild', WILD],
] as const)('no refresh token is lost in a %s history', { timeout: 120_000 }, async (kind, names) => {
  const sums = { kept: 0, refused: 0 }
  const step = fc.tuple(fc.constantFrom<Step[]>(...names), fc.nat(PROCESSES - 1))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), async (steps) => {
      const lives = await Promise.all(
        (['calendars', 'connections'] as const).map((table) => live(table, steps, kind === 'wild')),
      )
      for (const { kept, refused } of lives) {
        sums.kept += kept
        sums.refused += refused
      }
    }),
    { numRuns: 25, endOnFailure: true },
  )
  // Otherwise the histories did not try what they are for.
  expect(sums.kept).toBeGreaterThan(0)
  if (kind === 'wild') expect(sums.refused).toBeGreaterThan(0)
})
