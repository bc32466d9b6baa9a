/** Runs one bot from start to exit code. It uses interfaces only: no browser, no encoder, no network. */

import { aborted, within } from '@standin/base/deadline.ts'
import type { FinalReport, Gap } from '@standin/wire/events.ts'
import type { Job } from '@standin/wire/job.ts'
import { BotError, toBotError } from '../../core/errors.ts'
import type { Logger } from '../../core/logger.ts'
import type { MeetingEvent, MeetingTarget } from '../../core/meeting/meeting.ts'
import type {
  Clock,
  ControlPlane,
  LiveTranscript,
  OpenMeeting,
  ParticipantTracks,
  RecordedFile,
  Recorder,
  Storage,
  StoredMedia,
  Streaming,
  Transcribe,
  WriteReport,
} from '../../core/ports.ts'
import type { StopRequester } from '../../core/process/stop-requests.ts'
import { type AfterRecording, makeReport, makeTranscript } from './after-recording.ts'
import { filesBeside, saveEvidence, writeFilesAboutPeople } from './artifacts.ts'
import { BotChat } from './bot-chat.ts'
import { ChatRecord } from './chat-record.ts'
import { answerCommands } from './commands.ts'
import { Delivery, deliverJournal, storeNow } from './delivery.ts'
import { Ending } from './ending.ts'
import { Failover } from './failover.ts'
import { errorOf, finalEndOf, finalReportOf } from './final-report.ts'
import { ImageTurns } from './image-turns.ts'
import { openJoinGate } from './join-gate.ts'
import { excuseSilence, firstObservation, leaveReason, type Observed, observe, unseen } from './leave-rules.ts'
import { LoadShedding } from './load-shedding.ts'
import { noteMeeting } from './meeting-notes.ts'
import { MeetingSession } from './meeting-session.ts'
import { botNamesOf } from './other-bots.ts'
import { PauseControl, type RecordingGap } from './pause-control.ts'
import { recordedTime } from './recorded-time.ts'
import { recordedMs } from './recording-clock.ts'
import { type End, type ExitCode, exitCodeOf, isNormalEnd, MEETING_ENDS, RECORDING, STOP_ENDS } from './states.ts'
import { StatusReport } from './status.ts'
import { Timeline } from './timeline.ts'

const RECORDER_START_DEADLINE_MS = 30_000
/** Leaving must not eat the time in which files are stored. */
const LEAVE_DEADLINE_MS = 20_000
const STREAMING_CLOSE_DEADLINE_MS = 5_000
const TRANSCRIPT_CLOSE_DEADLINE_MS = 6_000
const EVIDENCE_DEADLINE_MS = 20_000
const DRAIN_DEADLINE_MS = 15_000
const NO_SEPARATE_TRACKS = 'There are no separate tracks: the platform sent one mixed audio stream.'
/** How often the leave rules look, and the pace of progress reports. */
const RULES_EVERY_MS = 1_000
const PROGRESS_EVERY_MS = 5_000

export interface BotParts {
  recorder: Recorder
  openMeeting: OpenMeeting
  storage: Storage
  /** Live sound to and from the job's sockets; null where the job names none. */
  streaming: Streaming | null
  /** Live transcript; null where the job asks for none. */
  liveTranscript: LiveTranscript | null
  /** Null where the job asks for no file of each voice. */
  participantTracks: ParticipantTracks | null
  /** Null where the job asks for no transcript. */
  transcribe: Transcribe | null
  writeReport: WriteReport
  control: ControlPlane
  clock: Clock
  logger: Logger
  /** The recording's own folder on this machine; exists. */
  workFolder: string
  /** Calls back when the process is asked to stop, even before the bot joins. */
  onStopRequest(listener: (askedBy: StopRequester, atOnce: boolean) => void): void
  /** Calls back with uncaught errors. */
  onDefect(listener: (thrown: unknown) => void): void
}

export interface Outcome {
  report: FinalReport
  exitCode: ExitCode
}

