import { createReadList } from '@standin/control-plane/api/http/read-list.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../../../control-plane/store/database.ts'
import { type ApiWorld, MEET, openWorld } from '../../world.ts'

const NO_DATABASE = {} as Database

/** Reads that end when the test says so. */
function heldReads() {
  const under: { team: string; end: (value: string) => void; fail: (error: unknown) => void }[] = []
  const read = (_database: Database, team: string) =>
    new Promise<string>((resolve, reject) => void under.push({ team, end: resolve, fail: reject }))
  return { under, read }
}

const turn = () => new Promise(setImmediate)

describe('lists', () => {
  test('of one team are read two at once, and another team does not wait for them', async () => {
    const { under, read } = heldReads()
    const readList = createReadList(NO_DATABASE)
    const busy = Array.from({ length: 10 }, () => readList('busy', read, 'busy'))
    const other = readList('other', read, 'other')
    await turn()
    expect(under.map(({ team }) => team)).toEqual(['busy', 'busy', 'other'])
    under[2]!.end('done')
    expect(await other).toBe('done')
    for (let place = 0; place < 11; place++) {
      under[place]!.end('read')
      await turn()
    }
    expect(await Promise.all(busy)).toEqual(Array(10).fill('read'))
  })

  test('beyond those that may wait are refused with 429, until some are read', async () => {
    const { under, read } = heldReads()
    const readList = createReadList(NO_DATABASE)
    const taken = Array.from({ length: 22 }, () => readList('busy', read, 'busy'))
    const began = performance.now()
    await expect(readList('busy', read, 'busy')).rejects.toMatchObject({ status: 429, retryAfter: 1 })
    // A caller who asks again at once gets one refusal a second on each connection.
    expect(performance.now() - began).toBeGreaterThan(950)
    const other = readList('other', read, 'other')
    await turn()
    expect(under.at(-1)?.team).toBe('other')
    for (let place = 0; place < 23; place++) {
      under[place]!.end('read')
      await turn()
    }
    await Promise.all([...taken, other])
    const again = readList('busy', read, 'busy')
    await turn()
    under.at(-1)!.end('again')
    expect(await again).toBe('again')
  })

  test.each([
    Object.assign(new Error('canceling statement'), { code: '57014' }),
    Object.assign(new Error('canceling statement'), { code: '55P03' }),
    new Error('timeout exceeded when trying to connect'),
  ])('that take too long are answered so: %s', async (error) => {
    const { under, read } = heldReads()
    const reading = createReadList(NO_DATABASE)('team', read, 'team')
    await turn()
    under[0]!.fail(error)
    await expect(reading).rejects.toMatchObject({
      status: 503,
      message: 'The list takes too long to read; ask for a shorter time, or with fewer filters',
    })
  })

  test('that fail for another reason keep their error, and free their place', async () => {
    const { under, read } = heldReads()
    const readList = createReadList(NO_DATABASE)
    const reading = Promise.allSettled(Array.from({ length: 22 }, () => readList('team', read, 'team')))
    await turn()
    for (let place = 0; place < 22; place++) {
      under[place]!.fail(new Error(`broken ${place}`))
      await turn()
    }
    expect((await reading).map((one) => one.status === 'rejected' && one.reason.message)).toEqual(
      Array.from({ length: 22 }, (_, place) => `broken ${place}`),
    )
    const again = readList('team', read, 'team')
    await turn()
    under.at(-1)!.end('again')
    expect(await again).toBe('again')
  })
})

describe('a service whose lists are slow', () => {
  let world: ApiWorld
  beforeAll(async () => {
    world = await openWorld({ api: {} })
  })
  afterAll(() => world.close())

  test('creates and reads bots while every connection for lists is in use', async () => {
    const lists = openDatabase({ url: world.url, role: 'lists', connections: 1 })
    const { database, keyDatabase, seals } = world.dependencies
    const slow = await openWorld({ api: { database, keyDatabase, seals, readList: createReadList(lists) } })
    const team = slow.callerWith((await world.team()).key)
    const held = Promise.withResolvers<void>()
    const holding = lists.transaction().execute(() => held.promise)
    try {
      let isRead = false
      const listed = team.get('/v2/bots').finally(() => {
        isRead = true
      })
      const created = await team.post('/v2/bots', { bot_name: 'Notes', meeting_url: MEET })
      expect(created.status).toBe(201)
      expect((await team.get(`/v2/bots/${created.body.data.bot_id}`)).status).toBe(200)
      expect(isRead).toBe(false)
      held.resolve()
      expect((await listed).status).toBe(200)
    } finally {
      held.resolve()
      await holding
      await lists.destroy()
    }
  })

  test('ends a list that takes too long, and says what helps', async () => {
    const lists = openDatabase({
      url: world.url,
      role: 'lists',
      connections: 2,
      statementTimeoutMs: 200,
      readsByIndex: true,
    })
    const { rows } = await sql<{ workers: string }>`
      select current_setting('max_parallel_workers_per_gather') as workers`.execute(lists)
    expect(rows).toEqual([{ workers: '0' }])
    const { database, keyDatabase, seals } = world.dependencies
    const slow = await openWorld({ api: { database, keyDatabase, seals, readList: createReadList(lists) } })
    const team = slow.callerWith((await world.team()).key)
    try {
      await world.database.transaction().execute(async (tx) => {
        await sql`lock table bots, calendars in access exclusive mode`.execute(tx)
        for (const path of ['/v2/bots?bot_name=zzz', '/v2/bots/scheduled', '/v2/calendars'])
          expect(await team.get(path)).toMatchObject({
            status: 503,
            headers: { 'retry-after': '1' },
            body: { code: 'FST_ERR_SERVICE_UNAVAILABLE', message: expect.stringContaining('fewer filters') },
          })
      })
      expect((await team.get('/v2/bots?bot_name=zzz')).status).toBe(200)
    } finally {
      await lists.destroy()
    }
  })
})
