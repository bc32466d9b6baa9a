/** The parts of a recording whose bot had several attempts, because one crashed in the meeting. Pure. */
import type { BotPatch, BotRow } from '../store/rows/index.ts'
import { type BotChange, emptyChange } from './change.ts'
import type { End } from './ending.ts'
import { isNormalEnd } from './outcomes.ts'
import { NO_LEASE, namedAttempt } from './row.ts'

/** The recording of one attempt. */
export interface Part {
  attempt: number
  /** Seconds in its files; null if that is not known. */
  seconds: number | null
  /** The code of its crash; null for an attempt that ended by its own report. */
  code: string | null
  /** The crash in one plain sentence. */
  reason: string | null
}

/** Oldest first. Empty for a bot that recorded in one attempt and lost none. */
export function partsOf(bot: Pick<BotRow, 'parts'>): Part[] {
  return Array.isArray(bot.parts) ? (bot.parts as Part[]) : []
}

export function secondsOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { seconds }) => sum + (seconds ?? 0), 0)
}

/** The attempt that decides has recorded, or may have: it is not rejoining. */
export function hasRecorded(bot: Pick<BotRow, 'recording_started_at' | 'resuming_since'>): boolean {
  return bot.recording_started_at !== null && bot.resuming_since === null
}

/**
 * A bot of several parts is over: its files are put together before it is closed, so that its final message can link to
 * them. `facts.duration_seconds` is what the last attempt recorded.
 */
export function assembling(bot: BotRow, end: End, facts: BotPatch): BotChange {
  const before = partsOf(bot)
  const seconds = facts.duration_seconds ?? null
  const code = end.sourceId.startsWith('process_ended') ? end.code : null
  const last: Part = { attempt: namedAttempt(bot), seconds, code, reason: code && end.message }
  const parts = hasRecorded(bot) ? [...before, last] : before
  const ended = endOfParts(bot, end)
  return {
    ...emptyChange(),
    patch: {
      ...facts,
      phase: 'assembling',
      parts,
      duration_seconds: secondsOf(parts),
      pending_end: { ...ended, at: ended.at.toISOString() },
      exited_at: facts.exited_at ?? bot.exited_at ?? end.at,
      // Names the attempt whose files are the bot's, also if the last attempt never asked to join.
      joined_attempt: namedAttempt(bot),
      resuming_since: null,
      deadline_at: null,
      ...NO_LEASE,
      wait_reason: null,
      link_lost_at: null,
    },
    steps: [{ at: end.at, attempt: end.attempt, kind: 'assembling', reason: `${end.message} ${ASSEMBLING}` }],
  }
}

/** Ends that the service makes, since it could start no further attempt. */
const OURS = /^(?:gave_up$|impossible$|process_ended)/
const ASSEMBLING = 'The parts of the recording are being joined.'

/** The end as it was when the bot became `assembling`. */
export function pendingEndOf(bot: Pick<BotRow, 'pending_end'>): End | null {
  const stored = bot.pending_end as (Omit<End, 'at'> & { at: string }) | null
  return stored && { ...stored, at: new Date(stored.at) }
}

/**
 * A bot that ends while it rejoins keeps what it recorded. Where the meeting kept it out, it completes; if no
 * further attempt could be made, it fails with the code of the crash from which it did not return.
 */
function endOfParts(bot: BotRow, end: End): End {
  if (bot.resuming_since === null || (end.status === 'completed' && isNormalEnd(end.code))) return end
  const completed = (code: string, message: string): End => ({
    ...end,
    ...{ status: 'completed', code, message, errorCode: null, errorMessage: null },
  })
  const lost = partsOf(bot).at(-1)!
  if (bot.stop_requested_at !== null || end.code === 'EXITING_MEETING_BEFORE_RECORD')
    return completed('API_REQUEST', 'The bot was asked to leave before it was back in the meeting.')
  if (lost.code !== null && OURS.test(end.sourceId)) {
    const message = `${lost.reason ?? ''} The bot did not come back into the meeting. ${end.message}`.trim()
    return { ...end, ...{ status: 'failed', code: lost.code, message, errorCode: lost.code, errorMessage: message } }
  }
  // The specification's table of ends has nothing nearer: the bot is out of the meeting against its will.
  return completed(
    'BOT_REMOVED',
    `The bot was lost in the meeting and did not come back into it, so the recording ends there. ${end.message}`,
  )
}
