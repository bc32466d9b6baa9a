/** What the attempts of bots used: one row for each process that reported. */
import type { BotUsage } from '@standin/wire/usage.ts'
import { sql } from 'kysely'
import { usageRowOf } from '../../bots/usage.ts'
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
