/** Compares the sums of teams with the entries that they are made of. */
import { sql } from 'kysely'
import type { Database, Tx } from '../database.ts'

/** Micro-tokens. */
interface Sums {
  reserved: number
  spent: number
  /** Null: unlimited. */
  balance: number | null
}

export interface LedgerDifference {
  teamId: string
  stored: Sums
  computed: Sums
}

/** The setting with what the last audit found. */
export const LAST_AUDIT = 'last_audit'

export interface LastAudit {
  /** Micro-tokens by which sums and ledgers of all teams differ together, each difference counted as positive. */
  difference: number
  /** Ended bots that still hold a reserve. */
  openReserves: number
}

/** Milliseconds for each statement, which reads whole tables. */
const MAX_MS = 300_000

/** Runs the audit's statements on one connection, with more time than other statements have. */
export async function withAuditTime<Result>(db: Database, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  return db.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = ${sql.lit(MAX_MS)}`.execute(tx)
    return work(tx)
  })
}

/** Teams whose stored sums are not those of their entries. One statement, so that both are of one moment. */
export async function ledgerDifferences(db: Database | Tx): Promise<LedgerDifference[]> {
  const { rows } = await sql<{
    id: string
    reserved: number
    spent: number
    balance: number | null
    own_reserved: number
    own_spent: number
    own_balance: number | null
  }>`
    select t.id, t.reserved, t.spent, t.balance, coalesce(l.reserved, 0) as own_reserved,
      coalesce(l.spent, 0) as own_spent, case when t.balance is not null then coalesce(l.balance, 0) end as own_balance
    from teams t left join (
      select team_id,
        sum(case kind when 'reserve' then amount when 'release' then -amount else 0 end)::bigint as reserved,
        sum(case kind when 'charge' then amount else 0 end)::bigint as spent,
        sum(case kind when 'charge' then -amount when 'grant' then amount when 'adjust' then amount else 0 end)::bigint
          as balance
      from ledger group by team_id
    ) l on l.team_id = t.id
    where t.reserved <> coalesce(l.reserved, 0) or t.spent <> coalesce(l.spent, 0)
      or (t.balance is not null and t.balance <> coalesce(l.balance, 0))
    order by t.id`.execute(db)
  return rows.map((row) => ({
    teamId: row.id,
    stored: { reserved: row.reserved, spent: row.spent, balance: row.balance },
    computed: { reserved: row.own_reserved, spent: row.own_spent, balance: row.own_balance },
  }))
}

/** Ended bots whose reserve was not released, or more than once, in micro-tokens. */
export async function openReserves(db: Database | Tx): Promise<{ botId: string; amount: number }[]> {
  const { rows } = await sql<{ bot_id: string; amount: number }>`
    select l.bot_id, sum(case l.kind when 'reserve' then l.amount else -l.amount end)::bigint as amount
    from ledger l join bots b on b.id = l.bot_id
    where l.kind in ('reserve', 'release') and b.phase = 'closed'
    group by l.bot_id having sum(case l.kind when 'reserve' then l.amount else -l.amount end) <> 0
    order by l.bot_id`.execute(db)
  return rows.map(({ bot_id, amount }) => ({ botId: bot_id, amount }))
}

/** A line about an audit of the token entries. */
export async function writeAudit(
  db: Database,
  line: { who: string; what: string; before?: unknown; after?: unknown },
): Promise<void> {
  const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value))
  await db
    .insertInto('audit')
    .values({ who: line.who, what: line.what, before: json(line.before), after: json(line.after) })
    .execute()
}
