/** Rows of the accounts that sign people in. */
import type { Generated } from 'kysely'

export interface PersonIdentitiesTable {
  issuer: string
  /** The account at the issuer: it stays the same when its name and its e-mail address change. */
  subject: string
  person_id: string
  created_at: Generated<Date>
  seen_at: Generated<Date>
}
