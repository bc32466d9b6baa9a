/** Sign-in links and sessions of people. Tokens are random; the tables keep their SHA-256. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { logChange } from '../audit-log.ts'
import type { Database, Tx } from '../database.ts'
import type { Role } from './people.ts'

const TOKEN_BYTES = 32
const TOKEN = /^[\w-]{43}$/
export const LINK_MINUTES = 15
export const INVITATION_DAYS = 7
export const SESSION_DAYS = 30
/** However often a session is used, it ends then. */
const MAX_SESSION_DAYS = 90
/** A session is fresh, so that it may change how its person signs in, for as long as a sign-in link works. */
const FRESH_MINUTES = LINK_MINUTES
/** A session that is used is prolonged at most this often. */
const SEEN_EVERY = "interval '1 hour'"

/** The person that a signed-in request acts for. */
export interface Session {
  hash: Buffer
  personId: string
  teamId: string
  name: string
  email: string | null
  role: Role
  /** An owner of the first team, which is the operator's: may see figures of the whole installation. */
  isOperator: boolean
  /** The person signed in a few minutes ago. */
  isFresh: boolean
  requestsPerSecond: number | null
  byokTranscription: boolean
}

const newToken = () => randomBytes(TOKEN_BYTES).toString('base64url')
const hashOf = (token: string) => createHash('sha256').update(token).digest()

/** A token that signs the person in once, within 15 minutes. */
export async function createSignInLink(db: Database, personId: string): Promise<string> {
  return db.transaction().execute(async (tx) => {
    const token = await insertLink(tx, personId)
    const person = await tx.selectFrom('people').select('team_id').where('id', '=', personId).executeTakeFirstOrThrow()
    await logChange(tx, { teamId: person.team_id, action: 'person.invite', target: personId })
    return token
  })
}

/** A token that signs the person in once, within 7 days. Earlier invitations of the person are withdrawn. */
export async function createInvitation(db: Database, personId: string): Promise<string> {
  return db.transaction().execute(async (tx) => {
    const person = await tx
      .selectFrom('people')
      .select('team_id')
      .where('id', '=', personId)
      .forUpdate()
      .executeTakeFirstOrThrow()
    await removeInvitations(tx, personId)
    const token = newToken()
    await tx
      .insertInto('sign_in_links')
      .values({
        hash: hashOf(token),
        person_id: personId,
        is_invitation: true,
        expires_at: sql<Date>`now() + ${INVITATION_DAYS} * interval '1 day'`,
      })
      .execute()
    await logChange(tx, { teamId: person.team_id, action: 'person.invite', target: personId })
    return token
  })
}

/** False: the team has no such person with an open invitation. */
export async function withdrawInvitation(db: Database, teamId: string, personId: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const person = await tx
      .selectFrom('people')
      .select('id')
      .where('id', '=', personId)
      .where('team_id', '=', teamId)
      .forUpdate()
      .executeTakeFirst()
    if (person === undefined || !(await removeInvitations(tx, personId))) return false
    await logChange(tx, { teamId, action: 'person.withdraw_invitation', target: personId })
    return true
  })
}

