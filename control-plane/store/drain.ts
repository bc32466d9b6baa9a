/** Draining: launchers that run start no more bots. A launcher that is started later does. */
import { sql } from 'kysely'
import type { Database } from './database.ts'
import { readSetting, writeSetting } from './settings.ts'

const SETTING = 'drain_asked_at'
/** Bots that have a process, or are about to get one. */
const OPEN_PHASES = ['launching', 'starting', 'running', 'ending', 'processing', 'assembling']

/** UTC milliseconds of the database's clock. */
export async function databaseTime(db: Database): Promise<number> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  return rows[0]!.now.getTime()
}

export async function askForDrain(db: Database): Promise<void> {
  await writeSetting(db, SETTING, await databaseTime(db))
}

/** Whether a drain was asked for since then (UTC milliseconds of the database's clock). */
export async function isDrainAskedSince(db: Database, since: number): Promise<boolean> {
  const askedAt = await readSetting(db, SETTING)
  return typeof askedAt === 'number' && askedAt >= since
}

export async function countOpenBots(db: Database): Promise<number> {
  const { count } = await db
    .selectFrom('bots')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('phase', 'in', OPEN_PHASES)
    .executeTakeFirstOrThrow()
  return count
}
