/** What `/metrics` asks the database for. Each is one cheap statement over open rows. */
import { sql } from 'kysely'
import { type CalendarGauges, readCalendarGauges } from './calendar-syncs.ts'
import type { Database } from './database.ts'

export interface Gauges {
  /** Open bots by phase. */
  bots: { phase: string; count: number }[]
  /** Seconds that the bot that waits longest is past its time; 0 without any. */
  latestBotSeconds: number
  deliveries: { state: string; count: number }[]
  /** Seconds since the oldest delivery that waits was due; 0 without any. */
  oldestDeliverySeconds: number
  calendars: CalendarGauges
}

export async function readGauges(db: Database): Promise<Gauges> {
  const bots = await sql<{ phase: string; count: number }>`
    select phase, count(*) as count from bots where phase <> 'closed' group by phase`.execute(db)
  const late = await sql<{ seconds: number }>`
    select coalesce(extract(epoch from now() - min(due_at)), 0)::float8 as seconds
    from bots where phase in ('scheduled', 'due') and due_at < now()`.execute(db)
  const deliveries = await sql<{ state: string; count: number }>`
    select state, count(*) as count from deliveries where state in ('waiting', 'sending') group by state`.execute(db)
  const oldest = await sql<{ seconds: number }>`
    select coalesce(extract(epoch from now() - min(next_at)), 0)::float8 as seconds
    from deliveries where state = 'waiting' and next_at < now()`.execute(db)
  return {
    bots: bots.rows,
    latestBotSeconds: late.rows[0]!.seconds,
    deliveries: deliveries.rows,
    oldestDeliverySeconds: oldest.rows[0]!.seconds,
    calendars: await readCalendarGauges(db),
  }
}

/** Resolves where the database answers. */
export async function probeDatabase(db: Database): Promise<void> {
  await sql`select 1 from settings limit 1`.execute(db)
}
