/** A bot whose process ended before its bot did: the code of its end, and whether another attempt is made. */
import type { EndCause } from '@standin/wire/codes.ts'
import { readMeeting } from '@standin/wire/meeting-links/index.ts'
import type { EndEvidence } from '../platform/ports.ts'
import type { BotPatch, BotRow } from '../store/rows/index.ts'
import { type BotChange, emptyChange } from './change.ts'
import { closing, type End } from './ending.ts'
import { isNormalEnd } from './outcomes.ts'
import { nextPhase } from './phases.ts'
import { NO_LEASE } from './row.ts'

/** Seconds before the next attempt, by the number of failures so far; the last one holds for all further ones. */
const RETRY_SECONDS = [1, 5, 15, 30] as const

/** Exit codes of the worker that another attempt would only repeat: no valid job, not joined, failed, a defect. */
const FINAL_EXIT_CODES = new Set([2, 3, 4, 70])
const INVALID_JOB_EXIT = 2
const SIGTERM_EXIT = 143
const SIGKILL_EXIT = 137

export interface KnownOfDead {
  evidence: EndEvidence
  /** Seconds that its last `recording_progress` says are safe in files; null if there was none. */
  recordedSeconds: number | null
  now: Date
}

/** The code of the specification's group "Crash" that the evidence proves. An exit code of 137 alone is not "out of memory". */
export function crashCode({ isOutOfMemory, signal, exitCode }: EndEvidence): string {
  if (isOutOfMemory) return 'OOM_KILLED'
  if (signal === 'SIGTERM' || exitCode === SIGTERM_EXIT) return 'SIGTERM'
  if (signal === 'SIGKILL' || exitCode === SIGKILL_EXIT) return 'FORCE_KILLED'
  return 'GENERAL_ERROR'
}

/**
 * The process or container of the named attempt is over, all its journaled events are stored, and the bot is still open:
 * there was no final report, or only that of a bot that its machine ended. If the infrastructure failed before the
 * bot asked to join, another attempt is made; otherwise the bot is closed.
 */
export function processEnded(bot: BotRow, known: KnownOfDead): BotChange {
  if (nextPhase(bot.phase, 'process_ended') === null) return emptyChange()
  const { evidence, now } = known
  if (bot.phase === 'starting' && bot.end_code === null) {
    const reason = evidence.reason ?? sentenceOfEnd(evidence)
    if (!FINAL_EXIT_CODES.has(evidence.exitCode ?? -1)) return launchFailed(bot, reason, now, 'process_ended', evidence)
  }
  // A bot that never asked to join gives up: this was its last attempt.
  const happening = bot.phase === 'starting' ? 'gave_up' : 'process_ended'
  return withStep(closing(bot, happening, endOf(bot, known), factsOf(bot, known)), bot, known)
}

/**
 * An attempt that never said `joining_call`: the bot is due again after a pause, or closed where its time is over.
 * For launchers that refuse, starts without a sign of life, and processes that end early.
 */
export function launchFailed(
  bot: BotRow,
  reason: string,
  now: Date,
  kind: 'launch_failed' | 'process_ended' = 'launch_failed',
  evidence?: EndEvidence,
): BotChange {
  const phase = nextPhase(bot.phase, kind)
  if (phase === null) return emptyChange()
  const failures = bot.launch_failures + 1
  const dueAt = new Date(now.getTime() + RETRY_SECONDS[Math.min(failures, RETRY_SECONDS.length) - 1]! * 1000)
  const step = { at: now, attempt: bot.attempt, kind, reason, ...(evidence && { evidence: shownEvidence(evidence) }) }
  if (bot.give_up_at !== null && dueAt > bot.give_up_at) {
    const change = gaveUp(bot, `The bot could not be started in time. ${reason}`, now)
    return { ...change, steps: [step, ...change.steps] }
  }
  return {
    ...emptyChange(),
    patch: {
      phase,
      due_at: dueAt,
      launch_failures: failures,
      wait_reason: reason,
      ...NO_LEASE,
      deadline_at: null,
    },
    steps: [step],
  }
}

