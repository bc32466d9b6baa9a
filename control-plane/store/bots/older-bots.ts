/** Single bots of the older generation. */
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { BotRow } from '../rows/index.ts'

/** Reads a bot by UUID or running number; undefined if the team has no such bot in this generation. */
export async function readOlderBot(db: Database, teamId: string, id: string | number): Promise<BotRow | undefined> {
  return db
    .selectFrom('bots')
    .selectAll()
    .where(typeof id === 'number' ? 'number' : 'id', '=', id)
    .where('team_id', '=', teamId)
    .where('generation', '=', 'older')
    .executeTakeFirst()
}

/** Counts that the bot's meeting data was read. */
export async function noteAccess(db: Database, botId: string): Promise<void> {
  await sql`
    update bots set access_count = access_count + 1, last_accessed_at = now() where id = ${botId}`.execute(db)
}

/** The state of the deletion of a bot's data; null if none was requested. */
export async function deletionOf(db: Database, botId: string): Promise<{ hasFailed: boolean } | null> {
  const row = await db
    .selectFrom('deletions')
    .select(['verified_at', 'last_error'])
    .where('bot_id', '=', botId)
    .orderBy('requested_at', 'desc')
    .executeTakeFirst()
  return row === undefined ? null : { hasFailed: row.verified_at === null && row.last_error !== null }
}
