/**
 * The invariants of the service, recomputed from rows, from the bots themselves and from what a receiver got. Everything
 * has settled when this is asked: no bot runs, nothing waits.
 */
import { sql } from 'kysely'
import { partsOf } from '../../../control-plane/bots/parts.ts'
import { EVENT_TYPES } from '../../../control-plane/bots/shown-events.ts'
import type { Database } from '../../../control-plane/store/database.ts'
import { ledgerDifferences } from '../../../control-plane/store/teams/ledger-audit.ts'
import type { BotHost } from '../launching/bot-host.ts'
import type { Heard } from './followers.ts'

export interface Received {
  id: string
  event: string
  botId: string
  /** Of events of the bot that it carries. */
  eventIds?: string[]
}

export interface Evidence {
  database: Database
  host: BotHost
  /** In the order of their arrival. */
  received: readonly Received[]
  /** By bot; absent: no bot was followed. */
  heard?: ReadonlyMap<string, Heard>
}

/** One sentence for each violation, with the name of its invariant first. */
export async function violations(evidence: Evidence): Promise<string[]> {
  const found = await Promise.all([
    oneEnd(evidence),
    oneBot(evidence),
    oneHistory(evidence),
    webhooks(evidence),
    tokens(evidence),
    nothingLeft(evidence),
    followers(evidence),
  ])
  return found.flat()
}

async function oneEnd({ database, received }: Evidence): Promise<string[]> {
  const { rows } = await sql<{ id: string; phase: string; status: string; ends: number; finals: number }>`
    select id, phase, status,
      (select count(*) from bot_steps where bot_id = bots.id and kind = 'ended') as ends,
      (select count(*) from messages where bot_id = bots.id and generation = 'webhooks'
        and event in ('bot.completed', 'bot.failed')) as finals
    from bots`.execute(database)
  const finals = Map.groupBy(
    received.filter(({ event }) => event === 'bot.completed' || event === 'bot.failed'),
    ({ botId }) => botId,
  )
  return rows.flatMap(({ id, phase, status, ends, finals: written }) => {
    const got = new Set((finals.get(id) ?? []).map((message) => message.id)).size
    const isRight = phase === 'closed' && ['completed', 'failed'].includes(status) && ends === 1 && written === 1
    if (isRight && got === 1) return []
    return [`one end: bot ${id} is ${phase}/${status} with ${ends} ends, ${written} final messages, ${got} received`]
  })
}

async function oneBot({ database, host }: Evidence): Promise<string[]> {
  const bots = await database.selectFrom('bots').select(['id', 'joined_attempt']).execute()
  const steps = await database
    .selectFrom('bot_steps')
    .select(['bot_id', 'attempt'])
    .where('kind', '=', 'lost')
    .execute()
  const lost = new Set(steps.map(({ bot_id, attempt }) => `${bot_id} ${attempt}`))
  return bots.flatMap(({ id, joined_attempt }) => {
    const askedToJoin = host
      .of(id)
      .filter(({ bot }) => bot.joinRequests.length > 0)
      .sort((one, other) => one.attempt - other.attempt)
    // One that was lost in its meeting is dead before the next one asks to join.
    const alive = askedToJoin.filter(({ bot }, place) => {
      const next = askedToJoin[place + 1]
      return (
        next !== undefined &&
        !((bot.evidence?.endedAt?.getTime() ?? Number.POSITIVE_INFINITY) <= next.bot.joinRequests[0]!)
      )
    })
    if (alive.length > 0)
      return [`one bot: attempt ${alive[0]!.attempt} of bot ${id} lived while the next one asked to join`]
    const last = askedToJoin.at(-1)
    // A bot that is over also names the attempt that did not get as far as its request to join, and none if the time was
    // over before there was a next one.
    if (last !== undefined && last.attempt !== joined_attempt && !lost.has(`${id} ${last.attempt}`))
      return [`one bot: attempt ${last.attempt} of bot ${id} asked to join, but the row names ${joined_attempt}`]
    const attempts = host.of(id).map(({ attempt }) => attempt)
    return new Set(attempts).size === attempts.length ? [] : [`one bot: an attempt of bot ${id} was started twice`]
  })
}

