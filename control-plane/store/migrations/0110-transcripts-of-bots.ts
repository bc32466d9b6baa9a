/** Finds the bot that a transcript at a provider belongs to. */
import { type Kysely, sql } from 'kysely'

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`create index bots_by_transcript on bots using gin (transcription_ids)
    where transcription_ids <> '[]'::jsonb`.execute(database)
}
