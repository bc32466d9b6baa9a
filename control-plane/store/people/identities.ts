/** Which people an account of the OpenID provider signs in. */
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
 * The people whom the account signs in, one of each team. An account that was seen before signs in the same people, even with
 * a new e-mail address. By its verified address it also signs in people who were invited, and a viewer of the first team if
 * the address has one of `domains`. Each team decides for itself: none can keep an address out of another team.
 */
export function recognize(
  db: Database,
  identity: Identity,
  domains: readonly string[],
): Promise<{ personIds: string[] } | NotRecognized> {
  return db.transaction().execute(async (tx) => {
    // Two sign-ins with one new account at once: the second finds what the first made.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`${identity.issuer} ${identity.subject}`}, 0))`.execute(
      tx,
    )
    const email = identity.verifiedEmail?.toLowerCase()
    const people = await peopleOf(tx, identity, email)
    const active = people.filter(({ disabled_at }) => disabled_at === null)
    const known = active.filter(({ subject }) => subject === identity.subject)
    const invited = active.filter(
      ({ subject, email_confirmed: isConfirmed, team_id: team }) =>
        subject === null && isConfirmed && !known.some(({ team_id }) => team_id === team),
    )
    const personIds = [...known, ...invited].map(({ id }) => id)
    if (email !== undefined && domains.includes(email.slice(email.lastIndexOf('@') + 1))) {
      const teams = new Set(people.map(({ team_id }) => team_id))
      personIds.push(...(await createViewer(tx, identity, email, teams)))
    }
    for (const id of personIds) await linkAccount(tx, identity, id)
    if (personIds.length > 0) return { personIds }
    if (active.some(({ email_confirmed }) => !email_confirmed)) return 'not_confirmed'
    if (active.length > 0) return 'other_account'
    if (people.length > 0) return 'removed'
    return email === undefined ? 'not_verified' : 'not_invited'
  })
}

/** People with this account or this address, also removed ones; `subject`: their account at the issuer. */
function peopleOf(tx: Tx, { issuer, subject }: Identity, email: string | undefined) {
  return tx
    .selectFrom('people')
    .leftJoin('person_identities as account', (join) =>
      join.onRef('account.person_id', '=', 'people.id').on('account.issuer', '=', issuer),
    )
    .select(['people.id', 'team_id', 'email_confirmed', 'disabled_at', 'subject'])
    .where((where) =>
      where.or([
        where('subject', '=', subject),
        ...(email === undefined ? [] : [where(sql<string>`lower(email)`, '=', email)]),
      ]),
    )
    .orderBy('people.created_at')
    .execute()
}

async function linkAccount(tx: Tx, { issuer, subject }: Identity, personId: string): Promise<void> {
  await tx
    .insertInto('person_identities')
    .values({ issuer, subject, person_id: personId })
    .onConflict((conflict) =>
      conflict.columns(['issuer', 'subject', 'person_id']).doUpdateSet({ seen_at: sql<Date>`now()` }),
    )
    .execute()
}

/** The new viewer of the first team; none if that is one of `teams`, which know the account or the address. */
async function createViewer(tx: Tx, identity: Identity, email: string, teams: ReadonlySet<string>): Promise<string[]> {
  const team = await tx.selectFrom('teams').select('id').orderBy('number').limit(1).executeTakeFirst()
  if (team === undefined || teams.has(team.id)) return []
  const id = await createPerson(tx, { teamId: team.id, name: identity.name ?? email, email, role: 'viewer' })
  // Null: another account with the same address was stored first.
  return id === null ? [] : [id]
}
