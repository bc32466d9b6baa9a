/** A bot is created, and admitted where it is not for later: limits of the team, duplicates, the row and what follows from it. */

import type { MeetingLink } from '@standin/wire/meeting-links/index.ts'
import { sql } from 'kysely'
import { admitted } from '../../bots/admit.ts'
import type { BotChange } from '../../bots/change.ts'
import type { BotRequest, BotSecrets } from '../../bots/request.ts'
import type { Seals } from '../../ports.ts'
import type { BotRow, NewBotRow, TeamRow } from '../../rows/index.ts'
import type { Database, Tx } from '../database.ts'
import { PREPARED } from '../prepared.ts'
import { shareStatements } from '../shared-statements.ts'
import { ledgerParts } from '../teams/ledger.ts'
import { createEndpoint } from '../webhooks/endpoints.ts'
import { messageParts } from '../webhooks/messages.ts'
import { type Candidate, checkAdmissions, type Refusal } from './admission-checks.ts'
import { writable } from './bots.ts'
import { sealedSecrets } from './secrets.ts'
import { stepRows } from './steps.ts'

/** A bot as a caller asks for it, whose fields are checked. */
export interface NewBot {
  id: string
  teamId: string
  apiKeyId: string | null
  generation: 'v2' | 'older'
  isCompat: boolean
  name: string
  meeting: Pick<MeetingLink, 'link' | 'platform' | 'key'>
  recordingMode: string
  extra: unknown
  request: BotRequest
  secrets: BotSecrets
  /** Of the older generation. */
  deduplicationKey: string | null
  /** Refused where the team has sent a bot to the meeting within the last five minutes. */
  isExclusive: boolean
  /** Null: at once. */
  joinAt: Date | null
  eventId?: string | null
  eventUuid?: string | null
  /** Of the request that asks for it, where that is traced. */
  traceparent?: string | null
}

export type Creation = { botId: string } | { refused: Refusal }

/**
 * Checks and creates. A refused bot leaves nothing behind. Where nothing has to be counted first, one statement does it all,
 * so that creations of one team wait for each other as briefly as possible; otherwise a transaction locks the team.
 */
export async function createBot(db: Database | Tx, seals: Seals, bot: NewBot): Promise<Creation> {
  const { team, now } = await readLimits(db, bot.teamId)
  if (bot.request.transcription?.hasOwnKey && !team.byok_transcription)
    return { refused: { code: 'BYOK_TRANSCRIPTION_NOT_ENABLED_ON_PLAN' } }
  const row = newRow(bot, seals)
  const isCounted = bot.joinAt === null && (isLimited(team) || row.is_exclusive || row.deduplication_key !== null)
  const hasEndpoints = bot.request.callback !== null || bot.request.webhookUrl !== null
  if (!isCounted && !hasEndpoints) {
    if (db.isTransaction || bot.joinAt !== null) await insertAdmitted(db, [{ bot, row, now }])
    else await sharedBy(db).inserts.add(bot.teamId, { bot, row, now })
    return { botId: bot.id }
  }
  return inTransaction(db, async (tx) => {
    if (isCounted) {
      const locked = await lockTeam(tx, bot.teamId)
      const [refused] = await checkAdmissions(tx, locked.team, [row])
      if (refused) return { refused }
    }
    await insertAdmitted(tx, [{ bot, row, now }])
    await addEndpoints(tx, seals, bot)
    return { botId: bot.id }
  })
}

const isLimited = (team: Pick<TeamRow, 'balance' | 'daily_cap'>) => team.balance !== null || team.daily_cap !== null

function inTransaction<T>(db: Database | Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db as Tx) : db.transaction().execute(work)
}

interface Insertion {
  bot: NewBot
  row: NewBotRow
  now: Date
}

/** Most bots of one team that one statement inserts. */
const INSERTED_AT_ONCE = 16

/** Statements that creations share, by pool. */
const shared = new WeakMap<Database, ReturnType<typeof shareCreations>>()

function shareCreations(db: Database) {
  return {
    limits: shareStatements(async (teamIds: readonly string[]) => {
      const limits = await readLimitsNow(db, teamIds[0]!)
      return teamIds.map(() => limits)
    }, Number.POSITIVE_INFINITY),
    inserts: shareStatements(async (insertions: readonly Insertion[]) => {
      await insertAdmitted(db, insertions)
      return insertions.map(() => null)
    }, INSERTED_AT_ONCE),
  }
}

function sharedBy(db: Database) {
  const known = shared.get(db) ?? shareCreations(db)
  shared.set(db, known)
  return known
}

