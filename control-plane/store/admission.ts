/** A bot is created, and admitted where it is not for later: limits of the team, duplicates, the row and what follows from it. */
import { sql } from 'kysely'
import { admitted } from '../bots/admit.ts'
import { type BotChange, MICRO } from '../bots/change.ts'
import type { MeetingLink } from '../bots/meeting-link.ts'
import { RESERVATION } from '../bots/outcomes.ts'
import type { BotRequest, BotSecrets } from '../bots/request.ts'
import type { Seals } from '../ports.ts'
import { sealedSecrets } from './bot-secrets.ts'
import { jsonText, writable } from './bots.ts'
import type { Database, Tx } from './database.ts'
import { createEndpoint } from './endpoints.ts'
import { ledgerParts } from './ledger.ts'
import { messageParts } from './messages.ts'
import { PREPARED } from './prepared.ts'
import { shareStatements } from './shared-statements.ts'
import { stepRows } from './steps.ts'
import type { BotRow, NewBotRow, TeamRow } from './tables.ts'

/** A bot as a caller asks for it, whose fields are checked. */
export interface NewBot {
  id: string
  teamId: string
  apiKeyId: string | null
  generation: 'v2' | 'older'
  isCompat: boolean
  name: string
  meeting: MeetingLink
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
}

/** Why a bot is not admitted. Amounts are tokens. */
export type Refusal =
  | { code: 'BYOK_TRANSCRIPTION_NOT_ENABLED_ON_PLAN' }
  /** `retryAfterSeconds`: until the oldest of the counted bots is a day old. */
  | { code: 'DAILY_BOT_CAP_REACHED'; created: number; retryAfterSeconds: number | null }
  | { code: 'INSUFFICIENT_TOKENS'; available: number; required: number }
  | { code: 'BOT_ALREADY_EXISTS'; why: 'recent' | 'deduplication_key' }

export type Creation = { botId: string } | { refused: Refusal }

const DUPLICATE_WINDOW = "interval '5 minutes'"
const CAP_WINDOW = "interval '24 hours'"

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
 * The team for the rest of the transaction, with the database's time. Its row is what creations of one team wait for, so
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

/** What the checks have to know of a bot; a row that is not inserted yet has it as well. */
export type Candidate = Pick<
  BotRow,
  'id' | 'team_id' | 'generation' | 'meeting_key' | 'is_exclusive' | 'deduplication_key'
>

/**
 * The checks that depend on what else the team does, in their order: daily cap, tokens, duplicates. `team` is locked by
 * this transaction (`lockTeam`). Also for bots that are due: a bot itself does not count, and those that are admitted count
 * for the ones behind them. Null: admitted. Few statements, however many bots.
 */
export async function checkAdmissions(
  tx: Tx,
  team: TeamRow,
  candidates: readonly Candidate[],
): Promise<(Refusal | null)[]> {
  const day = team.daily_cap === null ? null : await countOfDay(tx, team.id)
  const known = await duplicatesOf(tx, candidates)
  const admittedOnes: Candidate[] = []
  return candidates.map((candidate) => {
    const created = (day?.created ?? 0) + admittedOnes.length
    if (team.daily_cap !== null && created >= team.daily_cap)
      return { code: 'DAILY_BOT_CAP_REACHED', created, retryAfterSeconds: day?.retry_after ?? null }
    const available = team.balance === null ? null : team.balance - team.reserved - admittedOnes.length * RESERVATION
    if (available !== null && available < RESERVATION)
      return { code: 'INSUFFICIENT_TOKENS', available: available / MICRO, required: RESERVATION / MICRO }
    const why = known.get(candidate.id) ?? duplicateAmong(admittedOnes, candidate)
    if (why !== null) return { code: 'BOT_ALREADY_EXISTS', why }
    admittedOnes.push(candidate)
    return null
  })
}

/** Bots that were queued within the last day; scheduled ones count from the time they were due. */
async function countOfDay(tx: Tx, teamId: string): Promise<{ created: number; retry_after: number | null }> {
  const { rows } = await sql<{ created: number; retry_after: number | null }>`
    select count(*) as created,
      ceil(extract(epoch from min(queued_at) + ${sql.raw(CAP_WINDOW)} - now()))::int as retry_after
    from bots where team_id = ${teamId} and queued_at > now() - ${sql.raw(CAP_WINDOW)}`.execute(tx)
  return rows[0]!
}

type Duplicate = Extract<Refusal, { why: unknown }>['why']

const canBeDuplicate = (bot: Candidate) => bot.is_exclusive || bot.deduplication_key !== null

/** Which of them have a duplicate that is stored; the others are missing in the answer. */
async function duplicatesOf(tx: Tx, candidates: readonly Candidate[]): Promise<Map<string, Duplicate>> {
  const asked = candidates.filter(canBeDuplicate)
  if (asked.length === 0) return new Map()
  const rowsAsked = asked.map(({ id, team_id, generation, meeting_key, is_exclusive, deduplication_key }) => {
    return { id, team_id, generation, meeting_key, is_exclusive, deduplication_key }
  })
  const { rows } = await sql<{ id: string; recent: boolean; same_key: boolean }>`
    select bot.id,
      bot.is_exclusive and exists (
        select from bots where team_id = bot.team_id and meeting_key = bot.meeting_key and id <> bot.id
          and queued_at > now() - ${sql.raw(DUPLICATE_WINDOW)}
          and (bot.generation = 'v2' or deduplication_key is not distinct from bot.deduplication_key)
      ) as recent,
      exists (
        select from bots where team_id = bot.team_id and meeting_key = bot.meeting_key and id <> bot.id
          and deduplication_key = bot.deduplication_key and phase not in ('scheduled', 'closed')
      ) as same_key
    from json_to_recordset(${jsonText(rowsAsked)}::json) as bot (id uuid, team_id uuid, generation text,
      meeting_key text, is_exclusive boolean, deduplication_key text)`.execute(tx)
  return new Map(
    rows.flatMap(({ id, recent, same_key }): [string, Duplicate][] =>
      same_key ? [[id, 'deduplication_key']] : recent ? [[id, 'recent']] : [],
    ),
  )
}

/** The same among bots that are about to be admitted together. */
function duplicateAmong(others: readonly Candidate[], bot: Candidate): Duplicate | null {
  if (!canBeDuplicate(bot)) return null
  const there = others.filter(({ meeting_key }) => meeting_key === bot.meeting_key)
  const hasSameKey = there.some(({ deduplication_key: key }) => key === bot.deduplication_key)
  if (hasSameKey && bot.deduplication_key !== null) return 'deduplication_key'
  return bot.is_exclusive && (bot.generation === 'v2' ? there.length > 0 : hasSameKey) ? 'recent' : null
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
    meeting_url: bot.meeting.url,
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
