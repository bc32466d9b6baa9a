/** A bot that is accepted, or refused at its join time. */
import type { BotRow } from '../store/rows/index.ts'
import { type BotChange, emptyChange, type Step } from './change.ts'
import { giveUpAt } from './deadlines.ts'
import { closing } from './ending.ts'
import { messagesOfStatus } from './messages/index.ts'
import { RESERVATION } from './outcomes.ts'
import { nextPhase } from './phases.ts'
import { withPatch } from './row.ts'

/** The fields that admission needs of a bot; a row that is not inserted yet has it as well. */
export type BotToAdmit = Pick<
  BotRow,
  | 'id'
  | 'team_id'
  | 'phase'
  | 'generation'
  | 'is_compat'
  | 'extra'
  | 'event_id'
  | 'is_scheduled'
  | 'join_at'
  | 'request'
>

/** The bot is queued: tokens are reserved, and it waits for a launcher. Works once, as its entry and messages have fixed ids. */
export function admitted(bot: BotToAdmit, now: Date): BotChange {
  const phase = nextPhase(bot.phase, 'admitted')
  if (phase === null) return emptyChange()
  const patch = {
    phase,
    status: 'queued',
    queued_at: now,
    reserved: RESERVATION,
    give_up_at: giveUpAt(bot, now),
    ...(bot.is_scheduled && { schedule_status: 'completed' }),
  }
  const after = withPatch(bot as BotRow, patch)
  return {
    patch,
    steps: [
      { at: now, attempt: null, kind: 'admitted', reason: "The team's limits allow this bot." },
      { at: now, attempt: null, kind: 'status', reason: null, evidence: { status: 'queued' } },
    ],
    messages: messagesOfStatus(after, { code: 'queued', at: now, sourceId: 'queued' }),
    ledger: [
      {
        teamId: bot.team_id,
        botId: bot.id,
        kind: 'reserve',
        meter: null,
        amount: RESERVATION,
        source: `reserve:${bot.id}`,
      },
    ],
  }
}

/** A scheduled bot that did not pass the checks of its join time: `code` is one of the system codes. */
export function refusedWhenDue(bot: BotRow, refusal: { code: string; message: string }, now: Date): BotChange {
  const end = {
    status: 'failed' as const,
    code: refusal.code,
    message: refusal.message,
    errorCode: refusal.code,
    errorMessage: refusal.message,
    at: now,
    attempt: null,
    sourceId: 'refused',
  }
  const change = closing(bot, 'refused', end, bot.is_scheduled ? { schedule_status: 'failed' } : {})
  if (change.patch.phase === undefined) return change
  return {
    ...change,
    steps: [
      { at: now, attempt: null, kind: 'refused', reason: refusal.message, evidence: { code: refusal.code } },
      ...change.steps,
    ],
  }
}

/** The step that comes before admission or refusal of a scheduled bot. */
export function becameDue({ join_at: joinAt }: Pick<BotRow, 'join_at'>, now: Date): Step {
  const seconds = joinAt === null ? 0 : Math.round((joinAt.getTime() - now.getTime()) / 1000)
  return {
    at: now,
    attempt: null,
    kind: 'due',
    reason: joinAt === null ? null : `Its join time is ${joinAt.toISOString()}; ${startOf(seconds)}.`,
    evidence: { join_at: joinAt?.toISOString() ?? null, seconds_ahead: seconds },
  }
}

function startOf(secondsAhead: number): string {
  if (secondsAhead === 0) return 'its admission began at that time'
  const seconds = Math.abs(secondsAhead)
  return `its admission began ${seconds} second${seconds === 1 ? '' : 's'} ${secondsAhead > 0 ? 'ahead' : 'late'}`
}
