/** The whole life of a bot, top to bottom. It knows interfaces only: no browser, no encoder, no network. */
import { type AfterRecording, makeReport, makeTranscript } from './after-recording.ts'
import { filesBeside, saveEvidence, writeFilesAboutPeople } from './artifacts.ts'
import { BotChat } from './bot-chat.ts'
import { within } from './clock.ts'
import { answerCommands } from './commands.ts'
import { Delivery, deliverJournal } from './delivery.ts'
import { Ending } from './ending.ts'
import { BotError, toBotError } from './errors.ts'
import { errorOf, finalEndOf, finalReportOf } from './final-report.ts'
import { excuseSilence, firstObservation, leaveReason, type Observed, observe } from './leave-rules.ts'
import type { Logger } from './logger.ts'
import type { MeetingEvent, MeetingTarget } from './meeting.ts'
import { noteMeeting } from './meeting-notes.ts'
import type {
  Clock,
  ControlPlane,
  MeetingDriver,
  OpenMeeting,
  RecordedFile,
  Recorder,
  Stage,
  Storage,
  Streaming,
  Transcribe,
  WaitingFor,
  WriteReport,
} from './ports.ts'
import { recordedMs } from './recording-clock.ts'
import { type End, exitCodeOf, isNormalEnd, MEETING_ENDS, RECORDING, STOP_ENDS, type StopRequester } from './states.ts'
import { StatusReport } from './status.ts'
import { Timeline } from './timeline.ts'
import type { ErrorCode } from './wire/codes.ts'
import type { FinalReport } from './wire/events.ts'
import type { Job } from './wire/job.ts'

/** A refused attempt is followed by a fresh one, at most this often; nobody else retries a join. */
const JOIN_ATTEMPTS = 3
const JOIN_RETRY_DELAY_MS = 3_000
/** Longer than every wait of a driver before the waiting room; past it the driver itself is stuck. */
const JOIN_DEADLINE_MS = 240_000
const PREPARE_DEADLINE_MS = 60_000
/** The driver knows best why nobody allowed the bot to record, so it comes first. */
const RIGHT_GRACE_MS = 10_000
const RIGHT = { step: 'right to record' }
const RECORDER_START_DEADLINE_MS = 30_000
/** Leaving must not eat the time in which files are stored. */
const LEAVE_DEADLINE_MS = 20_000
const STREAMING_CLOSE_DEADLINE_MS = 5_000
const EVIDENCE_DEADLINE_MS = 20_000
/** Joining parts without encoding is bounded by the disk, even for the longest recording. */
const FINISH_DEADLINE_MS = 600_000
const DRAIN_DEADLINE_MS = 15_000
/** How often the leave rules look, and the pace of progress reports. */
const RULES_EVERY_MS = 1_000
const PROGRESS_EVERY_MS = 5_000

export interface BotParts {
  recorder: Recorder
  openMeeting: OpenMeeting
  storage: Storage
  /** Live sound to and from the job's sockets; null where the job names none. */
  streaming: Streaming | null
  /** Null where the job asks for no transcript. */
  transcribe: Transcribe | null
  writeReport: WriteReport
  control: ControlPlane
  clock: Clock
  logger: Logger
  /** The recording's own folder on this machine; exists. */
  workFolder: string
  /** Calls back when the process is asked to stop; the life hears it from its first moment. */
  onStopRequest(listener: (askedBy: StopRequester, atOnce: boolean) => void): void
}

export interface Outcome {
  report: FinalReport
  exitCode: 0 | 3 | 4 | 70
}

