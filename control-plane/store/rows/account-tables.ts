/** Rows of the accounts with which bots join signed in. */
import type { Generated } from 'kysely'
import type { Created, Time } from './column-types.ts'

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
