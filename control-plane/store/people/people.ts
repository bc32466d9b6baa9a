/** People who use the dashboard, and their roles. */
import { sql } from 'kysely'
import { logChange } from '../audit-log.ts'
import { type Database, inTransaction, type Tx } from '../database.ts'

export const ROLES = ['owner', 'member', 'viewer'] as const
/** `viewer` reads, `member` works with bots, `owner` also manages keys, endpoints and people. */
export type Role = (typeof ROLES)[number]

export interface Person {
  id: string
  teamId: string
  name: string
  email: string | null
  /** It recognizes the person who signs in with an account of this address. */
  isEmailConfirmed: boolean
  role: Role
}

export interface NewPerson {
  teamId: string
  name: string
  email: string | null
  role: Role
}

const COLUMNS = ['people.id', 'people.team_id', 'people.name', 'email', 'email_confirmed', 'role'] as const
const asPerson = (row: {
  id: string
  team_id: string
  name: string
  email: string | null
  email_confirmed: boolean
  role: string
}): Person => ({
  id: row.id,
  teamId: row.team_id,
  name: row.name,
  email: row.email,
  isEmailConfirmed: row.email_confirmed,
  role: row.role as Role,
})

/** Creates a person for an owner or the operator, who vouch for the e-mail address. Null if a person of the team has it. */
export async function createPerson(
  db: Database | Tx,
  { teamId, name, email, role }: NewPerson,
): Promise<string | null> {
  return inTransaction(db, async (tx) => {
    const row = await tx
      .insertInto('people')
      .values({ team_id: teamId, name, email, role, email_confirmed: email !== null })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    if (row === undefined) return null
    await logChange(tx, { teamId, action: 'person.create', target: row.id, details: { role } })
    return row.id
  })
}

interface ListedPerson extends Person {
  createdAt: Date
  /** When the open invitation ends. */
  invitedUntil: Date | null
  /** Whether the person has a session, a password or an account of the OpenID provider. */
  hasEntered: boolean
}

/** Oldest first, without those who were disabled. */
export async function listPeople(db: Database, teamId?: string): Promise<ListedPerson[]> {
  let query = db
    .selectFrom('people')
    .select([...COLUMNS, 'created_at'])
    .select([
      sql<Date | null>`(select max(expires_at) from sign_in_links where person_id = people.id
        and is_invitation and used_at is null and expires_at > now())`.as('invited_until'),
      sql<boolean>`password is not null or exists (select from sessions where person_id = people.id)
        or exists (select from person_identities where person_id = people.id)`.as('has_entered'),
    ])
    .where('disabled_at', 'is', null)
  if (teamId !== undefined) query = query.where('team_id', '=', teamId)
  const rows = await query.orderBy('created_at').orderBy('id').execute()
  return rows.map((row) => ({
    ...asPerson(row),
    createdAt: row.created_at,
    invitedUntil: row.invited_until,
    hasEntered: row.has_entered,
  }))
}

/** The person with this id, or one of each team that has a person with this e-mail address. */
export async function findPeople(db: Database, emailOrId: string): Promise<(Person & { password: string | null })[]> {
  const rows = await db
    .selectFrom('people')
    .select([...COLUMNS, 'password'])
    .where('disabled_at', 'is', null)
    .where((where) =>
      where.or([
        where(sql<string>`lower(email)`, '=', emailOrId.toLowerCase()),
        where(sql<string>`id::text`, '=', emailOrId.toLowerCase()),
      ]),
    )
    .orderBy('created_at')
    .execute()
  return rows.map((row) => ({ ...asPerson(row), password: row.password }))
}

