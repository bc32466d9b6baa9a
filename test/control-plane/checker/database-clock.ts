/**
 * Sets the database's clock apart from the machine's: `now()` and `clock_timestamp()` in the public schema come before
 * those of PostgreSQL in the search path.
 */
import { sql } from 'kysely'
import type { Database } from '../../../control-plane/store/database.ts'

const SETTING = 'checker.clock_step'

/** Before the migrations: defaults of columns stay with the function that they were made with. */
export async function installClock(database: Database): Promise<void> {
  for (const [name, volatility] of [
    ['now', 'stable'],
    ['clock_timestamp', 'volatile'],
  ])
    await sql
      .raw(
        `create function public.${name}() returns timestamptz language sql ${volatility} return
          pg_catalog.${name}() + coalesce(current_setting('${SETTING}', true), '0')::interval`,
      )
      .execute(database)
}

/** Forward, or back if the seconds are negative, from where the clock is. */
export async function stepClock(database: Database, seconds: number): Promise<void> {
  const { rows } = await sql<{ step: number }>`
    select extract(epoch from public.clock_timestamp() - pg_catalog.clock_timestamp())::float8 as step`.execute(
    database,
  )
  await sql.raw(`alter system set ${SETTING} = '${(rows[0]!.step + seconds).toFixed(3)} seconds'`).execute(database)
  await sql`select pg_reload_conf()`.execute(database)
}
