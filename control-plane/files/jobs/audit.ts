import type { Log } from '../../platform/ports.ts'
import type { Database } from '../../store/database.ts'
import { writeSetting } from '../../store/settings.ts'
import {
  LAST_AUDIT,
  type LastAudit,
  type LedgerDifference,
  ledgerDifferences,
  openReserves,
  withAuditTime,
  writeAudit,
} from '../../store/teams/ledger-audit.ts'

export interface AuditFindings {
  differences: LedgerDifference[]
  /** Ended bots whose reserve is not released; micro-tokens. */
  openReserves: { botId: string; amount: number }[]
}

/** Recomputes the ledger's sums. Differences are logged and stored; nothing is corrected. */
export async function auditLedger(db: Database, log: Log): Promise<AuditFindings> {
  const findings = await withAuditTime(db, async (tx) => ({
    differences: await ledgerDifferences(tx),
    openReserves: await openReserves(tx),
  }))
  for (const { teamId, stored, computed } of findings.differences) {
    log.error({ team: teamId, stored, computed }, 'The sums of a team differ from its ledger')
    await writeAudit(db, {
      who: 'job:audit',
      what: `ledger difference of team ${teamId}`,
      before: stored,
      after: computed,
    })
  }
  for (const { botId, amount } of findings.openReserves) {
    log.error({ bot: botId, amount }, 'An ended bot still holds a reserve')
    await writeAudit(db, { who: 'job:audit', what: `open reserve of bot ${botId}`, before: { amount } })
  }
  const last: LastAudit = {
    difference: findings.differences.reduce((sum, each) => sum + sizeOf(each), 0),
    openReserves: findings.openReserves.length,
  }
  await writeSetting(db, LAST_AUDIT, last)
  return findings
}

function sizeOf({ stored, computed }: LedgerDifference): number {
  const balance = Math.abs((stored.balance ?? 0) - (computed.balance ?? 0))
  return Math.abs(stored.reserved - computed.reserved) + Math.abs(stored.spent - computed.spent) + balance
}
