/** Rows of bots: their attempts, events, commands and files, and the work on their data after the end. */
import type { Generated, GeneratedAlways } from 'kysely'
import type { Created, Json, Time } from './column-types.ts'

export interface BotsTable {
  id: string
  number: GeneratedAlways<number>
  team_id: string
  api_key_id: string | null
  generation: string
  is_compat: Generated<boolean>
  phase: string
  status: string
  version: Generated<number>
  bot_name: string
  meeting_url: string
  meeting_key: string
  meeting_platform: string
  recording_mode: string
  extra: Json<unknown> | null
  request: Json<unknown>
  secrets: Buffer | null
  deduplication_key: string | null
  is_exclusive: Generated<boolean>
  event_id: string | null
  event_uuid: string | null
  is_scheduled: Generated<boolean>
  schedule_status: string | null
  join_at: Time | null
  cancelled_at: Time | null
  due_at: Time | null
  give_up_at: Time | null
  deadline_at: Time | null
  lease_owner: string | null
  lease_until: Time | null
  attempt: Generated<number>
  joined_attempt: number | null
  launch_failures: Generated<number>
  wait_reason: string | null
  pickup_delayed_at: Time | null
  stop_requested_at: Time | null
  stop_sent_at: Time | null
  created_at: Created
  queued_at: Time | null
  launched_at: Time | null
  joining_at: Time | null
  waiting_at: Time | null
  joined_at: Time | null
  recording_started_at: Time | null
  exited_at: Time | null
  ended_at: Time | null
  updated_at: Created
  link_lost_at: Time | null
  link_opened_at: Time | null
  end_code: string | null
  end_message: string | null
  error_code: string | null
  error_message: string | null
  /** `packages/wire/codes.ts`. Null: nothing is known beyond the error code. */
  end_cause: string | null
  /** `packages/wire/reasons.ts`. Null: the end code says it all. */
  reason: string | null
  /** Requests to join that the meeting denied, in all attempts. */
  denials: Generated<number>
  duration_seconds: number | null
  participants: Generated<unknown>
  speakers: Generated<unknown>
  chat_is_available: boolean | null
  report: Json<unknown> | null
  transcription_status: Generated<string>
  transcription_provider: string | null
  transcription_ids: Generated<unknown>
  transcribed_seconds: number | null
  streaming_input_seconds: number | null
  streaming_output_seconds: number | null
  reserved: Generated<number>
  charged: Json<unknown> | null
  data_deleted_at: Time | null
  access_count: Generated<number>
  last_accessed_at: Time | null
  /** Migration 0080. */
  traceparent: string | null
  history_deleted_at: Time | null
  /** Attempts that were made because an earlier one crashed in its meeting. */
  resumes: Generated<number>
  /** Start of the rejoin; null while the bot records, and for bots that had not recorded. */
  resuming_since: Time | null
  /** `bots/parts.ts`. Empty for bots that recorded in one attempt. */
  parts: Generated<unknown>
  /** How a bot of several parts ended, until these are joined. */
  pending_end: Json<unknown> | null
  /** The account with which the bot joined last. It is the bot's until the bot is out of its meeting (migration 0200). */
  account_id: string | null
  /** Which of the account's places the bot takes. */
  account_place: number | null
  /** The attempt whose files are the bot's; 0: those that were joined. Null: the attempt that was in the meeting. */
  files_attempt: number | null
}

export interface LaunchesTable {
  bot_id: string
  attempt: number
  launcher: string
  token_hash: Buffer
  handle: Json<unknown> | null
  created_at: Created
  started_at: Time | null
  hello_at: Time | null
  ended_at: Time | null
  /** When the service first knew of the end. */
  end_seen_at: Time | null
  exit_code: number | null
  signal: string | null
  is_out_of_memory: boolean | null
  reason: string | null
  evidence: Json<unknown> | null
  log_tail: string | null
  heartbeat_at: Time | null
  cleaned_at: Time | null
  /** `wanted`: the recording of the crashed attempt has to be recovered before its other files are removed. */
  recovery: 'wanted' | 'done' | null
  /** Which reconciler recovers it now, and until when that counts. */
  recovery_owner: string | null
  recovery_until: Time | null
}

/**
 * Resources that each process of an attempt used (`packages/wire/usage.ts`); a process that is started again in its container has another
 * journal. Rows stay with the bot when its launches are removed.
 */
export interface AttemptUsageTable {
  bot_id: string
  attempt: number
  journal_id: string
  /** From the final report; false: from the last heartbeat so far. */
  is_final: boolean
  core_ms: number
  /** Null if it was not measured. */
  peak_memory_bytes: number | null
  bytes_received: number
  bytes_sent: number
  bytes_stored: number
  /** Milliseconds of all phases together. */
  life_ms: number
  /** Milliseconds by phase. */
  phase_ms: Json<unknown>
}

export interface JobOffersTable {
  id: string
  bot_id: string
  attempt: number
  token_hash: Buffer
  job: Buffer | null
  expires_at: Time
  taken_at: Time | null
}

/** The last screenshot that the dashboard asked for, one for each bot. */
export interface LivePicturesTable {
  bot_id: string
  asked_at: Time
  command_id: string
}

export interface JournalsTable {
  bot_id: string
  journal_id: string
  attempt: number
  last_seq: Generated<number>
}

export interface BotEventsTable {
  bot_id: string
  journal_id: string
  seq: number
  attempt: number
  type: string
  at: Time
  event: Json<unknown>
  stored_at: Created
}

/** How many events of a team have a number. */
export interface TeamEventCountsTable {
  team_id: string
  last_number: number
}

/** Events of a team's bots in the order in which they were stored; each row is consecutive events of one journal. */
export interface TeamEventsTable {
  team_id: string
  /** Of the event `last_seq`; the others have those before it. */
  last_number: number
  bot_id: string
  journal_id: string
  last_seq: number
  events: number
}

export interface BotStepsTable {
  id: GeneratedAlways<number>
  bot_id: string
  attempt: number | null
  at: Time
  kind: string
  reason: string | null
  evidence: Json<unknown> | null
}

export interface BotCommandsTable {
  id: Generated<string>
  bot_id: string
  command: Json<unknown>
  created_at: Created
  expires_at: Time
  sent_at: Time | null
  answered_at: Time | null
  answer: Json<unknown> | null
}

export interface ArtifactsTable {
  bot_id: string
  attempt: number
  name: string
  location: string
  bytes: number
  sha256: string | null
  duration_seconds: number | null
  stored_at: Created
}

export interface DeletionsTable {
  id: Generated<string>
  bot_id: string
  reason: string
  requested_by: string | null
  requested_at: Created
  verified_at: Time | null
  swept_at: Time | null
  files: number | null
  bytes: number | null
  tries: Generated<number>
  next_try_at: Created
  last_error: string | null
  from_provider: Generated<boolean>
  provider_deleted: number | null
  provider_missing: number | null
}

export interface RetranscriptionsTable {
  id: Generated<string>
  bot_id: string
  requested_at: Created
  provider: string
  has_own_key: boolean
  secret: Buffer | null
  custom_params: Json<unknown> | null
  webhook_url: string | null
  earlier: Json<unknown>
  due_at: Created
  lease_owner: string | null
  lease_until: Time | null
  tries: Generated<number>
  last_error: string | null
  finished_at: Time | null
}
