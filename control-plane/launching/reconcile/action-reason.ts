/** Why the reconciler acts, in a fixed word for `/metrics`. */
import type { ReconcilerReason } from '../../platform/meters.ts'
import type { EndEvidence } from '../../platform/ports.ts'
import type { OpenLaunch } from '../../store/launches/launches.ts'

const OF_PHASE: Readonly<Record<string, ReconcilerReason>> = {
  starting: 'not_heard_of',
  ending: 'did_not_leave',
  processing: 'transcript_too_long',
}

export function reasonToStop({ attempt, named_attempt, phase }: OpenLaunch): ReconcilerReason {
  if (attempt !== named_attempt) return 'another_attempt'
  return phase === 'closed' ? 'bot_over' : (OF_PHASE[phase] ?? 'too_long')
}

export function reasonOfEnd({ isOutOfMemory, signal, exitCode }: EndEvidence): ReconcilerReason {
  if (isOutOfMemory) return 'out_of_memory'
  if (signal !== null) return 'killed'
  if (exitCode === null) return 'no_evidence'
  return exitCode === 0 ? 'ended_well' : 'ended_badly'
}
