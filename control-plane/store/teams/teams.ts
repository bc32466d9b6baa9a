/** Teams, their limits and their balance. `null` as a limit means no limit, 0 means none allowed. */
import { MICRO } from '../../bots/change.ts'
import { logChange } from '../audit-log.ts'
import { type Database, inTransaction, type Tx } from '../database.ts'
import type { TeamRow } from '../rows/index.ts'
import { writeLedger } from './ledger.ts'

/** Limits of the hosted service's plans: requests a second, bots in 24 hours, calendars, days that files are kept. */
export const PLANS = {
  self_hosted: limits(null, null, null, null, true),
  pay_as_you_go: limits(5, 75, 2, 3, false),
  pro: limits(10, 300, 10, 7, true),
  scale: limits(20, 1000, 100, 14, true),
  enterprise: limits(20, 3000, 1000, 30, true),
} as const
export type Plan = keyof typeof PLANS

export interface TeamLimits {
  requests_per_second: number | null
  daily_cap: number | null
  calendars: number | null
  retention_days: number | null
  byok_transcription: boolean
}

function limits(
  requestsPerSecond: number | null,
  dailyCap: number | null,
  calendars: number | null,
  retentionDays: number | null,
  byokTranscription: boolean,
): TeamLimits {
  return {
    requests_per_second: requestsPerSecond,
    daily_cap: dailyCap,
    calendars,
    retention_days: retentionDays,
    byok_transcription: byokTranscription,
  }
}

/**
 * The values of a team that an operator may change; `balance` in tokens. A plan sets its limits, and single limits
 * override them.
 */
export type TeamChange = Partial<TeamLimits> & {
  plan?: Plan
  balance?: number | null
  /**
   * Whether webhooks to endpoints of the team carry a key of it in `x-service-api-key`. A key that is made while this is
   * false is never sent, also later.
   */
  api_key_in_webhooks?: boolean
}

export interface TeamSummary {
  team_id: string
  name: string
  /** Tokens; null: unlimited. */
  balance: number | null
  reserved: number
}

export async function createTeam(db: Database | Tx, name: string): Promise<string> {
  return inTransaction(db, async (tx) => {
    const { id } = await tx
      .insertInto('teams')
      .values({ name, ...PLANS.self_hosted, plan: 'self_hosted', balance: null })
      .returning('id')
      .executeTakeFirstOrThrow()
    await logChange(tx, { teamId: id, action: 'team.create', target: id })
    return id
  })
}

export async function readTeam(db: Database | Tx, teamId: string): Promise<TeamRow | undefined> {
  return db.selectFrom('teams').selectAll().where('id', '=', teamId).executeTakeFirst()
}

/** Oldest first. */
export async function listTeams(db: Database): Promise<TeamSummary[]> {
  const rows = await db.selectFrom('teams').select(['id', 'name', 'balance', 'reserved']).orderBy('number').execute()
  return rows.map(({ id, name, balance, reserved }) => ({
    team_id: id,
    name,
    balance: balance === null ? null : balance / MICRO,
    reserved: reserved / MICRO,
  }))
}

/** False if there is no such team. A balance that is set is an `adjust` entry of the ledger, as is every change of it. */
export async function setTeam(db: Database, teamId: string, change: TeamChange): Promise<boolean> {
  const { balance, plan, ...single } = change
  return db.transaction().execute(async (tx) => {
    const team = await tx.selectFrom('teams').selectAll().where('id', '=', teamId).forUpdate().executeTakeFirst()
    if (!team) return false
    const values = { ...(plan ? { ...PLANS[plan], plan } : {}), ...single }
    if (Object.keys(values).length > 0) await tx.updateTable('teams').set(values).where('id', '=', teamId).execute()
    if (balance !== undefined) await setBalance(tx, team, balance)
    await logChange(tx, { teamId, action: 'team.change', target: teamId, details: { ...change } })
    return true
  })
}

async function setBalance(tx: Tx, team: TeamRow, tokens: number | null): Promise<void> {
  // Where the balance was unlimited, the entries so far say what was spent: the new sum begins from there.
  if (tokens === null || team.balance === null) await startBalance(tx, team.id, tokens)
  if (tokens !== null) {
    const { sum } = await ledgerSum(tx, team.id)
    await adjust(tx, team.id, Math.round(tokens * MICRO) - sum)
  }
}

async function startBalance(tx: Tx, teamId: string, tokens: number | null): Promise<void> {
  const { sum } = await ledgerSum(tx, teamId)
  await tx
    .updateTable('teams')
    .set({ balance: tokens === null ? null : sum })
    .where('id', '=', teamId)
    .execute()
}

/** The sum of a team's entries: grants and adjustments less charges and reservations. Micro-tokens. */
export async function ledgerSum(
  db: Database | Tx,
  teamId: string,
): Promise<{ sum: number; reserved: number; spent: number }> {
  const rows = await db
    .selectFrom('ledger')
    .select(({ fn }) => ['kind', fn.sum<number>('amount').as('amount')])
    .where('team_id', '=', teamId)
    .groupBy('kind')
    .execute()
  const of = (kind: string) => rows.find((row) => row.kind === kind)?.amount ?? 0
  return {
    sum: of('grant') + of('adjust') - of('charge'),
    reserved: of('reserve') - of('release'),
    spent: of('charge'),
  }
}

async function adjust(tx: Tx, teamId: string, amount: number): Promise<void> {
  const source = `adjust:${crypto.randomUUID()}`
  await writeLedger(tx, [{ teamId, botId: null, kind: 'adjust', meter: null, amount, source }])
}

/** Adds tokens. The new balance in tokens, null if it is unlimited; undefined if there is no such team. */
export async function grantTokens(db: Database, teamId: string, tokens: number): Promise<number | null | undefined> {
  return db.transaction().execute(async (tx) => {
    const team = await tx.selectFrom('teams').select('id').where('id', '=', teamId).forUpdate().executeTakeFirst()
    if (!team) return undefined
    const source = `grant:${crypto.randomUUID()}`
    const amount = Math.round(tokens * MICRO)
    await writeLedger(tx, [{ teamId, botId: null, kind: 'grant', meter: null, amount, source }])
    await logChange(tx, { teamId, action: 'team.grant_tokens', target: teamId, details: { tokens } })
    const after = await readTeam(tx, teamId)
    return after!.balance === null ? null : after!.balance / MICRO
  })
}
