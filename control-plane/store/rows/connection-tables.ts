/** Rows of apps of the conferencing platform, of users who authorized them, and of accounts with which bots join signed in. */
import type { Generated } from 'kysely'
import type { Created, Json, Time } from './column-types.ts'

export interface ConnectionsTable {
  id: string
  team_id: string
  name: string
  platform: Generated<string>
  type: string
  tenant_id: string | null
  client_id: string
  client_secret: Buffer | null
  user_id: string | null
  account_id: string | null
  email: string | null
  display_name: string | null
  scopes: Generated<unknown>
  state: Generated<string>
  last_error_message: string | null
  last_error_at: Time | null
  extra: Json<unknown> | null
  refresh_token: Buffer | null
  access_token: Buffer | null
  access_token_until: Time | null
  tokens_version: Generated<number>
  refresh_lease_owner: string | null
  refresh_lease_until: Time | null
  created_at: Created
  updated_at: Created
  deleted_at: Time | null
}

export interface AccountsTable {
  id: string
  team_id: string
  platform: string
  label: string
  /** The address that calendars invite. */
  address: string | null
  pool: string
  /** At once. */
  max_meetings: number
  is_disabled: Generated<boolean>
  /** `unknown`: no bot has joined with this session yet. */
  state: Generated<string>
  state_reason: string | null
  state_at: Time | null
  /** Sealed JSON of `packages/wire/account-session.ts`. */
  session: Buffer
  /** Rises with each new session: a bot writes back only over the one that it was given. */
  session_version: Generated<number>
  session_at: Created
  /** When a bot last got it. */
  leased_at: Time | null
  created_at: Created
  updated_at: Created
}
