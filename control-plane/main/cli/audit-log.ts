/** The audit log as JSON lines. */
import { shownEntry } from '../../api/v2/audit-log/routes.ts'
import { listAuditLog } from '../../store/audit-log.ts'
import type { PageRequest } from '../../store/pages.ts'
import { type CommandContext, onInstallation, teamOf, timeOf } from './context.ts'

const PAGE_SIZE = 1000

/** Prints the entries of a team, newest first, one on each line. */
export async function auditLogCommand(
  context: CommandContext,
  { team, since, until }: { team?: string; since?: string; until?: string },
): Promise<void> {
  const filter = {
    after: since === undefined ? undefined : timeOf(since, '--since'),
    before: until === undefined ? undefined : timeOf(until, '--until'),
  }
  await onInstallation(context, async (installation) => {
    const teamId = await teamOf(installation, team)
    let from: PageRequest['from'] = null
    do {
      const page = await listAuditLog(installation.database, teamId, filter, { limit: PAGE_SIZE, from })
      for (const row of page.rows) {
        const entry = shownEntry(row)
        context.output.answer(entry, [JSON.stringify(entry)])
      }
      from = page.next && { place: page.next, direction: 'after' }
    } while (from !== null)
  })
}
