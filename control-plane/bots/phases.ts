/**
 * The states of a bot inside the service, as one table. The public status is separate: it says what the bot does in
 * its meeting (`packages/wire/codes.ts`), the phase says what the service has to do about it.
 */

export const PHASES = [
  /** Waits for its join time; nothing is reserved. */
  'scheduled',
  /** Admitted; waits for a launcher, which takes it with the statement that finds it (`store/bots/claims.ts`). */
  'due',
  /** A launcher holds a lease on it. */
  'launching',
  /** The launcher has answered; the bot has not said `joining_call` yet. */
  'starting',
  /** In the waiting room or in the meeting: its events decide. */
  'running',
  /** Asked to leave. */
  'ending',
  /** Out of the meeting; a transcript is being made. */
  'processing',
  /** Over; the parts of its recording are being joined. Its end is in `pending_end`. */
  'assembling',
  'closed',
] as const
export type Phase = (typeof PHASES)[number]

export const HAPPENINGS = [
  /** The checks at the join time were passed. */
  'admitted',
  /** They were not. */
  'refused',
  /** The launcher has confirmed the start. */
  'launched',
  /** It could not start the bot, had no room, or did not come back before its lease was over. */
  'launch_failed',
  /** No further attempt is made. */
  'gave_up',
  /** The named attempt reports `joining_call`. */
  'joining',
  /** It reports any other status of a meeting. */
  'status',
  'transcribing',
  'final_report',
  'stop_asked',
  /** The engine has evidence that the process or container is over, and no final report is stored. */
  'process_ended',
  /** Crashed in the meeting, and another attempt continues there. */
  'resumed',
  /** The parts of the recording were joined, or cannot be. */
  'assembled',
] as const
export type Happening = (typeof HAPPENINGS)[number]

/**
 * A happening that is not listed changes nothing. A bot of several parts is `assembling` before it is closed
 * (`ending.ts`).
 */
const NEXT: Record<Phase, Partial<Record<Happening, Phase>>> = {
  scheduled: { admitted: 'due', refused: 'closed', stop_asked: 'closed' },
  due: { gave_up: 'closed', stop_asked: 'closed' },
  launching: {
    launched: 'starting',
    launch_failed: 'due',
    gave_up: 'closed',
    stop_asked: 'closed',
    // A fast bot reports before its launcher has answered.
    joining: 'running',
    final_report: 'closed',
  },
  starting: {
    process_ended: 'due',
    gave_up: 'closed',
    stop_asked: 'ending',
    joining: 'running',
    final_report: 'closed',
  },
  running: {
    // Started again in its own container, it asks again.
    joining: 'running',
    status: 'running',
    transcribing: 'processing',
    stop_asked: 'ending',
    final_report: 'closed',
    process_ended: 'closed',
    resumed: 'due',
  },
  ending: {
    joining: 'ending',
    status: 'ending',
    stop_asked: 'ending',
    transcribing: 'processing',
    final_report: 'closed',
    process_ended: 'closed',
    gave_up: 'closed',
  },
  processing: { transcribing: 'processing', final_report: 'closed', process_ended: 'closed' },
  assembling: { assembled: 'closed' },
  closed: {},
}

/** The phase after a happening; null if it changes nothing in this phase. */
export function nextPhase(phase: string, happening: Happening): Phase | null {
  return NEXT[phase as Phase]?.[happening] ?? null
}
