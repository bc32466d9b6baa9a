/**
 * Random histories of a connection: several processes use it at once while writes fail, leases are lost, the provider
 * fails, processes start again, and the user takes the authorization back or gives it again. After each history, a
 * connection whose user still allows it works in the end, and one whose user does not is invalid.
 */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PlatformProblem } from '../../../control-plane/connections/ports.ts'
import { changeConnection } from '../../../control-plane/store/connections/connections.ts'
import { refusals } from '../../../mock/zoom-oauth/index.ts'
import { openConnectionWorld, seals } from './world.ts'

const LIVES = 25
const LIVES_AT_ONCE = 5
const STEPS = 25
const PROCESSES = 3

let world: Awaited<ReturnType<typeof openConnectionWorld>>
beforeAll(async () => {
  world = await openConnectionWorld()
  await sql
    .raw(
      `create table refused_writes (id uuid primary key);
      create function refuse_tokens() returns trigger language plpgsql as $$
      begin
        if new.tokens_version <> old.tokens_version and exists (select from refused_writes where id = new.id)
        then raise exception 'no space'; end if;
        return new;
      end $$;
      create trigger refuse_tokens before update on connections for each row execute function refuse_tokens();`,
    )
    .execute(world.database)
})
afterAll(() => world?.close())

/** Repeatable by its seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

test(`${LIVES} random lives end as their user wants it`, { timeout: 240_000 }, async () => {
  const counts = { refreshes: 0, refused: 0, kept: 0 }
  // Each has its own team, provider and connection. Several run at once, because they wait for most of their time.
  const seeds = Array.from({ length: LIVES }, (_, index) => index + 1)
  const liveOn = async () => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const trace: string[] = []
      try {
        await live(seed, trace, counts)
      } catch (error) {
        throw new Error(`Life ${seed} went wrong after: ${trace.join(', ')}`, { cause: error })
      }
    }
  }
  await Promise.all(Array.from({ length: LIVES_AT_ONCE }, liveOn))
  // Otherwise the test has not tried every kind of step.
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(5)
})

async function live(seed: number, trace: string[], counts: { refreshes: number; refused: number; kept: number }) {
  const random = randomOf(seed)
  const { zoom, platform, app, teamId, logged, process, connection, row } = await world.setting()
  const { id, user } = await connection()
  const start = () => process({ saveAgainMs: { first: 5, max: 20, jitter: 0 }, leaseSeconds: 0.5 })
  const processes = Array.from({ length: PROCESSES }, start)
  let isAllowed = true
  let writesFail = false

  const use = async (number: number) => {
    try {
      await processes[number]!.tokens.accessOf(id)
    } catch (error) {
      if (!(error instanceof PlatformProblem)) throw error
      counts.refused++
    }
  }
  const setWrites = async (fail: boolean) => {
    writesFail = fail
    await (fail
      ? sql`insert into refused_writes values (${id}::uuid) on conflict do nothing`
      : sql`delete from refused_writes where id = ${id}::uuid`
    ).execute(world.database)
  }
  const happenings: [name: string, happen: () => Promise<unknown>][] = [
    ['use', () => use(random(PROCESSES))],
    ['all use', () => Promise.all(processes.map((_, number) => use(number)))],
    [
      'expire',
      () => world.database.updateTable('connections').set({ access_token_until: null }).where('id', '=', id).execute(),
    ],
    [
      'lose lease',
      () =>
        world.database
          .updateTable('connections')
          .set({ lease_until: new Date(0) })
          .where('id', '=', id)
          .execute(),
    ],
    ['writes fail', () => setWrites(true)],
    ['writes work', () => setWrites(false)],
    [
      'provider fails',
      async () => zoom.script('refresh', random(2) === 0 ? refusals.SERVER_ERROR : refusals.tooManyRequests(1)),
    ],
    [
      'restart',
      async () => {
        // A process that ends while the database takes nothing loses what it keeps, and says so.
        if (writesFail) return
        const number = random(PROCESSES)
        await processes[number]!.tokens.close()
        processes[number] = start()
      },
    ],
    [
      'revoke',
      async () => {
        if (random(3) > 0) return
        zoom.account.revoke(({ user: owner }) => owner === user)
        isAllowed = false
      },
    ],
    [
      'authorize again',
      async () => {
        if (writesFail) return
        const code = zoom.allow(app, user)
        const tokens = await platform.exchange(app, { code, redirectUri: app.redirectUris[0]! })
        const profile = { userId: user.id, accountId: null, email: null, displayName: null }
        await changeConnection(world.database, seals, { teamId, id }, { user: { tokens, profile } })
        isAllowed = true
      },
    ],
  ]
  for (let step = 0; step < STEPS; step++) {
    const [name, happen] = happenings[random(happenings.length)]!
    trace.push(name)
    // Some things happen while others are under way.
    zoom.delayMs = random(4) === 0 ? 10 : 0
    const [second, happenToo] = happenings[random(happenings.length)]!
    const isDoubled = (name === 'use' || name === 'all use') && !second.startsWith('re') && !second.startsWith('auth')
    if (isDoubled) trace.push(`with ${second}`)
    await Promise.all([happen(), ...(isDoubled ? [happenToo()] : [])])
  }

  trace.push('settle')
  zoom.delayMs = 0
  await setWrites(false)
  for (const one of processes) await one.tokens.close()
  await world.database
    .updateTable('connections')
    .set({ access_token_until: null, lease_until: null })
    .where('id', '=', id)
    .execute()
  // Failures that were planned for the provider and did not happen yet.
  const last = start()
  const outcome = async () => {
    for (;;) {
      const result = await last.tokens.accessOf(id).catch((error: PlatformProblem) => error)
      if (!(result instanceof PlatformProblem) || !result.isPassing) return result
    }
  }
  const result = await outcome()
  if (isAllowed) expect(result).toMatchObject({ token: expect.any(String) })
  else expect(result).toMatchObject({ kind: 'revoked' })
  expect(await row(id)).toMatchObject(
    isAllowed
      ? { state: 'active', last_error_message: null, lease_owner: null }
      : { state: 'invalid', last_error_message: expect.stringContaining('invalid_grant'), lease_owner: null },
  )
  counts.refreshes += zoom.count('refresh')
  counts.kept += logged.filter(({ message }) => message.includes('kept in memory')).length
}