export async function runBot(job: Job, target: MeetingTarget, parts: BotParts): Promise<Outcome> {
  const { recorder, storage, streaming, control, clock, logger } = parts
  const ending = new Ending(logger)
  const impatience = new AbortController()
  const status = new StatusReport(control)
  const timeline = new Timeline(() => recorder.spans())
  const chat = new BotChat({ botName: job.bot_name, timeline, control, clock })
  let meeting: MeetingDriver | null = null
  let isDefect = false
  let joinedAt: number | null = null
  let exitedAt: number | null = null
  let repeatedFrames = 0

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
  control.onCommand(
    answerCommands({ status, recorder, streaming, chat, workFolder: parts.workFolder, stop, meeting: () => meeting }),
  )

  try {
    status.enter('joining_call')
    streaming?.connect(ending.signal).catch((error) => proposeFailure(error, 'streaming'))
    await atEdge('storage', storage.prepare(ending.signal))
    const stage = await atEdge('recorder', recorder.prepare(ending.signal))
    await enterMeeting(stage)
    joinedAt = clock.now()
    status.enter('in_call_not_recording')
    await record(meeting!, stage, joinedAt)
  } catch (thrown) {
    // A wait that was cut short by the end has nothing to add to it.
    if (ending.first === null) {
      isDefect = !(thrown instanceof BotError)
      const error = toBotError(thrown)
      if (isDefect) logger.error('The life broke', { error: thrown })
      ending.propose({ code: error.code, message: error.message, error })
    }
  }

  const end = await ending.whenEnded()
  // Capturing stops at once; the display stays until the browser has shown its evidence and is gone.
  const finishing = finishRecording()
  await closeStreaming()
  if (!isNormalEnd(end.code) && end.askedBy === undefined) await keepEvidence(end)
  await leaveMeeting()
  const files = await finishing
  await recorder.close()
  exitedAt = joinedAt === null ? null : clock.now()
  timeline.close(recorder.spans().at(-1)?.endedAt ?? clock.now())
  return close(end, files)

  /** Opens the meeting until it lets the bot in; a refusal that may pass is answered by a fresh attempt. */
  async function enterMeeting(stage: Stage): Promise<void> {
    const { signal } = ending
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted()
      const driver = await parts.openMeeting(target, stage, signal)
      meeting = driver
      try {
        const admission = await within(
          clock,
          JOIN_DEADLINE_MS,
          driver.join(signal),
          () => new BotError('CANNOT_JOIN_MEETING', 'The meeting page did not come to a decision.', { step: 'join' }),
        )
        if (admission === 'waiting_room') {
          status.enter('in_waiting_room')
          const limit = job.timeout_config.waiting_room_timeout
          await within(clock, limit * 1000, driver.waitForAdmission(signal), () =>
            waitedTooLong(driver.waitingFor, limit),
          )
        }
        return
      } catch (thrown) {
        const mayPass = thrown instanceof BotError && thrown.canRetry && attempt < JOIN_ATTEMPTS
        if (signal.aborted || !mayPass) throw thrown
        logger.warn('An attempt to join failed and is made afresh', { attempt, error: thrown })
        await driver.leave()
        await driver.close()
        meeting = null
        await clock.sleep(JOIN_RETRY_DELAY_MS * attempt, signal)
      }
    }
  }

  /** From admission to the end: records while the leave rules see no reason to go. */
  async function record(driver: MeetingDriver, stage: Stage, admittedAt: number): Promise<void> {
    let observed: Observed = firstObservation(admittedAt)
    let lastProgressAt = 0
    driver.watch((event) => {
      observed = observe(observed, event)
      noteMeeting(event, timeline, control)
      if (event.type === 'speaking')
        streaming?.tellSpeaker(timeline.person(event.participantId), event.isSpeaking, event.at)
      if (event.type === 'ended') ending.propose(meetingEnd(event))
      if (event.type === 'failed') proposeFailure(event.error, 'in meeting')
    })
    recorder.watch((event) => {
      observed = observe(observed, event)
      if (event.type === 'failed') proposeFailure(event.error, 'recording')
      if (event.type === 'progress') repeatedFrames = event.droppedFrames
      if (event.type === 'progress' && event.at - lastProgressAt >= PROGRESS_EVERY_MS) {
        lastProgressAt = event.at
        const { seconds, bytes, droppedFrames } = event
        control.report({ type: 'recording_progress', seconds, bytes, dropped_frames: droppedFrames })
      }
    })
    await obtainRecordingRight(driver)
    const prepared = driver.prepareRecording(ending.signal)
    await within(clock, PREPARE_DEADLINE_MS, prepared, () => stuck('The page could not be made ready for recording.'))
    ending.signal.throwIfAborted()
    await within(clock, RECORDER_START_DEADLINE_MS, atEdge('recorder', recorder.start()), () =>
      stuck('The encoder gave no first frame.'),
    )
    const startedAt = recorder.spans()[0]?.startedAt ?? clock.now()
    status.enter('in_call_recording', { start_time: startedAt / 1000 })
    void sendEntryMessage(driver)
    await streaming?.start(stage, driver)
    while (!ending.signal.aborted) {
      const now = clock.now()
      if (!RECORDING.has(status.state)) observed = excuseSilence(observed, now)
      const reason = leaveReason(observed, job.timeout_config, now, recordedMs(recorder.spans(), now))
      if (reason) ending.propose(reason)
      else await clock.sleep(RULES_EVERY_MS, ending.signal)
    }
  }

  /** Takes as long as the waiting room may; elsewhere than on a platform with such a right it takes no time. */
  async function obtainRecordingRight(driver: MeetingDriver): Promise<void> {
    const limitMs = job.timeout_config.waiting_room_timeout * 1000
    await within(
      clock,
      limitMs + RIGHT_GRACE_MS,
      driver.obtainRecordingRight(limitMs, ending.signal),
      () =>
        new BotError('RECORDING_START_TIMEOUT', `Nobody allowed the bot to record within ${limitMs / 1000} s.`, RIGHT),
    )
    ending.signal.throwIfAborted()
  }

  function meetingEnd(event: Extract<MeetingEvent, { type: 'ended' }>): End {
    const end = MEETING_ENDS[event.end]
    const firstFrame = recorder.spans()[0]?.startedAt
    if (firstFrame === undefined && event.end !== 'removed') {
      const code = event.codeBeforeRecording ?? 'EXITING_MEETING_BEFORE_RECORD'
      return { code, message: 'The meeting ended before the recording began.' }
    }
    const limitMs = job.timeout_config.removed_too_early * 1000
    if (event.end === 'removed' && event.at - (firstFrame ?? event.at) < limitMs)
      return {
        code: 'BOT_REMOVED_TOO_EARLY',
        message: `The host removed the bot within ${limitMs / 1000} s of its start.`,
      }
    return end
  }

  function proposeFailure(thrown: Error, step: string): void {
    const error = toBotError(thrown, step)
    ending.propose({ code: error.code, message: error.message, error })
  }

  async function sendEntryMessage(driver: MeetingDriver): Promise<void> {
    const text = job.entry_message
    if (!text) return
    try {
      await chat.send(driver, text)
    } catch (error) {
      logger.warn('The entry message was not sent', { error })
      control.report({
        type: 'notice',
        level: 'warning',
        message: `The entry message was not sent: ${toBotError(error).message}`,
      })
    }
  }

  /** Whoever listens live hears of the end before the bot has left; a peer that does not answer is not waited for. */
  async function closeStreaming(): Promise<void> {
    if (streaming === null) return
    const late = () => new Error('The streaming sockets took too long to close')
    await within(clock, STREAMING_CLOSE_DEADLINE_MS, streaming.close(), late).catch((error) =>
      logger.warn('Streaming was not ended politely', { error }),
    )
  }

  async function keepEvidence(failure: End): Promise<void> {
    const sentence = `${failure.message} ${failure.error?.cure ?? ''}`.trim()
    try {
      const late = () => new Error('The page gave no evidence in time')
      const evidence =
        meeting && (await within(clock, EVIDENCE_DEADLINE_MS, meeting.evidence(), late).catch(withoutEvidence))
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
    if (meeting === null) return
    if (!ending.hurry.aborted) {
      const left = Promise.race([meeting.leave(), aborted(ending.hurry)])
      await within(clock, LEAVE_DEADLINE_MS, left, () => new Error('Leaving took too long')).catch((error) =>
        logger.warn('The meeting was not left politely', { error }),
      )
    }
    await meeting.close()
  }

  /** What was recorded is finished whatever happened to the rest of the life. */
  async function finishRecording(): Promise<RecordedFile[]> {
    try {
      return await within(
        clock,
        FINISH_DEADLINE_MS,
        recorder.finish(),
        () => new Error('Finishing the files took too long'),
      )
    } catch (error) {
      logger.error('The final files could not be made; the recorded segments stay', { error })
      control.report({
        type: 'notice',
        level: 'warning',
        message: 'The final files could not be made; the recorded segments stay.',
      })
      return []
    }
  }

  /** The one exit: stores, reports the terminal state and says how the process ends. */
  async function close(end: End, recorded: RecordedFile[]): Promise<Outcome> {
    await writeFilesAboutPeople(parts.workFolder, {
      botId: job.bot_id,
      participants: timeline.participantsFile(),
      diarization: timeline.diarization(),
      chat: timeline.chatFile(),
    }).catch((error) => logger.error('The files about people could not be written', { error }))
    // The recording is safe before anything is made of it that it can do without.
    const delivery = new Delivery({ job, ...parts })
    await delivery.store([...recorded, ...(await filesBeside(parts.workFolder))])
    const after: AfterRecording = { job, target, ...parts }
    const transcriptProblem = await makeTranscript(after, recorded, impatience.signal)
    const spans = recorder.spans()
    await makeReport(after, recorded, { end: end.message, spans, repeatedFrames })
    await delivery.store(await filesBeside(parts.workFolder))
    const { artifacts, problem } = await delivery.finish(spans)
    const finalEnd = finalEndOf(end, { hasFiles: recorded.length > 0, storingProblem: problem, transcriptProblem })
    const life = { job, target, joinedAt, exitedAt, spans, timeline, artifacts, location: storage.location() }
    const report = finalReportOf(finalEnd, { ...life, now: clock.now() })
    const { code, message } = finalEnd
    status.enter(report.status, { end_code: code, end_message: message, ...errorOf(finalEnd) })
    control.report(report)
    await control.drain(DRAIN_DEADLINE_MS)
    await control.close()
    await deliverJournal({ job, ...parts }, problem)
    return { report, exitCode: exitCodeOf(finalEnd, hasRecorded(), isDefect) }
  }
}

/** What a part of the world rejects with is a failure of the world, not a defect of the life. */
async function atEdge<T>(step: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (thrown) {
    throw toBotError(thrown, step)
  }
}

function waitedTooLong(waitingFor: WaitingFor, limit: number): BotError {
  const [code, sentence] = WAITED[waitingFor]
  return new BotError(code, `${sentence} within ${limit} s.`, { step: 'waiting room' })
}

/** The specification knows three waits, all limited by `waiting_room_timeout`. */
const WAITED: Readonly<Record<WaitingFor, [ErrorCode, string]>> = {
  admission: ['TIMEOUT_WAITING_TO_START', 'Nobody admitted the bot'],
  host: ['WAITING_FOR_HOST_TIMEOUT', 'The host did not start the meeting'],
  authorized_user: ['WAITING_FOR_AUTHORIZED_USER_TIMEOUT', 'The user who authorized the bot did not join'],
}

function stuck(message: string): BotError {
  return new BotError('INTERNAL_ERROR', message, { step: 'starting to record' })
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
