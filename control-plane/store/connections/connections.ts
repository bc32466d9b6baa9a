/** Apps of the conferencing platform and users who authorized them: their rows. Secrets are sealed. */
import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { SealedPlace, Seals } from '../../platform/ports.ts'
import { logChange } from '../audit-log.ts'
import { type Database, inTransaction, type Tx } from '../database.ts'
import { contains } from '../like.ts'
import type { ConnectionRow } from '../rows/index.ts'

export type SecretColumn = 'client_secret' | 'refresh_token' | 'access_token'
export const connectionPlace = (column: SecretColumn, id: string): SealedPlace => ({
  table: 'connections',
  column,
  row: id,
})

export interface ConnectionApp {
  clientId: string
  clientSecret: string
  /** Of a bot that is registered at Microsoft Teams; absent for an app of Zoom. */
  tenantId?: string | undefined
}

/** A user who has authorized the app: what the platform gave for the code, and who it is. */
export interface AuthorizedUser {
  tokens: ConnectionTokens
  profile: { userId: string; accountId: string | null; email: string | null; displayName: string | null }
}

export interface ConnectionTokens {
  accessToken: string
  accessTokenSeconds: number
  refreshToken: string
  scopes: string[]
}

export interface NewConnection {
  teamId: string
  name: string
  app: ConnectionApp
  /** Null: only the app, for its own account's meetings. */
  user: AuthorizedUser | null
  extra: Record<string, unknown> | null
}

/** The columns that a caller may read; the sealed columns stay in the store. */
export type ShownConnection = Omit<
  ConnectionRow,
  'client_secret' | 'refresh_token' | 'access_token' | 'refresh_lease_owner' | 'refresh_lease_until'
>

const SHOWN = [
  'id',
  'team_id',
  'name',
  'platform',
  'type',
  'tenant_id',
  'client_id',
  'user_id',
  'account_id',
  'email',
  'display_name',
  'scopes',
  'state',
  'last_error_message',
  'last_error_at',
  'extra',
  'access_token_until',
  'tokens_version',
  'created_at',
  'updated_at',
  'deleted_at',
] as const

/** The provider has accepted new keys: earlier answers count no more. */
const ACCEPTED = {
  tokens_version: sql<number>`tokens_version + 1`,
  state: 'active',
  last_error_message: null,
  last_error_at: null,
}

export async function createConnection(
  db: Database | Tx,
  seals: Seals,
  given: NewConnection,
): Promise<ShownConnection> {
  const id = randomUUID()
  const type = given.user === null ? 'app' : 'user'
  return inTransaction(db, async (tx) => {
    const details = { type, ...(given.app.tenantId && { platform: 'teams' }) }
    await logChange(tx, { teamId: given.teamId, action: 'credential.create', target: id, details })
    return tx
      .insertInto('connections')
      .values({
        id,
        team_id: given.teamId,
        name: given.name,
        type,
        ...appColumns(seals, id, given.app),
        ...(given.user === null ? { scopes: JSON.stringify([]) } : userColumns(seals, id, given.user)),
        extra: given.extra === null ? null : JSON.stringify(given.extra),
      })
      .returning([...SHOWN])
      .executeTakeFirstOrThrow()
  })
}

export interface ConnectionChange {
  name?: string | undefined
  /** Null clears it. */
  extra?: Record<string, unknown> | null | undefined
  app?: ConnectionApp | undefined
  /** Authorized again: the state is active, and the earlier tokens are forgotten. */
  user?: AuthorizedUser | undefined
}

/** Undefined if the team has no such connection. */
export async function changeConnection(
  db: Database | Tx,
  seals: Seals,
  { teamId, id }: { teamId: string; id: string },
  change: ConnectionChange,
): Promise<ShownConnection | undefined> {
  return inTransaction(db, async (tx) => {
    const row = await changed(tx, seals, { teamId, id }, change)
    const details = { fields: Object.entries(change).flatMap(([name, value]) => (value === undefined ? [] : [name])) }
    if (row !== undefined) await logChange(tx, { teamId, action: 'credential.change', target: id, details })
    return row
  })
}