export async function runBot(job: Job, target: MeetingTarget, parts: BotParts): Promise<Outcome> {
  const { recorder, storage, streaming, liveTranscript, control, clock, logger } = parts
  const ending = new Ending(logger)
  const impatience = new AbortController()
  const status = new StatusReport(control)
  const timeline = new Timeline(() => recorder.spans())
  const chatRecord = new ChatRecord(timeline)
  const chat = new BotChat({ botName: job.bot_name, record: chatRecord, control, clock })
  let isDefect = false
  let joinedAt: number | null = null
  let exitedAt: number | null = null

  const hasRecorded = () => recorder.spans().length > 0
  const stop = (askedBy: StopRequester, atOnce = false) => {
    // Asked again after the end: what is left that can be left out is left out.
    if (ending.first !== null) impatience.abort()
    ending.propose({
      code: STOP_ENDS[askedBy][hasRecorded() ? 'recorded' : 'not_recorded'],
      message: `The bot was asked to leave (${askedBy}).`,
      askedBy,
      atOnce,
    })
  }
  parts.onStopRequest(stop)
  parts.onDefect((thrown) => {
    isDefect = true
    logger.error('Uncaught error', { error: thrown })
    proposeFailure(thrown, 'life')
  })
  const waitingRoomSeconds = job.timeout_config.waiting_room_timeout
  const { openMeeting, workFolder } = parts
  const common = { control, clock, logger, waitingRoomSeconds, signal: ending.signal }
  const prepareEnvironment = () => atEdge('recorder', recorder.prepare(ending.signal))
  const meeting = new MeetingSession({
    ...common,
    target,
    openMeeting,
    prepareEnvironment,
    botName: job.bot_name,
    gate: openJoinGate({ ...common, job }),
    onWaitingRoom,
    onReadyToStandBy: (mayRenew) => recorder.standBy(mayRenew),
  })
  const gaps: Gap[] = []
  const relief = new LoadShedding({ ...common, meeting, framesPerSecond: job.frame_rate })
  const images = new ImageTurns({ job, meeting, logger })
  const recording = new PauseControl(recorder, clock, noteGap)
  recorder.watch((event) => {
    if (joinedAt === null && event.type === 'failed' && event.lost === 'stage') meeting.environmentLost(event.error)
  })
  const obey = answerCommands({
    ...{ status, recording, streaming, liveTranscript, chat, workFolder, stop, meeting },
    storeNow: (name) => storeNow(parts, name),
  })
  control.onCommand(obey)

  try {
    status.enter('joining_call')
    streaming?.connect(ending.signal).catch((error) => proposeFailure(error, 'streaming'))
    await atEdge('storage', storage.prepare(ending.signal))
    await meeting.enter()
    joinedAt = meeting.provenAt ?? clock.now()
    status.enter('in_call_not_recording')
    await record(joinedAt)
  } catch (thrown) {
    // A wait that was aborted by the end adds no information.
    if (ending.first === null) {
      isDefect = !(thrown instanceof BotError)
      const error = toBotError(thrown)
      if (isDefect) logger.error('The bot failed with an unexpected error', { error: thrown })
      ending.propose({ code: error.code, message: error.message, error })
    }
  }

  const end = await ending.whenEnded()
  // Capturing stops immediately; the display stays until the browser has given its evidence and is closed.
  const delivery = new Delivery({ job, ...parts })
  const finishing = delivery.complete(recorder, end.at ?? null)
  await Promise.all([closeStreaming(), closeLiveTranscript()])
  if (!isNormalEnd(end.code) && end.askedBy === undefined) await keepEvidence(end)
  await survive('leaving', leaveMeeting, () => {})
  const files = await finishing
  await survive(
    'closing the recorder',
    () => recorder.close(),
    () => {},
  )
  exitedAt = joinedAt === null ? null : clock.now()
  await survive(
    'people',
    () => timeline.close(recorder.spans().at(-1)?.endedAt ?? clock.now()),
    () => {},
  )
  return close(end, files, delivery)

  /** From admission to the end: records until a leave rule finds a reason to end. */
  async function record(admittedAt: number): Promise<void> {
    let observed: Observed = {
      ...firstObservation(admittedAt, botNamesOf(job.timeout_config.bot_names)),
      hasSeenOthers: job.continues?.has_seen_others ?? false,
    }
    let lastProgressAt = 0
    const onBack = () => {
      observed = unseen(observed, clock.now())
    }
    const repairs = new Failover({
      ...common,
      recorder,
      recording,
      attendance: meeting,
      onBack,
      onFailure: proposeFailure,
    })
    meeting.watch((event) => {
      observed = observe(observed, event)
      noteMeeting(event, { timeline, chatRecord, control })
      if (event.type === 'caption' || event.type === 'captions') liveTranscript?.takeCaption(event)
      if (event.type === 'speaking')
        streaming?.onSpeaker(timeline.person(event.participantId), event.isSpeaking, event.at)
      if (event.type === 'ended') ending.propose(meetingEnd(event))
      if (event.type === 'failed') void repairs.meetingFailed(event)
    })
    recorder.watch((event) => {
      observed = observe(observed, event)
      if (event.type === 'failed') void repairs.recorderFailed(event)
      if (event.type === 'sound') timeline.onSound(event.isAudible, event.at)
      if (event.type === 'progress' && job.recording_mode !== 'audio_only') relief.onProgress(event)
      if (event.type === 'progress' && event.at - lastProgressAt >= PROGRESS_EVERY_MS) {
        lastProgressAt = event.at
        const { seconds, bytes, droppedFrames } = event
        control.report({ type: 'recording_progress', seconds, bytes, dropped_frames: droppedFrames })
      }
    })
    await meeting.makeReady()
    await within(clock, RECORDER_START_DEADLINE_MS, atEdge('recorder', recorder.start(meeting.provenAt)), () =>
      stuck('The encoder gave no first frame.'),
    )
    const startedAt = recorder.spans()[0]?.startedAt ?? clock.now()
    status.enter('in_call_recording', { start_time: startedAt / 1000 })
    // The pause was requested from the bot that crashed, so this one pauses too.
    if (job.continues?.is_paused) await obey({ type: 'pause' })
    void sendEntryMessage()
    // The sound server keeps its address, even when it is restarted.
    const stage = await prepareEnvironment()
    liveTranscript?.start(stage, recordedTime(timeline))
    if (streaming !== null) await atEdge('streaming', streaming.start(stage, meeting))
    while (!ending.signal.aborted) {
      const now = clock.now()
      images.update(status.state, (now - admittedAt) / 1000)
      if (repairs.isBrowserAway) observed = unseen(observed, now)
      if (!RECORDING.has(status.state)) observed = excuseSilence(observed, now)
      const reason = leaveReason(observed, job.timeout_config, now, recordedMs(recorder.spans(), now))
      if (reason) ending.propose(reason)
      else await clock.sleep(RULES_EVERY_MS, ending.signal)
    }
  }

  /** Also called when the bot rejoins after a browser crash; the recording continues, and its status stays. */
  function onWaitingRoom(): void {
    if (!hasRecorded()) status.enter('in_waiting_room')
    else control.report({ type: 'notice', level: 'warning', message: 'The bot is in the waiting room again.' })
  }

  function noteGap({ startedAt, endedAt, offset, reason }: RecordingGap): void {
    const gap: Gap = {
      started_at: new Date(startedAt).toISOString(),
      ended_at: new Date(endedAt).toISOString(),
      offset,
      seconds: (endedAt - startedAt) / 1000,
      reason,
    }
    gaps.push(gap)
    control.report({ type: 'recording_gap', ...gap })
  }

  function meetingEnd(event: Extract<MeetingEvent, { type: 'ended' }>): End {
    const end = { ...MEETING_ENDS[event.end], at: event.at }
    const firstFrame = recorder.spans()[0]?.startedAt
    if (firstFrame === undefined && event.end !== 'removed') {
      const code = event.codeBeforeRecording ?? 'EXITING_MEETING_BEFORE_RECORD'
      return { code, message: 'The meeting ended before the recording began.' }
    }
    const limitMs = job.timeout_config.removed_too_early * 1000
    if (event.end === 'removed' && event.at - (firstFrame ?? event.at) < limitMs)
      return {
        code: 'BOT_REMOVED_TOO_EARLY',
        at: event.at,
        message: `The host removed the bot within ${limitMs / 1000} s of its start.`,
      }
    return end
  }

  function proposeFailure(thrown: unknown, step: string): void {
    const error = toBotError(thrown, step)
    ending.propose({ code: error.code, message: error.message, error })
  }

  async function sendEntryMessage(): Promise<void> {
    const text = job.entry_message
    if (!text) return
    try {
      await chat.send(meeting, text)
    } catch (error) {
      logger.warn('The entry message was not sent', { error })
      control.report({
        type: 'notice',
        level: 'warning',
        message: `The entry message was not sent: ${toBotError(error).message}`,
      })
    }
  }

  /** Ends the streams before the bot leaves; a peer that does not answer is not waited for. */
  async function closeStreaming(): Promise<void> {
    if (streaming === null) return
    const late = () => new Error('The streaming sockets took too long to close')
    await within(clock, STREAMING_CLOSE_DEADLINE_MS, streaming.close(), late).catch((error) =>
      logger.warn('Streaming did not close in time', { error }),
    )
  }

  /** The last final transcripts arrive some moments after the last audio. */
  async function closeLiveTranscript(): Promise<void> {
    if (liveTranscript === null) return
    const late = () => new Error('The live transcript took too long to close')
    await within(clock, TRANSCRIPT_CLOSE_DEADLINE_MS, liveTranscript.close(), late).catch((error) =>
      logger.warn('The live transcript did not close in time', { error }),
    )
  }

  async function finishParticipantTracks(): Promise<RecordedFile[]> {
    const { participantTracks } = parts
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

  async function keepEvidence(failure: End): Promise<void> {
    const sentence = `${failure.message} ${failure.error?.cure ?? ''}`.trim()
    try {
      const late = () => new Error('The page gave no evidence in time')
      const evidence = await within(clock, EVIDENCE_DEADLINE_MS, meeting.evidence(), late).catch(withoutEvidence)
      await saveEvidence(parts.workFolder, evidence, { code: failure.code, sentence, step: failure.error?.step })
    } catch (error) {
      logger.warn('The evidence of the failure could not be kept', { error })
    }
  }

  function withoutEvidence(error: unknown): null {
    logger.warn('The page gave no evidence', { error })
    return null
  }

  async function leaveMeeting(): Promise<void> {
    if (!ending.hurry.aborted) {
      const left = Promise.race([meeting.leave(), aborted(ending.hurry)])
      await within(clock, LEAVE_DEADLINE_MS, left, () => new Error('Leaving took too long')).catch((error) =>
        logger.warn('Leaving the meeting failed', { error }),
      )
    }
    await meeting.close()
  }

  /** A shutdown step that fails does not stop the other steps: the terminal state is always reported. */
  async function survive<T>(step: string, work: () => T | Promise<T>, otherwise: () => T): Promise<T> {
    try {
      return await work()
    } catch (thrown) {
      isDefect = true
      logger.error('A shutdown step failed', { step, error: thrown })
      return otherwise()
    }
  }

  /** The one exit: stores, reports the terminal state and says how the process ends. */
  async function close(end: End, recorded: StoredMedia[], delivery: Delivery): Promise<Outcome> {
    if (chatRecord.missing > 0)
      control.report({ type: 'notice', level: 'warning', message: missingChat(chatRecord.missing) })
    await writeFilesAboutPeople(parts.workFolder, {
      botId: job.bot_id,
      participants: await survive(
        'people',
        () => timeline.participantsFile(),
        () => [],
      ),
      diarization: await survive(
        'speech',
        () => timeline.diarization(),
        () => [],
      ),
      chat: await survive(
        'chat',
        () => chatRecord.messages(),
        () => [],
      ),
      reactions: await survive(
        'reactions',
        () => chatRecord.reactions(),
        () => [],
      ),
    }).catch((error) => logger.error('The files about people could not be written', { error }))
    // The recording is safe before anything is made of it that it can do without.
    await delivery.store([...(await finishParticipantTracks()), ...(await filesBeside(parts.workFolder))])
    const after: AfterRecording = { job, target, ...parts }
    const transcript = await makeTranscript(after, recorded, impatience.signal)
    const spans = recorder.spans()
    const measured = recorder.quality()
    const measure = () => measured && { ...measured, ...timeline.speechQuality(), ...relief.figures() }
    const quality = await survive('quality', measure, () => null)
    await survive(
      'report',
      () => makeReport(after, recorded, { end: end.message, spans, gaps, quality }),
      () => {},
    )
    await delivery.store(await filesBeside(parts.workFolder))
    const { artifacts, problem } = await delivery.finish({ spans, gaps, quality })
    const finalEnd = finalEndOf(end, {
      hasFiles: recorded.length > 0,
      storingProblem: problem,
      transcriptProblem: transcript.problem,
    })
    const usage = {
      streaming: streaming?.usage() ?? null,
      transcribedSeconds: transcript.seconds,
      transcriptIds: transcript.ids,
    }
    const life = { job, target, joinedAt, exitedAt, spans, timeline, artifacts, gaps, quality, ...usage }
    const facts = { ...life, location: storage.location(), now: clock.now() }
    const report = await survive(
      'final report',
      () => finalReportOf(finalEnd, facts),
      () => finalReportOf(finalEnd, { ...facts, timeline: new Timeline(() => []) }),
    )
    const { code, message } = finalEnd
    status.enter(report.status, { end_code: code, end_message: message, ...errorOf(finalEnd) })
    control.report(report)
    await control.drain(DRAIN_DEADLINE_MS)
    await control.close()
    await deliverJournal({ job, ...parts }, problem)
    return { report, exitCode: exitCodeOf(finalEnd, hasRecorded(), isDefect) }
  }
}

/** An error of a part, such as storage, is a failure with a code and not a defect of the bot. */
async function atEdge<T>(step: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (thrown) {
    throw toBotError(thrown, step)
  }
}

function missingChat(count: number): string {
  return `${count} chat messages are missing in chat_messages.json, which has no room for more; events.jsonl has them.`
}

function stuck(message: string): BotError {
  return new BotError('INTERNAL_ERROR', message, { step: 'starting to record' })
}
