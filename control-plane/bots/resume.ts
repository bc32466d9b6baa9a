/** Resuming a bot in its meeting after an attempt crashed: when, how often, and with which remaining limits. Pure. */
import type { EndEvidence } from '../platform/ports.ts'
import type { BotPatch, BotRow } from '../store/rows/index.ts'
import { type BotChange, emptyChange } from './change.ts'
import { crashCode, type KnownOfDead, sentenceOfEnd, shownEvidence } from './crash.ts'
import { giveUpAt } from './deadlines.ts'
import { closing, type End } from './ending.ts'
import { hasRecorded, type Part, partsOf, pendingEndOf, secondsOf } from './parts.ts'
import { nextPhase } from './phases.ts'
import { timeoutsOf } from './request.ts'
import { NO_LEASE, namedAttempt } from './row.ts'

/** Crashes in a meeting after which a bot is resumed. A bot that crashes again and again has to end. */
export const MAX_RESUMES = 3
/** Seconds before the next attempt, by the number of crashes so far. The people in the meeting wait for the first. */
const PAUSE_SECONDS = [0, 5, 15] as const
/** Exit codes of a bot that ended by itself; only its last report did not arrive. */
const ORDERLY_EXIT_CODES = new Set([0, 2, 3, 4, 70])
/**
 * A crash that is found only after this time, because the service was down: the meeting has continued without the bot.
 */
const LATE_SECONDS = 600
/** Of the time that is left to wait in a waiting room, or to record. Less is not worth another attempt. */
const MIN_SECONDS = 30

/** Whether the machine or its scheduler told the attempt to end (SIGTERM), as when a node is drained: the service did not. */
export function wasTerminated(bot: BotRow, endCode: string | null): boolean {
  const isAsked = bot.stop_requested_at !== null || bot.stop_sent_at !== null
  return endCode === 'SIGTERM' && !isAsked && nextPhase(bot.phase, 'resumed') !== null
}

/** Whether another attempt continues in the meeting. `isOn`: the operator's setting. */
export function mayResume(bot: BotRow, { evidence, recordedSeconds, now }: KnownOfDead, isOn: boolean): boolean {
  if (!isOn || nextPhase(bot.phase, 'resumed') === null) return false
  if (bot.stop_requested_at !== null || bot.stop_sent_at !== null || bot.resumes >= MAX_RESUMES) return false
  // Its journal already holds the end.
  if (!wasTerminated(bot, bot.end_code) && (bot.end_code !== null || !isDeath(evidence))) return false
  if (evidence.endedAt !== null && now.getTime() - evidence.endedAt.getTime() > LATE_SECONDS * 1000) return false
  const { maxRecording, waitingRoom } = remainingLimits(bot, now, hasRecorded(bot) ? (recordedSeconds ?? 0) : 0)
  return maxRecording >= MIN_SECONDS && waitingRoom >= MIN_SECONDS
}

function isDeath({ exitCode, signal, isOutOfMemory }: EndEvidence): boolean {
  return isOutOfMemory || signal !== null || exitCode === null || !ORDERLY_EXIT_CODES.has(exitCode)
}

/** The attempt is closed, and the bot is due again. Its public status stays what it was. */
export function resumed(bot: BotRow, { evidence, recordedSeconds, now }: KnownOfDead): BotChange {
  const phase = nextPhase(bot.phase, 'resumed')
  if (phase === null) return emptyChange()
  const attempt = namedAttempt(bot)
  const endedAt = evidence.endedAt ?? now
  const reason = evidence.reason ?? sentenceOfEnd(evidence)
  const death = wasTerminated(bot, bot.end_code)
    ? { code: 'SIGTERM', reason: TERMINATED }
    : { code: crashCode(evidence), reason: sentenceOfEnd(evidence) }
  const part: Part = { attempt, seconds: recordedSeconds, ...death }
  const patch: BotPatch = {
    phase,
    resumes: bot.resumes + 1,
    // No attempt decides until the next one is made; what this one sends later is kept as history.
    joined_attempt: null,
    due_at: new Date(now.getTime() + (PAUSE_SECONDS[bot.resumes] ?? PAUSE_SECONDS.at(-1)!) * 1000),
    give_up_at: giveUpAt(bot, now),
    launch_failures: 0,
    wait_reason: null,
    deadline_at: null,
    ...NO_LEASE,
    link_lost_at: null,
    // The attempt reported its own end, not that of the bot.
    ...{ end_code: null, end_message: null, exited_at: null, duration_seconds: null, report: null },
    ...(hasRecorded(bot) && { parts: [...partsOf(bot), part], resuming_since: endedAt }),
  }
  return {
    ...emptyChange(),
    patch,
    steps: [
      { at: endedAt, attempt, kind: 'process_ended', reason, evidence: shownEvidence(evidence) },
      { at: now, attempt, kind: 'lost', reason: LOST, evidence: { resumes: bot.resumes + 1, limit: MAX_RESUMES } },
    ],
  }
}

const TERMINATED = 'The machine or its scheduler stopped the bot.'
const LOST = 'The bot was lost in the meeting. Another attempt goes back into it.'

/**
 * The remaining limits that count from the first join, in seconds. `unknownSeconds`: recorded and not yet among the
 * parts. The time in the waiting room keeps counting only for a bot that crashed there.
 */
export function remainingLimits(
  bot: Pick<BotRow, 'request' | 'parts' | 'waiting_at' | 'joined_at'>,
  now: Date,
  unknownSeconds = 0,
): { maxRecording: number; waitingRoom: number } {
  const { recording_timeout: maxRecording, waiting_room_timeout: waitingRoom } = timeoutsOf(bot)
  const waited =
    bot.joined_at === null && bot.waiting_at !== null ? (now.getTime() - bot.waiting_at.getTime()) / 1000 : 0
  return {
    maxRecording: Math.floor(maxRecording - secondsOf(partsOf(bot)) - unknownSeconds),
    waitingRoom: Math.floor(waitingRoom - waited),
  }
}

/** The result of joining the parts. */
export interface Assembled {
  /** The attempt whose files are the bot's from now on; 0: the joined ones. */
  filesAttempt: number
  /** Of the files that there are; they are charged. */
  seconds: number
  /** A sentence for people about the result. */
  message: string
}

/** The files are ready, or as ready as they will ever be: the bot is closed with the end that it had. */
export function assembled(bot: BotRow, { filesAttempt, seconds, message }: Assembled, now: Date): BotChange {
  const end = pendingEndOf(bot) ?? lostEnd(bot, now)
  const facts = { pending_end: null, files_attempt: filesAttempt, duration_seconds: seconds }
  const change = closing(bot, 'assembled', end, facts)
  if (Object.keys(change.patch).length === 0) return change
  const step = { at: now, attempt: null, kind: 'assembled' as const, reason: message, evidence: { seconds } }
  return { ...change, steps: [step, ...change.steps] }
}

/** Cannot happen: the phase and the end are written together. A bot has to end all the same. */
function lostEnd(bot: BotRow, now: Date): End {
  const message = 'How the bot ended is not known.'
  const rest = { at: now, attempt: bot.attempt, sourceId: 'assembled' }
  return {
    status: 'failed',
    code: 'UNKNOWN_ERROR',
    message,
    errorCode: 'UNKNOWN_ERROR',
    errorMessage: message,
    ...rest,
  }
}
