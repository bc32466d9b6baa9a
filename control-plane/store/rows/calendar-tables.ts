/** Rows of connected calendars: subscriptions, events, and the bots that are wanted for them. */
import type { Generated, GeneratedAlways } from 'kysely'
import type { Created, Json, Time } from './column-types.ts'

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
  tokens_version: Generated<number>
  access_token: Buffer | null
  access_token_until: Time | null
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
  synced_at: Time | null
  full_synced_at: Time | null
  sync_status: string | null
  sync_error: string | null
  /**
   * `on`: a channel is open; `off`: there is none and none is tried, `push_message` says why; `wanted`: to be opened.
   */
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
  /** The id in notifications. */
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
  /** Unused. Earlier versions write it, also beside this one during an upgrade, so a later version removes it. */
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
  attendees: Generated<unknown>
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
  /** A bot's request without its secrets. */
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
  /** A bot's request without its secrets; null: that of `series_intent_id`. */
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
