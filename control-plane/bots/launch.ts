/** Changes of a bot between "due" and its running process. */
import type { BotRow } from '../store/rows/index.ts'
import { type BotChange, emptyChange } from './change.ts'
import { type START_SECONDS, startDeadline } from './deadlines.ts'
import { closing } from './ending.ts'
import { messagesOfStatus } from './messages/index.ts'
import { nextPhase } from './phases.ts'
import { NO_LEASE, withPatch } from './row.ts'

/** Seconds before a bot that found no room is tried again. */
const ROOM_RETRY_SECONDS = 1
/** Pause before a token is asked for again: the provider's own, within these bounds. */
const TOKEN_RETRY_MS = { least: 2_000, usual: 5_000, most: 60_000 }

/** The launcher has confirmed the start. Changes nothing if the bot reported before that. */
export function launched(
  bot: Pick<BotRow, 'phase' | 'attempt'>,
  launcher: keyof typeof START_SECONDS,
  now: Date,
): BotChange {
  const phase = nextPhase(bot.phase, 'launched')
  if (phase === null) return emptyChange()
  return {
    ...emptyChange(),
    patch: { ...NO_LEASE, phase, launched_at: now, deadline_at: startDeadline(now, launcher), wait_reason: null },
    steps: [
      {
        at: now,
        attempt: bot.attempt,
        kind: 'launched',
        reason: 'The bot was started.',
        evidence: { launcher },
      },
    ],
  }
}

/**
 * The launcher had no room for the claimed bot: it keeps waiting and has not failed. Its attempt was not begun, so the
 * number is given out again.
 */
export function noRoom(bot: BotRow, reason: string, now: Date): BotChange {
  const phase = nextPhase(bot.phase, 'launch_failed')
  if (phase === null) return emptyChange()
  const waits = waitsForRoom(bot, reason, now)
  const dueAt = new Date(now.getTime() + ROOM_RETRY_SECONDS * 1000)
  return {
    ...waits,
    patch: { ...NO_LEASE, phase, attempt: bot.attempt - 1, due_at: dueAt, wait_reason: reason },
  }
}

/**
 * The token of the claimed bot could not be fetched now: it is tried again. Where the time to start the bot is over by
 * then, the bot ends with the token's own code. Reported once.
 */
export function waitsForToken(
  bot: BotRow,
  { code, message, retryAfterMs }: { code: string; message: string; retryAfterMs: number | null },
  now: Date,
): BotChange {
  const wait = Math.min(TOKEN_RETRY_MS.most, Math.max(TOKEN_RETRY_MS.least, retryAfterMs ?? TOKEN_RETRY_MS.usual))
  const dueAt = new Date(now.getTime() + wait)
  if (bot.give_up_at !== null && dueAt > bot.give_up_at) return impossible(bot, code, message, now)
  return {
    ...emptyChange(),
    patch: { ...NO_LEASE, phase: 'due', attempt: bot.attempt - 1, due_at: dueAt, wait_reason: message },
    steps: bot.wait_reason === message ? [] : [{ at: now, attempt: null, kind: 'waiting_for_token', reason: message }],
  }
}

/** A due bot that the launcher has no room for, so it is not tried. Reported once. */
export function waitsForRoom(bot: BotRow, reason: string, now: Date): BotChange {
  if (bot.wait_reason !== null) return emptyChange()
  return {
    ...emptyChange(),
    patch: { wait_reason: reason },
    steps: [{ at: now, attempt: null, kind: 'waiting_for_room', reason }],
  }
}

/** The bot has waited for longer than callers are promised. Reported once; its status stays `queued`. */
export function pickupDelayed(bot: BotRow, now: Date): BotChange {
  const isWaiting = bot.phase === 'due' || bot.phase === 'launching' || bot.phase === 'starting'
  if (!isWaiting || bot.resumes > 0 || bot.pickup_delayed_at !== null) return emptyChange()
  const patch = { pickup_delayed_at: now }
  const reason = bot.wait_reason ?? 'No launcher has taken it yet.'
  return {
    ...emptyChange(),
    patch,
    steps: [{ at: now, attempt: null, kind: 'pickup_delayed', reason: `The bot is late. ${reason}` }],
    messages: messagesOfStatus(withPatch(bot, patch), { code: 'pickup_delayed', at: now, sourceId: 'pickup_delayed' }),
  }
}

/** A request that makes no job: another attempt would only repeat it. */
export function impossible(bot: BotRow, code: string, message: string, now: Date): BotChange {
  return closing(bot, 'gave_up', {
    status: 'failed',
    code,
    message,
    errorCode: code,
    errorMessage: message,
    at: now,
    attempt: bot.attempt,
    sourceId: 'impossible',
  })
}
