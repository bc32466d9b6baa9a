/** Rows of the timeline. */
import type { Step } from '../../bots/change.ts'
import { jsonText } from './bots.ts'

export function stepRows(botId: string, steps: readonly Step[]) {
  return steps.map(({ attempt, at, kind, reason, evidence }) => ({
    bot_id: botId,
    attempt,
    at,
    kind,
    reason,
    evidence: evidence === undefined ? null : jsonText(evidence),
  }))
}
