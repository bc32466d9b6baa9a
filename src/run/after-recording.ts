/** Steps after a recording is stored: a transcript and a report page. The recording is complete without both. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Gap, WholeQuality } from '@standin/wire/events.ts'
import type { Job } from '@standin/wire/job.ts'
import { toError } from '@standin/wire/text/error-text.ts'
import { within } from '@standin/wire/time/deadline.ts'
import { transcriptIdsOf } from '@standin/wire/transcript-ids.ts'
import { type Logger, redactText } from '../../packages/core/logger.ts'
import type { MeetingTarget } from '../../packages/core/meeting/meeting.ts'
import type { Clock, ControlPlane, Transcribe, WriteReport } from '../../packages/core/ports.ts'
import type { RecordedSpan, Storage, StoredMedia } from '../../packages/core/recording.ts'
import { pausesOf, recordedMs } from './recording-clock.ts'

const REPORT_DEADLINE_MS = 10_000
const SOUND = 'audio.m4a'
const RAW = 'raw_transcription.json'

export interface AfterRecording {
  job: Job
  target: MeetingTarget
  clock: Clock
  logger: Logger
  workFolder: string
  storage: Pick<Storage, 'fetch'>
  control: Pick<ControlPlane, 'report'>
  /** Null if the job asks for no transcript. */
  transcribe: Transcribe | null
  writeReport: WriteReport
}

export interface MadeTranscript {
  /** Length of the sound that was transcribed; null if no transcript was made. */
  seconds: number | null
  /** Under which the provider keeps it. */
  ids: readonly string[]
  /** Reason of the failure. */
  problem: Error | null
}

/**
 * Takes minutes for a long meeting. A stop request meanwhile (`impatience`) ends it: the recording is complete, without a
 * transcript. Never rejects.
 */
export async function makeTranscript(
  { job, logger, workFolder, storage, control, transcribe }: AfterRecording,
  recorded: readonly StoredMedia[],
  impatience: AbortSignal,
): Promise<MadeTranscript> {
  const seconds = recorded.find(({ stored }) => stored.name === SOUND)?.durationSeconds
  if (transcribe === null || seconds === undefined) return { seconds: null, ids: [], problem: null }
  control.report({ type: 'transcription_started', provider: job.transcription?.provider ?? 'Default', seconds })
  const failed = (problem: Error) => ({ seconds: null, ids: [], problem })
  const limit = job.transcription?.timeout ?? 0
  const signal = AbortSignal.any([impatience, AbortSignal.timeout(limit * 1000)])
  try {
    await storage.fetch(SOUND, join(workFolder, SOUND), signal)
    await transcribe(workFolder, signal)
    return { seconds, ids: await idsIn(workFolder, job.transcription?.provider ?? 'Default'), problem: null }
  } catch (thrown) {
    logger.error('The recording could not be transcribed', { error: thrown })
    if (impatience.aborted) return failed(new Error('The bot was asked to stop meanwhile.'))
    // A service that is waited for says why.
    const reason = thrown instanceof Error && thrown.name === 'ProviderError' ? ` ${thrown.message}` : ''
    if (signal.aborted) return failed(new Error(`It took longer than ${limit} s.${reason}`))
    return failed(toError(thrown))
  }
}

/** They are in the provider's own answers; without the file there are none. */
async function idsIn(workFolder: string, provider: string): Promise<string[]> {
  const text = await readFile(join(workFolder, RAW), 'utf8').catch(() => 'null')
  return transcriptIdsOf(provider, JSON.parse(text))
}

/** It may fail, and must not take long. `end` is how the meeting ended, in one sentence. Never rejects. */
export async function makeReport(
  { job, target, clock, logger, workFolder, writeReport }: AfterRecording,
  recorded: readonly StoredMedia[],
  facts: { end: string; spans: readonly RecordedSpan[]; gaps: readonly Gap[]; quality: WholeQuality | null },
): Promise<void> {
  if (recorded.length === 0) return
  const { end, spans, gaps, quality } = facts
  const work = writeReport(workFolder, {
    platform: target.platform,
    meetingId: redactText(target.meetingId),
    botName: job.bot_name,
    startedAt: spans[0]?.startedAt ?? null,
    seconds: recordedMs(spans, clock.now()) / 1000,
    end,
    files: recorded.map(({ stored }) => stored.name),
    bytes: recorded.reduce((sum, { stored }) => sum + stored.bytes, 0),
    quality,
    gaps,
    pauses: pausesOf(spans, gaps),
  })
  await within(clock, REPORT_DEADLINE_MS, work, () => new Error('The report took too long')).catch((error) =>
    logger.warn('The report could not be made', { error }),
  )
}
