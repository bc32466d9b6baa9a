/** The rows of the tables, as the migrations leave them. Columns keep their names; `bigint` columns are numbers (`database.ts`). */
import type { ColumnType, Generated, GeneratedAlways, Insertable, Selectable, Updateable } from 'kysely'
import type { AlertTables } from './alert-tables.ts'
import type { PersonIdentitiesTable } from './identity-tables.ts'
import type { ResumeColumnsOfBots, ResumeColumnsOfLaunches } from './tables-resume.ts'

/** A document: written as a value that is turned into JSON, read as parsed. */
type Json<T> = ColumnType<T, T, T>
type Time = ColumnType<Date, Date | string, Date | string>

export interface SettingsTable {
  name: string
  value: Json<unknown>
}

export interface TeamsTable {
  id: Generated<string>
  number: GeneratedAlways<number | null>
  name: string
  plan: Generated<string>
  balance: number | null
  reserved: Generated<number>
  spent: Generated<number>
  daily_cap: number | null
  requests_per_second: number | null
  retention_days: number | null
  byok_transcription: Generated<boolean>
  calendars: number | null
  api_key_in_webhooks: Generated<boolean>
  created_at: ColumnType<Date, Date | string | undefined, Date | string>
}

export interface ApiKeysTable {
  id: Generated<string>
  team_id: string
  name: string
  prefix: string
  hash: Buffer
  sealed: Buffer | null
  permission: string
  created_at: ColumnType<Date, Date | string | undefined, Date | string>
  expires_at: Time | null
  last_used_at: Time | null
  revoked_at: Time | null
}

export interface IdempotencyKeysTable {
  team_id: string
  key: string
  body_hash: Buffer
  status: number | null
  answer: Json<unknown> | null
  created_at: ColumnType<Date, Date | string | undefined, Date | string>
}

export interface BotsTable extends ResumeColumnsOfBots {
  id: string
  number: GeneratedAlways<number | null>
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
  created_at: ColumnType<Date, Date | string | undefined, Date | string>
  queued_at: Time | null
  launched_at: Time | null
  joining_at: Time | null
  waiting_at: Time | null
  joined_at: Time | null
  recording_started_at: Time | null
  exited_at: Time | null
  ended_at: Time | null
  updated_at: ColumnType<Date, Date | string | undefined, Date | string>
  link_lost_at: Time | null
  link_opened_at: Time | null
  end_code: string | null
  end_message: string | null
  error_code: string | null
  error_message: string | null
  duration_seconds: number | null
  participants: Json<unknown>
  speakers: Json<unknown>
  chat_is_available: boolean | null
  report: Json<unknown> | null
  transcription_status: Generated<string>
  transcription_provider: string | null
  transcription_ids: Json<unknown>
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
}

export interface LaunchesTable extends ResumeColumnsOfLaunches {
  bot_id: string
  attempt: number
  launcher: string
  token_hash: Buffer
  handle: Json<unknown> | null
  created_at: ColumnType<Date, Date | string | undefined, Date | string>
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
  cpu_percent: number | null
  memory_bytes: number | null
  heartbeat_at: Time | null
  cleaned_at: Time | null
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
  stored_at: ColumnType<Date, Date | string | undefined, Date | string>
}

export interface BotStepsTable {
  id: GeneratedAlways<number>
  bot_id: string
  attempt: number | null
  at: Time
  kind: string
  reason: string | null
  evidence: Json<unknown> | null
  /** When the service learned of it. */
  stored_at: Generated<Date>
}

export interface BotCommandsTable {
  id: Generated<string>
  bot_id: string
  command: Json<unknown>
  created_at: ColumnType<Date, Date | string | undefined, Date | string>
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
  stored_at: ColumnType<Date, Date | string | undefined, Date | string>
}

export interface EndpointsTable {
  id: Generated<string>
  team_id: string
  bot_id: string | null
  /** With the kinds `alert` and `mail`. */
  alert_rule_id: Generated<string | null>
  kind: string
  url: string
  method: Generated<string>
  events: Json<unknown> | null
  secret: Buffer | null
  previous_secret: Buffer | null
  previous_secret_until: Time | null
  failed_in_a_row: Generated<number>
  probe_at: Time | null
  failing_since: Time | null
  disabled_at: Time | null
  disabled_reason: string | null
  created_at: ColumnType<Date, Date | string | undefined, Date | string>
}

export interface MessagesTable {
  id: string
  team_id: string
  bot_id: string | null
  event: string
  ordering_key: string
  body: Json<unknown>
  is_compat: Generated<boolean>
  generation: string
  created_at: ColumnType<Date, Date | string | undefined, Date | string>
}

export interface DeliveriesTable {
  id: GeneratedAlways<number>
  message_id: string
  endpoint_id: string
  team_id: string
  bot_id: string | null
  ordering_key: string
  state: string
  attempts: Generated<number>
  next_at: ColumnType<Date, Date | string | undefined, Date | string>
  lease_until: Time | null
  claim: string | null
  is_replay: Generated<boolean>
  created_at: ColumnType<Date, Date | string | undefined, Date | string>
  finished_at: Time | null
}

