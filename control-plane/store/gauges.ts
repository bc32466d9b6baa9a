/** The queries of `/metrics`: over open rows only, never over finished ones. */
import { sql } from 'kysely'
import { type CalendarGauges, readCalendarGauges } from './calendars/syncs.ts'
import type { Database } from './database.ts'
import { readSetting } from './settings.ts'
import { LAST_AUDIT, type LastAudit } from './teams/ledger-audit.ts'
import { BREAKER_FAILURES } from './webhooks/deliveries.ts'

/** Milliseconds for each statement. A scrape must not load a database that is busy already. */
const MAX_MS = 2_000

export interface Gauges {
  /** Open bots by phase and public status. */
  bots: { phase: string; status: string; count: number }[]
  /** Seconds that the bot that waits longest is past its time; 0 without any. */
  latestBotSeconds: number
  /** Bots that will be started within so many minutes, those whose time has passed too. */
  dueBots: Record<'5' | '10' | '15', number>
  deliveries: { state: string; count: number }[]
  /** Seconds since the oldest delivery that waits was due; 0 without any. Apart for endpoints that fail again and again. */
  oldestDelivery: { answering: number; failing: number }
  /** Endpoints that get single probes only. */
  failingEndpoints: number
  /** Seconds since the oldest entry of each queue was due; 0 without any. */
  queues: Record<'bots' | 'deliveries' | 'deletions' | 'retranscriptions' | 'calendar_syncs' | 'commands', number>
  calendars: CalendarGauges
  /** Null: no audit has run yet. */
  audit: LastAudit | null
  /** Seconds since each periodic job was last done by any process. */
  jobs: { job: string; seconds: number }[]
}

export async function readGauges(database: Database): Promise<Gauges> {
  return database.transaction().execute(async (db) => {
    await sql`set local statement_timeout = ${sql.lit(MAX_MS)}`.execute(db)
    const bots = await sql<Gauges['bots'][number]>`
      select phase, status, count(*) as count from bots where phase <> 'closed' group by phase, status`.execute(db)
    const due = await sql<Gauges['dueBots']>`
      select count(*) filter (where due_at < now() + interval '5 min') as "5",
        count(*) filter (where due_at < now() + interval '10 min') as "10", count(*) as "15"
      from bots where phase in ('scheduled', 'due') and due_at < now() + interval '15 min'`.execute(db)
    const deliveries = await sql<{ state: string; count: number }>`
      select state, count(*) as count from deliveries where state in ('waiting', 'sending') group by state`.execute(db)
    const oldest = await sql<{ answering: number; failing: number; endpoints: number }>`
      with failing as materialized (
        select id from endpoints where failed_in_a_row >= ${BREAKER_FAILURES} and disabled_at is null
      ) select
        (select count(*) from failing) as endpoints,
        ${age(sql`(select next_at from deliveries where state = 'waiting' and next_at < now()
          and endpoint_id not in (select id from failing) order by next_at, id limit 1)`)} as answering,
        ${age(sql`(select next_at from deliveries where state = 'waiting' and next_at < now()
          and endpoint_id in (select id from failing) order by next_at, id limit 1)`)} as failing`.execute(db)
    const queues = await sql<Omit<Gauges['queues'], 'deliveries' | 'calendar_syncs'>>`
      select
        ${age(sql`(select min(due_at) from bots where phase in ('scheduled', 'due'))`)} as bots,
        ${age(sql`(select min(next_try_at) from deletions where verified_at is null or swept_at is null)`)} as deletions,
        ${age(sql`(select min(due_at) from retranscriptions where finished_at is null
          and (lease_until is null or lease_until < now()))`)} as retranscriptions,
        ${age(sql`(select min(created_at) from bot_commands where answered_at is null and sent_at is null
          and expires_at > now())`)} as commands`.execute(db)
    const jobs = await sql<{ job: string; seconds: number }>`
      select substr(name, 5) as job, extract(epoch from now() - (value ->> 'ended')::timestamptz)::float8 as seconds
      from settings where name like 'job:%' and value ->> 'ended' is not null`.execute(db)
    const calendars = await readCalendarGauges(db)
    const { endpoints, ...oldestDelivery } = oldest.rows[0]!
    const waiting = queues.rows[0]!
    return {
      bots: bots.rows,
      latestBotSeconds: waiting.bots,
      dueBots: due.rows[0]!,
      deliveries: deliveries.rows,
      oldestDelivery,
      failingEndpoints: endpoints,
      queues: { ...waiting, deliveries: oldestDelivery.answering, calendar_syncs: calendars.latestSyncSeconds },
      calendars,
      audit: ((await readSetting(db, LAST_AUDIT)) as LastAudit | undefined) ?? null,
      jobs: jobs.rows,
    }
  })
}

/** Seconds since that time; 0 where it is still to come or there is none. */
function age(time: ReturnType<typeof sql>) {
  return sql`greatest(0, coalesce(extract(epoch from now() - ${time}), 0))::float8`
}

/** Rejects if the database does not answer, or takes no writes. Nothing is written: there is no such row. */
export async function probeDatabase(db: Database): Promise<void> {
  await sql`select from settings where name = '' for update`.execute(db)
}
