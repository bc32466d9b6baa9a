import type { Log } from '../../platform/ports.ts'
import { botsPastRetention, requestDeletion } from '../../store/bots/deletions.ts'
import type { Database } from '../../store/database.ts'

const BATCH = 200

/** Asks for the deletion of all data that is older than its team keeps it. Returns of how many bots. */
export async function requestRetentionDeletions(db: Database, log: Log): Promise<number> {
  let count = 0
  for (;;) {
    const bots = await botsPastRetention(db, BATCH)
    let requested = 0
    for (const bot of bots) {
      const asked = { reason: 'retention', by: null } as const
      const answer = await db.transaction().execute((tx) => requestDeletion(tx, bot, asked))
      if (answer === 'requested') requested++
    }
    count += requested
    // Without progress the same bots would be read for ever.
    if (bots.length < BATCH || requested === 0) break
  }
  if (count > 0) log.info({ count }, 'Deleting data past its retention')
  return count
}
