/** What messages about a bot are made of. */
import { sql } from 'kysely'
import type { Database } from './database.ts'
import type { BotRow } from './tables.ts'

export function readBotForMessages(db: Database, botId: string): Promise<BotRow | undefined> {
  return db.selectFrom('bots').selectAll().where('id', '=', botId).executeTakeFirst()
}

/** Whether the bot has a callback of its own that is not for a single delivery. */
export async function usesCallback(db: Database, botId: string): Promise<boolean> {
  const row = await db
    .selectFrom('endpoints')
    .select('id')
    .where('bot_id', '=', botId)
    .where('kind', '=', 'callback')
    .where(sql<boolean>`events is null or events <> '[]'::jsonb`)
    .executeTakeFirst()
  return row !== undefined
}