function changed(
  tx: Tx,
  seals: Seals,
  { teamId, id }: { teamId: string; id: string },
  change: ConnectionChange,
): Promise<ShownConnection | undefined> {
  return tx
    .updateTable('connections')
    .set({
      ...(change.name !== undefined && { name: change.name }),
      ...(change.extra !== undefined && { extra: change.extra === null ? null : JSON.stringify(change.extra) }),
      ...(change.app && appColumns(seals, id, change.app)),
      ...(change.app?.tenantId && ACCEPTED),
      ...(change.user && {
        ...userColumns(seals, id, change.user),
        ...ACCEPTED,
        type: 'user',
        refresh_lease_owner: null,
        refresh_lease_until: null,
      }),
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .where('team_id', '=', teamId)
    .where('deleted_at', 'is', null)
    .returning([...SHOWN])
    .executeTakeFirst()
}

/**
 * Where the team has connected the user already, the user's first connection is authorized again; otherwise a new one
 * is made. Two requests at once make one.
 */
export async function connectUser(
  db: Database,
  seals: Seals,
  given: NewConnection & { user: AuthorizedUser },
): Promise<ShownConnection> {
  const { teamId, app, user } = given
  return db.transaction().execute(async (tx) => {
    const turn = `connection of ${teamId} ${user.profile.userId}`
    await sql`select pg_advisory_xact_lock(hashtextextended(${turn}, 0))`.execute(tx)
    const [known] = await connectionsOfUser(tx, teamId, user.profile.userId)
    const changed = known && (await changeConnection(tx, seals, { teamId, id: known.id }, { app, user }))
    return changed ?? createConnection(tx, seals, given)
  })
}

/** All that are given must match. Texts are partial matches of any case, but for `userId` and `extra`, which are exact. */
export interface ConnectionFilter {
  name?: string | undefined
  email?: string | undefined
  displayName?: string | undefined
  userId?: string | undefined
  platforms?: readonly string[] | undefined
  types?: readonly string[] | undefined
  states?: readonly string[] | undefined
  extra?: readonly { field: string; value: string }[] | undefined
}

/** Oldest first; all of them. */
export async function listConnections(
  db: Database,
  teamId: string,
  filter: ConnectionFilter = {},
): Promise<ShownConnection[]> {
  const conditions: RawBuilder<boolean>[] = []
  const partly = (value: string | undefined, column: string) => {
    if (value !== undefined) conditions.push(contains(sql`${sql.ref(column)}`, value))
  }
  partly(filter.name, 'name')
  partly(filter.email, 'email')
  partly(filter.displayName, 'display_name')
  if (filter.userId !== undefined) conditions.push(sql<boolean>`user_id = ${filter.userId}`)
  if (filter.platforms !== undefined) conditions.push(sql<boolean>`platform = any (${[...filter.platforms]}::text[])`)
  if (filter.types !== undefined) conditions.push(sql<boolean>`type = any (${[...filter.types]}::text[])`)
  if (filter.states !== undefined) conditions.push(sql<boolean>`state = any (${[...filter.states]}::text[])`)
  for (const { field, value } of filter.extra ?? []) conditions.push(sql<boolean>`extra ->> ${field}::text = ${value}`)
  let query = db
    .selectFrom('connections')
    .select([...SHOWN])
    .where('team_id', '=', teamId)
    .where('deleted_at', 'is', null)
  for (const condition of conditions) query = query.where(condition)
  return query.orderBy('created_at').orderBy('id').execute()
}

/** Undefined if the team has no such connection. */
export async function readConnection(
  db: Database | Tx,
  teamId: string,
  id: string,
): Promise<ShownConnection | undefined> {
  return db
    .selectFrom('connections')
    .select([...SHOWN])
    .where('id', '=', id)
    .where('team_id', '=', teamId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

/**
 * The app by which bots of the team identify themselves at Microsoft Teams: the named one, else the oldest that was not refused.
 * Undefined if there is none.
 */
export function teamsAppOf(
  db: Database | Tx,
  teamId: string,
  credentialId: string | null,
): Promise<ShownConnection | undefined> {
  return db
    .selectFrom('connections')
    .select([...SHOWN])
    .where('team_id', '=', teamId)
    .where('platform', '=', 'teams')
    .where('deleted_at', 'is', null)
    .orderBy(sql`id is not distinct from ${credentialId}::uuid`, 'desc')
    .orderBy(sql`state = 'active'`, 'desc')
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

/** Sealed; null if the connection is gone. */
export async function readClientSecret(db: Database, id: string): Promise<Buffer | null> {
  const row = await db.selectFrom('connections').select('client_secret').where('id', '=', id).executeTakeFirst()
  return row?.client_secret ?? null
}

/** Oldest first. */
export async function connectionsOfUser(db: Database | Tx, teamId: string, userId: string): Promise<{ id: string }[]> {
  return db
    .selectFrom('connections')
    .select('id')
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/**
 * Its secrets are deleted at once; the row stays, so that a bot that named it can report why it failed. False: not
 * found.
 */
export async function deleteConnection(db: Database, teamId: string, id: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('connections')
      .set({
        deleted_at: sql<Date>`now()`,
        updated_at: sql<Date>`now()`,
        client_secret: null,
        refresh_token: null,
        access_token: null,
        access_token_until: null,
        refresh_lease_owner: null,
        refresh_lease_until: null,
      })
      .where('id', '=', id)
      .where('team_id', '=', teamId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    await logChange(tx, { teamId, action: 'credential.delete', target: id })
    return true
  })
}

function appColumns(seals: Seals, id: string, { clientId, clientSecret, tenantId }: ConnectionApp) {
  return {
    ...(tenantId && { platform: 'teams', tenant_id: tenantId }),
    client_id: clientId,
    client_secret: seals.seal(clientSecret, connectionPlace('client_secret', id)),
  }
}

function userColumns(seals: Seals, id: string, { tokens, profile }: AuthorizedUser) {
  return {
    user_id: profile.userId,
    account_id: profile.accountId,
    email: profile.email,
    display_name: profile.displayName,
    ...tokenColumns(seals, id, tokens),
  }
}

function tokenColumns(seals: Seals, id: string, tokens: ConnectionTokens) {
  return {
    scopes: JSON.stringify(tokens.scopes),
    refresh_token: seals.seal(tokens.refreshToken, connectionPlace('refresh_token', id)),
    access_token: seals.seal(tokens.accessToken, connectionPlace('access_token', id)),
    access_token_until: sql<Date>`now() + make_interval(secs => ${tokens.accessTokenSeconds})`,
  }
}
