/**
 * Decides about one attempt, from its launcher's answer and the stored state of its bot. Pure. Only evidence ends a
 * bot: a launcher that does not know it, or does not answer, proves nothing.
 */
import { AFTER_REPORT_SECONDS } from '../../bots/deadlines.ts'
import type { EndEvidence, LaunchState } from '../../platform/ports.ts'
import type { OpenLaunch } from '../../store/launches/launches.ts'

export type Verdict =
  | { do: 'wait' }
  /** The bot has to end: SIGTERM. */
  | { do: 'stop'; why: string }
  /** It was asked to end, and did not. */
  | { do: 'kill'; why: string }
  /** The process is over: its evidence is stored, and the bot is finished where that has not happened. */
  | { do: 'finish'; evidence: EndEvidence }
  /**
   * The launcher does not know it, so the files that it stored at its end may be the only source: its journal is read.
   */
  | { do: 'read' }
  /** Nothing is left of an attempt that is over. */
  | { do: 'forget' }
  /** The launcher has not known the bot for so long after the deadline that the bot is given up. */
  | { do: 'give_up'; why: string }

/** Seconds between SIGTERM and SIGKILL: the worker leaves, finishes its files and stores the rest. */
export const STOP_PATIENCE_SECONDS = 120
/** Seconds without progress after which a bot that was asked to leave is stopped. */
const QUIET_SECONDS = 120
/** Seconds past the deadline after which a bot that no launcher knows is given up. */
const UNKNOWN_SECONDS = 600
/**
 * Seconds after which an attempt that no launcher knows, and that is not the bot, is forgotten: its lease is long over. A
 * process of it that appears later is an orphan.
 */
const FORGOTTEN_SECONDS = 120

/** The same for one of which the launcher cannot say anything, such as one of a machine that is gone: two days. */
const LOST_SECONDS = 2 * 86_400

const WAIT: Verdict = { do: 'wait' }

export function verdictOn(launch: OpenLaunch, state: LaunchState, forgottenSeconds = FORGOTTEN_SECONDS): Verdict {
  if (state.state === 'ended') return { do: 'finish', evidence: state.evidence }
  const isNamed = launch.attempt === launch.named_attempt
  const isWanted = isNamed && launch.phase !== 'closed' && launch.phase !== 'assembling'
  if (state.state === 'running') return isWanted ? whileWanted(launch) : whileUnwanted(launch, isNamed)
  if (!isWanted) {
    const isForgotten = launch.age > (state.state === 'absent' ? forgottenSeconds : LOST_SECONDS)
    return isForgotten ? { do: 'forget' } : WAIT
  }
  if ((launch.overdue ?? 0) <= UNKNOWN_SECONDS)
    return state.state === 'absent' && launch.phase !== 'launching' ? { do: 'read' } : WAIT
  const why =
    state.state === 'absent'
      ? 'The launcher does not know the bot, and its time is over.'
      : `The launcher cannot say how the bot is, and its time is over: ${state.reason}.`
  return { do: 'give_up', why }
}

function whileWanted({ phase, overdue, stop_sent_for, quiet_for }: OpenLaunch): Verdict {
  if (stop_sent_for !== null && stop_sent_for > STOP_PATIENCE_SECONDS)
    return { do: 'kill', why: 'The bot did not end after it was asked to.' }
  if (stop_sent_for !== null) return WAIT
  if ((overdue ?? 0) > 0)
    return { do: 'stop', why: DEADLINES[phase] ?? 'The bot ran for longer than its limits allow.' }
  if ((quiet_for ?? 0) > QUIET_SECONDS)
    return { do: 'stop', why: 'The bot was asked to leave and has made no progress for two minutes.' }
  return WAIT
}

const DEADLINES: Readonly<Record<string, string>> = {
  starting: 'The bot was started and did not report in time.',
  ending: 'The bot was asked to leave and did not leave in time.',
  processing: 'The transcript took longer than its limit.',
}

function whileUnwanted({ has_report, closed_for }: OpenLaunch, isNamed: boolean): Verdict {
  if (isNamed && has_report && (closed_for ?? 0) < AFTER_REPORT_SECONDS) return WAIT
  return { do: 'stop', why: isNamed ? 'The bot is over.' : 'Another attempt is the bot.' }
}
