/** When a bot that is ready may open the link: not before its planned time. */
import { sleepUntil } from '../clock.ts'
import type { Clock, ControlPlane } from '../ports.ts'
import type { Job } from '../wire/job.ts'

/** A bot that is ready this much after its planned time reports that it is late. */
const LATE_MS = 5_000

export interface JoinGateParts {
  job: Pick<Job, 'not_before'>
  control: Pick<ControlPlane, 'report'>
  clock: Clock
  /** The end of the life. */
  signal: AbortSignal
}

/** The returned function resolves when the bot may join, and rejects when the life ends first. Repeatable. */
export function openJoinGate({ job, control, clock, signal }: JoinGateParts): () => Promise<void> {
  const plannedAt = job.not_before ? Date.parse(job.not_before) : null
  let hasJoined = false
  return async () => {
    if (plannedAt !== null) await sleepUntil(clock, plannedAt, signal)
    if (!hasJoined && plannedAt !== null) reportLateness(clock.now() - plannedAt)
    hasJoined = true
  }

  function reportLateness(ms: number): void {
    if (ms < LATE_MS) return
    const message = `The bot asks to join ${Math.round(ms / 1000)} s after its planned time (not_before).`
    control.report({ type: 'notice', level: 'warning', message })
  }
}