/** The person that an installation begins with: the first owner of its first team. */
export async function firstOwner(db: Database): Promise<string | null> {
  return db.transaction().execute(async (tx) => {
    const team = await tx.selectFrom('teams').select('id').orderBy('number').limit(1).forUpdate().executeTakeFirst()
    if (team === undefined) return null
    const owner = await tx
      .selectFrom('people')
      .select('id')
      .where('team_id', '=', team.id)
      .where('role', '=', 'owner')
      .where('disabled_at', 'is', null)
      .orderBy('created_at')
      .limit(1)
      .executeTakeFirst()
    return owner?.id ?? createPerson(tx, { teamId: team.id, name: 'Owner', email: null, role: 'owner' })
  })
}

export interface PersonChange {
  role?: Role
  name?: string
  email?: string
  /** An owner vouches for the e-mail address. A new one is not confirmed otherwise. */
  confirmsEmail?: boolean
}

/** `last_owner`: a team always keeps one. `email_taken`: another person of the team has the address. */
export async function changePerson(
  db: Database,
  teamId: string,
  personId: string,
  change: PersonChange | 'disable',
): Promise<'changed' | 'not_found' | 'last_owner' | 'email_taken'> {
  return db.transaction().execute(async (tx) => {
    await tx.selectFrom('teams').select('id').where('id', '=', teamId).forUpdate().execute()
    const people = await tx
      .selectFrom('people')
      .select(['id', 'role', 'email'])
      .where('team_id', '=', teamId)
      .where('disabled_at', 'is', null)
      .execute()
    const person = people.find(({ id }) => id === personId)
    if (person === undefined) return 'not_found'
    const staysOwner = change !== 'disable' && (change.role ?? person.role) === 'owner'
    if (person.role === 'owner' && !staysOwner && people.filter(({ role }) => role === 'owner').length === 1)
      return 'last_owner'
    if (change === 'disable') {
      await tx.updateTable('people').set({ disabled_at: sql<Date>`now()` }).where('id', '=', personId).execute()
      await tx.deleteFrom('sessions').where('person_id', '=', personId).execute()
      await tx.deleteFrom('sign_in_people').where('person_id', '=', personId).execute()
      await tx.deleteFrom('sign_in_links').where('person_id', '=', personId).execute()
      await logChange(tx, { teamId, action: 'person.remove', target: personId })
      return 'changed'
    }
    const { confirmsEmail = false, ...columns } = change
    const wanted = change.email?.toLowerCase()
    const holder = wanted === undefined ? person : people.find(({ email }) => email?.toLowerCase() === wanted)
    if (holder !== undefined && holder !== person) return 'email_taken'
    const isNewEmail = holder === undefined
    const confirmed = confirmsEmail ? { email_confirmed: true } : isNewEmail ? { email_confirmed: false } : {}
    const row = { ...columns, ...confirmed }
    if (Object.keys(row).length > 0) await tx.updateTable('people').set(row).where('id', '=', personId).execute()
    const details = { fields: Object.keys(columns), ...(change.role && { role: change.role }) }
    if (Object.keys(columns).length > 0)
      await logChange(tx, { teamId, action: 'person.change', target: personId, details })
    return 'changed'
  })
}

/** Other sessions of the person end, and open sign-in links no longer work. */
export async function setPassword(
  db: Database,
  personId: string,
  password: string | null,
  keep: Buffer | null,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const { team_id: teamId } = await tx
      .updateTable('people')
      .set({ password })
      .where('id', '=', personId)
      .returning('team_id')
      .executeTakeFirstOrThrow()
    await logChange(tx, { teamId, action: 'person.change_password', target: personId })
    await tx.deleteFrom('sign_in_links').where('person_id', '=', personId).execute()
    let others = tx.deleteFrom('sessions').where('person_id', '=', personId)
    if (keep !== null) others = others.where('hash', '<>', keep)
    await others.execute()
    // Sessions of other teams that proved the earlier password.
    await sql`delete from sign_in_people where person_id = ${personId}
      and sign_in not in (select sign_in from sessions where person_id = ${personId} and sign_in is not null)`.execute(
      tx,
    )
  })
}
