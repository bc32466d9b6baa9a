/** Resources that the attempts of bots used: one row for each process that reported. */
import { type BotUsage, USAGE_PHASES, type UsagePhase } from '@standin/wire/usage.ts'
import { sql } from 'kysely'
import { type UsageSums, usageRowOf } from '../../bots/usage.ts'
import type { Database, Tx } from '../database.ts'

export interface ReportedUsage {
  botId: string
  attempt: number
  journalId: string
  usage: BotUsage
}

/**
 * A final report replaces what heartbeats said, and no heartbeat replaces a final report or a longer life. Rows of bots
 * that do not exist are left out.
 */
export async function upsertUsage(
  db: Database | Tx,
  reports: readonly ReportedUsage[],
  { isFinal }: { isFinal: boolean },
): Promise<void> {
  if (reports.length === 0) return
  const rows = new Map(
    reports.map(({ botId, attempt, journalId, usage }) => [
      `${botId} ${attempt} ${journalId}`,
      { bot_id: botId, attempt, journal_id: journalId, is_final: isFinal, ...usageRowOf(usage) },
    ]),
  )
  await sql`
    insert into attempt_usage
    select reported.* from json_populate_recordset(null::attempt_usage, ${JSON.stringify([...rows.values()])}::json) reported
    join bots on bots.id = reported.bot_id
    order by bot_id, attempt, journal_id
    on conflict (bot_id, attempt, journal_id) do update set is_final = excluded.is_final, core_ms = excluded.core_ms,
      peak_memory_bytes = excluded.peak_memory_bytes, bytes_received = excluded.bytes_received,
      bytes_sent = excluded.bytes_sent, bytes_stored = excluded.bytes_stored, life_ms = excluded.life_ms,
      phase_ms = excluded.phase_ms
      where excluded.is_final or (not attempt_usage.is_final and excluded.life_ms >= attempt_usage.life_ms)`.execute(db)
}

interface SummedRow {
  core_ms: string
  peak_memory_bytes: number | null
  memory_byte_ms: string
  bytes_received: string
  bytes_sent: string
  bytes_stored: string
  phase_ms: Record<UsagePhase, string>
}

/** Columns of sums over `attempt_usage`. As text, since sums may be larger than the numbers of JavaScript. */
const SUMMED = sql`
  sum(core_ms)::text as core_ms, max(peak_memory_bytes) as peak_memory_bytes,
  sum(coalesce(peak_memory_bytes, 0)::numeric * life_ms)::text as memory_byte_ms,
  sum(bytes_received)::text as bytes_received, sum(bytes_sent)::text as bytes_sent,
  sum(bytes_stored)::text as bytes_stored,
  jsonb_build_object(${sql.join(
    USAGE_PHASES.flatMap((phase) => [
      sql.lit(phase),
      sql`coalesce(sum((phase_ms ->> ${sql.lit(phase)})::numeric), 0)::text`,
    ]),
  )}) as phase_ms`

function sumsOf(row: SummedRow): UsageSums {
  const phases = USAGE_PHASES.map((phase) => [phase, BigInt(row.phase_ms[phase])])
  return {
    coreMs: BigInt(row.core_ms),
    peakMemoryBytes: row.peak_memory_bytes,
    memoryByteMs: BigInt(row.memory_byte_ms),
    bytesReceived: BigInt(row.bytes_received),
    bytesSent: BigInt(row.bytes_sent),
    bytesStored: BigInt(row.bytes_stored),
    phaseMs: Object.fromEntries(phases),
  }
}

/** Adds up all attempts of a bot; null if none has reported. */
export async function usageOfBot(db: Database | Tx, botId: string): Promise<UsageSums | null> {
  const { rows } = await sql<SummedRow & { processes: number }>`
    select count(*) as processes, ${SUMMED} from attempt_usage where bot_id = ${botId}`.execute(db)
  return rows[0]!.processes === 0 ? null : sumsOf(rows[0]!)
}

/** Adds up the bots of a team by the day (UTC) on which they were created, or its month, such as 2026-11-26 and 2026-11. */
export async function usageOfTeam(
  db: Database,
  teamId: string,
  { days, per }: { days: number; per: 'day' | 'month' },
): Promise<Map<string, UsageSums>> {
  const { rows } = await sql<SummedRow & { period: string }>`
    select to_char(created_at at time zone 'UTC', ${PERIODS[per]}) as period, ${SUMMED}
    from attempt_usage join bots on bots.id = attempt_usage.bot_id
    where bots.team_id = ${teamId} and bots.created_at > now() - make_interval(days => ${days})
    group by 1`.execute(db)
  return new Map(rows.map((row) => [row.period, sumsOf(row)]))
}

/** Of `to_char`. */
export const PERIODS = { day: sql.lit('YYYY-MM-DD'), month: sql.lit('YYYY-MM') }