async function removeInvitations(db: Database | Tx, personId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sign_in_links')
    .where('person_id', '=', personId)
    .where('is_invitation', '=', true)
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

async function insertLink(db: Database | Tx, personId: string, signIn: string | null = null): Promise<string> {
  const token = newToken()
  const expiresAt = sql<Date>`now() + ${LINK_MINUTES} * interval '1 minute'`
  const row = { hash: hashOf(token), person_id: personId, expires_at: expiresAt, sign_in: signIn }
  await db.insertInto('sign_in_links').values(row).execute()
  return token
}

/** A team in which the caller may sign in, and the token of a link for it. */
export interface Choice {
  team: string
  token: string
}

/** One for each of several people. The caller has proved that they are these people. */
export async function createChoices(db: Database, personIds: readonly string[]): Promise<Choice[]> {
  const people = await db
    .selectFrom('people')
    .innerJoin('teams', 'teams.id', 'team_id')
    .select(['people.id', 'teams.name'])
    .where('people.id', 'in', personIds)
    .orderBy('number')
    .execute()
  const signIn = randomUUID()
  await db
    .insertInto('sign_in_people')
    .values(people.map(({ id }) => ({ sign_in: signIn, person_id: id })))
    .execute()
  return Promise.all(people.map(async ({ id, name }) => ({ team: name, token: await insertLink(db, id, signIn) })))
}

/** The teams into which links lead that still work, in the order of their tokens. Uses none of them. */
export async function readChoices(db: Database, tokens: readonly string[]): Promise<Choice[]> {
  const rows = await db
    .selectFrom('sign_in_links')
    .innerJoin('people', 'people.id', 'person_id')
    .innerJoin('teams', 'teams.id', 'team_id')
    .select(['hash', 'teams.name'])
    .where('hash', 'in', tokens.map(hashOf))
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .where('disabled_at', 'is', null)
    .execute()
  return tokens.flatMap((token) =>
    rows.filter(({ hash }) => hash.equals(hashOf(token))).map(({ name }) => ({ team: name, token })),
  )
}

/** The token of a new session; null if the link is unknown, used or too old. Of two that use it at once one wins. */
export async function useSignInLink(db: Database, token: string): Promise<string | null> {
  if (!TOKEN.test(token)) return null
  const used = await db
    .updateTable('sign_in_links')
    .set({ used_at: sql<Date>`now()` })
    .where('hash', '=', hashOf(token))
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning(['person_id', 'sign_in'])
    .executeTakeFirst()
  if (used === undefined) return null
  // Who signs in by another link needs no invitation any more.
  await removeInvitations(db, used.person_id)
  return openSession(db, used.person_id, used.sign_in)
}

/** The token of a new session. */
export async function openSession(db: Database, personId: string, signIn: string | null = null): Promise<string> {
  const token = newToken()
  await db
    .insertInto('sessions')
    .values({
      hash: hashOf(token),
      person_id: personId,
      sign_in: signIn,
      expires_at: sql<Date>`now() + ${SESSION_DAYS} * interval '1 day'`,
    })
    .execute()
  return token
}

export async function findSession(db: Database, token: string): Promise<Session | null> {
  if (!TOKEN.test(token)) return null
  const hash = hashOf(token)
  const row = await db
    .selectFrom('sessions')
    .innerJoin('people', 'people.id', 'person_id')
    .innerJoin('teams', 'teams.id', 'people.team_id')
    .select([
      'person_id',
      'people.team_id',
      'people.name',
      'email',
      'role',
      'requests_per_second',
      'byok_transcription',
    ])
    .select(sql<boolean>`role = 'owner' and number = (select min(number) from teams)`.as('is_operator'))
    .select(sql<boolean>`seen_at < now() - ${sql.raw(SEEN_EVERY)}`.as('is_stale'))
    .select(sql<boolean>`sessions.created_at > now() - ${FRESH_MINUTES} * interval '1 minute'`.as('is_fresh'))
    .where('hash', '=', hash)
    .where('expires_at', '>', sql<Date>`now()`)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined) return null
  if (row.is_stale)
    await db
      .updateTable('sessions')
      .set({
        seen_at: sql<Date>`now()`,
        expires_at: sql<Date>`least(now() + ${SESSION_DAYS} * interval '1 day',
          created_at + ${MAX_SESSION_DAYS} * interval '1 day')`,
      })
      .where('hash', '=', hash)
      .execute()
  return {
    hash,
    personId: row.person_id,
    teamId: row.team_id,
    name: row.name,
    email: row.email,
    role: row.role as Role,
    isOperator: row.is_operator,
    isFresh: row.is_fresh,
    requestsPerSecond: row.requests_per_second,
    byokTranscription: row.byok_transcription,
  }
}

/** The people whom the sign-in of this session proved, and who still may enter their teams. */
export async function peopleOfSession(db: Database, hash: Buffer): Promise<{ person_id: string; team: string }[]> {
  const { rows } = await sql<{ person_id: string; team: string }>`
    select people.id as person_id, teams.name as team from sessions
    join sign_in_people using (sign_in)
    join people on people.id = sign_in_people.person_id and disabled_at is null
    join teams on teams.id = team_id
    where hash = ${hash} order by teams.name, teams.number`.execute(db)
  return rows
}

/** The session acts for another of its people from now on, and ends when it would have ended. False: it is not theirs. */
export async function changePersonOfSession(db: Database, hash: Buffer, personId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update sessions set person_id = ${personId} where hash = ${hash} and exists (
      select from sign_in_people join people on people.id = sign_in_people.person_id
      where sign_in_people.sign_in = sessions.sign_in and people.id = ${personId} and disabled_at is null)`.execute(db)
  return numAffectedRows === 1n
}

export async function closeSession(db: Database, hash: Buffer): Promise<void> {
  await db.deleteFrom('sessions').where('hash', '=', hash).execute()
}

/** The person is sent to a page of consent. An answer of an earlier one is refused from now on. */
export async function beginConsent(db: Database, session: Buffer, state: string): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ consent_state: hashOf(state) })
    .where('hash', '=', session)
    .execute()
}

/** Whether this session waits for the answer. Of two answers at once one counts. */
export async function endConsent(db: Database, session: Buffer, state: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('sessions')
    .set({ consent_state: null })
    .where('hash', '=', session)
    .where('consent_state', '=', hashOf(state))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Removes old links and sessions, which no longer work. */
export async function forgetOldSessions(db: Database): Promise<void> {
  await db.deleteFrom('sessions').where('expires_at', '<', sql<Date>`now()`).execute()
  await sql`delete from sign_in_people where created_at < now() - interval '1 day'
    and not exists (select from sessions where sessions.sign_in = sign_in_people.sign_in)`.execute(db)
  await db.deleteFrom('sign_in_links').where('expires_at', '<', sql<Date>`now() - interval '1 day'`).execute()
}
