/** How the bot ended, and its final report. Pure. */

import type { Artifact, FinalReport, Gap, StreamingUsage, WholeQuality } from '@standin/wire/events.ts'
import type { Job } from '@standin/wire/job.ts'
import type { Sighting } from '@standin/wire/reasons.ts'
import type { BotUsage } from '@standin/wire/usage.ts'
import { redactText } from '../../packages/core/logger.ts'
import type { MeetingTarget } from '../../packages/core/meeting/meeting.ts'
import type { SignalCounts } from '../../packages/core/ports.ts'
import type { RecordedSpan } from '../../packages/core/recording.ts'
import { recordedMs } from './recording-clock.ts'
import { type End, isNormalEnd } from './states.ts'
import type { Timeline } from './timeline.ts'

/** A good end stays good only if its recording exists and is stored, and its transcript was made where asked for. */
export function finalEndOf(
  end: End,
  outcome: { hasFiles: boolean; storingProblem: Error | null; transcriptProblem: Error | null },
): End {
  const { hasFiles, storingProblem, transcriptProblem } = outcome
  if (!isNormalEnd(end.code)) return end
  if (storingProblem)
    return {
      code: 'INTERNAL_ERROR',
      message: `The recording could not be stored and stays on the machine: ${storingProblem.message}`,
    }
  if (!hasFiles)
    return { code: 'INTERNAL_ERROR', message: `${end.message} But no file could be made of the recording.` }
  if (transcriptProblem)
    return {
      code: 'TRANSCRIPTION_FAILED',
      message: `The recording is complete, but not its transcript: ${transcriptProblem.message}`,
    }
  return end
}

export interface LifeFacts {
  job: Job
  target: MeetingTarget
  /** UTC milliseconds; null if the bot was never in. */
  joinedAt: number | null
  exitedAt: number | null
  spans: readonly RecordedSpan[]
  timeline: Timeline
  artifacts: Artifact[]
  gaps: Gap[]
  quality: WholeQuality | null
  streaming: StreamingUsage | null
  transcribedSeconds: number | null
  transcriptIds: readonly string[]
  signals: SignalCounts
  sightings: readonly Sighting[]
  wordsVersion?: string
  location: string
  usage: BotUsage
  now: number
}

export function finalReportOf(end: End, facts: LifeFacts): FinalReport {
  const { job, target, spans, timeline } = facts
  const first = spans[0]
  return {
    type: 'final_report',
    status: isNormalEnd(end.code) ? 'completed' : 'failed',
    end_code: end.code,
    end_message: end.message,
    error_code: errorOf(end)?.error_code ?? null,
    error_message: errorOf(end)?.error_message ?? null,
    end_cause: end.error?.endCause,
    reason: end.reason,
    reason_evidence: end.reason && [...facts.sightings],
    // A link may carry a password or a token; reports are stored and sent.
    meeting_url: redactText(target.url),
    meeting_platform: target.platform,
    bot_name: job.bot_name,
    recording_mode: job.recording_mode,
    joined_at: isoOrNull(facts.joinedAt),
    exited_at: isoOrNull(facts.exitedAt),
    recording_started_at: isoOrNull(first?.startedAt ?? null),
    duration_seconds: first ? recordedMs(spans, facts.now) / 1000 : null,
    participants: timeline.participants(),
    speakers: timeline.speakers(),
    artifacts: facts.artifacts,
    gaps: facts.gaps.length > 0 ? facts.gaps : undefined,
    quality: facts.quality,
    streaming: facts.streaming,
    transcribed_seconds: facts.transcribedSeconds,
    transcription_ids: facts.transcriptIds.length > 0 ? [...facts.transcriptIds] : undefined,
    signals: Object.keys(facts.signals).length > 0 ? facts.signals : undefined,
    words_version: facts.wordsVersion,
    usage: facts.usage,
    location: facts.location,
    extra: job.extra ?? null,
  }
}

/** The fields of an end that is a failure; null for a normal one. */
export function errorOf({ code, message }: End): {
  error_code: NonNullable<FinalReport['error_code']>
  error_message: string
} | null {
  if (isNormalEnd(code)) return null
  return { error_code: code as NonNullable<FinalReport['error_code']>, error_message: message }
}

function isoOrNull(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
