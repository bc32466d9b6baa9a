/** Rows of webhooks: endpoints, the outbox of messages, and their deliveries. */
import type { Generated, GeneratedAlways } from 'kysely'
import type { Created, Json, Time } from './column-types.ts'

export interface EndpointsTable {
  id: Generated<string>
  team_id: string
  bot_id: string | null
  kind: string
  url: string
  method: Generated<string>
  events: Json<unknown> | null
  /** Types of bot events that are sent as webhooks, those of each bot within the time; null: none. */
  live_types: Json<unknown> | null
  live_within_ms: number | null
  secret: Buffer | null
  previous_secret: Buffer | null
  previous_secret_until: Time | null
  failed_in_a_row: Generated<number>
  probe_at: Time | null
  failing_since: Time | null
  disabled_at: Time | null
  disabled_reason: string | null
  created_at: Created
}

/** Journals of which an endpoint with live webhooks has not got everything. */
export interface EventInboxTable {
  endpoint_id: string
  journal_id: string
  bot_id: string
  /** The endpoint has everything up to here. */
  after_seq: number
  last_seq: number
  waits_since: Created
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
  created_at: Created
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
  next_at: Created
  lease_until: Time | null
  claim: string | null
  is_replay: Generated<boolean>
  created_at: Created
  finished_at: Time | null
}

export interface DeliveryAttemptsTable {
  id: GeneratedAlways<number>
  delivery_id: number
  at: Created
  duration_ms: number
  status: number | null
  error: string | null
  answer: string | null
  is_replay: Generated<boolean>
}
