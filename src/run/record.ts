/** From admission to the end: records until a leave rule finds a reason to end. */
import type { BotCommand } from '@standin/wire/commands.ts'
import { problemOfPagesOn } from '@standin/wire/platforms.ts'
import { within } from '@standin/wire/time/deadline.ts'
import { startLoop } from '@standin/wire/time/loop.ts'
import { BotError, toBotError } from '../../packages/core/errors.ts'
import type { MeetingEvent } from '../../packages/core/meeting/meeting.ts'
import type { AgentMeeting, CaptureEnvironment, RecordedTime } from '../../packages/core/ports.ts'
import { atEdge } from './ending.ts'
import { Failover, type FailoverParts } from './failover.ts'
import { ImageTurns } from './image-turns.ts'
import {
  deafened,
  excuseSilence,
  firstObservation,
  leaveReason,
  type Observed,
  observe,
  unseen,
} from './leave-rules.ts'
import { noteMeeting, noteOwnSpeech } from './meeting-notes.ts'
import { botNamesOf } from './other-bots.ts'
import type { Run } from './parts.ts'
import { recordedMs } from './recording-clock.ts'
import { type End, MEETING_ENDS, RECORDING } from './states.ts'
import type { Timeline } from './timeline.ts'

const RECORDER_START_DEADLINE_MS = 30_000
/** How often the leave rules look, and the pace of progress reports. */
const RULES_EVERY_MS = 1_000
const PROGRESS_EVERY_MS = 5_000

type RecordParts = Pick<
  FailoverParts,
  'control' | 'clock' | 'logger' | 'waitingRoomSeconds' | 'signal' | 'recording'
> & {
  obey(command: BotCommand): Promise<unknown>
  prepareEnvironment(): Promise<CaptureEnvironment>
}

export async function recordUntilEnd(run: Run, admittedAt: number, parts: RecordParts): Promise<void> {
  const { job, recorder, meeting, ending, status, timeline, streaming, liveTranscript, control, clock, sound } = run
  let observed: Observed = {
    ...firstObservation(admittedAt, botNamesOf(job.timeout_config.bot_names)),
    hasSeenOthers: job.continues?.has_seen_others ?? false,
  }
  let lastProgressAt = 0
  const images = new ImageTurns(run)
  const repairs = new Failover({
    ...parts,
    recorder,
    attendance: meeting,
    onBack: () => {
      observed = unseen(observed, clock.now())
    },
    onFailure: (thrown, step) => ending.fail(thrown, step),
  })
  meeting.watch((event) => {
    observed = observe(observed, event)
    noteMeeting(event, run)
    run.saying.onMeeting(event)
    run.agent?.onMeeting(event)
    sound.onMeeting(event)
    if (event.type === 'caption' || event.type === 'captions') liveTranscript?.takeCaption(event)
    if (event.type === 'speaking') {
      streaming?.onSpeaker(timeline.person(event.participantId), event.isSpeaking, event.at)
      liveTranscript?.onSpeaker(event.participantId, event.isSpeaking)
    }
    if (event.type === 'ended') ending.propose(endOfMeeting(run, event))
    if (event.type === 'failed') void repairs.meetingFailed(event)
  })
  const noteOwnVoice = () => {
    if (run.mouth.isOpen) observed = deafened(observed, clock.now())
  }
  recorder.watch((event) => {
    noteOwnVoice()
    observed = observe(observed, event)
    if (event.type === 'failed') void repairs.recorderFailed(event)
    sound.onRecorder(event)
    if (event.type === 'sound') timeline.onSound(event.isAudible, event.at)
    if (event.type === 'progress') run.usage.noteStored(event.bytes)
    if (event.type === 'progress' && job.recording_mode !== 'audio_only') run.relief.onProgress(event)
    if (event.type === 'progress' && event.at - lastProgressAt >= PROGRESS_EVERY_MS) {
      lastProgressAt = event.at
      const { seconds, bytes, droppedFrames } = event
      control.report({ type: 'recording_progress', seconds, bytes, dropped_frames: droppedFrames })
    }
  })
  run.mouth.onTurn((isSpeaking, at) => noteOwnSpeech(run, isSpeaking, at))
  await meeting.makeReady()
  await within(clock, RECORDER_START_DEADLINE_MS, atEdge('recorder', recorder.start(meeting.provenAt)), noFirstFrame)
  const startedAt = recorder.spans()[0]?.startedAt ?? clock.now()
  status.enter('in_call_recording', { start_time: startedAt / 1000 })
  // The pause was requested from the bot that crashed, so this one pauses too.
  if (job.continues?.is_paused) await parts.obey({ type: 'pause' })
  void sendEntryMessage(run)
  // The sound server keeps its address, even when it is restarted.
  const environment = await parts.prepareEnvironment()
  liveTranscript?.start(environment, recordedTime(timeline))
  run.mouth.start(environment, meeting)
  if (job.continues?.is_agent_off) await run.agent?.setEnabled(false)
  run.agent?.start(environment, agentMeeting(run, parts))
  if (streaming !== null) await atEdge('streaming', streaming.start(environment))
  watchSound(run, () => repairs.isBrowserAway)
  while (!ending.signal.aborted) {
    const now = clock.now()
    images.update(status.state, (now - admittedAt) / 1000)
    noteOwnVoice()
    if (repairs.isBrowserAway) observed = unseen(observed, now)
    if (!RECORDING.has(status.state)) observed = excuseSilence(observed, now)
    const reason = leaveReason(observed, job.timeout_config, now, recordedMs(recorder.spans(), now))
    if (reason) ending.propose(reason)
    else await clock.sleep(RULES_EVERY_MS, ending.signal)
  }
}

