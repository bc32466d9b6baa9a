import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { MEET, openWorld, type World } from '../../world.ts'
import type { Team } from '../world.ts'

const world = await openWorld({ api: {} })

const plain = { bot_name: 'Notes', meeting_url: MEET }
const ownKey = { transcription_enabled: true, transcription_config: { provider: 'deepgram', api_key: 'k' } }

const countOfBots = async (teamId: string) => (await world.rows('bots', { team_id: teamId }, ['id'])).length

describe('limits of a team', () => {
  test('402 where fewer than half a token is free, and nothing is left behind', async () => {
    const team = await world.team({ balance: 1.2, byok_transcription: false })
    await world.bot(team, { transcription_enabled: true, transcription_config: { provider: 'deepgram' } })
    await world.bot(team)
    expect((await team.post('/v2/bots', plain)).body).toEqual({
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
    const { body, headers } = await team.post('/v2/bots', plain)
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
    expect((await team.post('/v2/bots', { ...exclusive, meeting_url: link('123456789012') })).status).toBe(409)
  })

  test('is created once by twenty requests of one instant', async () => {
    const team = await world.team()
    const answers = await Promise.all(Array.from({ length: 20 }, () => team.post('/v2/bots', exclusive)))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([201, ...Array(19).fill(409)])
  })
})

describe('Idempotency-Key', () => {
  /** As a killed process leaves it: the request `b` unanswered, and one item not done. */
  async function leaveHalfway({ change, database }: World, { teamId: team_id }: Team, key: string) {
    const open = { status: null, answer: null, created_at: sql<Date>`now() - interval '3 minutes'` }
    await change('idempotency_keys', { team_id, key: 'b' }, open)
    await database.deleteFrom('idempotency_keys').where('team_id', '=', team_id).where('key', '=', key).execute()
  }

  const header = (key: string) => ({ 'idempotency-key': key })

  test('is not taken for a request to another address', async () => {
    const team = await world.team()
    await team.post('/v2/bots', plain, header('k'))
    expect((await team.post('/v2/bots/batch', [plain], header('k'))).outcome).toBe('409 FST_ERR_IDEMPOTENCY_KEY_REUSED')
    expect(await countOfBots(team.teamId)).toBe(1)
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
    await leaveHalfway(later, team, 'b 1')
    now += 3_700_000
    expect(await team.post('/v2/bots/scheduled', scheduled, header('s'))).toMatchObject({
      status: 201,
      body: first.body,
    })
    expect((await team.post('/v2/bots/scheduled/batch', [scheduled, scheduled], header('b'))).body).toMatchObject({
      data: [batch.body.data[0]],
      errors: [{ index: 1, code: 'VALIDATION_ERROR' }],
    })
    expect((await team.post('/v2/bots/scheduled', scheduled, header('new'))).status).toBe(400)
  })

  test('a batch that stopped halfway creates only the missing bots', async () => {
    const team = await world.team()
    const first = await team.post('/v2/bots/batch', [plain, plain, plain], header('b'))
    await leaveHalfway(world, team, 'b 2')
    const second = await team.post('/v2/bots/batch', [plain, plain, plain], header('b'))
    const ids = (answer: typeof first) => answer.body.data.map(({ bot_id }: { bot_id: string }) => bot_id)
    expect(ids(second).slice(0, 2)).toEqual(ids(first).slice(0, 2))
    expect(await countOfBots(team.teamId)).toBe(4)
  })
})
