/** Closes a bot: the only place that writes a final status, with its charge and its last messages. */
import type { EndCause } from '@standin/wire/codes.ts'
import { REASON_TABLE, type Reason } from '@standin/wire/reasons.ts'
import type { BotPatch, BotRow } from '../store/rows/index.ts'
import { type BotChange, emptyChange, type OutgoingMessage, type Step } from './change.ts'
import { messagesOfEnd, messagesOfStatus } from './messages/index.ts'
import { chargesOf, entriesOfEnd } from './outcomes.ts'
import { assembling, partsOf } from './parts.ts'
import { type Happening, nextPhase } from './phases.ts'
import { NO_LEASE, withPatch } from './row.ts'

export interface End {
  status: 'completed' | 'failed'
  /** The end code: normal or an error. */
  code: string
  /** The same in one plain sentence. */
  message: string
  errorCode: string | null
  errorMessage: string | null
  /** Says more of a failure than its code. */
  cause?: EndCause | undefined
  /** Why the meeting did not let the bot in, or sent it out. */
  reason?: Reason | undefined
  /** When it ended, as the bot or the launcher reported it. */
  at: Date
  attempt: number | null
  /** The source of the end, such as journal and sequence number. */
  sourceId: string
  evidence?: Record<string, unknown>
}

/**
 * Closes the bot: final status, charge, release of what is reserved, the last statuses and the final messages. Changes
 * nothing if `happening` closes no bot of this phase. A bot of several parts is only prepared for it: it is closed by
 * `assembled`, once its files are together.
 */
export function closing(bot: BotRow, happening: Happening, end: End, facts: BotPatch = {}): BotChange {
  const phase = nextPhase(bot.phase, happening)
  if (phase !== 'closed') return emptyChange()
  if (happening !== 'assembled' && partsOf(bot).length > 0) return assembling(bot, end, facts)
  const patch: BotPatch = {
    ...facts,
    phase,
    status: end.status,
    ended_at: end.at,
    end_code: end.code,
    end_message: end.message,
    error_code: end.errorCode,
    error_message: end.errorMessage,
    end_cause: causeOf(end),
    reason: reasonOf(end),
    resuming_since: null,
    deadline_at: null,
    ...NO_LEASE,
    wait_reason: null,
    link_lost_at: null,
    transcription_status: transcriptionStatusOf(bot, end),
    reserved: 0,
  }
  const charged = chargesOf(withPatch(bot, patch))
  patch.charged = charged
  const after = withPatch(bot, patch)
  return {
    patch,
    steps: [stepOfEnd(end)],
    messages: [...lastStatuses(after, bot, end), ...messagesOfEnd(after, end.sourceId)],
    ledger: entriesOfEnd(bot, bot.reserved, charged),
  }
}

function stepOfEnd(end: End): Step {
  const { at, attempt, status, code, message, evidence } = end
  const cause = causeOf(end)
  const why = reasonOf(end)
  return {
    at,
    attempt,
    kind: 'ended',
    reason: message,
    evidence: { status, code, ...(cause && { cause }), ...(why && { reason: why }), ...evidence },
  }
}

const causeOf = ({ cause, errorCode }: End): EndCause | null => (errorCode === null ? null : (cause ?? null))

/** A bot that was kept out after it had recorded ends with a code that its reason does not explain. */
const reasonOf = ({ reason, code }: End): Reason | null =>
  reason && REASON_TABLE[reason].codes.some((known) => known === code) ? reason : null

/** Statuses that are sent as messages but are never the `status` of an answer. */
function lastStatuses(bot: BotRow, before: BotRow, end: End): OutgoingMessage[] {
  const statusMessages = (code: string, at: Date, errorMessage?: string) =>
    messagesOfStatus(bot, {
      code,
      at,
      ...(errorMessage !== undefined && { errorMessage }),
      sourceId: `${end.sourceId}:${code}`,
    })
  // A scheduled bot that was cancelled or refused was never a bot with a status.
  if (before.phase === 'scheduled') return []
  const left = bot.exited_at ?? end.at
  const recorded =
    before.status === 'transcribing'
      ? []
      : [...statusMessages('call_ended', left), ...statusMessages('recording_succeeded', left)]
  if (end.status === 'completed') return [...recorded, ...statusMessages('completed', end.at)]
  const errorMessage = end.errorMessage ?? end.message
  if (end.errorCode === 'TRANSCRIPTION_FAILED') return [...recorded, ...statusMessages('failed', end.at, errorMessage)]
  const signal = signalOf(bot, end.errorCode ?? end.code)
  return [
    ...statusMessages(signal, left, signal === 'meeting_error' ? errorMessage : undefined),
    ...statusMessages('recording_failed', end.at, errorMessage),
    ...statusMessages('failed', end.at),
  ]
}

/** The status that says why a bot failed. */
function signalOf({ generation }: BotRow, code: string): string {
  switch (code) {
    case 'BOT_NOT_ACCEPTED':
      return 'bot_rejected'
    case 'TIMEOUT_WAITING_TO_START':
    case 'WAITING_FOR_HOST_TIMEOUT':
    case 'WAITING_FOR_AUTHORIZED_USER_TIMEOUT':
      return 'waiting_room_timeout'
    case 'INVALID_MEETING_URL':
      return 'invalid_meeting_url'
    case 'BOT_REMOVED_TOO_EARLY':
      return generation === 'v2' ? 'bot_removed_too_early' : 'bot_removed'
    case 'EXITING_MEETING_BEFORE_RECORD':
      return 'api_request_stop'
    default:
      return 'meeting_error'
  }
}

function transcriptionStatusOf(bot: BotRow, end: End): string {
  if (bot.transcription_status === 'not-applicable') return 'not-applicable'
  if (end.status === 'completed') return 'done'
  return end.errorCode === 'TRANSCRIPTION_FAILED' || bot.status === 'transcribing' ? 'error' : bot.transcription_status
}
