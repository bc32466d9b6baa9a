/** Readings of a bot's row that several rules share. */
import type { BotPatch, BotRow } from '../store/rows/index.ts'

/** No launcher and no reconciler holds the bot. */
export const NO_LEASE = { lease_owner: null, lease_until: null }

/** The row as it will be once the patch is written. Rules write times as `Date`, never as text. */
export function withPatch(bot: BotRow, patch: BotPatch): BotRow {
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
  return { ...bot, ...given } as BotRow
}

/** The attempt whose events decide: the one that asked to join, before that the last one started. */
export function namedAttempt(bot: Pick<BotRow, 'attempt' | 'joined_attempt'>): number {
  return bot.joined_attempt ?? bot.attempt
}

/** Whether the attempt's events decide. While the bot waits for its next attempt, those of the last one do not. */
export function decides(bot: Pick<BotRow, 'phase' | 'attempt' | 'joined_attempt'>, attempt: number): boolean {
  return namedAttempt(bot) === attempt && bot.phase !== 'due'
}

/** No later report or happening changes the bot, although it may not be closed yet. */
export function isOver(bot: Pick<BotRow, 'phase'>): boolean {
  return bot.phase === 'closed' || bot.phase === 'assembling'
}

export function isClosed(bot: Pick<BotRow, 'phase'>): boolean {
  return bot.phase === 'closed'
}

/**
 * `named`: its events decide. `stopped`: they do, and it was asked to leave. `stale`: another attempt is the bot,
 * or is going to be. `closed`: the bot is over.
 */
export type Standing = 'named' | 'stopped' | 'stale' | 'closed'

export function standingOf(
  bot: Pick<BotRow, 'phase' | 'attempt' | 'joined_attempt' | 'stop_requested_at'>,
  attempt: number,
): Standing {
  if (!decides(bot, attempt)) return 'stale'
  if (isOver(bot)) return 'closed'
  return bot.stop_requested_at === null ? 'named' : 'stopped'
}
