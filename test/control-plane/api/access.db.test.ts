import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openDatabase } from '../../../control-plane/store/database.ts'
import { createKey, newKey, revokeKey } from '../../../control-plane/store/teams/keys.ts'
import { MEET, openWorld } from '../world.ts'
import { addCalendar, addEvent } from './calendars/fake.ts'
import { operationsServed } from './openapi-judge.ts'

const world = await openWorld({ api: {} })

const plain = { bot_name: 'Notes', meeting_url: MEET }
const later = () => ({ ...plain, join_at: new Date(Date.now() + 3_600_000).toISOString() })
type Method = 'get' | 'post' | 'patch' | 'delete'
type Documented = {
  responses: Record<string, { headers?: Record<string, object> }>
  requestBody?: { content: Record<string, { example: object }> }
}
type Operation = [method: Method, path: string, body?: object]

/** Every operation of the document, with the body of its example. */
const served = await operationsServed<Documented>(world.app, ['/openapi.json'])
const OPERATIONS = served.map(({ method, path, operation }): Operation => {
  return [method as Method, path, operation.requestBody?.content['application/json']?.example]
})
const withId = (id: string) =>
  OPERATIONS.filter(([, path]) => path.includes('{')).map(
    ([method, path, body]): Operation => [method, path.replaceAll(/\{\w+\}/g, id), body],
  )
const CREATING = new Set(['/v2/bots', '/v2/bots/batch', '/v2/bots/scheduled', '/v2/bots/scheduled/batch'])

describe.each(OPERATIONS)('%s %s', (method, template, body) => {
  const path = template.replaceAll(/\{\w+\}/g, randomUUID())

  test('needs a valid key', async () => {
    for (const key of ['', 'nonsense', `standin_${'x'.repeat(49)}`, newKey(), 'x'.repeat(5000)])
      expect(await world.callerWith(key)[method](path, body)).toMatchObject({
        status: 401,
        body: {
          success: false,
          error: 'Unauthorized',
          code: 'FST_ERR_UNAUTHORIZED',
          statusCode: 401,
          message: expect.any(String),
          details: null,
        },
      })
  })

  test('is open to a key that may only create where it creates', async () => {
    const sender = await world.team({}, 'sending')
    const answer = await sender[method](path, body)
    if (method === 'post' && CREATING.has(path)) expect(answer.status).toBe(201)
    else if (method === 'post' && /calendars.*bots$/.test(path)) expect(answer.status).toBe(404)
    else expect(answer.outcome).toBe('403 FST_ERR_FORBIDDEN')
  })
})

