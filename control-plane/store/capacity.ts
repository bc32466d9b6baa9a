/** How many bots each launching process can start, as it reports. A row that is not renewed is not shown. */
import { sql } from 'kysely'
import type { Database } from './database.ts'
import { writeSetting } from './settings.ts'

const PREFIX = 'capacity:'
/** A process reports every ten seconds. */
const SHOWN_SECONDS = 60

export interface Capacity {
  launcher: string
  version: string
  /** Of the bots' containers; null if bots are processes of the program itself. */
  image: string | null
  /** Absent: the engine decides. */
  free?: number
  limit?: number
  /** Why none is free, if it is not the limit. */
  reason?: string
}

export async function writeCapacity(db: Database, id: string, capacity: Capacity): Promise<void> {
  const { rows } = await sql<{ now: string }>`select now() as now`.execute(db)
  await writeSetting(db, PREFIX + id, { ...capacity, at: rows[0]!.now })
  await sql`
    delete from settings where name like ${`${PREFIX}%`}
      and (value ->> 'at')::timestamptz < now() - make_interval(secs => ${SHOWN_SECONDS})`.execute(db)
}

export async function removeCapacity(db: Database, id: string): Promise<void> {
  await db
    .deleteFrom('settings')
    .where('name', '=', PREFIX + id)
    .execute()
}

/** Reads the capacity of all processes that launch bots now. */
export async function readCapacities(db: Database): Promise<Capacity[]> {
  const { rows } = await sql<{ value: Capacity }>`
    select value - 'at' as value from settings where name like ${`${PREFIX}%`}
      and (value ->> 'at')::timestamptz >= now() - make_interval(secs => ${SHOWN_SECONDS})
    order by value ->> 'launcher', name`.execute(db)
  return rows.map(({ value }) => value)
}
