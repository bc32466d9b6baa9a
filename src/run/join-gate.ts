/**
 * When a bot may open the link, and when it may ask: at its planned time, and with the welcome of its control plane. The
 * page is filled in before, so that the request goes out in that moment.
 */

import type { Job } from '@standin/wire/job.ts'
import { aborted, sleepUntil, wallTime, within } from '@standin/wire/time/deadline.ts'
import type { Clock, ControlPlane } from '../../packages/core/ports.ts'

/**
 * The page is opened this long before. Pages of meetings need up to 20 s on a busy machine; one that is open for long may
 * go back to its start.
 */
const OPEN_AHEAD_MS = 30_000
/** A bot that is ready this much after its planned time reports that it is late. */
const LATE_MS = 5_000

export interface JoinGateParts {
  job: Pick<Job, 'not_before' | 'wait_for_welcome_seconds'>
  control: Pick<ControlPlane, 'report' | 'whenWelcomed'>
  clock: Clock
  /** Aborted when the bot ends. */
  signal: AbortSignal
}

/** Both resolve when the bot may continue, and reject when it ends first. Repeatable. */
export type JoinGate = ReturnType<typeof openJoinGate>

export function openJoinGate({ job, control, clock, signal }: JoinGateParts) {
  const plannedAt = job.not_before ? Date.parse(job.not_before) : null
  const limit = job.wait_for_welcome_seconds
  // Counted from the start of the bot, so that a control plane that is away does not delay a bot that was started
  // early.
  const welcomed = limit === 0 ? Promise.resolve() : untilWelcomed()
  let hasJoined = false
  return {
    async whenMayOpen(): Promise<void> {
      if (plannedAt !== null) await sleepUntil(clock, plannedAt - OPEN_AHEAD_MS, signal)
      signal.throwIfAborted()
    },
    async whenMayAsk(): Promise<void> {
      await welcomed
      if (plannedAt !== null) await sleepUntil(clock, plannedAt, signal)
      signal.throwIfAborted()
      if (!hasJoined && plannedAt !== null) reportLateness(wallTime(clock) - plannedAt)
      hasJoined = true
    },
  }

  /** Never rejects. */
  async function untilWelcomed(): Promise<void> {
    const welcomeOrEnd = Promise.race([control.whenWelcomed(), aborted(signal)])
    await within(clock, limit * 1000, welcomeOrEnd, () => new Error('No welcome came')).catch(() =>
      warn(`The control plane did not welcome the bot within ${limit} s; the bot asks to join without it.`),
    )
  }

  function reportLateness(ms: number): void {
    if (ms >= LATE_MS) warn(`The bot asks to join ${Math.round(ms / 1000)} s after its planned time (not_before).`)
  }

  function warn(message: string): void {
    control.report({ type: 'notice', level: 'warning', message })
  }
}