export interface DeliveryAttemptsTable {
  id: GeneratedAlways<number>
  delivery_id: number
  at: ColumnType<Date, Date | string | undefined, Date | string>
  duration_ms: number
  status: number | null
  error: string | null
  answer: string | null
  is_replay: Generated<boolean>
}

export interface LedgerTable {
  id: GeneratedAlways<number>
  team_id: string
  bot_id: string | null
  kind: string
  meter: string | null
  amount: number
  source: string
  at: ColumnType<Date, Date | string | undefined, Date | string>
}

export interface DeletionsTable {
  id: Generated<string>
  bot_id: string
  reason: string
  requested_by: string | null
  requested_at: ColumnType<Date, Date | string | undefined, Date | string>
  verified_at: Time | null
  swept_at: Time | null
  files: number | null
  bytes: number | null
  tries: Generated<number>
  next_try_at: ColumnType<Date, Date | string | undefined, Date | string>
  last_error: string | null
  from_provider: Generated<boolean>
  provider_deleted: number | null
  provider_missing: number | null
}

export interface RetranscriptionsTable {
  id: Generated<string>
  bot_id: string
  requested_at: ColumnType<Date, Date | string | undefined, Date | string>
  provider: string
  has_own_key: boolean
  secret: Buffer | null
  custom_params: Json<unknown> | null
  webhook_url: string | null
  earlier: Json<unknown>
  due_at: ColumnType<Date, Date | string | undefined, Date | string>
  lease_owner: string | null
  lease_until: Time | null
  tries: Generated<number>
  last_error: string | null
  finished_at: Time | null
}

/** Apps of the conferencing platform and users who authorized them; migration 0003. */
export interface ConnectionsTable {
  id: string
  team_id: string
  name: string
  type: string
  client_id: string
  client_secret: Buffer | null
  user_id: string | null
  account_id: string | null
  email: string | null
  display_name: string | null
  scopes: Json<unknown>
  state: Generated<string>
  last_error_message: string | null
  last_error_at: Time | null
  extra: Json<unknown> | null
  refresh_token: Buffer | null
  access_token: Buffer | null
  access_token_until: Time | null
  tokens_version: Generated<number>
  lease_owner: string | null
  lease_until: Time | null
  created_at: ColumnType<Date, Date | string | undefined, Date | string>
  updated_at: ColumnType<Date, Date | string | undefined, Date | string>
  deleted_at: Time | null
}

export interface AuditTable {
  id: GeneratedAlways<number>
  at: ColumnType<Date, Date | string | undefined, Date | string>
  who: string
  what: string
  before: Json<unknown> | null
  after: Json<unknown> | null
}

export interface PeopleTable {
  id: Generated<string>
  team_id: string
  name: string
  email: string | null
  role: string
  /** As `secrets/passwords.ts` writes it; null: no password. */
  password: string | null
  /** An owner or the operator gave the e-mail address, so it recognizes the person. */
  email_confirmed: Generated<boolean>
  created_at: Generated<Date>
  disabled_at: Time | null
}

export interface SignInLinksTable {
  hash: Buffer
  person_id: string
  created_at: Generated<Date>
  expires_at: Time
  used_at: Time | null
}

export interface SessionsTable {
  hash: Buffer
  person_id: string
  created_at: Generated<Date>
  seen_at: ColumnType<Date, Date | undefined, Date>
  expires_at: Time
}

type Created = ColumnType<Date, Date | string | undefined, Date | string>

export interface CalendarsTable {
  id: Generated<string>
  team_id: string
  /** The key that made the connection. */
  api_key_id: string | null
  generation: string
  is_compat: Generated<boolean>
  platform: string
  raw_calendar_id: string
  name: string
  account_email: string
  is_primary: boolean
  provider_metadata: Json<unknown> | null
  /** Sealed JSON of `OAuthCredentials`; null once the calendar is disconnected. */
  credentials: Buffer | null
  /** Rises with each new refresh token: what is written after a refresh needs the version that was read. */
  credentials_version: Generated<number>
  access_token: Buffer | null
  access_token_expires_at: Time | null
  refresh_lease_owner: string | null
  refresh_lease_until: Time | null
  status: Generated<string>
  status_message: string | null
  /** Counts changes of `status`, for the ids of their messages. */
  status_changes: Generated<number>
  cursor: string | null
  /** End of the window that the cursor was made with. */
  cursor_window_end: Time | null
  /** Syncs that were stored. */
  syncs: Generated<number>
  sync_lease_owner: string | null
  sync_lease_until: Time | null
  sync_started_at: Time | null
  sync_due_at: Created
  full_due_at: Created
  /** When the provider last said that something changed. */
  hinted_at: Time | null
  /** In a row. */
  sync_failures: Generated<number>
  /** The last one. */
  sync_failed_at: Time | null
  synced_at: Time | null
  full_synced_at: Time | null
  sync_status: string | null
  sync_error: string | null
  /** `on`: a channel is open; `off`: there is none and none is tried, `push_message` says why; `wanted`: to be opened. */
  push_state: Generated<string>
  push_message: string | null
  /** When a channel is to be opened or renewed. */
  push_due_at: Created
  push_lease_owner: string | null
  push_lease_until: Time | null
  created_at: Created
  updated_at: Created
  deleted_at: Time | null
}

