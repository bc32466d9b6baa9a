/** What the generations of the API do alike: each names its requests and refusals, and every expectation is one for both. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import type { ApiDependencies } from '../../../control-plane/api/dependencies.ts'
import { entryOf } from '../../../control-plane/store/audit-log.ts'
import { openWorld } from '../world.ts'
import { freshMeet } from './reporting.ts'
import type { Answer } from './visitor.ts'
import type { Team } from './world.ts'

type Retranscribe = NonNullable<ApiDependencies['retranscribe']>
let asked: unknown[] = []
let outcome: Awaited<ReturnType<Retranscribe>> = 'started'

const world = await openWorld({
  api: {
    retranscribe: async (...given) => {
      asked.push(given.slice(1))
      // The API expects a change in the audit log.
      entryOf({ teamId: randomUUID(), action: 'bot.retranscribe', target: given[0] })
      return outcome
    },
  },
})
beforeEach(() => {
  asked = []
  outcome = 'started'
})

type Ask = (team: Team, id: string, body?: object) => Promise<Answer>
interface Requests {
  path: string
  created: string
  leave: Ask
  deleteData: Ask
  retranscribe: Ask
  speech: (config: { provider: string; api_key?: string }) => object
}

const REQUESTS: Record<'v2' | 'older', Requests> = {
  v2: {
    path: '/v2/bots',
    created: '201',
    leave: (team, id) => team.post(`/v2/bots/${id}/leave`),
    deleteData: (team, id) => team.delete(`/v2/bots/${id}/delete-data`),
    retranscribe: (team, id, body) => team.post(`/v2/bots/${id}/retranscribe`, body),
    speech: (transcription_config) => ({ transcription_enabled: true, transcription_config }),
  },
  older: {
    path: '/bots',
    created: '200',
    leave: (team, id) => team.delete(`/bots/${id}`),
    deleteData: (team, id) => team.post(`/bots/${id}/delete_data`),
    retranscribe: (team, id, body) => team.post('/bots/retranscribe', { bot_uuid: id, ...body }),
    speech: (speech_to_text) => ({ speech_to_text }),
  },
}
/** The answer to a request to leave, and the final message of a bot that had not started. */
const LEFT = {
  v2: {
    left: { success: true, data: { message: 'Bot leave request sent successfully.' } },
    final: { event: 'bot.failed', body: { data: { error_code: 'EXITING_MEETING_BEFORE_RECORD' } } },
  },
  older: { left: { ok: true }, final: { event: 'failed', body: { data: { error: 'ApiRequest' } } } },
}
const REFUSALS = {
  v2: {
    ...{ balance: '402 FST_ERR_INSUFFICIENT_TOKENS', cap: '429 FST_ERR_DAILY_BOT_CAP_REACHED' },
    ...{ ownKey: '403 FST_ERR_BYOK_TRANSCRIPTION_NOT_ENABLED_ON_PLAN', rate: '429 FST_ERR_TOO_MANY_REQUESTS' },
    ...{ reused: '409 FST_ERR_IDEMPOTENCY_KEY_REUSED', inUse: '409 FST_ERR_IDEMPOTENCY_KEY_IN_USE' },
    ...{ invalid: '400 FST_ERR_VALIDATION', status: '409 FST_ERR_BOT_STATUS' },
    ...{ unknown: '404 FST_ERR_BOT_NOT_FOUND_BY_ID', away: '503 FST_ERR_SERVICE_UNAVAILABLE' },
  },
  older: {
    ...{ balance: '402 InsufficientTokens', cap: '429 DailyBotCapReached', ownKey: '403 Forbidden' },
    ...{ rate: '429 TooManyRequests', reused: '409 IdempotencyKeyReused', inUse: '409 IdempotencyKeyInUse' },
    ...{ invalid: '422 InvalidRequest', status: '409 BotStatus', unknown: '404 BotNotFound' },
    away: '503 ServiceUnavailable',
  },
}

const inCall = { phase: 'running', status: 'in_call_recording' } as const
const header = (key: string) => ({ 'idempotency-key': key })
const body = (fields: object = {}) => ({ bot_name: 'Notes', meeting_url: freshMeet(), ...fields })
const outcomesOf = (answers: Answer[]) => answers.map((answer) => answer.outcome).sort()
const atOnce = (count: number, send: () => Promise<Answer>) => Promise.all(Array.from({ length: count }, send))
const idOf = ({ body: answer, text }: Answer): string => {
  const id = answer.data?.bot_id ?? answer.bot_id
  if (id === undefined) throw new Error(text)
  return id
}
const botsOf = async ({ teamId: team_id }: Team) => (await world.rows('bots', { team_id })).length

