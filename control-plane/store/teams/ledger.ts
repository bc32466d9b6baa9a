/** Token entries and the sums of a team, which always change together. */
import { type RawBuilder, sql } from 'kysely'
import type { LedgerEntry } from '../../bots/change.ts'
import type { Tx } from '../database.ts'
import { PREPARED } from '../prepared.ts'

/**
 * Writes entries and moves the team's sums by those that are new; an entry whose source is known changes nothing.
 * `reserve` and `release` move what is reserved; `charge` moves balance and spent; `grant` and `adjust` the balance.
 */
export async function writeLedger(tx: Tx, entries: readonly LedgerEntry[]): Promise<void> {
  if (entries.length === 0) return
  await sql`${PREPARED} with ${ledgerParts(entries)} select 1`.execute(tx)
}

/** The same as parts of a larger `with`. */
export function ledgerParts(entries: readonly LedgerEntry[]): RawBuilder<unknown> {
  const isOfOneTeam = entries.every(({ teamId }) => teamId === entries[0]!.teamId)
  const rows = entries.map(({ teamId, botId, kind, meter, amount, source }) => ({
    team_id: teamId,
    bot_id: botId,
    kind,
    meter,
    amount,
    source,
  }))
  return sql`
    entry as (
      insert into ledger (team_id, bot_id, kind, meter, amount, source)
      select team_id, bot_id, kind, meter, amount, source
      from json_to_recordset(${JSON.stringify(rows)}::json)
        as entry (team_id uuid, bot_id uuid, kind text, meter text, amount bigint, source text)
      on conflict (source) do nothing
      returning team_id, kind, amount
    ), moved as (
      select team_id,
        sum(case kind when 'reserve' then amount when 'release' then -amount else 0 end) as reserved,
        sum(case kind when 'charge' then amount else 0 end) as spent,
        sum(case kind when 'charge' then -amount when 'grant' then amount when 'adjust' then amount else 0 end) as balance
      from entry group by team_id
    ), ${isOfOneTeam ? sql`` : LOCKED_IN_ORDER} summed as (
      update teams set
        reserved = teams.reserved + moved.reserved,
        spent = teams.spent + moved.spent,
        balance = teams.balance + moved.balance
      from ${isOfOneTeam ? sql`moved` : sql`locked moved`} where teams.id = moved.team_id
    )`
}

/** Teams are locked in the order of their ids, so that no two writers wait for each other in a circle. */
const LOCKED_IN_ORDER = sql`locked as materialized (
      select moved.* from teams join moved on moved.team_id = teams.id
      order by teams.id for no key update of teams
    ),`
