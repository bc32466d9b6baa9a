/** Rows of the people who use the dashboard: accounts here and at issuers, sign-in links and sessions. */
import type { ColumnType, Generated } from 'kysely'
import type { Time } from './column-types.ts'

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
  is_invitation: Generated<boolean>
  /** Null: a link for one person. */
  sign_in: string | null
}

/** The people whom one sign-in proved. */
export interface SignInPeopleTable {
  sign_in: string
  person_id: string
  created_at: Generated<Date>
}

export interface SessionsTable {
  hash: Buffer
  person_id: string
  created_at: Generated<Date>
  seen_at: ColumnType<Date, Date | undefined, Date>
  expires_at: Time
  /** SHA-256 of the state of the page of consent that the person was sent to last, until its first answer. */
  consent_state: Buffer | null
  /** Null: of one person. */
  sign_in: string | null
}

export interface PersonIdentitiesTable {
  issuer: string
  /** The account at the issuer: it stays the same when its name and its e-mail address change. */
  subject: string
  person_id: string
  created_at: Generated<Date>
  seen_at: Generated<Date>
}
