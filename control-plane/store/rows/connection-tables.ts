/** Rows of apps of the conferencing platform and of users who authorized them. */
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
