/** Saved views of a person: filters of the list of meetings under a name. */
import { sql } from 'kysely'
import type { Database } from '../database.ts'

export const MAX_VIEWS = 20

export interface SavedView {
  view_id: string
  name: string
  filters: Record<string, string>
}

export async function listViews(db: Database, personId: string): Promise<SavedView[]> {
  return db
    .selectFrom('saved_views')
    .select(['id as view_id', 'name', 'filters'])
    .where('person_id', '=', personId)
    .orderBy(sql`lower(name)`)
    .$castTo<SavedView>()
    .execute()
}

/** Replaces the view of this name. False: the person has as many views as they may have. */
export async function saveView(
  db: Database,
  personId: string,
  { name, filters }: Omit<SavedView, 'view_id'>,
): Promise<boolean> {
  const text = JSON.stringify(filters)
  const { numAffectedRows } = await sql`
    insert into saved_views (person_id, name, filters) select ${personId}, ${name}, ${text}::jsonb
    where (select count(*) from saved_views where person_id = ${personId} and name <> ${name}) < ${MAX_VIEWS}
    on conflict (person_id, name) do update set filters = excluded.filters`.execute(db)
  return numAffectedRows === 1n
}

export async function removeView(db: Database, personId: string, viewId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('saved_views')
    .where('person_id', '=', personId)
    .where('id', '=', viewId)
    .executeTakeFirst()
  return numDeletedRows === 1n
}
