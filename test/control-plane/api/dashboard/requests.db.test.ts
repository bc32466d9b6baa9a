/** The request log: requests with API keys, their errors without secrets, and bounds on rows and time. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { removeOldRows } from '../../../../control-plane/files/jobs/old-rows.ts'
import type { Role } from '../../../../control-plane/store/people/people.ts'
import { createRequestLog, type LoggedRequest } from '../../../../control-plane/store/request-log.ts'
import { openWorld, quiet } from '../../world.ts'

const world = await openWorld({ api: {} })

async function readerOf(teamId: string, role: Role = 'owner') {
  const { send } = await world.person(role, { teamId })
  return async (query = '') => {
    const { status, body } = await send('GET', `/dashboard/api/requests${query}`)
    return { status, rows: body.data as Record<string, unknown>[] }
  }
}

const requestOf = (teamId: string, change: Partial<LoggedRequest> = {}): LoggedRequest => ({
  ...{ teamId, keyId: teamId, requestId: 'r', method: 'GET', path: '/v2/bots', status: 200, ms: 1.4, error: null },
  ...change,
})
const countOf = async (teamId: string) => (await world.rows('request_log', { team_id: teamId }, ['left_out'])).length

test('requests with a key are listed with their errors, without secrets; those of people are not', async () => {
  const team = await world.team()
  const read = await readerOf(team.teamId)
  const id = await world.bot(team)
  await team.get(`/v2/bots/${id}`, undefined, { 'x-request-id': 'mine-1' })
  await team.get('/v2/bots?limit=0')
  await team.post('/v2/bots', { meeting_url: 'https://example.com/?pwd=hunter2', bot_name: 'x' })
  await team.get('/v2/bots?bot_name=a&password=hunter2')
  await expect.poll(async () => (await read()).rows.length, { timeout: 10_000 }).toBe(5)
  const { rows } = await read()
  expect(rows.map(({ method, status, error_code }) => [method, status, error_code])).toEqual([
    ['GET', 400, 'FST_ERR_VALIDATION'],
    ['POST', 400, 'FST_ERR_INVALID_MEETING_PLATFORM'],
    ['GET', 400, 'FST_ERR_VALIDATION'],
    ['GET', 200, null],
    ['POST', 201, null],
  ])
  expect(rows[3]).toMatchObject({ request_id: 'mine-1', path: `/v2/bots/${id}`, key_id: team.keyId, key_name: 'test' })
  expect(JSON.parse(String(rows[2]!.error_body))).toMatchObject({ problems: [{ path: 'querystring/limit' }] })
  expect(JSON.stringify(rows)).not.toContain('hunter2')
  expect(JSON.stringify(rows)).not.toContain(team.key)
})

test('filters, and pages behind the last one', async () => {
  const team = await world.team()
  const read = await readerOf(team.teamId)
  await team.get('/v2/bots')
  await team.get('/v2/bots?limit=0', undefined, { 'x-request-id': 'found' })
  await team.post('/v2/bots', {})
  await expect.poll(async () => (await read()).rows.length, { timeout: 10_000 }).toBe(3)
  const found = async (query: string) => (await read(query)).rows.map(({ method, status }) => `${method} ${status}`)
  expect(await found('?status=succeeded')).toEqual(['GET 200'])
  expect(await found('?status=refused&method=GET')).toEqual(['GET 400'])
  expect(await found('?status=failed')).toEqual([])
  expect(await found('?text=found')).toEqual(['GET 400'])
  expect(await found('?text=limit')).toEqual(['GET 400'])
  expect((await read('?text=a%00b')).status).toBe(400)
  expect(await found('?text=FST_ERR_VALIDATION')).toEqual(['POST 400', 'GET 400'])
  expect(await found(`?key_id=${team.keyId}`)).toHaveLength(3)
  expect(await found(`?key_id=${team.teamId}`)).toEqual([])
  const [first] = (await read('?limit=1')).rows
  expect(await found(`?before=${first!.request}`)).toEqual(['GET 400', 'GET 200'])
})

test('only owners read it, and each reads one team', async () => {
  const team = await world.team()
  await team.get('/v2/bots')
  await expect.poll(() => countOf(team.teamId), { timeout: 10_000 }).toBe(1)
  expect((await (await readerOf(team.teamId, 'member'))()).status).toBe(403)
  expect((await (await readerOf((await world.team()).teamId))()).rows).toEqual([])
  expect((await team.get('/dashboard/api/requests')).status).toBe(401)
})

test('of a burst some are left out and counted, errors last', async () => {
  const { teamId } = await world.team()
  const log = createRequestLog(world.database, quiet)
  for (let count = 0; count < 1000; count++) log.add(requestOf(teamId))
  for (let count = 0; count < 50; count++)
    log.add(
      requestOf(teamId, { status: 500, error: { code: 'X', body: { message: `\u0000\ud800${'a'.repeat(9000)}` } } }),
    )
  await log.close()
  const rows = await world.rows('request_log', { team_id: teamId })
  const errors = rows.filter(({ status }) => status === 500)
  expect(errors.length).toBeGreaterThan(10)
  expect(rows.length).toBeLessThanOrEqual(100)
  expect(rows.reduce((sum, { left_out }) => sum + left_out + 1, 0)).toBe(1050)
  expect(errors.every(({ error_body }) => error_body!.length <= 2000)).toBe(true)
})

test('a team keeps few rows, and those of today', async () => {
  const [one, other] = [await world.team(), await world.team()]
  await sql`insert into request_log (team_id, at, key_id, request_id, method, path, status, ms, left_out)
    select team, now(), team, n::text, 'GET', '/', 200, 1, 0
    from generate_series(1, 7000) n, unnest(${[one.teamId, other.teamId]}::uuid[]) team`.execute(world.database)
  const log = createRequestLog(world.database, quiet)
  for (let round = 0; round < 10; round++) {
    for (let count = 0; count < 100; count++) log.add(requestOf(one.teamId, { status: 404 }))
    await log.close()
  }
  expect(await countOf(one.teamId)).toBe(5000)
  expect(await countOf(other.teamId)).toBe(7000)
  await world.change('request_log', { team_id: other.teamId }, { at: new Date(Date.now() - 25 * 3600_000) })
  expect((await (await readerOf(other.teamId))()).rows).toEqual([])
  const keep = { deliveries: 1000, histories: 1000, ledger: 1000, auditLog: 1000 }
  await removeOldRows(world.database, keep, AbortSignal.timeout(60_000))
  expect(await countOf(other.teamId)).toBe(0)
  expect(await countOf(one.teamId)).toBe(5000)
})

test('a table that cannot be written delays no request, and is logged', async () => {
  const { teamId } = await world.team()
  const warnings: string[] = []
  const log = createRequestLog(world.database, { ...quiet, warn: (_fields, text) => warnings.push(text) })
  const unlock = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = world.database.transaction().execute(async (tx) => {
    await sql`lock table request_log`.execute(tx)
    locked.resolve()
    await unlock.promise
  })
  await locked.promise
  const team = await world.team()
  for (let count = 0; count < 5; count++) expect((await team.get('/v2/bots')).status).toBe(200)
  unlock.resolve()
  await holding
  log.add(requestOf(teamId, { requestId: null as never }))
  await log.close()
  expect(warnings).toEqual(['The request log could not be written'])
})
