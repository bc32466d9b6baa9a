/** Finds the bot of a transcript at a provider, and the request to leave of a bot. */
import { type Kysely, sql } from 'kysely'

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`create index bots_by_transcript on bots using gin (transcription_ids)
    where transcription_ids <> '[]'::jsonb`.execute(database)
  await sql`create index bot_commands_leave on bot_commands (bot_id)
    where command ->> 'type' = 'leave'`.execute(database)
}