function agentMeeting(
  { timeline, chat, meeting, showing, target, clock }: Run,
  { obey }: Pick<RecordParts, 'obey'>,
): AgentMeeting {
  return {
    nameOf: (participantId) => timeline.known(participantId)?.name ?? '',
    instantOf(second) {
      const now = clock.now()
      const offset = timeline.offset(now)
      return offset === null ? now : now - (offset - second) * 1000
    },
    sendChat: (text) => chat.send(meeting, text),
    leave: () => void obey({ type: 'leave' }),
    ...(problemOfPagesOn(target.platform) === null && { showPage: (url: string) => showing.show('camera', url) }),
  }
}

/** Until the bot ends. */
function watchSound({ sound, recorder, clock, ending, logger }: Run, isBrowserAway: () => boolean): void {
  const round = async () => {
    const endedAt = recorder.spans().at(-1)?.endedAt ?? null
    if (endedAt !== null || isBrowserAway()) sound.breakOff(endedAt ?? clock.now())
    else await sound.look()
    return RULES_EVERY_MS
  }
  const onError = (error: unknown) => logger.warn('The watch of the sound failed', { error })
  startLoop(round, { onError, afterErrorMs: RULES_EVERY_MS, clock, signal: ending.signal })
}

function endOfMeeting({ job, recorder }: Run, event: Extract<MeetingEvent, { type: 'ended' }>): End {
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
      reason: event.reason,
      message: `The host removed the bot within ${limitMs / 1000} s of its start.`,
    }
  return { ...MEETING_ENDS[event.end], at: event.at, reason: event.reason }
}

async function sendEntryMessage({ job, chat, meeting, logger, control, ending }: Run): Promise<void> {
  const text = job.entry_message
  if (!text) return
  try {
    await chat.send(meeting, text)
  } catch (error) {
    // A bot that is asked to leave closes the page on purpose.
    if (ending.signal.aborted) return
    logger.warn('The entry message was not sent', { error })
    const message = `The entry message was not sent: ${toBotError(error).message}`
    control.report({ type: 'notice', level: 'warning', message })
  }
}

function noFirstFrame(): BotError {
  return new BotError('INTERNAL_ERROR', 'The encoder gave no first frame.', { step: 'starting to record' })
}

/** The timeline as a live transcript needs it: what is known so far of who speaks, in seconds of the recording. */
function recordedTime(timeline: Timeline): RecordedTime {
  return {
    offset: (at) => timeline.offset(at),
    turns() {
      const people = new Map(timeline.participants().map((person) => [person.id, person]))
      return timeline.diarization().flatMap(({ user_id, start_time: start, end_time: end }) => {
        const person = people.get(user_id)
        return person === undefined ? [] : [{ person: { ...person }, start, end }]
      })
    },
    person(participantId, name) {
      const known = timeline.known(participantId)
      if (known !== null) return { ...known }
      const namesakes = timeline.participants().filter((person) => person.name === name)
      return namesakes.length === 1 ? { ...namesakes[0]! } : null
    },
  }
}
