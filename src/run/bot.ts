/** Runs one bot from start to exit code. It uses interfaces only: no browser, no encoder, no network. */

import { pagesOf } from '@standin/wire/bot-fields.ts'
import type { Job } from '@standin/wire/job.ts'
import type { PlatformName } from '@standin/wire/platforms.ts'
import { PLATFORM_WAIT_SECONDS } from '@standin/wire/reasons.ts'
import { within } from '@standin/wire/time/deadline.ts'
import { BotError } from '../../packages/core/errors.ts'
import type { MeetingTarget } from '../../packages/core/meeting/meeting.ts'
import type { StopRequester } from '../../packages/core/process/stop-requests.ts'
import { BotChat } from './bot-chat.ts'
import { ChatRecord } from './chat-record.ts'
import { closeRun, tellEnd } from './closing.ts'
import { answerCommands } from './commands.ts'
import { storeNow } from './delivery.ts'
import { atEdge, Ending } from './ending.ts'
import { openJoinGate } from './join-gate.ts'
import { LoadShedding } from './load-shedding.ts'
import { MeetingSession } from './meeting-session.ts'
import type { BotParts, Outcome, Run } from './parts.ts'
import { gapOf, PauseControl, type RecordingGap } from './pause-control.ts'
import { recordUntilEnd } from './record.ts'
import { Saying } from './saying.ts'
import { Showing } from './showing.ts'
import { SoundWatch } from './sound-watch.ts'
import { isNormalEnd, STOP_ENDS } from './states.ts'
import { StatusReport } from './status.ts'
import { Timeline } from './timeline.ts'

/** For the look at a storage before the meeting, beside its own limits: a mounted folder may never answer. */
const STORAGE_PREPARE_MS = 20_000

export async function runBot(job: Job, target: MeetingTarget, parts: BotParts): Promise<Outcome> {
  const { recorder, storage, streaming, liveTranscript, control, clock, logger, openMeeting, workFolder } = parts
  const ending = new Ending(logger)
  const impatience = new AbortController()
  const status = new StatusReport(control, parts.usage)
  const timeline = new Timeline(() => recorder.spans())
  const chatRecord = new ChatRecord(timeline)
  const chat = new BotChat({ botName: job.bot_name, record: chatRecord, control, clock })
  const hasRecorded = () => recorder.spans().length > 0
  parts.onStopRequest(stop)
  parts.onDefect((thrown) => {
    logger.error('Uncaught error', { error: thrown })
    ending.isDefect = true
    ending.fail(thrown, 'life')
  })
  const waitingRoomSeconds = job.timeout_config.waiting_room_timeout
  const common = { control, clock, logger, waitingRoomSeconds, signal: ending.signal }
  let encoder: Promise<void> | null = null
  const prepareEnvironment = async () => {
    // Beside the servers' start, and before a browser opens: no host admits a bot that cannot record.
    encoder ??= parts.machine.tryEncoder()
    const ready = Promise.all([recorder.prepare(ending.signal), encoder])
    return (await atEdge('recorder', ready, 'MACHINE_UNFIT'))[0]
  }
  const meeting = new MeetingSession({
    ...common,
    target,
    openMeeting,
    prepareEnvironment,
    botName: job.bot_name,
    denials: job.denials,
    gate: openJoinGate({ ...common, job }),
    onWaitingRoom,
    onReadyToStandBy: (mayRenew) => recorder.standBy(mayRenew),
    onMadeReady: () => showing.onReady(),
    onVoice(voice) {
      parts.participantTracks?.write(voice)
      liveTranscript?.takeVoice(voice)
      sound.onVoice(voice.participantId, voice.at)
    },
  })
  const relief = new LoadShedding({ ...common, meeting, framesPerSecond: job.frame_rate })
  const saying = new Saying({ voice: parts.voice, mouth: parts.mouth, clock })
  const showing = new Showing({ ...common, meeting, mouth: parts.mouth, saying }, pagesOf(job.output_media))
  parts.onReported((event) => showing.onEvent(event))
  const onGap = (stretch: RecordingGap) => {
    const gap = gapOf(stretch)
    run.gaps.push(gap)
    control.report({ type: 'recording_gap', ...gap })
  }
  const sound = new SoundWatch({
    ...{ ...common, recorder, meeting, liveTranscript, timeline, onGap },
    wantsVoices: job.separate_tracks,
  })
  const shared = { job, target, ending, status, timeline, chatRecord, chat, meeting, relief, saying, showing, sound }
  const run: Run = { ...parts, ...shared, gaps: [], joinedAt: null }
  const recording = new PauseControl(recorder, clock, onGap)
  recorder.watch((event) => {
    if (run.joinedAt === null && event.type === 'failed' && event.lost === 'environment')
      meeting.environmentLost(event.error)
  })
  const obey = answerCommands({
    ...{ status, recording, streaming, liveTranscript, chat, saying, showing, workFolder, stop, meeting },
    ...{ mouth: parts.mouth, agent: parts.agent },
    storeNow: (name) => storeNow(parts, name),
  })
  control.onCommand(obey)
  warnOfLongWait(run)
  // A failure is known now; the steps that follow, and those that still wait for something, may take their time.
  void ending.whenEnded().then((end) => isNormalEnd(end.code) || tellEnd(status, end))

  try {
    status.enter('joining_call')
    streaming?.connect(ending.signal).catch((error) => ending.fail(error, 'streaming'))
    for (const message of await parts.machine.look()) control.report({ type: 'notice', level: 'warning', message })
    const silent = () => new Error(`The storage did not answer within ${STORAGE_PREPARE_MS / 1000} s.`)
    await atEdge('storage', within(clock, STORAGE_PREPARE_MS, storage.prepare(ending.signal), silent))
    await meeting.enter()
    run.joinedAt = meeting.provenAt ?? clock.now()
    status.enter('in_call_not_recording')
    await recordUntilEnd(run, run.joinedAt, { ...common, recording, obey, prepareEnvironment })
  } catch (thrown) {
    // A wait that was aborted by the end adds no information.
    if (ending.first === null) {
      ending.isDefect = !(thrown instanceof BotError)
      if (ending.isDefect) logger.error('The bot failed with an unexpected error', { error: thrown })
      ending.fail(thrown)
    }
  }
  const end = await ending.whenEnded()
  sound.breakOff(end.at ?? clock.now())
  recording.end(end.at ?? clock.now())
  return closeRun(run, end, impatience.signal)

  function stop(askedBy: StopRequester, atOnce = false): void {
    // Asked again after the end: what is left that can be left out is left out.
    if (ending.first !== null) impatience.abort()
    ending.propose({
      code: STOP_ENDS[askedBy][hasRecorded() ? 'recorded' : 'not_recorded'],
      message: `The bot was asked to leave (${askedBy}).`,
      askedBy,
      atOnce,
    })
  }

  /** Also called when the bot enters again, in another browser: its status stays. */
  function onWaitingRoom(): void {
    if (run.joinedAt === null) status.enter('in_waiting_room')
    else control.report({ type: 'notice', level: 'warning', message: 'The bot is in the waiting room again.' })
  }
}

/** The limit stays as the caller set it: the platform may have changed its own. */
function warnOfLongWait({ job, target, control }: Run): void {
  const asked = job.timeout_config.waiting_room_timeout
  const limits: Partial<Record<PlatformName, number>> = PLATFORM_WAIT_SECONDS
  const most = limits[target.platform]
  if (most === undefined || asked <= most) return
  const message = `The platform ends the wait for admission after about ${most} s, before waiting_room_timeout (${asked} s) is over.`
  control.report({ type: 'notice', level: 'warning', message })
}
