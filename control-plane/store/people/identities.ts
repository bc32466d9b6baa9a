/** Which person an account of the OpenID provider signs in. */
import { sql } from 'kysely'
import type { Database, Tx } from '../database.ts'
import { createPerson } from './people.ts'

export interface Identity {
  issuer: string
  subject: string
  /** Null if the issuer does not say that it was verified. */
  verifiedEmail: string | null
  name: string | null
}

/**
 * - `not_verified`: the account is new, and has no verified e-mail address.
 * - `not_invited`: no person has this address, and its domain is not open.
 * - `not_confirmed`: a person gave the address themselves, and no owner confirmed it.
 * - `other_account`: the person signs in with another account of this issuer.
 * - `removed`: an owner removed the person.
 */
export type NotRecognized = 'not_verified' | 'not_invited' | 'not_confirmed' | 'other_account' | 'removed'

/**
 * An account that was seen before signs in the same person, even with a new e-mail address. A new account is recognized
 * by its verified address: that of a person who was invited, or one of `domains`, whose people become viewers of the first
 * team.
 */
export function recognize(
  db: Database,
  identity: Identity,
  domains: readonly string[],
): Promise<{ personId: string } | NotRecognized> {
  return db.transaction().execute(async (tx) => {
    // Two sign-ins with one new account at once: the second finds what the first made.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`${identity.issuer} ${identity.subject}`}, 0))`.execute(
      tx,
    )
    const known = await personOfAccount(tx, identity)
    if (known !== undefined && known.disabled_at === null) {
      await linkAccount(tx, identity, known.id)
      return { personId: known.id }
    }
    const email = identity.verifiedEmail?.toLowerCase()
    if (email === undefined) return known === undefined ? 'not_verified' : 'removed'
    const people = await tx
      .selectFrom('people')
      .select(['id', 'email_confirmed', 'disabled_at'])
      .where(sql<string>`lower(email)`, '=', email)
      .execute()
    const person = people.find(({ disabled_at }) => disabled_at === null)
    if (person !== undefined) {
      if (!person.email_confirmed) return 'not_confirmed'
      if (await hasOtherAccount(tx, identity, person.id)) return 'other_account'
      await linkAccount(tx, identity, person.id)
      return { personId: person.id }
    }
    if (known !== undefined || people.length > 0) return 'removed'
    if (!domains.includes(email.slice(email.lastIndexOf('@') + 1))) return 'not_invited'
    return createViewer(tx, identity, email)
  })
}

function personOfAccount(tx: Tx, { issuer, subject }: Identity) {
  return tx
    .selectFrom('person_identities')
    .innerJoin('people', 'people.id', 'person_id')
    .select(['people.id', 'disabled_at'])
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
}

async function hasOtherAccount(tx: Tx, { issuer, subject }: Identity, personId: string): Promise<boolean> {
  const other = await tx
    .selectFrom('person_identities')
    .select('subject')
    .where('issuer', '=', issuer)
    .where('person_id', '=', personId)
    .where('subject', '<>', subject)
    .executeTakeFirst()
  return other !== undefined
}

async function linkAccount(tx: Tx, { issuer, subject }: Identity, personId: string): Promise<void> {
  await tx
    .insertInto('person_identities')
    .values({ issuer, subject, person_id: personId })
    .onConflict((conflict) =>
      conflict.columns(['issuer', 'subject']).doUpdateSet({ person_id: personId, seen_at: sql<Date>`now()` }),
    )
    .execute()
}

async function createViewer(tx: Tx, identity: Identity, email: string): Promise<{ personId: string } | NotRecognized> {
  const team = await tx.selectFrom('teams').select('id').orderBy('number').limit(1).executeTakeFirst()
  if (team === undefined) return 'not_invited'
  const personId = await createPerson(tx, { teamId: team.id, name: identity.name ?? email, email, role: 'viewer' })
  // Another account with the same address was stored first.
  if (personId === null) return 'other_account'
  await linkAccount(tx, identity, personId)
  return { personId }
}
