/** The parts of a run, and the state that its steps share. */

import type { BotEvent, FinalReport, Gap, Transcript } from '@standin/wire/events.ts'
import type { Job } from '@standin/wire/job.ts'
import type { Logger } from '../../packages/core/logger.ts'
import type { MeetingTarget } from '../../packages/core/meeting/meeting.ts'
import type {
  Agent,
  BotMachine,
  Clock,
  ControlPlane,
  LiveTranscript,
  Mouth,
  OpenMeeting,
  ParticipantTracks,
  Streaming,
  TakePicture,
  Transcribe,
  UsageMeter,
  Voice,
  WriteReport,
} from '../../packages/core/ports.ts'
import type { StopRequester } from '../../packages/core/process/stop-requests.ts'
import type { Recorder, Storage } from '../../packages/core/recording.ts'
import type { BotChat } from './bot-chat.ts'
import type { ChatRecord } from './chat-record.ts'
import type { Ending } from './ending.ts'
import type { LoadShedding } from './load-shedding.ts'
import type { MeetingSession } from './meeting-session.ts'
import type { Saying } from './saying.ts'
import type { Showing } from './showing.ts'
import type { SoundWatch } from './sound-watch.ts'
import type { ExitCode } from './states.ts'
import type { StatusReport } from './status.ts'
import type { Timeline } from './timeline.ts'

export interface BotParts {
  machine: BotMachine
  recorder: Recorder
  openMeeting: OpenMeeting
  storage: Storage
  /** Live sound to and from the job's sockets; null if the job names none. */
  streaming: Streaming | null
  mouth: Mouth
  /** Null if the job asks for none. */
  agent: Agent | null
  /** Of `mouth`'s rate. */
  voice: Voice
  /** Live transcript; null if the job asks for none. */
  liveTranscript: LiveTranscript | null
  /** Null if the job asks for no file of each voice. */
  participantTracks: ParticipantTracks | null
  /** Null if the job asks for no transcript. */
  transcribe: Transcribe | null
  writeReport: WriteReport
  takePicture: TakePicture
  control: ControlPlane
  usage: UsageMeter
  /** Of the words in use. */
  wordsVersion?: string
  clock: Clock
  logger: Logger
  /** The recording's own folder on this machine; exists. */
  workFolder: string
  /** Calls back when the process is asked to stop, even before the bot joins. */
  onStopRequest(listener: (askedBy: StopRequester, atOnce: boolean) => void): void
  /** Calls back with each event that was reported, and with words that may still change. */
  onReported(listener: (event: BotEvent | Transcript) => void): void
  /** Calls back with uncaught errors. */
  onDefect(listener: (thrown: unknown) => void): void
}

export interface Outcome {
  report: FinalReport
  exitCode: ExitCode
}

/** One run: its job, its parts and what has happened so far. */
export interface Run extends BotParts {
  job: Job
  target: MeetingTarget
  ending: Ending
  status: StatusReport
  timeline: Timeline
  chatRecord: ChatRecord
  chat: BotChat
  meeting: MeetingSession
  relief: LoadShedding
  saying: Saying
  showing: Showing
  sound: SoundWatch
  gaps: Gap[]
  /** UTC milliseconds of the admission; null before it. */
  joinedAt: number | null
}
