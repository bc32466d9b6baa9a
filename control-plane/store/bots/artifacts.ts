/** Stored files of bots. */
import { sql } from 'kysely'
import type { Database } from '../database.ts'

export interface StoredArtifact {
  name: string
  location: string
  bytes: number
  stored_at: Date
}

/** Artifacts of the attempt that was in the meeting, else of the last one; of several parts those that were joined. Empty once the bot's data is deleted. */
export async function artifactsOfBot(db: Database, botId: string): Promise<StoredArtifact[]> {
  return db
    .selectFrom('artifacts')
    .innerJoin('bots', 'bots.id', 'artifacts.bot_id')
    .select(['artifacts.name', 'artifacts.location', 'artifacts.bytes', 'artifacts.stored_at'])
    .where('bots.id', '=', botId)
    .where('bots.data_deleted_at', 'is', null)
    .where('artifacts.attempt', '=', sql<number>`coalesce(bots.files_attempt, bots.joined_attempt, bots.attempt)`)
    .orderBy('artifacts.name')
    .execute()
}

/** One artifact of that attempt. */
export async function artifactOfBot(db: Database, botId: string, name: string): Promise<StoredArtifact | undefined> {
  return db
    .selectFrom('artifacts')
    .innerJoin('bots', 'bots.id', 'artifacts.bot_id')
    .select(['artifacts.name', 'artifacts.location', 'artifacts.bytes', 'artifacts.stored_at'])
    .where('bots.id', '=', botId)
    .where('bots.data_deleted_at', 'is', null)
    .where('artifacts.name', '=', name)
    .where('artifacts.attempt', '=', sql<number>`coalesce(bots.files_attempt, bots.joined_attempt, bots.attempt)`)
    .executeTakeFirst()
}
