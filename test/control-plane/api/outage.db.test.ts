import { asApiError } from '@standin/control-plane/api/http/errors.ts'
import { createReadList } from '@standin/control-plane/api/http/read-list.ts'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../control-plane/store/database.ts'
import { MEET, openWorld } from '../world.ts'

const world = await openWorld({ api: {} })

const plain = { bot_name: 'Notes', meeting_url: MEET }

test('without the database every operation answers 503 with the time to wait, and without internals', async () => {
  const gone = openDatabase({ url: 'postgres://nobody:password@127.0.0.1:1/none', role: 'test', connections: 1 })
  const broken = await openWorld({
    api: { keyDatabase: world.database, database: gone, readList: createReadList(gone) },
  })
  const { key } = await world.team()
  const caller = broken.callerWith(key)
  const id = '3f0f0cbe-5d0f-4b6c-9a7e-0a5a6b0f6d5e'
  for (const answer of [
    await caller.post('/v2/bots', plain),
    await caller.post('/v2/bots', plain, { 'idempotency-key': 'k' }),
    await caller.get('/v2/bots'),
    await caller.get(`/v2/bots/${id}`),
    await caller.post(`/v2/bots/${id}/leave`),
  ]) {
    expect(answer).toMatchObject({
      status: 503,
      body: { success: false, code: 'FST_ERR_SERVICE_UNAVAILABLE' },
      headers: { 'retry-after': '1' },
    })
    // Only 429 says it in the body.
    expect(answer.body).not.toHaveProperty('retryAfter')
    expect(answer.text).not.toMatch(/password|127\.0\.0\.1|ECONN/)
  }
  await gone.destroy()
})

test('a database that was restarted is used again, and no request is left half done', async () => {
  const team = await world.team({ balance: 100 })
  const admin = openDatabase({ url: world.url, role: 'admin', connections: 1 })
  const answers = await Promise.all(
    Array.from({ length: 40 }, async (_, count) => {
      if (count % 10 === 5)
        await sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'standin test' and datname = current_database()`.execute(admin)
      return team.post('/v2/bots', plain)
    }),
  )
  for (const { status } of answers) expect([201, 503]).toContain(status)
  await expect.poll(async () => (await team.post('/v2/bots', plain)).status).toBe(201)

  const { rows } = await sql<{ bots: number; reserved: number; messages: number; steps: number; team: number }>`
    select (select count(*) from bots where team_id = ${team.teamId}) as bots,
      (select count(*) from ledger where team_id = ${team.teamId} and kind = 'reserve') as reserved,
      (select count(*) from messages where team_id = ${team.teamId}) as messages,
      (select count(*) from bot_steps where kind = 'asked' and bot_id in
        (select id from bots where team_id = ${team.teamId})) as steps,
      (select reserved / 500000 from teams where id = ${team.teamId}) as team`.execute(admin)
  const { bots, ...others } = rows[0]!
  expect(others).toEqual({ reserved: bots, messages: bots, steps: bots, team: bots })
  await admin.destroy()
})

test.each(['08006', '25006', '53100', '53300', '57P01', '57014', '55P03', '40P01', 'ECONNREFUSED', 'EAI_AGAIN'])(
  'the error %s of the database is a 503',
  (code) => {
    expect(asApiError(Object.assign(new Error('inside'), { code }))).toMatchObject({ status: 503 })
  },
)

test.each([new Error('inside'), Object.assign(new Error('inside'), { code: '23505' }), 'inside', null, undefined])(
  '%s is a 500 without internals',
  (thrown) => {
    const error = asApiError(thrown)
    expect(error).toMatchObject({ status: 500, code: 'FST_ERR_INTERNAL_SERVER_ERROR' })
    expect(error.message).not.toContain('inside')
  },
)
