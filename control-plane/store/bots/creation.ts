/** Inserts bots with everything that belongs to them, and reads the limits of their team. */
import { sql } from 'kysely'
import type { BotChange } from '../../bots/change.ts'
import type { Database, Tx } from '../database.ts'
import { PREPARED } from '../prepared.ts'
import type { NewAuditLogRow, NewBotRow, TeamRow } from '../rows/index.ts'
import { shareStatements } from '../shared-statements.ts'
import { ledgerParts } from '../teams/ledger.ts'
import { withMessages } from '../webhooks/messages.ts'
import { writable } from './bots.ts'
import { stepRows } from './steps.ts'

export interface Insertion {
  row: NewBotRow
  /** Its patch is in the row already. */
  change: BotChange
  /** In the audit log; absent: another entry stands for it. */
  entry?: NewAuditLogRow
}

/** Bots of one team that one statement inserts. */
const MAX_INSERTED_AT_ONCE = 16

/** Statements that creations share, by pool. */
const shared = new WeakMap<Database, ReturnType<typeof shareCreations>>()

function shareCreations(db: Database) {
  return {
    limits: shareStatements(async (teamIds: readonly string[]) => {
      const limits = await readLimitsNow(db, teamIds[0]!)
      return teamIds.map(() => limits)
    }, Number.POSITIVE_INFINITY),
    inserts: shareStatements(async (insertions: readonly Insertion[]) => {
      await insertBots(db, insertions)
      return insertions.map(() => null)
    }, MAX_INSERTED_AT_ONCE),
  }
}

function sharedBy(db: Database) {
  const known = shared.get(db) ?? shareCreations(db)
  shared.set(db, known)
  return known
}

/** In the statement of other bots of the team that are created at the same time. */
export async function shareInsertion(db: Database, insertion: Insertion): Promise<void> {
  const { team_id, is_scheduled } = insertion.row
  // Scheduled bots write other columns.
  await sharedBy(db).inserts.add(`${team_id} ${is_scheduled}`, insertion)
}

/** The current limits, without a lock: `lockTeam` reads them again if bots have to be counted. */
export function readLimits(db: Database | Tx, teamId: string) {
  return db.isTransaction ? readLimitsNow(db, teamId) : sharedBy(db).limits.add(teamId, teamId)
}

async function readLimitsNow(db: Database | Tx, teamId: string) {
  const { now, ...team } = await db
    .selectFrom('teams')
    .select(['balance', 'daily_cap', 'byok_transcription', sql<Date>`clock_timestamp()`.as('now')])
    .where('id', '=', teamId)
    .executeTakeFirstOrThrow()
  return { team, now }
}

/** Rows of bots of one team, their first steps, their first messages and the reservations, in one statement. */
export async function insertBots(db: Database | Tx, insertions: readonly Insertion[]): Promise<void> {
  const steps = insertions.flatMap(({ row, change }) => stepRows(row.id, change.steps))
  const messages = insertions.flatMap(({ change }) => change.messages)
  const ledger = insertions.flatMap(({ change }) => change.ledger)
  const entries = insertions.flatMap(({ entry }) => entry ?? [])
  const row = db.insertInto('bots').values(insertions.map(({ row }) => writable(row)))
  await withMessages(db, messages, (messageParts) => {
    const parts = [
      sql`bot as (${row.returning('id')})`,
      sql`step as (${db.insertInto('bot_steps').values(steps)})`,
      ...messageParts,
      ...(ledger.length > 0 ? [ledgerParts(ledger)] : []),
      ...(entries.length > 0 ? [sql`entry_of_log as (${db.insertInto('audit_log').values(entries)})`] : []),
    ]
    return sql`${PREPARED} with ${sql.join(parts, sql`, `)} select id from bot`
  })
}

/**
 * The team for the rest of the transaction, with the database's time. Creations of one team wait for its row, so
 * that none of them counts bots, tokens or duplicates that another one is about to add.
 */
export async function lockTeam(tx: Tx, teamId: string): Promise<{ team: TeamRow; now: Date }> {
  const { now, ...team } = await tx
    .selectFrom('teams')
    .selectAll()
    .select(sql<Date>`clock_timestamp()`.as('now'))
    .where('id', '=', teamId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  return { team, now }
}
