import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { MEET, openWorld } from '../../world.ts'

const world = await openWorld({ api: {} })

const plain = { bot_name: 'Notes', meeting_url: MEET }
const ownKey = { transcription_enabled: true, transcription_config: { provider: 'deepgram', api_key: 'k' } }

const countOfBots = async (teamId: string) =>
  (await world.database.selectFrom('bots').select('id').where('team_id', '=', teamId).execute()).length

describe('limits of a team', () => {
  test('402 where fewer than half a token is free, and nothing is left behind', async () => {
    const team = await world.team({ balance: 1.2 })
    await world.bot(team)
    await world.bot(team)
    const { status, body } = await team.post('/v2/bots', plain)
    expect(status).toBe(402)
    expect(body).toEqual({
      success: false,
      error: 'Payment Required',
      code: 'FST_ERR_INSUFFICIENT_TOKENS',
      statusCode: 402,
      message: 'Insufficient tokens. Available: 0.2, Required: 0.5',
      details: null,
    })
    expect(await countOfBots(team.teamId)).toBe(2)
  })

  test('429 where the daily cap is reached; bots of yesterday do not count', async () => {
    const team = await world.team({ daily_cap: 2 })
    const old = await world.bot(team)
    await world.bot(team)
    const { status, body, headers } = await team.post('/v2/bots', plain)
    expect(status).toBe(429)
    expect(body).toMatchObject({
      error: 'Rate Limited',
      code: 'FST_ERR_DAILY_BOT_CAP_REACHED',
      message: 'Daily bot cap has been reached: 2 bots created within the last 24 hours',
      retryAfter: expect.any(Number),
    })
    expect(headers['retry-after']).toBe(String(body.retryAfter))
    expect(body.retryAfter).toBeGreaterThan(86_000)
    await world.set(old, { queued_at: sql<Date>`now() - interval '25 hours'` })
    await world.bot(team)
  })

  test('a cap of 0 allows none', async () => {
    const team = await world.team({ daily_cap: 0 })
    expect(await team.post('/v2/bots', plain)).toMatchObject({ status: 429 })
  })

  test('403 where an own key is not part of the plan', async () => {
    const team = await world.team({ byok_transcription: false })
    expect(await team.post('/v2/bots', { ...plain, ...ownKey })).toMatchObject({
      status: 403,
      body: { code: 'FST_ERR_BYOK_TRANSCRIPTION_NOT_ENABLED_ON_PLAN' },
    })
    await world.bot(team, { transcription_enabled: true, transcription_config: { provider: 'deepgram' } })
  })

  test('are checked in the published order', async () => {
    const team = await world.team({ byok_transcription: false, daily_cap: 1, balance: 0.5 })
    await world.bot(team)
    const everything = { ...plain, allow_multiple_bots: false }
    const codes: string[] = []
    const attempt = async (fields: object) => codes.push((await team.post('/v2/bots', fields)).body.code)
    await attempt({ ...everything, ...ownKey, meeting_url: 'https://example.com', nonsense: 1 })
    await attempt({ ...everything, ...ownKey, meeting_url: 'https://example.com' })
    await attempt({ ...everything, ...ownKey })
    await attempt(everything)
    await world.setTeam(team.teamId, { daily_cap: null })
    await attempt(everything)
    await world.setTeam(team.teamId, { balance: null })
    await attempt(everything)
    expect(codes).toEqual([
      'FST_ERR_VALIDATION',
      'FST_ERR_INVALID_MEETING_PLATFORM',
      'FST_ERR_BYOK_TRANSCRIPTION_NOT_ENABLED_ON_PLAN',
      'FST_ERR_DAILY_BOT_CAP_REACHED',
      'FST_ERR_INSUFFICIENT_TOKENS',
      'FST_ERR_BOT_ALREADY_EXISTS',
    ])
  })

  test('hold against requests of one instant', async () => {
    const team = await world.team({ daily_cap: 7, balance: 2 })
    const answers = await Promise.all(Array.from({ length: 20 }, () => team.post('/v2/bots', plain)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(4)
    const { reserved, balance } = await world.database
      .selectFrom('teams')
      .select(['reserved', 'balance'])
      .where('id', '=', team.teamId)
      .executeTakeFirstOrThrow()
    expect({ reserved, balance }).toEqual({ reserved: 2_000_000, balance: 2_000_000 })
  })
})

describe('a second bot for one meeting', () => {
  const exclusive = { ...plain, allow_multiple_bots: false }

  test('is allowed by default', async () => {
    const team = await world.team()
    await world.bot(team)
    await world.bot(team)
  })

  test('is refused with 409 where the new request wants to be alone', async () => {
    const team = await world.team()
    await world.bot(team, { meeting_url: 'https://MEET.google.com/abc-defg-hij/#later' })
    const { status, body } = await team.post('/v2/bots', exclusive)
    expect({ status, code: body.code, details: body.details }).toEqual({
      status: 409,
      code: 'FST_ERR_BOT_ALREADY_EXISTS',
      details: null,
    })
  })

  test('is allowed for another meeting, for another team, and after five minutes', async () => {
    const team = await world.team()
    const first = await world.bot(team, exclusive)
    await world.bot(team, { ...exclusive, meeting_url: 'https://meet.google.com/xyz-defg-hij' })
    await world.bot(await world.team(), exclusive)
    await world.set(first, { queued_at: sql<Date>`now() - interval '301 seconds'` })
    await world.bot(team, exclusive)
  })

  test('is distinguished from another meeting of Teams by the route after the number sign', async () => {
    const team = await world.team()
    const link = (code: string) => `https://teams.microsoft.com/v2/?meetingjoin=true#/meet/${code}?p=1`
    await world.bot(team, { ...exclusive, meeting_url: link('123456789012') })
    await world.bot(team, { ...exclusive, meeting_url: link('210987654321') })
    expect(await team.post('/v2/bots', { ...exclusive, meeting_url: link('123456789012') })).toMatchObject({
      status: 409,
    })
  })

  test('is created once by twenty requests of one instant', async () => {
    const team = await world.team()
    const answers = await Promise.all(Array.from({ length: 20 }, () => team.post('/v2/bots', exclusive)))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([201, ...Array(19).fill(409)])
  })
})

describe('Idempotency-Key', () => {
  const header = (key: string) => ({ 'idempotency-key': key })

  test('a repeated request gets the first answer and creates nothing', async () => {
    const team = await world.team()
    const first = await team.post('/v2/bots', plain, header('one'))
    const second = await team.post('/v2/bots', plain, header('one'))
    expect(first.status).toBe(201)
    expect(first.headers).not.toHaveProperty('idempotent-replayed')
    expect(second).toMatchObject({ status: 201, body: first.body, headers: { 'idempotent-replayed': 'true' } })
    expect(await countOfBots(team.teamId)).toBe(1)
    await team.post('/v2/bots', plain, header('two'))
    expect(await countOfBots(team.teamId)).toBe(2)
  })

  test('another body under the same key is refused with 409, as is another address', async () => {
    const team = await world.team()
    await team.post('/v2/bots', plain, header('k'))
    for (const answer of [
      await team.post('/v2/bots', { ...plain, bot_name: 'Other' }, header('k')),
      await team.post('/v2/bots/batch', [plain], header('k')),
    ])
      expect(answer).toMatchObject({ status: 409, body: { code: 'FST_ERR_IDEMPOTENCY_KEY_REUSED' } })
    expect(await countOfBots(team.teamId)).toBe(1)
  })

  test('twenty requests of one instant create one bot', async () => {
    const team = await world.team()
    const answers = await Promise.all(Array.from({ length: 20 }, () => team.post('/v2/bots', plain, header('k'))))
    expect(await countOfBots(team.teamId)).toBe(1)
    const ids = new Set(answers.flatMap(({ body }) => body.data?.bot_id ?? []))
    expect(ids.size).toBe(1)
    for (const { status, body, headers } of answers.filter((answer) => answer.status !== 201)) {
      expect({ status, code: body.code, wait: headers['retry-after'] }).toEqual({
        status: 409,
        code: 'FST_ERR_IDEMPOTENCY_KEY_IN_USE',
        wait: '1',
      })
    }
  })

  test('a refused request may be repeated', async () => {
    const team = await world.team({ daily_cap: 0 })
    expect(await team.post('/v2/bots', plain, header('k'))).toMatchObject({ status: 429 })
    await world.setTeam(team.teamId, { daily_cap: null })
    expect(await team.post('/v2/bots', plain, header('k'))).toMatchObject({ status: 201 })
  })

  test('keys of two teams are two keys, and a day later a key is new', async () => {
    const [one, two] = [await world.team(), await world.team()]
    const first = await one.post('/v2/bots', plain, header('k'))
    const second = await two.post('/v2/bots', plain, header('k'))
    expect(first.body.data.bot_id).not.toBe(second.body.data.bot_id)
    await world.database
      .updateTable('idempotency_keys')
      .set({ created_at: sql<Date>`now() - interval '25 hours'` })
      .where('team_id', '=', one.teamId)
      .execute()
    const later = await one.post('/v2/bots', plain, header('k'))
    expect(later.body.data.bot_id).not.toBe(first.body.data.bot_id)
  })

  test.each([' ', 'a b', 'ü', 'x'.repeat(256)])('%j is no key', async (key) => {
    const team = await world.team()
    const { status, body } = await team.post('/v2/bots', plain, header(key))
    expect({ status, message: body.message }).toMatchObject({ status: 400, message: /idempotency-key/ })
  })

  test('also holds for scheduled bots and batches', async () => {
    const team = await world.team()
    const joinAt = new Date(Date.now() + 3_600_000).toISOString()
    for (const [path, body] of [
      ['/v2/bots/scheduled', { ...plain, join_at: joinAt }],
      ['/v2/bots/batch', [plain, plain]],
      ['/v2/bots/scheduled/batch', [{ ...plain, join_at: joinAt }]],
    ] as const) {
      const first = await team.post(path, body, header(path))
      expect(first.status).toBe(201)
      expect(await team.post(path, body, header(path))).toMatchObject({ status: 201, body: first.body })
    }
    expect(await countOfBots(team.teamId)).toBe(4)
  })

  test('a repeat after the join time gets the first answer', async () => {
    let now = Date.now()
    const later = await openWorld({ api: { clock: { now: () => now } } })
    const team = await later.team()
    const scheduled = { ...plain, join_at: new Date(now + 3_600_000).toISOString() }
    const first = await team.post('/v2/bots/scheduled', scheduled, header('s'))
    const batch = await team.post('/v2/bots/scheduled/batch', [scheduled, scheduled], header('b'))
    // As a killed process leaves it: the request unanswered, the first item done.
    await sql`
      update idempotency_keys set status = null, answer = null, created_at = now() - interval '3 minutes'
      where team_id = ${team.teamId} and key = 'b'`.execute(later.database)
    await sql`delete from idempotency_keys where team_id = ${team.teamId} and key = 'b 1'`.execute(later.database)
    now += 3_700_000
    expect(await team.post('/v2/bots/scheduled', scheduled, header('s'))).toMatchObject({
      status: 201,
      body: first.body,
    })
    expect((await team.post('/v2/bots/scheduled/batch', [scheduled, scheduled], header('b'))).body).toMatchObject({
      data: [batch.body.data[0]],
      errors: [{ index: 1, code: 'VALIDATION_ERROR' }],
    })
    expect(await team.post('/v2/bots/scheduled', scheduled, header('new'))).toMatchObject({ status: 400 })
  })

  test('a batch that stopped halfway creates only the missing bots', async () => {
    const team = await world.team()
    const first = await team.post('/v2/bots/batch', [plain, plain, plain], header('b'))
    // As a killed process leaves it: the request unanswered, two items done.
    await world.database
      .updateTable('idempotency_keys')
      .set({ status: null, answer: null, created_at: sql<Date>`now() - interval '3 minutes'` })
      .where('team_id', '=', team.teamId)
      .where('key', '=', 'b')
      .execute()
    await world.database
      .deleteFrom('idempotency_keys')
      .where('team_id', '=', team.teamId)
      .where('key', '=', 'b 2')
      .execute()
    const second = await team.post('/v2/bots/batch', [plain, plain, plain], header('b'))
    const ids = (answer: typeof first) => answer.body.data.map(({ bot_id }: { bot_id: string }) => bot_id)
    expect(ids(second).slice(0, 2)).toEqual(ids(first).slice(0, 2))
    expect(await countOfBots(team.teamId)).toBe(4)
  })
})
