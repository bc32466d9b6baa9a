/** Everything that is known of how a bot went, for its timeline. */
import type { Database } from '../database.ts'
import { deliveriesOfBot } from '../webhooks/deliveries.ts'

export interface TimelineRows {
  steps: {
    id: number
    attempt: number | null
    at: Date
    kind: string
    reason: string | null
    evidence: unknown
  }[]
  launches: {
    attempt: number
    launcher: string
    created_at: Date
    started_at: Date | null
    hello_at: Date | null
    ended_at: Date | null
    exit_code: number | null
    signal: string | null
    is_out_of_memory: boolean | null
    reason: string | null
    log_tail: string | null
  }[]
  artifacts: { attempt: number; name: string; bytes: number; stored_at: Date }[]
  deliveries: Awaited<ReturnType<typeof deliveriesOfBot>>
}

/** Rows of each kind that one answer takes at most; a bot has far fewer. */
const MAX_ROWS = 2000

export async function readTimeline(db: Database, botId: string): Promise<TimelineRows> {
  const steps = await db
    .selectFrom('bot_steps')
    .select(['id', 'attempt', 'at', 'kind', 'reason', 'evidence'])
    .where('bot_id', '=', botId)
    .orderBy('at')
    .orderBy('id')
    .limit(MAX_ROWS)
    .execute()
  const launches = await db
    .selectFrom('launches')
    .select(['attempt', 'launcher', 'created_at', 'started_at', 'hello_at', 'ended_at'])
    .select(['exit_code', 'signal', 'is_out_of_memory', 'reason', 'log_tail'])
    .where('bot_id', '=', botId)
    .orderBy('attempt')
    .limit(MAX_ROWS)
    .execute()
  const artifacts = await db
    .selectFrom('artifacts')
    .select(['attempt', 'name', 'bytes', 'stored_at'])
    .where('bot_id', '=', botId)
    .orderBy('stored_at')
    .orderBy('name')
    .limit(MAX_ROWS)
    .execute()
  return { steps, launches, artifacts, deliveries: await deliveriesOfBot(db, botId) }
}