/** No further attempt: the bot could not be started before its time was over. */
export function gaveUp(bot: BotRow, message: string, now: Date): BotChange {
  const wasStopped = bot.stop_requested_at !== null
  const code = wasStopped ? 'EXITING_MEETING_BEFORE_RECORD' : 'INTERNAL_ERROR'
  return closing(bot, 'gave_up', {
    status: 'failed',
    code,
    message,
    errorCode: code,
    errorMessage: message,
    ...(!wasStopped && { cause: 'NOT_STARTED' as const }),
    at: now,
    attempt: bot.attempt || null,
    sourceId: 'gave_up',
  })
}

function endOf(bot: BotRow, { evidence, now }: KnownOfDead): End {
  const rest = { at: evidence.endedAt ?? now, attempt: bot.attempt, sourceId: `process_ended:${bot.attempt}` }
  const failed = (code: string, message: string): End => ({
    status: 'failed',
    code,
    message,
    errorCode: code,
    errorMessage: message,
    ...rest,
  })
  // Its journal already holds the end; only the final report is missing.
  if (bot.end_code !== null) {
    const message = bot.end_message ?? sentenceOfEnd(evidence)
    if (!isNormalEnd(bot.end_code)) return failed(bot.end_code, message)
    return { status: 'completed', code: bot.end_code, message, errorCode: null, errorMessage: null, ...rest }
  }
  // The recording was stored before the transcription started.
  if (bot.phase === 'processing')
    return failed('TRANSCRIPTION_FAILED', `The transcript was not made. ${sentenceOfEnd(evidence)}`)
  if (bot.stop_requested_at !== null && bot.recording_started_at === null)
    return failed('EXITING_MEETING_BEFORE_RECORD', 'The bot was stopped before it recorded.')
  const problem = evidence.exitCode === INVALID_JOB_EXIT ? problemOfLink(bot) : null
  if (problem !== null) return failed('INVALID_MEETING_URL', problem)
  const code = bot.phase === 'starting' ? 'INTERNAL_ERROR' : crashCode(evidence)
  return { ...failed(code, sentenceOfEnd(evidence)), cause: causeOf(evidence) }
}

/** Undefined for signals and lack of memory, of which the code itself tells. */
function causeOf({ exitCode, signal, isOutOfMemory }: EndEvidence): EndCause | undefined {
  if (isOutOfMemory || signal !== null || exitCode === SIGTERM_EXIT || exitCode === SIGKILL_EXIT) return undefined
  if (exitCode === null) return 'PROCESS_LOST'
  return exitCode === INVALID_JOB_EXIT ? 'JOB_REFUSED' : 'PROCESS_EXITED'
}

/** Why the worker refused the link. Which servers run Jitsi Meet is known where the bot runs, so no link of theirs is judged. */
function problemOfLink(bot: BotRow): string | null {
  if (bot.meeting_platform === 'jitsi') return null
  const meeting = readMeeting(bot.meeting_url)
  return 'problem' in meeting ? meeting.problem : null
}

function factsOf(bot: BotRow, { evidence, recordedSeconds, now }: KnownOfDead): BotPatch {
  if (bot.recording_started_at === null) return {}
  return { exited_at: bot.exited_at ?? evidence.endedAt ?? now, duration_seconds: recordedSeconds }
}

function withStep(change: BotChange, bot: BotRow, { evidence, now }: KnownOfDead): BotChange {
  const step = {
    at: evidence.endedAt ?? now,
    attempt: bot.attempt,
    kind: 'process_ended' as const,
    reason: evidence.reason ?? sentenceOfEnd(evidence),
    evidence: shownEvidence(evidence),
  }
  return { ...change, steps: [step, ...change.steps] }
}

/** The part of the evidence that callers see. The log of the bot is stored with the launch. */
export function shownEvidence({ exitCode, signal, isOutOfMemory, reason }: EndEvidence): Record<string, unknown> {
  return { exit_code: exitCode, signal, out_of_memory: isOutOfMemory, reason }
}

export function sentenceOfEnd({ exitCode, signal, isOutOfMemory }: EndEvidence): string {
  if (isOutOfMemory) return "The bot's process was ended because memory ran out."
  if (signal !== null) return `The bot's process was ended by ${signal}.`
  if (exitCode !== null) return `The bot's process ended with exit code ${exitCode} and without a report.`
  return "The bot's process ended without a report."
}
