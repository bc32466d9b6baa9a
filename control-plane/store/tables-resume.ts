/** Columns of bots and launches about attempts that crashed in their meeting. */
import type { ColumnType, Generated } from 'kysely'

type Json<T> = ColumnType<T, T, T>
type Time = ColumnType<Date, Date | string, Date | string>

export interface ResumeColumnsOfBots {
  /** Attempts that were made because an earlier one crashed in its meeting. */
  resumes: Generated<number>
  /** Start of the rejoin; null while the bot records, and for bots that had not recorded. */
  resuming_since: Time | null
  /** `bots/parts.ts`. Empty for bots that recorded in one attempt. */
  parts: Json<unknown>
  /** How a bot of several parts ended, until these are joined. */
  pending_end: Json<unknown> | null
  /** The attempt whose files are the bot's; 0: those that were joined. Null: the attempt that was in the meeting. */
  files_attempt: number | null
}

export interface ResumeColumnsOfLaunches {
  /** `wanted`: the recording of the crashed attempt has to be recovered before its other files are removed. */
  recovery: 'wanted' | 'done' | null
  /** Which reconciler recovers it now, and until when that counts. */
  recovery_owner: string | null
  recovery_until: Time | null
}
