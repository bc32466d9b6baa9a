import type { Log } from '../ports.ts'
import type { Database } from '../store/database.ts'
import {
  type LedgerDifference,
  ledgerDifferences,
  openReserves,
  withAuditTime,
  writeAudit,
} from '../store/ledger-audit.ts'

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
  return findings
}
