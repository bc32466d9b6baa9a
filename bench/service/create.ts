/**
 * Bots that are created by one team on one process: as many as several connections bring in, and the latency at 200 a
 * second. The plainest program sends one statement that writes the same rows. No launcher runs, so the bots stay queued.
 */

import { randomBytes, randomUUID } from 'node:crypto'
import pg from 'pg'
import { RESERVATION } from '../../control-plane/bots/outcomes.ts'
import { columnsOf } from '../../control-plane/bots/request.ts'
import { measureTree } from '../shared/process-tree.ts'
import { type Figure, inLanes, type Options, paced, percentile } from './measure.ts'
import { type Service, withService } from './service.ts'

const CONNECTIONS = 16
export const PER_SECOND = 200

export async function measure({ isSmall }: Options): Promise<Figure[]> {
  const count = isSmall ? 500 : 10_000
  const seconds = isSmall ? 3 : 20
  return withService({}, async (service) => {
    await service.start('api')
    const { key } = service
    const database = await service.openDatabase(1)
    const teamId = await service.teamId(database)
    await database.destroy()
    const pool = new pg.Pool({ connectionString: await service.databaseUrl(), max: CONNECTIONS })
    try {
      // Warm-up: code is compiled and connections are open before the measurement.
      await inLanes(CONNECTIONS, count / 5, () => create(service, key))
      await inLanes(CONNECTIONS, count / 5, () => insertPlainly(pool, teamId))
      const read = measureTree(() => [service.pid, service.postmasterPid])
      const perSecond = await rate(count, () => create(service, key))
      const { cores } = read()
      // The plainest program lives in this process, so only PostgreSQL is counted beside it.
      const readPlain = measureTree(() => [service.postmasterPid])
      const plainPerSecond = await rate(count, () => insertPlainly(pool, teamId))
      const { cores: plainCores } = readPlain()
      const late = await latencies(seconds, () => create(service, key))
      const plainLate = await latencies(seconds, () => insertPlainly(pool, teamId))
      const throughput = { value: perSecond, unit: 'a second', plain: plainPerSecond }
      return [
        { measure: `bots created, one team, ${CONNECTIONS} connections`, ...throughput, goal: { atLeast: 800 } },
        { measure: 'the same beside the bare statement', ...throughput, goal: { ratioAtLeast: 0.6 } },
        {
          measure: 'processor time of service and PostgreSQL for each bot (plainly: of PostgreSQL alone)',
          value: (cores / perSecond) * 1000,
          unit: 'ms',
          plain: (plainCores / plainPerSecond) * 1000,
          goal: null,
        },
        {
          measure: `creation at ${PER_SECOND} a second, 99th percentile`,
          value: percentile(late, 0.99),
          unit: 'ms',
          plain: percentile(plainLate, 0.99),
          goal: { atMost: 50 },
        },
      ]
    } finally {
      await pool.end()
    }
  })
}

async function rate(count: number, work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await inLanes(CONNECTIONS, count, work)
  return count / ((performance.now() - startedAt) / 1000)
}

/** Milliseconds from the instant at which each was due. */
export async function latencies(seconds: number, work: () => Promise<void>): Promise<number[]> {
  const late: number[] = []
  const running: Promise<void>[] = []
  await paced(PER_SECOND, seconds, (_number, dueAt) => {
    running.push(work().then(() => void late.push(performance.now() - dueAt)))
  })
  await Promise.all(running)
  return late
}

const code = () => {
  const letters = Array.from(randomBytes(10), (byte) => String.fromCharCode(97 + (byte % 26))).join('')
  return `${letters.slice(0, 3)}-${letters.slice(3, 7)}-${letters.slice(7)}`
}

export async function create(service: Service, key: string): Promise<void> {
  const { status, body } = await service.call('POST', '/v2/bots', key, {
    meeting_url: `https://meet.google.com/${code()}`,
    bot_name: 'Notes',
  })
  if (status !== 201) throw new Error(`A bot was refused with ${status}: ${JSON.stringify(body)}`)
}

const REQUEST = JSON.stringify(
  columnsOf({ bot_name: 'Bot', recording_mode: 'speaker_view', extra: null }).columns.request,
)

/** The rows that a creation writes, the team's included, in one statement. */
async function insertPlainly(pool: pg.Pool, teamId: string): Promise<void> {
  const id = randomUUID()
  const meeting = code()
  const now = new Date().toISOString()
  const body = {
    event: 'bot.status_change',
    data: { bot_id: id, event_id: null, status: { code: 'queued', created_at: now } },
    extra: null,
  }
  await pool.query({
    name: 'create',
    text: `
      with team as (
        update teams set reserved = reserved + $7
        where id = $2 and (balance is null or balance - reserved >= $7)
        returning id
      ), bot as (
        insert into bots (id, team_id, generation, phase, status, bot_name, meeting_url, meeting_key, meeting_platform,
          recording_mode, request, due_at, queued_at, reserved)
        select $1, id, 'v2', 'due', 'queued', 'Notes', $3, $4, 'meet', 'speaker_view', $5::jsonb, now(), now(), $7
        from team
        returning id, team_id
      ), steps as (
        insert into bot_steps (bot_id, at, kind, reason, evidence)
        select id, now(), kind, reason, evidence from bot, (values
          ('asked', 'A bot was asked for.', null::jsonb),
          ('admitted', 'The team''s limits allow this bot.', null),
          ('status', null, '{"status": "queued"}')) step (kind, reason, evidence)
      ), message as (
        insert into messages (id, team_id, bot_id, event, ordering_key, body, generation)
        select 'msg_' || $1::text, team_id, id, 'bot.status_change', id::text, $6::jsonb, 'webhooks' from bot
        returning id, team_id, bot_id, ordering_key
      ), delivery as (
        insert into deliveries (message_id, endpoint_id, team_id, bot_id, ordering_key, state)
        select message.id, endpoints.id, message.team_id, message.bot_id, message.ordering_key, 'waiting'
        from message join endpoints on endpoints.team_id = message.team_id and endpoints.kind = 'team'
      )
      insert into ledger (team_id, bot_id, kind, amount, source)
      select team_id, id, 'reserve', $7, 'reserve:' || id::text from bot`,
    values: [
      id,
      teamId,
      `https://meet.google.com/${meeting}`,
      `meet:${meeting}`,
      REQUEST,
      JSON.stringify(body),
      RESERVATION,
    ],
  })
}
