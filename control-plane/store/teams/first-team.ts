/** The team that an installation begins with. */
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { createKey, type NewKey } from './keys.ts'
import { createTeam } from './teams.ts'

/** Of an advisory lock that keeps two first starts apart. */
const LOCK = 7_210_001
const NAME = 'First team'

/**
 * Makes the first team and its first key if there is no team yet. `keep` stores the key before the commit: what is in
 * the database is then never without it. Null if there is a team already.
 */
export async function createFirstTeam(
  db: Database,
  { seal, keep }: Pick<NewKey, 'seal'> & { keep(key: string): Promise<void> },
): Promise<{ teamId: string; key: string } | null> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx)
    const team = await tx.selectFrom('teams').select('id').limit(1).executeTakeFirst()
    if (team !== undefined) return null
    const teamId = await createTeam(tx, NAME)
    const { key } = await createKey(tx, { teamId, name: 'First key', permission: 'full', seal })
    await keep(key)
    return { teamId, key }
  })
}
