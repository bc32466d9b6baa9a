/** From the end to the exit code: completes and stores the recording, leaves the meeting, sends the final report. */

import { REASON_TABLE } from '@standin/wire/reasons.ts'
import { aborted, within } from '@standin/wire/time/deadline.ts'
import type { RecordedFile } from '../../packages/core/ports.ts'
import type { StoredMedia } from '../../packages/core/recording.ts'
import { makeReport, makeTranscript } from './after-recording.ts'
import { filesBeside, saveEvidence, writeFilesAboutPeople } from './artifacts.ts'
import { Delivery, deliverJournal } from './delivery.ts'
import { errorOf, finalEndOf, finalReportOf } from './final-report.ts'
import type { Outcome, Run } from './parts.ts'
import { makePoster, posterAt } from './poster.ts'
import { type End, exitCodeOf, isNormalEnd } from './states.ts'
import type { StatusReport } from './status.ts'
import { Timeline } from './timeline.ts'

/** Leaving must not eat the time in which files are stored. */
const LEAVE_DEADLINE_MS = 20_000
const STREAMING_CLOSE_DEADLINE_MS = 5_000
/** The last final transcripts arrive some moments after the last audio. */
const TRANSCRIPT_CLOSE_DEADLINE_MS = 6_000
const EVIDENCE_DEADLINE_MS = 20_000
/** For the evidence of a bot that recorded nothing: its caller waits for the report. */
const STORE_EVIDENCE_MS = 20_000
/** The same where the storage itself is what failed: it may be back. */
const STORE_AGAIN_MS = 5_000
const DRAIN_DEADLINE_MS = 15_000
const NO_SEPARATE_TRACKS = 'There are no separate tracks: the platform sent one mixed audio stream.'

/** The one exit. A step that fails does not stop the other steps: the terminal state is always reported. */
export async function closeRun(run: Run, end: End, impatience: AbortSignal): Promise<Outcome> {
  const { job, target, recorder, storage, control, clock, workFolder } = run
  const { ending, status, timeline, gaps, joinedAt } = run
  // Capturing stops immediately; the display stays until the browser has given its evidence and is closed.
  run.usage.enter('finishing')
  const finalEnd = (outcome: Partial<Parameters<typeof finalEndOf>[1]>) =>
    finalEndOf(end, { hasFiles: true, storingProblem: null, transcriptProblem: null, ...outcome })
  const delivery = new Delivery(run, (storingProblem) => tellEnd(status, finalEnd({ storingProblem })))
  const hasRecorded = recorder.spans().length > 0
  const isRecording = recorder.spans().at(-1)?.endedAt === null
  const endedAt = end.at ?? clock.now()
  const finishing = delivery.complete(recorder, end.at ?? null)
  await Promise.all([closeStreaming(run), closeLiveTranscript(run)])
  if (!isNormalEnd(end.code) && end.askedBy === undefined) await keepEvidence(run, end)
  // While the browser still runs: the memory of a bot that was short may never have been read.
  void run.usage.read(true)
  if (!hasRecorded) delivery.limit(end.error?.step === 'storage' ? STORE_AGAIN_MS : STORE_EVIDENCE_MS)
  const evidence = hasRecorded ? null : delivery.store(await filesBeside(workFolder))
  await survive(run, 'leaving', () => leaveMeeting(run), undefined)
  await evidence
  const recorded = await finishing
  await survive(run, 'closing the recorder', () => recorder.close(), undefined)
  const exitedAt = joinedAt === null ? null : clock.now()
  const recordedTo = recorder.spans().at(-1)?.endedAt ?? endedAt
  // In a pause, or without a browser or an encoder, people were there longer than the recording.
  await survive(run, 'people', () => timeline.close(isRecording ? recordedTo : endedAt, recordedTo), undefined)

  await writePeople(run)
  // The recording is safe before anything is made of it that it can do without.
  await delivery.store([...(await finishParticipantTracks(run)), ...(await filesBeside(workFolder))])
  run.usage.enter('transcribing')
  const [transcript] = await Promise.all([makeTranscript(run, recorded, impatience), takePoster(run, recorded)])
  run.usage.enter('finishing')
  const spans = recorder.spans()
  const measured = recorder.quality()
  const measure = () => measured && { ...measured, ...timeline.speechQuality(), ...run.relief.figures() }
  const quality = await survive(run, 'quality', measure, null)
  const about = { spans, gaps, quality }
  await survive(run, 'report', () => makeReport(run, recorded, { ...about, end: sentenceOf(end) }), undefined)
  await delivery.store(await filesBeside(workFolder))
  const { artifacts, problem } = await delivery.finish(about)
  run.usage.noteStored(artifacts.reduce((sum, { bytes }) => sum + bytes, 0))

  const lastEnd = finalEnd({
    hasFiles: recorded.length > 0,
    storingProblem: problem,
    transcriptProblem: transcript.problem,
  })
  const facts = {
    ...{ job, target, joinedAt, exitedAt, timeline, artifacts, ...about },
    streaming: run.streaming?.usage() ?? null,
    transcribedSeconds: transcript.seconds,
    transcriptIds: transcript.ids,
    signals: run.meeting.signalCounts,
    wordsVersion: run.wordsVersion,
    sightings: run.meeting.sightings,
    location: storage.location(),
    usage: (await run.usage.read()).usage,
    now: clock.now(),
  }
  const report =
    (await survive(run, 'final report', () => finalReportOf(lastEnd, facts), null)) ??
    finalReportOf(lastEnd, { ...facts, timeline: new Timeline(() => []) })
  tellEnd(status, lastEnd)
  control.report(report)
  await control.drain(DRAIN_DEADLINE_MS)
  await control.close()
  await deliverJournal(run, problem)
  return { report, exitCode: exitCodeOf(lastEnd, spans.length > 0, ending.isDefect) }
}

