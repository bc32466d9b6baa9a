/** Stored files of bots. */
import { sql } from 'kysely'
import { fileKey } from '../../bots/file-keys.ts'
import type { Database } from '../database.ts'

export interface StoredArtifact {
  name: string
  attempt: number
  /** Its key in the store of files. */
  key: string
  bytes: number
  stored_at: Date
}

/**
 * Artifacts of the joined recording; without one, of the attempt that joined; else of the last attempt. Empty once the
 * bot's data is deleted.
 */
export async function artifactsOfBot(db: Database, botId: string, name?: string): Promise<StoredArtifact[]> {
  const rows = await db
    .selectFrom('artifacts')
    .innerJoin('bots', 'bots.id', 'artifacts.bot_id')
    .select(['artifacts.bot_id', 'artifacts.attempt', 'artifacts.name', 'artifacts.location'])
    .select(['artifacts.bytes', 'artifacts.stored_at'])
    .where('bots.id', '=', botId)
    .where('bots.data_deleted_at', 'is', null)
    .where('artifacts.attempt', '=', sql<number>`coalesce(bots.files_attempt, bots.joined_attempt, bots.attempt)`)
    .$if(name !== undefined, (query) => query.where('artifacts.name', '=', name!))
    .orderBy('artifacts.name')
    .execute()
  return rows.map(({ bot_id, location, ...row }) => ({ ...row, key: fileKey({ bot_id, location, ...row }) }))
}

/** One artifact of that attempt. */
export async function artifactOfBot(db: Database, botId: string, name: string): Promise<StoredArtifact | undefined> {
  const [artifact] = await artifactsOfBot(db, botId, name)
  return artifact
}

/** Files of the newest finished recordings whose data is kept. Reads a bounded number of rows, however many bots have none. */
export async function newestArtifacts(db: Database, recordings: number): Promise<StoredArtifact[][]> {
  const { rows } = await sql<{ id: string }>`
    select id from (select id, ended_at from bots where data_deleted_at is null and phase = 'closed'
      order by ended_at desc limit ${20 * recordings}) as newest
    where exists (select from artifacts where bot_id = newest.id) order by ended_at desc limit ${recordings}`.execute(
    db,
  )
  return Promise.all(rows.map(({ id }) => artifactsOfBot(db, id)))
}
