/** Files of a bot that could not report them itself. */
import { sql } from 'kysely'
import type { Database, Tx } from '../database.ts'

export interface RecoveredFile {
  name: string
  /** Its key in the store of files. */
  key: string
  bytes: number
  durationSeconds: number | null
}

/**
 * Adds them to the artifacts of the attempt. A file that the bot reported keeps its checksum where its size is the
 * same.
 */
export async function addRecoveredFiles(
  db: Database | Tx,
  botId: string,
  attempt: number,
  files: readonly RecoveredFile[],
): Promise<void> {
  if (files.length === 0) return
  await sql`
    insert into artifacts (bot_id, attempt, name, location, bytes, duration_seconds)
    select ${botId}::uuid, ${attempt}::int, name, key, bytes, "durationSeconds"
    from json_to_recordset(${JSON.stringify(files)}::json)
      as file (name text, key text, bytes bigint, "durationSeconds" double precision)
    on conflict (bot_id, attempt, name) do update set location = excluded.location, bytes = excluded.bytes,
      sha256 = case when artifacts.bytes = excluded.bytes then artifacts.sha256 end,
      duration_seconds = coalesce(excluded.duration_seconds, artifacts.duration_seconds)`.execute(db)
}
