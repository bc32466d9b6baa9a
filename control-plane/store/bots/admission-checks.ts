/** The checks of a bot's admission that depend on what else its team does. */
import { sql } from 'kysely'
import { MICRO } from '../../bots/change.ts'
import { RESERVATION } from '../../bots/outcomes.ts'
import type { Tx } from '../database.ts'
import type { BotRow, TeamRow } from '../rows/index.ts'
import { jsonText } from './bots.ts'

/** Why a bot is not admitted. Amounts are tokens. */
export type Refusal =
  | { code: 'BYOK_TRANSCRIPTION_NOT_ENABLED_ON_PLAN' }
  /** `retryAfterSeconds`: until the oldest of the counted bots is a day old. */
  | { code: 'DAILY_BOT_CAP_REACHED'; created: number; retryAfterSeconds: number | null }
  | { code: 'INSUFFICIENT_TOKENS'; available: number; required: number }
  | { code: 'BOT_ALREADY_EXISTS'; why: 'recent' | 'deduplication_key' }

const DUPLICATE_WINDOW = "interval '5 minutes'"
const CAP_WINDOW = "interval '24 hours'"

/** The columns that the checks read; a row that is not inserted yet has them as well. */
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
