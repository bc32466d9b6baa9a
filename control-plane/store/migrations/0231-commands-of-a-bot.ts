/** The commands of one bot in their order: the last switch of its agent, and what goes with the data of old bots. */
import { type Kysely, sql } from 'kysely'

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`create index bot_commands_of_bot on bot_commands (bot_id, created_at)`.execute(database)
}