/** As they are now, without a lock: `lockTeam` reads them again where they have to be counted on. */
function readLimits(db: Database | Tx, teamId: string) {
  return db.isTransaction ? readLimitsNow(db, teamId) : sharedBy(db).limits.add(teamId, teamId)
}

async function readLimitsNow(db: Database | Tx, teamId: string) {
  const { now, ...team } = await db
    .selectFrom('teams')
    .select(['balance', 'daily_cap', 'byok_transcription', sql<Date>`clock_timestamp()`.as('now')])
    .where('id', '=', teamId)
    .executeTakeFirstOrThrow()
  return { team, now }
}

/** Rows of bots of one team, their first steps, their first messages and the reservations, in one statement. */
async function insertAdmitted(db: Database | Tx, insertions: readonly Insertion[]): Promise<void> {
  const made = insertions.map(({ bot, row, now }) => {
    const change = bot.joinAt === null ? admitted(row as BotRow, now) : scheduled(bot.joinAt)
    const asked = { at: now, attempt: null, kind: 'asked' as const, reason: askedReason(bot) }
    const values = writable({
      ...row,
      ...change.patch,
      due_at: bot.joinAt ?? now,
      created_at: now,
      updated_at: now,
    } as NewBotRow)
    return { values, change, steps: stepRows(bot.id, [asked, ...change.steps]) }
  })
  const steps = made.flatMap((one) => one.steps)
  const messages = made.flatMap(({ change }) => change.messages)
  const ledger = made.flatMap(({ change }) => change.ledger)
  const parts = [
    sql`bot as (${db
      .insertInto('bots')
      .values(made.map(({ values }) => values))
      .returning('id')})`,
    sql`step as (${db.insertInto('bot_steps').values(steps)})`,
    ...(messages.length > 0 ? [messageParts(messages)] : []),
    ...(ledger.length > 0 ? [ledgerParts(ledger)] : []),
  ]
  await sql`${PREPARED} with ${sql.join(parts, sql`, `)} select id from bot`.execute(db)
}

/**
 * The team for the rest of the transaction, with the database's time. Creations of one team wait for its row, so
 * that none of them counts bots, tokens or duplicates that another one is about to add.
 */
export async function lockTeam(tx: Tx, teamId: string): Promise<{ team: TeamRow; now: Date }> {
  const { now, ...team } = await tx
    .selectFrom('teams')
    .selectAll()
    .select(sql<Date>`clock_timestamp()`.as('now'))
    .where('id', '=', teamId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  return { team, now }
}

function newRow(bot: NewBot, seals: Seals): NewBotRow & Candidate {
  return {
    id: bot.id,
    team_id: bot.teamId,
    api_key_id: bot.apiKeyId,
    generation: bot.generation,
    is_compat: bot.isCompat,
    phase: 'scheduled',
    status: 'queued',
    bot_name: bot.name,
    meeting_url: bot.meeting.link,
    meeting_key: bot.meeting.key,
    meeting_platform: bot.meeting.platform,
    recording_mode: bot.recordingMode,
    extra: bot.extra,
    request: bot.request,
    secrets: sealedSecrets(seals, bot.id, bot.secrets),
    deduplication_key: bot.deduplicationKey,
    is_exclusive: bot.isExclusive,
    is_scheduled: bot.joinAt !== null,
    join_at: bot.joinAt,
    due_at: bot.joinAt,
    event_id: bot.eventId ?? null,
    event_uuid: bot.eventUuid ?? null,
    traceparent: bot.traceparent ?? null,
    transcription_status: bot.request.transcription === null ? 'not-applicable' : 'not-started',
  }
}

/** Nothing is reserved, and nothing but its fields is checked, until the join time. */
function scheduled(joinAt: Date): BotChange {
  return {
    patch: { schedule_status: 'scheduled', join_at: joinAt },
    steps: [],
    messages: [],
    ledger: [],
  }
}

function askedReason({ joinAt }: NewBot): string {
  return joinAt === null ? 'A bot was asked for.' : `A bot was asked for, to join at ${joinAt.toISOString()}.`
}

async function addEndpoints(tx: Tx, seals: Seals, { id, teamId, request, secrets }: NewBot): Promise<void> {
  const { callback, webhookUrl } = request
  if (callback !== null)
    await createEndpoint(tx, seals, {
      teamId,
      botId: id,
      kind: 'callback',
      url: callback.url,
      method: callback.method,
      secret: secrets.callbackSecret ?? null,
    })
  if (webhookUrl !== null) await createEndpoint(tx, seals, { teamId, botId: id, kind: 'bot', url: webhookUrl })
}
