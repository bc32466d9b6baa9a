/**
 * A backlog of webhooks that are due at one instant: how many reach their receiver per second, and whether any is lost,
 * is delivered twice, or overtakes an earlier one of its bot and endpoint. The plainest program posts the same bodies
 * in a loop.
 */
import { sql } from 'kysely'
import type { Database } from '../../control-plane/store/database.ts'
import { startReceiver } from '../../test/control-plane/webhooks/receiver.ts'
import { measureTree } from '../shared/process-tree.ts'
import { insertRunning, makeBots } from './bots.ts'
import { type Figure, inLanes, type Options, progress, until } from './measure.ts'
import { withService } from './service.ts'

const ENDPOINTS = 4
const BOTS = 200
/** As many at once as the dispatcher sends to the endpoints together. */
const PLAIN_LANES = ENDPOINTS * 20
const DUE_IN_SECONDS = 5
const PATIENCE_SECONDS = 300

export async function measure({ isSmall }: Options): Promise<Figure[]> {
  const count = isSmall ? 2_000 : 20_000
  const seen = new Deliveries()
  const receiver = await startReceiver(({ headers, path, body }, response) => {
    seen.send(headers['webhook-id'] ?? '', `${path} ${body.data.bot_id}`, body.data.place)
    response.end()
  })
  try {
    return await withService({}, async (service) => {
      await service.start('dispatcher')
      const endpoints: string[] = []
      for (let number = 0; number < ENDPOINTS; number++) {
        const url = `${receiver.url}/${number}`
        endpoints.push((await service.command<{ endpoint_id: string }>('endpoints', 'create', url)).endpoint_id)
      }
      const database = await service.openDatabase(1)
      const teamId = await service.teamId(database)
      const bots = makeBots(BOTS)
      await insertRunning(database, teamId, bots)
      const botIds = bots.map(({ id }) => id)
      const read = measureTree(() => [service.pid, service.postmasterPid])
      const readFrom = performance.now()
      const dueAt = await insertDeliveries(database, { teamId, botIds, endpoints, count })
      await until('every webhook has come', PATIENCE_SECONDS, () => seen.ids.size === count).catch((error) => {
        if (seen.ids.size === 0) throw error
      })
      const { cores, roles } = read()
      const secondsRead = (performance.now() - readFrom) / 1000
      progress(
        `  ${[...roles].map(([role, used]) => `${role} ${used.toFixed(2)}`).join(', ')} cores for ${secondsRead.toFixed(0)} s`,
      )
      const perSecond = seen.ids.size / ((seen.lastAt - dueAt) / 1000)
      const { missing, repeated, outOfOrder } = seen.judged(count)
      await database.destroy()
      await service.end('SIGTERM')

      const plainSeen = new Deliveries()
      const plainReceiver = await startReceiver(({ headers }, response) => {
        plainSeen.send(headers['webhook-id'] ?? '', '', 0)
        response.end()
      })
      const startedAt = Date.now()
      await inLanes(PLAIN_LANES, count, async (place) => {
        const body = JSON.stringify(bodyOf(botIds[place % BOTS]!, place))
        const headers = { 'content-type': 'application/json', 'webhook-id': String(place) }
        await (await fetch(plainReceiver.url, { method: 'POST', headers, body })).arrayBuffer()
      })
      const plainPerSecond = count / ((Date.now() - startedAt) / 1000)
      await plainReceiver.close()
      return [
        {
          measure: `webhooks delivered of a backlog of ${count.toLocaleString('en-US')}, ${ENDPOINTS} endpoints`,
          value: perSecond,
          unit: 'a second',
          plain: plainPerSecond,
          goal: { atLeast: 1_000 },
        },
        {
          measure: 'processor time of service and PostgreSQL for each of them, its insertion included',
          value: (cores * secondsRead * 1000) / count,
          unit: 'ms',
          plain: null,
          goal: null,
        },
        { measure: 'webhooks of it lost', value: missing, unit: '', plain: null, goal: { atMost: 0 } },
        { measure: 'webhooks of it out of order', value: outOfOrder, unit: '', plain: null, goal: { atMost: 0 } },
        { measure: 'webhooks of it delivered again', value: repeated, unit: '', plain: null, goal: null },
      ]
    })
  } finally {
    await receiver.close()
  }
}

class Deliveries {
  readonly ids = new Set<string>()
  /** UTC milliseconds. */
  lastAt = 0
  #repeated = 0
  #outOfOrder = 0
  readonly #lastPlaces = new Map<string, number>()

  send(id: string, line: string, place: number): void {
    if (this.ids.has(id)) {
      this.#repeated += 1
      return
    }
    this.ids.add(id)
    this.lastAt = Date.now()
    if (place < (this.#lastPlaces.get(line) ?? -1)) this.#outOfOrder += 1
    this.#lastPlaces.set(line, place)
  }

  judged(count: number) {
    return { missing: count - this.ids.size, repeated: this.#repeated, outOfOrder: this.#outOfOrder }
  }
}

const bodyOf = (botId: string, place: number) => ({
  event: 'bot.status_change',
  data: {
    bot_id: botId,
    event_id: null,
    place,
    status: { code: 'in_call_recording', created_at: '2026-01-01T00:00:00.000Z' },
  },
  extra: null,
})

/** Each message goes to one endpoint. Resolves with the UTC milliseconds at which all are due. */
async function insertDeliveries(
  database: Database,
  { teamId, botIds, endpoints, count }: { teamId: string; botIds: string[]; endpoints: string[]; count: number },
): Promise<number> {
  const messages = Array.from({ length: count }, (_, place) => ({
    id: `msg_bench_${place}`,
    place,
    bot: botIds[place % botIds.length]!,
    endpoint: endpoints[Math.floor(place / botIds.length) % endpoints.length]!,
  })).map((message) => ({ ...message, body: bodyOf(message.bot, message.place) }))
  await sql`
    with given as (
      select * from json_to_recordset(${JSON.stringify(messages)}::json)
        as message (id text, place int, bot uuid, endpoint uuid, body jsonb)
    ), stored as (
      insert into messages (id, team_id, bot_id, event, ordering_key, body, generation)
      select id, ${teamId}::uuid, bot, 'bot.status_change', bot::text, body, 'webhooks' from given order by place
    )
    insert into deliveries (message_id, endpoint_id, team_id, bot_id, ordering_key, state, next_at)
    select id, endpoint, ${teamId}::uuid, bot, bot::text, 'waiting', 'infinity'
    from given order by place`.execute(database)
  // All are due at the same time, independent of the time that the insertion took.
  const { rows } = await sql<{ due_at: Date }>`
    with due as (select now() + make_interval(secs => ${DUE_IN_SECONDS}) as due_at)
    update deliveries set next_at = due_at from due where next_at = 'infinity' returning due_at`.execute(database)
  return rows[0]!.due_at.getTime()
}
