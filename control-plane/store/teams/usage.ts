/** The usage of a team, for the dashboard. */
import { sql } from 'kysely'
import { MICRO } from '../../bots/change.ts'
import type { UsageSums } from '../../bots/usage.ts'
import { PERIODS, usageOfTeam } from '../bots/usage.ts'
import type { Database } from '../database.ts'

export interface UsageOfDay {
  /** Such as 2026-11-26, UTC; of a month 2026-11. */
  day: string
  bots: number
  /** Of the recordings of these bots. */
  recorded_minutes: number
  /** Tokens by meter. */
  charged: Record<string, number>
  /** Of these bots; null if none has reported. */
  resources: UsageSums | null
}

/** Oldest first; days without bots and charges are left out. */
export async function readUsage(
  db: Database,
  teamId: string,
  { days, per }: { days: number; per: 'day' | 'month' },
): Promise<UsageOfDay[]> {
  const charges = await sql<{ day: string; meter: string; amount: number }>`
    select to_char(at at time zone 'UTC', ${PERIODS[per]}) as day, coalesce(meter, 'other') as meter,
      -sum(amount)::bigint as amount
    from ledger where team_id = ${teamId} and kind = 'charge' and at > now() - make_interval(days => ${days})
    group by 1, 2`.execute(db)
  const bots = await sql<{ day: string; count: number; minutes: number }>`
    select to_char(created_at at time zone 'UTC', ${PERIODS[per]}) as day, count(*) as count,
      coalesce(sum(duration_seconds), 0)::float8 / 60 as minutes
    from bots where team_id = ${teamId} and created_at > now() - make_interval(days => ${days})
    group by 1`.execute(db)
  const byDay = new Map<string, UsageOfDay>()
  const of = (day: string) => {
    const found = byDay.get(day) ?? { day, bots: 0, recorded_minutes: 0, charged: {}, resources: null }
    byDay.set(day, found)
    return found
  }
  for (const { day, count, minutes } of bots.rows) Object.assign(of(day), { bots: count, recorded_minutes: minutes })
  for (const [day, resources] of await usageOfTeam(db, teamId, { days, per })) of(day).resources = resources
  for (const { day, meter, amount } of charges.rows) of(day).charged[meter] = Math.abs(amount) / MICRO
  return [...byDay.values()].sort((a, b) => a.day.localeCompare(b.day))
}

export interface ShownLedgerEntry {
  id: number
  at: Date
  kind: string
  meter: string | null
  amount: number
  bot_id: string | null
}

/** Newest first; `before`: the id of the last one that was shown. Amounts in tokens. */
export async function readLedger(
  db: Database,
  teamId: string,
  before: number | null,
  limit: number,
): Promise<ShownLedgerEntry[]> {
  let query = db
    .selectFrom('ledger')
    .select(['id', 'at', 'kind', 'meter', 'amount', 'bot_id'])
    .where('team_id', '=', teamId)
  if (before !== null) query = query.where(sql<boolean>`(at, id) < (select at, id from ledger where id = ${before})`)
  const rows = await query.orderBy('at', 'desc').orderBy('id', 'desc').limit(limit).execute()
  return rows.map((row) => ({ ...row, amount: row.amount / MICRO }))
}