/** Reports the final status. A failure that was reported before stays as it was. */
export function tellEnd(status: StatusReport, end: End): void {
  const { code, message } = end
  status.enter(isNormalEnd(code) ? 'completed' : 'failed', { end_code: code, end_message: message, ...errorOf(end) })
}

async function takePoster(run: Run, recorded: readonly StoredMedia[]): Promise<void> {
  const video = recorded.find(({ stored }) => stored.name === 'video.mp4')
  if (video === undefined) return
  const at = posterAt(run.timeline.diarization(), video.durationSeconds)
  await makePoster(run, at).catch((error) => run.logger.warn('The poster could not be made', { error }))
}

/** With what the reason adds to it for readers of the report. */
const sentenceOf = ({ message, reason }: End) => (reason ? `${message} ${REASON_TABLE[reason].host}` : message)

async function survive<T>({ ending, logger }: Run, step: string, work: () => T | Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    ending.isDefect = true
    logger.error('A shutdown step failed', { step, error: thrown })
    return otherwise
  }
}

/** Ends the streams before the bot leaves; a peer that does not answer is not waited for. */
async function closeStreaming({ streaming, agent, saying, showing, mouth, clock, logger }: Run): Promise<void> {
  const late = () => new Error('The streaming sockets took too long to close')
  const sources = [streaming?.close(), agent?.close(), saying.close(), showing.close()]
  const closing = Promise.all(sources).then(() => mouth.close())
  await within(clock, STREAMING_CLOSE_DEADLINE_MS, closing, late).catch((error) =>
    logger.warn('Streaming did not close in time', { error }),
  )
}

async function closeLiveTranscript({ liveTranscript, clock, logger }: Run): Promise<void> {
  if (liveTranscript === null) return
  const late = () => new Error('The live transcript took too long to close')
  await within(clock, TRANSCRIPT_CLOSE_DEADLINE_MS, liveTranscript.close(), late).catch((error) =>
    logger.warn('The live transcript did not close in time', { error }),
  )
}

async function keepEvidence({ meeting, clock, logger, workFolder, wordsVersion }: Run, failure: End): Promise<void> {
  const sentence = `${failure.message} ${failure.error?.cure ?? ''}`.trim()
  try {
    const late = () => new Error('The page gave no evidence in time')
    const evidence = await within(clock, EVIDENCE_DEADLINE_MS, meeting.evidence(), late).catch((error) => {
      logger.warn('The page gave no evidence', { error })
      return null
    })
    await saveEvidence(workFolder, evidence, {
      code: failure.code,
      reason: failure.reason,
      sentence,
      step: failure.error?.step,
      words_version: wordsVersion,
    })
  } catch (error) {
    logger.warn('The evidence of the failure could not be kept', { error })
  }
}

async function leaveMeeting({ ending, meeting, clock, logger }: Run): Promise<void> {
  if (!ending.hurry.aborted) {
    const left = Promise.race([meeting.leave(), aborted(ending.hurry)])
    await within(clock, LEAVE_DEADLINE_MS, left, () => new Error('Leaving took too long')).catch((error) =>
      logger.warn('Leaving the meeting failed', { error }),
    )
  }
  await meeting.close()
}

async function writePeople(run: Run): Promise<void> {
  const { job, timeline, chatRecord, control, logger, workFolder } = run
  if (chatRecord.missing > 0) {
    const message = `${chatRecord.missing} chat messages are missing in chat_messages.json, which has no room for more; events.jsonl has them.`
    control.report({ type: 'notice', level: 'warning', message })
  }
  await writeFilesAboutPeople(workFolder, {
    botId: job.bot_id,
    participants: await survive(run, 'people', () => timeline.participantsFile(), []),
    diarization: await survive(run, 'speech', () => timeline.diarization(), []),
    chat: await survive(run, 'chat', () => chatRecord.messages(), []),
    reactions: await survive(run, 'reactions', () => chatRecord.reactions(), []),
  }).catch((error) => logger.error('The files about people could not be written', { error }))
}

async function finishParticipantTracks(run: Run): Promise<RecordedFile[]> {
  const { participantTracks, meeting, timeline, control, logger } = run
  if (participantTracks === null) return []
  const files = await participantTracks
    .finish((id) => timeline.known(meeting.idOf(id)))
    .catch((error) => {
      logger.error('Separate tracks could not be completed', { error })
      return []
    })
  if (files.length === 0 && timeline.speakers().length > 0)
    control.report({ type: 'notice', level: 'warning', message: NO_SEPARATE_TRACKS })
  return files
}
