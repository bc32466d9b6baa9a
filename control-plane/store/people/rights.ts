/** What keys and sessions that have opened a stream still may. */
import { sql } from 'kysely'
import type { Database } from '../database.ts'

/** The parts of a caller that its right depends on. */
export interface RightHolder {
  keyId: string | null
  teamId: string
  permission: string
  session: { hash: Buffer; personId: string; role: string } | null
}

/** The same as long as the key or the session may do the same for the same team. */
export const rightOf = ({ keyId, teamId, permission, session }: RightHolder): string =>
  session === null
    ? `key ${keyId} ${teamId} ${permission}`
    : `session ${session.hash.toString('hex')} ${teamId} ${session.personId} ${session.role}`

/** The rights that these callers have now, in one statement for all of them. */
export async function readRights(db: Database, callers: readonly RightHolder[]): Promise<Set<string>> {
  const keys = new Set(callers.flatMap(({ keyId }) => keyId ?? []))
  const sessions = new Set(callers.flatMap(({ session }) => session?.hash.toString('hex') ?? []))
  const { rows } = await sql<{ right: string }>`
    select concat_ws(' ', 'key', id, team_id, permission) as right from api_keys
    where id = any(${[...keys]}::uuid[]) and revoked_at is null and coalesce(expires_at > now(), true)
    union all
    select concat_ws(' ', 'session', encode(hash, 'hex'), team_id, people.id, role)
    from sessions join people on people.id = person_id
    where hash = any(array(select decode(text, 'hex') from unnest(${[...sessions]}::text[]) as text))
      and expires_at > now() and disabled_at is null`.execute(db)
  return new Set(rows.map(({ right }) => right))
}