async function oneHistory({ database, host }: Evidence): Promise<string[]> {
  const { rows } = await sql<{ bot_id: string; attempt: number; journals: number; events: number; last: number }>`
    select bot_id, attempt, count(distinct journal_id) as journals, count(*) as events, max(seq) as last
    from bot_events group by bot_id, attempt`.execute(database)
  const stored = new Map(rows.map((row) => [`${row.bot_id} ${row.attempt}`, row]))
  const bots = await database.selectFrom('bots').select(['id', 'joined_attempt', 'parts']).execute()
  const deciding = new Set(
    bots.flatMap(({ id, joined_attempt, parts }) =>
      [joined_attempt, ...partsOf({ parts }).map(({ attempt }) => attempt)].map((attempt) => `${id} ${attempt}`),
    ),
  )
  const gaps = rows
    .filter(({ events, last, journals }) => events !== last || journals !== 1)
    .map(({ bot_id, attempt, events, last, journals }) => {
      return `one history: attempt ${attempt} of bot ${bot_id} has ${events} events up to ${last} in ${journals} journals`
    })
  const missing = host.bots.flatMap(({ botId, attempt, bot }) => {
    if (!deciding.has(`${botId} ${attempt}`)) return []
    const last = stored.get(`${botId} ${attempt}`)?.last ?? 0
    // Events that only the memory of a dead bot held may have been sent, or not.
    if (last <= bot.lastSeq && last >= bot.lastSeq - bot.unwritten) return []
    return [`one history: bot ${botId} journaled ${bot.lastSeq} events, ${last} are stored`]
  })
  return [...gaps, ...missing]
}

async function webhooks({ database, received }: Evidence): Promise<string[]> {
  const deliveries = await database
    .selectFrom('deliveries')
    .select(['message_id', 'bot_id', 'state'])
    .orderBy('id')
    .execute()
  const firstAt = new Map<string, number>()
  for (const [place, { id }] of received.entries()) if (!firstAt.has(id)) firstAt.set(id, place)
  const known = new Set(deliveries.map(({ message_id }) => message_id))
  const problems = [...firstAt.keys()]
    .filter((id) => !known.has(id))
    .map((id) => `webhooks: ${id} was received and is not stored`)
  const lastOf = new Map<string, number>()
  for (const { message_id, bot_id, state } of deliveries) {
    const place = firstAt.get(message_id)
    if (state !== 'delivered' || place === undefined) {
      problems.push(`webhooks: ${message_id} is ${state} and was ${place === undefined ? 'not ' : ''}received`)
      continue
    }
    const before = lastOf.get(bot_id!) ?? -1
    if (place < before) problems.push(`webhooks: ${message_id} of bot ${bot_id} came out of order`)
    lastOf.set(bot_id!, Math.max(before, place))
  }
  return problems
}

async function tokens({ database }: Evidence): Promise<string[]> {
  const sums = (await ledgerDifferences(database)).map(
    ({ teamId }) => `tokens: the sums of team ${teamId} do not add up`,
  )
  const { rows } = await sql<{ id: string; reserved: number; released: number; charges: number; meters: number }>`
    select bots.id,
      coalesce(sum(amount) filter (where ledger.kind = 'reserve'), 0) as reserved,
      coalesce(sum(amount) filter (where ledger.kind = 'release'), 0) as released,
      count(*) filter (where ledger.kind = 'charge') as charges,
      count(distinct meter) filter (where ledger.kind = 'charge') as meters
    from bots left join ledger on ledger.bot_id = bots.id group by bots.id`.execute(database)
  const entries = rows
    .filter(({ reserved, released, charges, meters }) => reserved !== released || charges !== meters)
    .map(({ id, reserved, released, charges }) => {
      return `tokens: bot ${id} reserved ${reserved}, released ${released} and was charged ${charges} times`
    })
  return [...sums, ...entries]
}

