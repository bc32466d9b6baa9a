/**
 * Sets the database's clock apart from the machine's: `now()` and `clock_timestamp()` in the public schema come before
 * those of PostgreSQL in the search path.
 */
import { sql } from 'kysely'
import type { Database } from '../../../control-plane/store/database.ts'

const SETTING = 'checker.clock_step'

const STEP = `coalesce(current_setting('${SETTING}', true), '0')::interval`

/**
 * Before the migrations: defaults of columns stay with the function that they were made with. `step`: the SQL of how far the
 * clock is ahead.
 */
export async function installClock(database: Database, step = STEP): Promise<void> {
  for (const [name, volatility] of [
    ['now', 'stable'],
    ['clock_timestamp', 'volatile'],
  ])
    await sql
      .raw(
        `create function public.${name}() returns timestamptz language sql ${volatility} return
          pg_catalog.${name}() + ${step}`,
      )
      .execute(database)
}

/** A clock that all sessions of the database follow at once: it is set by `update clock_step set step = …`. */
export async function installSettableClock(database: Database): Promise<void> {
  await sql`create table clock_step (step interval not null)`.execute(database)
  await sql`insert into clock_step values ('0')`.execute(database)
  await installClock(database, '(select step from public.clock_step)')
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
