/** Accounts with which bots join signed in: their rows. Sessions are sealed. */
import { randomUUID } from 'node:crypto'
import type { StorageState } from '@standin/wire/account-session.ts'
import type { AccountPlatform } from '@standin/wire/platforms.ts'
import { type RawBuilder, sql } from 'kysely'
import type { SealedPlace, Seals } from '../../platform/ports.ts'
import { logChange } from '../audit-log.ts'
import { type Database, inTransaction, type Tx } from '../database.ts'
import type { AccountRow } from '../rows/index.ts'

export const sessionPlace = (id: string): SealedPlace => ({ table: 'accounts', column: 'session', row: id })

/** The columns that a caller may read. */
export type ShownAccount = Omit<AccountRow, 'session' | 'leased_at'> & { meetings: number }

export interface AccountSettings {
  label: string
  address: string | null
  pool: string
  max_meetings: number
  is_disabled: boolean
}

const SHOWN = [
  ...(['id', 'team_id', 'platform', 'label', 'address', 'pool', 'max_meetings', 'is_disabled', 'state'] as const),
  ...(['state_reason', 'state_at', 'session_version', 'session_at', 'created_at', 'updated_at'] as const),
]

/** True of bots that hold the account that they have: they may be in their meeting. */
export const HOLDS: RawBuilder<boolean> = sql`account_id is not null and phase not in ('processing', 'assembling', 'closed')`
const meetings = sql<number>`(select count(*) from bots where account_id = accounts.id and ${HOLDS})`.as('meetings')

export async function createAccount(
  db: Database | Tx,
  seals: Seals,
  given: AccountSettings & { teamId: string; platform: AccountPlatform; session: StorageState },
): Promise<ShownAccount> {
  const { teamId, session, ...columns } = given
  const id = randomUUID()
  return inTransaction(db, async (tx) => {
    const details = { platform: given.platform, label: given.label, pool: given.pool }
    await logChange(tx, { teamId, action: 'account.create', target: id, details })
    const sealed = seals.seal(JSON.stringify(session), sessionPlace(id))
    const row = { ...columns, id, team_id: teamId, session: sealed }
    return tx
      .insertInto('accounts')
      .values(row)
      .returning([...SHOWN, meetings])
      .executeTakeFirstOrThrow()
  })
}

/** Of one team, since its list has all of them. */
export const MAX_ACCOUNTS = 500

/** Whether the team may have one more. Requests at the same time may each add one. */
export async function hasRoomForAccount(db: Database, teamId: string): Promise<boolean> {
  const accounts = db.selectFrom('accounts').select('id').where('team_id', '=', teamId)
  return (
    (
      await accounts
        .offset(MAX_ACCOUNTS - 1)
        .limit(1)
        .execute()
    ).length === 0
  )
}

/** Oldest first; all of them. */
export async function listAccounts(db: Database, teamId: string): Promise<ShownAccount[]> {
  return db
    .selectFrom('accounts')
    .select([...SHOWN, meetings])
    .where('team_id', '=', teamId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Undefined if the team has no such account. */
export async function readAccount(db: Database, teamId: string, id: string): Promise<ShownAccount | undefined> {
  return db
    .selectFrom('accounts')
    .select([...SHOWN, meetings])
    .where('id', '=', id)
    .where('team_id', '=', teamId)
    .executeTakeFirst()
}

/** Whether the team has an account of the platform, in the pool if one is named, busy and disabled ones too. */
export async function hasAccount(
  db: Database | Tx,
  teamId: string,
  platform: string | null,
  pool: string | null,
): Promise<boolean> {
  let query = db.selectFrom('accounts').select('id').where('team_id', '=', teamId)
  if (platform !== null) query = query.where('platform', '=', platform)
  if (pool !== null) query = query.where('pool', '=', pool)
  return (await query.limit(1).executeTakeFirst()) !== undefined
}

export type AccountChange = { [Name in keyof AccountSettings]?: AccountSettings[Name] | undefined } & {
  /** Of a person who signed in again. */
  session?: StorageState | undefined
}

/** Undefined if the team has no such account. */
export async function changeAccount(
  db: Database,
  seals: Seals,
  { teamId, id }: { teamId: string; id: string },
  { session, ...settings }: AccountChange,
): Promise<ShownAccount | undefined> {
  return write(db, { teamId, id }, 'account.change', {
    ...Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)),
    ...(session && {
      session: seals.seal(JSON.stringify(session), sessionPlace(id)),
      session_version: sql<number>`session_version + 1`,
      session_at: sql<Date>`now()`,
      ...UNKNOWN,
    }),
  })
}

const UNKNOWN = { state: 'unknown', state_reason: null, state_at: sql<Date>`now()` }

/** Puts the account back into its pool: the next bot that gets it finds out whether it is signed in. */
export function checkAccount(db: Database, teamId: string, id: string): Promise<ShownAccount | undefined> {
  return write(db, { teamId, id }, 'account.check', UNKNOWN)
}

function write(
  db: Database,
  { teamId, id }: { teamId: string; id: string },
  action: 'account.change' | 'account.check',
  columns: Record<string, unknown>,
): Promise<ShownAccount | undefined> {
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .updateTable('accounts')
      .set({ ...columns, updated_at: sql<Date>`now()` })
      .where('id', '=', id)
      .where('team_id', '=', teamId)
      .returning([...SHOWN, meetings])
      .executeTakeFirst()
    const details = { fields: Object.keys(columns) }
    if (row !== undefined) await logChange(tx, { teamId, action, target: id, details })
    return row
  })
}

/** Deletes its session too; bots that have the account keep what they were given. False: not found. */
export async function deleteAccount(db: Database, teamId: string, id: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const deleted = await tx
      .deleteFrom('accounts')
      .where('id', '=', id)
      .where('team_id', '=', teamId)
      .returning('label')
      .executeTakeFirst()
    if (deleted === undefined) return false
    await logChange(tx, { teamId, action: 'account.delete', target: id, details: { label: deleted.label } })
    return true
  })
}
