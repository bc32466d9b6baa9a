/** A request to leave: cancels a bot that is not launched, and stops one that is. */
import type { BotRow } from '../store/rows/index.ts'
import { type BotChange, emptyChange } from './change.ts'
import { deadlineOf } from './deadlines.ts'
import { closing } from './ending.ts'
import { nextPhase } from './phases.ts'
import { withPatch } from './row.ts'

const BEFORE_RECORDING = 'EXITING_MEETING_BEFORE_RECORD'

/**
 * The changes by a request to leave. A bot that is not launched is cancelled at once; a launched one is asked to leave
 * (the caller adds the command) and ends by its own report. A repeated request changes nothing. Refused once the bot has
 * left its meeting.
 */
export function stopAsked(bot: BotRow, now: Date): BotChange | { refused: string } {
  // It has left, and its files are being put together.
  if (bot.phase === 'assembling') return emptyChange()
  const phase = nextPhase(bot.phase, 'stop_asked')
  if (phase === null) return { refused: bot.status }
  if (phase === 'closed') return cancelled(bot, now)
  if (bot.stop_requested_at !== null) return emptyChange()
  const patch = { phase, stop_requested_at: now }
  return {
    ...emptyChange(),
    patch: { ...patch, deadline_at: deadlineOf(withPatch(bot, patch), now) },
    steps: [{ at: now, attempt: bot.attempt, kind: 'stop_asked', reason: 'The bot was asked to leave.' }],
  }
}

/** Whether the request needs the command `leave`: the bot runs, or may. */
export function needsLeave(change: BotChange): boolean {
  return change.patch.phase === 'ending'
}

function cancelled(bot: BotRow, now: Date): BotChange {
  const wasScheduled = bot.phase === 'scheduled'
  const message = 'The bot was stopped before it joined the meeting.'
  const change = closing(
    bot,
    'stop_asked',
    {
      status: 'failed',
      code: BEFORE_RECORDING,
      message,
      errorCode: BEFORE_RECORDING,
      errorMessage: message,
      at: now,
      attempt: null,
      sourceId: 'cancelled',
    },
    {
      stop_requested_at: bot.stop_requested_at ?? now,
      ...(wasScheduled && { schedule_status: 'cancelled', cancelled_at: now }),
    },
  )
  const step = { at: now, attempt: null, kind: 'cancelled' as const, reason: message }
  return { ...change, steps: [step, ...change.steps] }
}
