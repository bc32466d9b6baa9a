/** Facts about this installation. */
import { sql } from 'kysely'
import type { Database } from './database.ts'

export async function readSetting(db: Database, name: string): Promise<unknown> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value
}

/** The stored value: `value` if there was none before. Two that write at once get the same answer. */
export async function keepSetting(db: Database, name: string, value: unknown): Promise<unknown> {
  await sql`insert into settings (name, value) values (${name}, ${JSON.stringify(value)}::jsonb)
    on conflict (name) do nothing`.execute(db)
  return readSetting(db, name)
}

export async function writeSetting(db: Database, name: string, value: unknown): Promise<void> {
  await sql`insert into settings (name, value) values (${name}, ${JSON.stringify(value)}::jsonb)
    on conflict (name) do update set value = excluded.value`.execute(db)
}
