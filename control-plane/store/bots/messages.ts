/** The data that messages about a bot are built from. */
import { sql } from 'kysely'
import type { Database, Tx } from '../database.ts'
import type { BotRow } from '../rows/index.ts'

/** In a transaction, holds off a deletion until the messages are stored. Once that is asked for, its data is left out. */
export async function readBotForMessages(db: Database | Tx, botId: string): Promise<BotRow | undefined> {
  const bot = await db.selectFrom('bots').selectAll().where('id', '=', botId).forShare().executeTakeFirst()
  if (bot === undefined || bot.data_deleted_at === null) return bot
  return { ...bot, extra: null, participants: [], speakers: [], report: null, transcription_ids: [] }
}

/** Whether the bot has its own callback that is not for a single delivery. */
export async function usesCallback(db: Database, botId: string): Promise<boolean> {
  const row = await db
    .selectFrom('endpoints')
    .select('id')
    .where('bot_id', '=', botId)
    .where('kind', '=', 'callback')
    .where('disabled_at', 'is', null)
    .where(sql<boolean>`(events is null or events <> '[]'::jsonb)`)
    .executeTakeFirst()
  return row !== undefined
}