async function nothingLeft({ database, host }: Evidence): Promise<string[]> {
  const { rows } = await sql<{ what: string; count: number }>`
    select 'bots with a lease' as what, count(*) as count from bots where lease_owner is not null
    union all select 'launches that are not cleaned up', count(*) from launches where cleaned_at is null
    union all select 'launches without an end', count(*) from launches where ended_at is null
    union all select 'deliveries that are being sent', count(*) from deliveries where state = 'sending'
    union all select 'commands without an answer', count(*) from bot_commands where answered_at is null`.execute(
    database,
  )
  const left = rows.filter(({ count }) => count > 0).map(({ what, count }) => `nothing left: ${count} ${what}`)
  const running = host.bots.filter(({ bot }) => bot.evidence === null)
  return running.length === 0 ? left : [...left, `nothing left: ${running.length} bots run that no row knows`]
}

/** Followers have each event of the attempts that are the bot, in the order of its journal, and none that is not stored. */
async function followers({ database, heard, received }: Evidence): Promise<string[]> {
  if (heard === undefined) return []
  const { rows } = await sql<FollowedEvent & { bot: string }>`
    select bot_id as bot, format('attempt %s of a bot that joined in %s, stored %s, the bot ended %s', bot_events.attempt,
      coalesce(bots.joined_attempt::text, 'none'), stored_at, ended.at) as facts,
      stored_at > bots.updated_at and bots.phase = 'closed' as is_late,
      journal_id || ':' || seq as id, type, (bots.joined_attempt is null
      or bot_events.attempt = bots.joined_attempt
      or bots.parts @> jsonb_build_array(jsonb_build_object('attempt', bot_events.attempt))) as is_the_bot
    from bot_events join bots on bots.id = bot_id
    cross join lateral (select max(at) as at from bot_steps where bot_steps.bot_id = bots.id and kind = 'ended') ended
    where type = any(${EVENT_TYPES}::text[])
    order by bot_id, bot_events.attempt, seq`.execute(database)
  const messages = new Map(received.map((message) => [message.id, message]))
  const inWebhooks = Map.groupBy(messages.values(), ({ botId }) => botId)
  return [...Map.groupBy(rows, ({ bot }) => bot)].flatMap(([bot, stored]) => {
    const { stream, team } = heard.get(bot) ?? { stream: [], team: [] }
    const words = stored.filter(({ type }) => type === 'transcript')
    const carried = (inWebhooks.get(bot) ?? []).flatMap(({ eventIds = [] }) => eventIds)
    return [
      // It says its end when the bot has ended. A bot that was given up while it started may report after that.
      ...problemsOf(
        'the stream',
        bot,
        stored.map((event) => ({ ...event, is_the_bot: event.is_the_bot && !event.is_late })),
        stream,
      ),
      ...problemsOf('the stream of the team', bot, stored, team),
      ...problemsOf('webhooks', bot, words, carried),
    ]
  })
}

interface FollowedEvent {
  id: string
  type: string
  /** Followers have to have it. */
  is_the_bot: boolean
  /** It was stored after the bot had ended. */
  is_late: boolean
  facts: string
}

function problemsOf(
  follower: string,
  bot: string,
  stored: readonly Pick<FollowedEvent, 'id' | 'is_the_bot' | 'facts'>[],
  ids: readonly string[],
): string[] {
  const [known, have] = [new Set(stored.map(({ id }) => id)), new Set(ids)]
  const missing = stored.filter(({ id, is_the_bot }) => is_the_bot && !have.has(id))
  const order = Map.groupBy(ids, (id) => id.split(':')[0])
  const isSorted = [...order.values()].every((ofJournal) =>
    ofJournal.every((id, place) => place === 0 || numberOf(id) > numberOf(ofJournal[place - 1]!)),
  )
  return [
    ...(missing.length > 0
      ? [`${missing.length} events are missing, such as ${missing[0]!.id} (${missing[0]!.facts})`]
      : []),
    ...(ids.every((id) => known.has(id)) ? [] : ['an event came that is not stored']),
    ...(isSorted ? [] : ['an event came twice or out of order']),
  ].map((problem) => `followers: ${follower} of bot ${bot}: ${problem}`)
}

const numberOf = (id: string) => Number(id.split(':')[1])