export interface CalendarChannelsTable {
  id: Generated<string>
  calendar_id: string
  platform: string
  /** What notifications name. */
  provider_id: string
  resource_id: string | null
  /** SHA-256 of the token that comes with each notification. */
  token_hash: Buffer
  expires_at: Time
  created_at: Created
  /** Set: another channel took its place, or the calendar is gone. */
  stop_due_at: Time | null
  stopped_at: Time | null
}

export interface CalendarSeriesTable {
  id: Generated<string>
  number: GeneratedAlways<number>
  calendar_id: string
  provider_id: string
  event_type: string
  /** When occurrences to come were last taken away: a series that takes their place gets the bot. */
  lost_at: Time | null
  created_at: Created
}

export interface CalendarEventsTable {
  id: Generated<string>
  calendar_id: string
  series_id: string
  provider_id: string
  is_recurring: boolean
  is_exception: boolean
  original_start: Time | null
  title: string
  description: string | null
  location: string | null
  starts_at: Time
  ends_at: Time
  timezone: string | null
  is_all_day: boolean
  /** `cancelled` too for an event that the provider no longer has. */
  status: string
  /** When the provider was first found not to have it any more. */
  removed_at: Time | null
  organizer_email: string | null
  organizer_name: string | null
  is_organizer: boolean
  attendees: Json<unknown>
  meeting_url: string | null
  meeting_platform: string | null
  meeting_key: string | null
  provider_updated_at: Time
  raw: Json<unknown>
  /** Of everything that the provider says; equal means unchanged. */
  content_hash: string
  created_at: Created
  updated_at: Created
}

export interface CalendarSeriesIntentsTable {
  id: Generated<string>
  calendar_id: string
  series_id: string
  api_key_id: string | null
  /** `EventBot` without its secrets. */
  bot: Json<unknown>
  secrets: Buffer | null
  created_at: Created
  updated_at: Created
  ended_at: Time | null
}

export interface CalendarIntentsTable {
  id: Generated<string>
  calendar_id: string
  event_id: string
  /** The series intent that made it. */
  series_intent_id: string | null
  /** `excluded`: no bot although the series has one; `ended`: cancelled by a caller. */
  state: string
  api_key_id: string | null
  /** `EventBot` without its secrets; null: that of `series_intent_id`. */
  bot: Json<unknown> | null
  secrets: Buffer | null
  /** The link that the event last had: it stays in use when the event loses it. */
  meeting_url: string | null
  /** The bot that was made last, and for what. */
  bot_id: string | null
  bot_join_at: Time | null
  bot_meeting_url: string | null
  created_at: Created
  updated_at: Created
}

/** Every bot that was made for an event. */
export interface CalendarBotsTable {
  bot_id: string
  calendar_id: string
  event_id: string
  created_at: Created
}

export interface Tables extends AlertTables {
  settings: SettingsTable
  teams: TeamsTable
  api_keys: ApiKeysTable
  idempotency_keys: IdempotencyKeysTable
  bots: BotsTable
  launches: LaunchesTable
  job_offers: JobOffersTable
  journals: JournalsTable
  bot_events: BotEventsTable
  bot_steps: BotStepsTable
  bot_commands: BotCommandsTable
  live_pictures: LivePicturesTable
  artifacts: ArtifactsTable
  endpoints: EndpointsTable
  messages: MessagesTable
  deliveries: DeliveriesTable
  delivery_attempts: DeliveryAttemptsTable
  ledger: LedgerTable
  deletions: DeletionsTable
  retranscriptions: RetranscriptionsTable
  audit: AuditTable
  people: PeopleTable
  sign_in_links: SignInLinksTable
  sessions: SessionsTable
  person_identities: PersonIdentitiesTable
  calendars: CalendarsTable
  calendar_channels: CalendarChannelsTable
  calendar_series: CalendarSeriesTable
  calendar_events: CalendarEventsTable
  calendar_series_intents: CalendarSeriesIntentsTable
  calendar_intents: CalendarIntentsTable
  calendar_bots: CalendarBotsTable
  connections: ConnectionsTable
}

export type BotRow = Selectable<BotsTable>
export type NewBotRow = Insertable<BotsTable>
export type BotPatch = Updateable<BotsTable>
export type TeamRow = Selectable<TeamsTable>
export type EndpointRow = Selectable<EndpointsTable>
export type CalendarRow = Selectable<CalendarsTable>
export type CalendarPatch = Updateable<CalendarsTable>
export type ChannelRow = Selectable<CalendarChannelsTable>
export type SeriesRow = Selectable<CalendarSeriesTable>
export type EventRow = Selectable<CalendarEventsTable>
export type SeriesIntentRow = Selectable<CalendarSeriesIntentsTable>
export type IntentRow = Selectable<CalendarIntentsTable>
export type ConnectionRow = Selectable<ConnectionsTable>
