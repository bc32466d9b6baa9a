import { describe, expect, test } from 'vitest'
import { MEET, openWorld } from '../../world.ts'

const world = await openWorld({ api: {} })

const plain = { bot_name: 'Notes', meeting_url: MEET }
const joinAt = new Date(Date.now() + 3_600_000).toISOString()
const ownKey = { transcription_enabled: true, transcription_config: { provider: 'deepgram', api_key: 'k' } }

test('each item has its own result, by its place', async () => {
  const team = await world.team({ byok_transcription: false, daily_cap: 3 })
  const { status, body } = await team.post('/v2/bots/batch', [
    { ...plain, extra: { n: 0 } },
    { ...plain, bot_name: '', extra: { n: 1 } },
    { ...plain, meeting_url: 'https://example.com' },
    { ...plain, ...ownKey },
    { ...plain, allow_multiple_bots: false },
    'nonsense',
    { ...plain, meeting_url: 'https://meet.google.com/xyz-defg-hij' },
    plain,
    { ...plain, extra: { n: 8 } },
  ])
  expect(status).toBe(201)
  expect(body).toEqual({
    success: true,
    data: [
      { index: 0, bot_id: expect.any(String), extra: { n: 0 } },
      { index: 6, bot_id: expect.any(String), extra: null },
      { index: 7, bot_id: expect.any(String), extra: null },
    ],
    errors: [
      { index: 1, code: 'VALIDATION_ERROR', message: expect.stringContaining('body/bot_name'), extra: { n: 1 } },
      { index: 2, code: 'INVALID_MEETING_PLATFORM' },
      { index: 3, code: 'BYOK_TRANSCRIPTION_NOT_ENABLED_ON_PLAN' },
      { index: 4, code: 'BOT_ALREADY_EXISTS' },
      { index: 5, code: 'VALIDATION_ERROR' },
      { index: 8, code: 'DAILY_BOT_CAP_REACHED', extra: { n: 8 } },
    ].map((error) => ({ message: expect.any(String), details: null, extra: null, ...error })),
  })
  for (const { bot_id } of body.data) expect((await team.get(`/v2/bots/${bot_id}`)).status).toBe(200)
})

test('extra that cannot be carried along fails its own item only', async () => {
  const team = await world.team()
  const nested = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`
  const items = [
    JSON.stringify(plain),
    JSON.stringify({ ...plain, extra: { 'a\u0000': 1 } }),
    `{"bot_name":"Notes","meeting_url":"${MEET}","extra":${nested}}`,
    JSON.stringify(plain),
  ]
  for (const headers of [{}, { 'idempotency-key': 'one' }]) {
    const { status, body } = await team.post('/v2/bots/batch', `[${items.join(',')}]`, headers)
    expect(status).toBe(201)
    expect(body.data).toMatchObject([{ index: 0 }, { index: 3 }])
    expect(body.errors).toMatchObject([
      { index: 1, code: 'VALIDATION_ERROR', extra: null },
      { index: 2, code: 'VALIDATION_ERROR', extra: null },
    ])
  }
})

test('tokens are taken per item, so a batch can fail from the middle on', async () => {
  const team = await world.team({ balance: 1 })
  const { body } = await team.post('/v2/bots/batch', [plain, plain, plain, plain])
  expect(body.data).toHaveLength(2)
  expect(body.errors).toMatchObject([
    { index: 2, code: 'INSUFFICIENT_TOKENS', message: 'Insufficient tokens. Available: 0, Required: 0.5' },
    { index: 3, code: 'INSUFFICIENT_TOKENS' },
  ])
})

test('a batch of a hundred counts as one request of the rate limit', async () => {
  const team = await world.team({ requests_per_second: 2 })
  const { status, body, headers } = await team.post('/v2/bots/batch', Array(100).fill(plain))
  expect({ status, count: body.data.length, remaining: headers['x-ratelimit-remaining'] }).toEqual({
    status: 201,
    count: 100,
    remaining: '1',
  })
})

test('a scheduled batch checks its fields only', async () => {
  const team = await world.team({ daily_cap: 0, balance: 0, byok_transcription: false })
  const { status, body } = await team.post('/v2/bots/scheduled/batch', [
    { ...plain, join_at: joinAt },
    plain,
    { ...plain, join_at: '2020-01-01T00:00:00Z' },
    { ...plain, join_at: joinAt, meeting_url: 'https://example.com' },
    { ...plain, join_at: joinAt, ...ownKey },
  ])
  expect(status).toBe(201)
  expect(body.data).toEqual([{ index: 0, bot_id: expect.any(String), extra: null }])
  expect(body.errors.map(({ code }: { code: string }) => code)).toEqual([
    'VALIDATION_ERROR',
    'VALIDATION_ERROR',
    'INVALID_MEETING_PLATFORM',
    'BYOK_TRANSCRIPTION_NOT_ENABLED_ON_PLAN',
  ])
})

describe.each(['/v2/bots/batch', '/v2/bots/scheduled/batch'])('%s', (path) => {
  test.each([[[]], [Array(101).fill(plain)], [plain], ['null'], ['5']])(
    'a body that is no list of 1 to 100 is answered with 400',
    async (body) => {
      const team = await world.team()
      expect((await team.post(path, body)).status).toBe(400)
    },
  )
})
