/** Rows of the installation and its teams: settings, keys, tokens and audits. */
import type { Generated, GeneratedAlways } from 'kysely'
import type { Created, Json, Time } from './column-types.ts'

export interface SettingsTable {
  name: string
  value: Json<unknown>
}

export interface TeamsTable {
  id: Generated<string>
  number: GeneratedAlways<number>
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
  created_at: Created
}

export interface ApiKeysTable {
  id: Generated<string>
  team_id: string
  name: string
  prefix: string
  hash: Buffer
  sealed: Buffer | null
  permission: string
  created_at: Created
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
  created_at: Created
}

export interface LedgerTable {
  id: GeneratedAlways<number>
  team_id: string
  bot_id: string | null
  kind: string
  meter: string | null
  amount: number
  source: string
  at: Created
}

export interface AuditLogTable {
  id: Generated<string>
  team_id: string
  at: Created
  actor_kind: string
  actor_id: string | null
  address: string | null
  action: string
  target: string | null
  details: Json<unknown> | null
}

/** The last requests with the keys of a team. */
export interface RequestLogTable {
  id: GeneratedAlways<number>
  team_id: string
  at: Time
  key_id: string
  request_id: string
  method: string
  path: string
  status: number
  ms: number
  error_code: string | null
  error_body: string | null
  left_out: number
}

export interface AuditTable {
  id: GeneratedAlways<number>
  at: Created
  who: string
  what: string
  before: Json<unknown> | null
  after: Json<unknown> | null
}
