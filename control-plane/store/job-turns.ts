/** Which process does a periodic job now: a lease in `settings`, so that many processes do it once. */
import { sql } from 'kysely'
import type { Database } from './database.ts'

const settingOf = (name: string) => `job:${name}`

/** True if the job is due and no process does it; it is then ours until `leaseSeconds` are over or `endTurn`. */
export async function takeTurn(
  db: Database,
  name: string,
  owner: string,
  { everySeconds, leaseSeconds }: { everySeconds: number; leaseSeconds: number },
): Promise<boolean> {
  const { rows } = await sql`
    insert into settings (name, value)
    values (${settingOf(name)}, jsonb_build_object('owner', ${owner}::text, 'started', now(),
      'lease_until', now() + make_interval(secs => ${leaseSeconds})))
    on conflict (name) do update set value = settings.value || excluded.value
    where (settings.value ->> 'lease_until' is null or (settings.value ->> 'lease_until')::timestamptz < now())
      and (settings.value ->> 'started')::timestamptz <= now() - make_interval(secs => ${everySeconds})
    returning name`.execute(db)
  return rows.length === 1
}

/** Holds the turn longer. False if it was lost. */
export async function keepTurn(db: Database, name: string, owner: string, leaseSeconds: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update settings set value = value || jsonb_build_object('lease_until', now() + make_interval(secs => ${leaseSeconds}))
    where name = ${settingOf(name)} and value ->> 'owner' = ${owner}`.execute(db)
  return numAffectedRows === 1n
}

export async function endTurn(db: Database, name: string, owner: string): Promise<void> {
  await sql`
    update settings set value = value || jsonb_build_object('lease_until', null, 'ended', now())
    where name = ${settingOf(name)} and value ->> 'owner' = ${owner}`.execute(db)
}