describe.each(['v2', 'older'] as const)('the generation %s', (generation) => {
  const { path, created, leave, deleteData, retranscribe, speech } = REQUESTS[generation]
  const refusals = REFUSALS[generation]
  const ownKey = speech({ provider: 'deepgram', api_key: 'k' })
  const create = (team: Team, fields: object = {}, headers = {}) => team.post(path, body(fields), headers)
  const addBot = ({ teamId }: Team, values: object = {}) => world.addBot(teamId, { generation, ...values })

  describe('limits', () => {
    test.each([
      ['balance', { balance: 0.4 }, {}],
      ['cap', { daily_cap: 0 }, {}],
      ['ownKey', { byok_transcription: false }, ownKey],
    ] as const)('a bot beyond the limit %s is refused, and nothing is left behind', async (limit, limits, fields) => {
      const team = await world.team(limits)
      expect((await create(team, fields)).outcome).toBe(refusals[limit])
      expect(await botsOf(team)).toBe(0)
    })

    test('hold against requests of one instant', async () => {
      const team = await world.team({ daily_cap: 7, balance: 2 })
      const answers = await atOnce(20, () => create(team))
      expect(answers.filter((answer) => answer.outcome === created)).toHaveLength(4)
      const tokens = { reserved: 2_000_000, balance: 2_000_000 }
      expect(await world.one('teams', { id: team.teamId })).toMatchObject(tokens)
    })

    test('of requests in a second are said with a time', async () => {
      const team = await world.team({ requests_per_second: 1 })
      // Requests of one second may fall into two windows.
      const refused = async () => (await atOnce(3, () => create(team))).find(({ status }) => status === 429)
      await expect.poll(refused).toMatchObject({ outcome: refusals.rate, headers: { 'retry-after': '1' } })
    })
  })

  describe('Idempotency-Key', () => {
    test('a repeated request gets the first answer and creates nothing; another body or key does not', async () => {
      const [team, plain] = [await world.team(), body()]
      const [first, second] = [await team.post(path, plain, header('k')), await team.post(path, plain, header('k'))]
      expect([first.outcome, first.headers['idempotent-replayed']]).toEqual([created, undefined])
      expect(second).toMatchObject({ outcome: created, body: first.body, headers: { 'idempotent-replayed': 'true' } })
      expect((await team.post(path, body(), header('k'))).outcome).toBe(refusals.reused)
      expect(await botsOf(team)).toBe(1)
      expect((await create(team, {}, header('two'))).outcome).toBe(created)
    })

    test('twenty requests of one instant create one bot', async () => {
      const [team, plain] = [await world.team(), body()]
      const answers = await atOnce(20, () => team.post(path, plain, header('k')))
      expect(await botsOf(team)).toBe(1)
      const [done, busy] = [true, false].map((is) => answers.filter((one) => (one.outcome === created) === is))
      expect(new Set(done!.map(idOf)).size).toBe(1)
      for (const one of busy!) expect([one.outcome, one.headers['retry-after']]).toEqual([refusals.inUse, '1'])
    })

    test('a refused request may be repeated', async () => {
      const [team, plain] = [await world.team({ daily_cap: 0 }), body()]
      expect((await team.post(path, plain, header('k'))).outcome).toBe(refusals.cap)
      await world.setTeam(team.teamId, { daily_cap: null })
      expect((await team.post(path, plain, header('k'))).outcome).toBe(created)
    })

    test('keys of two teams are two keys, and a day later a key is new', async () => {
      const [one, two, plain] = [await world.team(), await world.team(), body()]
      const send = async (team: Team, fields = plain) => idOf(await team.post(path, fields, header('k')))
      const first = await send(one)
      expect(await send(two)).not.toBe(first)
      const old = { created_at: sql<Date>`now() - interval '25 hours'` }
      await world.change('idempotency_keys', { team_id: one.teamId }, old)
      expect(await send(one, body())).not.toBe(first)
    })

    test.each([' ', 'a b', 'ü', 'x'.repeat(256)])('%j is no key', async (key) => {
      const answer = await create(await world.team(), {}, header(key))
      expect(answer).toMatchObject({ outcome: refusals.invalid, text: expect.stringContaining('idempotency-key') })
    })
  })

  describe('leaving', () => {
    const { left, final } = LEFT[generation]

    test('a queued bot fails, is not charged, and has its final event', async () => {
      const team = await world.team({ balance: 1 })
      await world.endpoint({
        teamId: team.teamId,
        kind: generation === 'v2' ? 'team' : 'account',
        url: 'https://a.test',
      })
      const id = idOf(await create(team))
      expect((await leave(team, id)).body).toEqual(left)
      const ended = { phase: 'closed', status: 'failed', error_code: 'EXITING_MEETING_BEFORE_RECORD', charged: null }
      expect(await world.row(id)).toMatchObject(ended)
      expect(await world.one('teams', { id: team.teamId })).toMatchObject({ balance: 1_000_000, reserved: 0 })
      expect(await world.one('messages', { bot_id: id, event: final.event })).toMatchObject(final)
    })

    test.each(['joining_call', 'in_waiting_room', 'in_call_not_recording', inCall.status, 'recording_paused'])(
      'a bot in %s is asked once, however often and at once its caller asks',
      async (status) => {
        const team = await world.team()
        const id = await addBot(team, { ...inCall, status })
        expect(outcomesOf(await atOnce(20, () => leave(team, id)))).toEqual(Array(20).fill('200'))
        expect(await world.rows('bot_commands', { bot_id: id }, ['command'])).toEqual([{ command: { type: 'leave' } }])
      },
    )

    test.each([
      ['closed', 'completed'],
      ['closed', 'failed'],
      ['processing', 'transcribing'],
    ])('a bot that is %s and %s cannot', async (phase, status) => {
      const team = await world.team()
      expect((await leave(team, await addBot(team, { phase, status }))).outcome).toBe(refusals.status)
    })
  })

  test.each([
    ['in its meeting', inCall],
    ['of which a new transcript is made', { status: 'transcribing' }],
  ])('data of a bot %s is not deleted', async (_what, values) => {
    const team = await world.team()
    const id = await addBot(team, values)
    expect((await deleteData(team, id)).outcome).toBe(refusals.status)
    expect((await world.row(id)).data_deleted_at).toBeNull()
  })

  describe('a new transcript', () => {
    const given = (config: { provider: string; api_key?: string }) =>
      generation === 'v2' ? { transcription: config } : speech(config)

    test('is asked for with what was given', async () => {
      const team = await world.team()
      const id = await addBot(team)
      for (const config of [{}, given({ provider: 'assemblyai', api_key: 'key' }), given({ provider: 'Default' })])
        expect((await retranscribe(team, id, config)).outcome).toMatch(/^20[02]$/)
      const speeches = asked.map((one) => (one as unknown[])[0])
      expect(speeches).toEqual([
        null,
        { provider: 'assemblyai', apiKey: 'key', customParams: null },
        { provider: expect.stringMatching(/^default$/i), apiKey: null, customParams: null },
      ])
    })

    test.each(['no_audio', 'not_ended'] as const)('that is refused with %s is a 409', async (refusal) => {
      outcome = refusal
      const team = await world.team()
      const isStatus = refusal === 'not_ended' || generation === 'older'
      const refused = (await retranscribe(team, await addBot(team))).outcome
      expect(refused).toEqual(isStatus ? refusals.status : expect.stringMatching(/^409 /))
    })

    test('needs a plan with own keys for one, and a bot of the team', async () => {
      const team = await world.team({ byok_transcription: false })
      const config = given({ provider: 'deepgram', api_key: 'k' })
      expect((await retranscribe(team, await addBot(team), config)).outcome).toBe(refusals.ownKey)
      for (const id of [randomUUID(), await addBot(await world.team())])
        expect((await retranscribe(team, id)).outcome).toBe(refusals.unknown)
      expect(asked).toEqual([])
    })

    test('cannot be made by an installation without a worker for it', async () => {
      const without = await openWorld({ api: {} })
      const team = await without.team()
      const id = await without.addBot(team.teamId, { generation })
      expect((await retranscribe(team, id)).outcome).toBe(refusals.away)
    })
  })
})