const CODES: [path: RegExp, code: string][] = [
  [/\/bots\/scheduled\//, 'FST_ERR_SCHEDULED_BOT_NOT_FOUND_BY_ID'],
  [/\/calendars\//, 'FST_ERR_CALENDAR_NOT_FOUND_BY_ID'],
  [/\/accounts\//, 'FST_ERR_ACCOUNT_NOT_FOUND_BY_ID'],
  [/\/conf-credentials\//, 'FST_ERR_CREDENTIAL_NOT_FOUND_BY_ID'],
  [/\/bots\//, 'FST_ERR_BOT_NOT_FOUND_BY_ID'],
]

describe('what belongs to another team does not exist', () => {
  test('for every request', async () => {
    const [owner, stranger] = [await world.team(), await world.team()]
    const botId = await world.bot(owner)
    const scheduled = (await owner.post('/v2/bots/scheduled', later())).body.data.bot_id
    const calendar = await addCalendar(world.database, owner)
    const event = await addEvent(world.database, calendar.id)
    const nobodys = [randomUUID(), '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']
    for (const id of [botId, scheduled, calendar.id, event.id, ...nobodys])
      for (const [method, path, body] of withId(id)) {
        const { status, body: answer } = await stranger[method](path, body)
        expect({ path, status, code: answer.code }).toEqual({
          path,
          status: 404,
          code: CODES.find(([pattern]) => pattern.test(path))?.[1],
        })
      }
    const { phase } = await world.one('bots', { id: botId }, ['phase'])
    expect(phase).toBe('due')
  })

  test('an id that is none is a 400', async () => {
    const team = await world.team()
    const odd = ['00000000-0000-9000-8000-000000000000', '00000000-0000-4000-c000-000000000000']
    for (const id of ['x', '123', `${randomUUID()}x`, ...odd])
      for (const [method, path, body] of withId(id))
        expect(await team[method](path, body)).toMatchObject({ status: 400, body: { code: 'FST_ERR_VALIDATION' } })
  })

  test('an id in capitals is the same id', async () => {
    const team = await world.team()
    const id = await world.bot(team)
    expect((await team.get(`/v2/bots/${id.toUpperCase()}`)).body.data.bot_id).toBe(id)
  })
})

describe('keys', () => {
  test('a revoked key stops working within a second although the clock steps back by an hour', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const stepping = await openWorld({ api: { clock: { now: () => Date.now() } } })
    onTestFinished(() => stepping.close())
    const team = await stepping.team()
    expect((await team.get('/v2/bots')).status).toBe(200)
    vi.setSystemTime(Date.now() - 3_600_000)
    await revokeKey(stepping.database, team.keyId)
    await expect.poll(async () => (await team.get('/v2/bots')).status).toBe(401)
  })

  test('a revoked key stops working within a second, an expired one too', async () => {
    const team = await world.team()
    expect((await team.get('/v2/bots')).status).toBe(200)
    await revokeKey(world.database, team.keyId)
    await expect.poll(async () => (await team.get('/v2/bots')).body.message).toMatch(/^This API key was revoked/)
    const other = await world.team()
    await world.change('api_keys', { id: other.keyId }, { expires_at: sql<Date>`now() - interval '1 second'` })
    expect(await other.get('/v2/bots')).toMatchObject({
      status: 401,
      body: { message: expect.stringMatching(/^This API key has expired/) },
    })
  })

  test('the public name of the header works too', async () => {
    const { key } = await world.team()
    const answer = await world.app.inject({ url: '/v2/bots', headers: { 'x-meeting-baas-api-key': key } })
    expect(answer.statusCode).toBe(200)
  })

  test('a 401 says whether the key is missing or unknown, and asks for one', async () => {
    const message = async (headers: Record<string, string>) => {
      const answer = await world.app.inject({ url: '/v2/bots', headers })
      expect(answer.headers['www-authenticate']).toBe('Bearer')
      return { status: answer.statusCode, message: answer.json().message }
    }
    const missing = { status: 401, message: expect.stringMatching(/^The API key is missing/) }
    const unknown = { status: 401, message: expect.stringMatching(/^The API key is unknown/) }
    expect(await message({})).toEqual(missing)
    expect(await message({ authorization: 'Basic YTpi' })).toEqual(missing)
    expect(await message({ 'x-service-api-key': 'x' })).toEqual(unknown)
    expect(await message({ authorization: `Bearer ${newKey()}` })).toEqual(unknown)
  })

  test("a proxy's bearer token does not count beside a session or a key", async () => {
    const { cookie, key } = await world.person('viewer')
    const status = async (headers: object) =>
      (await world.app.inject({ url: '/v2/bots', headers: { ...headers } })).statusCode
    for (const authorization of ['Bearer eyJhbGciOiJIUzI1NiJ9.e30.x', 'Bearer standin_short']) {
      expect(await status({ authorization, cookie })).toBe(200)
      expect(await status({ authorization, 'x-service-api-key': key })).toBe(200)
      expect(await status({ authorization, cookie: 'standin_session=wrong' })).toBe(401)
      expect(await status({ authorization })).toBe(401)
    }
    // A key of the service counts before the session.
    expect(await status({ authorization: `Bearer ${newKey()}`, cookie })).toBe(401)
  })

  test('a key works as a bearer token too, in each generation; two different keys are refused', async () => {
    const { key } = await world.team()
    const status = async (url: string, headers: Record<string, string>) =>
      (await world.app.inject({ url, headers })).statusCode
    for (const url of ['/v2/bots', '/bots/bots_with_metadata', '/compat/v2/bots', '/compat/bots/bots_with_metadata']) {
      expect(await status(url, { authorization: `Bearer ${key}` })).toBe(200)
      expect(await status(url, { authorization: `bearer ${key}`, 'x-service-api-key': key })).toBe(200)
      expect(await status(url, { authorization: 'Basic YTpi', 'x-service-api-key': key })).toBe(200)
      expect(await status(url, { authorization: `Bearer ${newKey()}`, 'x-service-api-key': key })).toBe(400)
    }
    expect(await status('/dashboard/api/keys', { authorization: `Bearer ${key}` })).toBe(401)
  })

  test('a key in an address is refused, also beside a good one', async () => {
    const team = await world.team()
    for (const query of [`api_key=${team.key}`, 'x-service-api-key=abc', `bot_name=${team.key}`, 'token=abc'])
      expect(await team.get(`/v2/bots?${query}`)).toMatchObject({
        status: 400,
        body: { message: expect.stringMatching(/holds an API key/) },
      })
  })

  test('the last use is stored', async () => {
    const team = await world.team()
    await team.get('/v2/bots')
    const lastUse = () => world.one('api_keys', { id: team.keyId }, ['last_used_at'])
    await expect.poll(async () => (await lastUse()).last_used_at).toBeInstanceOf(Date)
  })

  test('a key that cannot be checked is a 503, never a 401', async () => {
    const gone = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', role: 'test', connections: 1 })
    const broken = await openWorld({ api: { keyDatabase: gone } })
    const { key } = await broken.team()
    const answer = await broken.callerWith(key).get('/v2/bots')
    expect(answer).toMatchObject({
      status: 503,
      body: { code: 'FST_ERR_SERVICE_UNAVAILABLE' },
      headers: { 'retry-after': '1' },
    })
    await gone.destroy()
  })

  test('an address that tries many keys is slowed down, and its good keys keep working', async () => {
    const other = await openWorld({ api: {} })
    const team = await other.team()
    const id = await other.bot(team)
    let refused = 0
    for (let count = 0; count < 310; count++) {
      const { status } = await other.callerWith(newKey()).get('/v2/bots')
      if (status === 429) refused++
      else expect(status).toBe(401)
      // A key that is in use stays known.
      if (count % 50 === 0) expect((await team.get(`/v2/bots/${id}`)).status).toBe(200)
    }
    expect(refused).toBeGreaterThanOrEqual(9)
    // Behind a proxy that is not trusted all callers have one address.
    expect((await (await other.team()).get('/v2/bots')).status).toBe(200)
    const flood = await Promise.all(Array.from({ length: 60 }, () => other.callerWith(newKey()).get('/v2/bots')))
    expect(new Set(flood.map(({ status }) => status))).toEqual(new Set([429]))
    expect((await (await other.team()).get('/v2/bots')).status).toBe(200)
  })

  test('several keys of a team share the bots of the team', async () => {
    const team = await world.team()
    const id = await world.bot(team)
    const { key } = await createKey(world.database, { teamId: team.teamId, name: 'b', permission: 'full', seal: null })
    expect((await world.callerWith(key).get(`/v2/bots/${id}`)).status).toBe(200)
  })
})

describe('the rate limit', () => {
  test('counts requests that change something, reports the remaining ones, and answers 429', async () => {
    const team = await world.team({ requests_per_second: 3 })
    for (let count = 0; count < 5; count++) {
      const { status, headers } = await team.get('/v2/bots')
      expect({ status, limit: headers['x-ratelimit-limit'], remaining: headers['x-ratelimit-remaining'] }).toEqual({
        ...{ status: 200, limit: '3', remaining: '3' },
      })
    }
    // Requests of one second may fall into two windows, so the limit is met within a few tries.
    await expect
      .poll(async () => {
        const answers = await Promise.all(Array.from({ length: 4 }, () => team.post('/v2/bots', plain)))
        return answers.find(({ status }) => status === 429)
      })
      .toMatchObject({
        headers: {
          'x-ratelimit-limit': '3',
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset': '1',
          'retry-after': '1',
        },
        body: { error: 'Rate Limited', code: 'FST_ERR_TOO_MANY_REQUESTS', retryAfter: 1, details: null },
      })
    await expect.poll(async () => (await team.post('/v2/bots', plain)).status).toBe(201)
  })

  test('is per team, not per key', async () => {
    const team = await world.team({ requests_per_second: 1 })
    const { key } = await createKey(world.database, { teamId: team.teamId, name: 'b', permission: 'full', seal: null })
    const second = world.callerWith(key)
    await expect
      .poll(async () => {
        const answers = await Promise.all([team.post('/v2/bots', plain), second.post('/v2/bots', plain)])
        return answers.map(({ status }) => status).sort()
      })
      .toEqual([201, 429])
  })

  test('does not exist for a team without one', async () => {
    const team = await world.team()
    const { headers } = await team.post('/v2/bots', plain)
    expect(headers['x-ratelimit-limit']).toBeUndefined()
  })
})
