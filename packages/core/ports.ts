/**
 * Interfaces that a bot needs from the outside; those of recorder and storage are in `recording.ts`. The run knows only
 * these; `main.ts` passes the real implementations, tests pass fakes.
 */

import type { PageTarget } from '@standin/wire/bot-fields.ts'
import type { BotCommand, CommandErrorCode } from '@standin/wire/commands.ts'
import type { BotEvent, Gap, Person, StreamingUsage, Transcript, WholeQuality } from '@standin/wire/events.ts'
import type { PageCall, PageNews } from '@standin/wire/page-bridge.ts'
import type { PlatformName } from '@standin/wire/platforms.ts'
import type { Sighting } from '@standin/wire/reasons.ts'
import type { Clock } from '@standin/wire/time/deadline.ts'
import type { BotUsage, UsagePhase } from '@standin/wire/usage.ts'
import type { MeetingEvent, MeetingTarget } from './meeting/meeting.ts'

/** Where the browser shows video and plays audio, so that the recorder captures both. */
export interface CaptureEnvironment {
  /** X display such as `:99`; null while the browser needs none, as it paints frames or nothing at all. */
  display: string | null
  /** Path of the Xauthority file with the cookie of that display. */
  displayAuthority?: string
  /**
   * Where a browser that can paints the picture instead: a link here leads to a file of one picture of `width` by `height`,
   * always the newest, as planes of Y, U and V (I420, the limited range of BT.601). Absent for sound only.
   */
  frames?: string
  /** The page cannot paint frames: environments from now on have a display. Absent where one is there, or for sound only. */
  needDisplay?(): void
  /** Path of the Pulse server's socket. */
  pulseServer: string
  /** The sink the browser plays into. */
  pulseSink: string
  /** A sink for the bot's own voice, which is recorded beside the meeting's sound; absent if the bot says nothing. */
  voiceSink?: string
  /** Milliseconds of sound that the browser is to hand over at a time; absent if that is its own affair. */
  soundPieceMs?: number
  /** Milliseconds of sound that the browser is to keep ready in the Pulse server; absent if that is its own affair. */
  soundAheadMs?: number
  /** Pixels. */
  width: number
  height: number
}

/** Evidence of a failure, stored in `debug/`. */
export interface Evidence {
  /** PNG; null when the page no longer gives one. */
  screenshot: Uint8Array | null
  /** The page's source, for reading only. */
  html: string | null
  /** The page without people's content, which may be handed on. */
  structure?: string | null
  /** Console lines of the page, newest last. */
  console: string[]
  url: string | null
  /** The signs that were looked for, and which were seen, as plain data. */
  signs: Record<string, unknown>
}

/** At how many polls of the page each signal answered, by name; `packages/wire/page-signals.ts`. */
export type SignalCounts = Readonly<Record<string, number>>

export type Admission = 'waiting_room' | 'in_meeting'

/** Whose coming or decision ends the wait of a bot that is not in yet. */
export type WaitingFor = 'admission' | 'host' | 'authorized_user' | 'valid_link'

/** Keeps a bot that is ready from asking too early. */
export interface AskGate {
  readonly isOpen: boolean
  /** Resolves when the bot may ask to join; rejects when the bot ends first. */
  readonly opened: Promise<void>
  /** A page that refuses before the bot may ask ends the attempt; otherwise it is opened again when the bot may ask. */
  readonly endsAtRefusal?: boolean
}

/** One attempt to be in one meeting. A refused attempt is closed and a new driver is opened. */
export interface MeetingDriver {
  /**
   * Opens the link, fills in the name, sets the devices, and asks to join once the gate is open; without a gate at once.
   * Before that the page may show what it likes. Rejects with a BotError that names the code; `canRetry` on it says that
   * a fresh attempt may succeed.
   */
  join(signal: AbortSignal, gate?: AskGate): Promise<Admission>
  /** Calls back before admission when a recorder may stand by; never where the picture is painted on the display. */
  onReadyToStandBy(listener: () => void): void
  /** UTC milliseconds since when the page proves that the bot is in and may record; null if nothing is proven. */
  readonly provenAt: number | null
  /** Resolves when the bot is in the meeting; rejects with the code: denied, timed out by the platform, ended. */
  waitForAdmission(signal: AbortSignal): Promise<void>
  /** The event that the waiting room waits for; it names the failure of a wait that took too long. May change. */
  readonly waitingFor: WaitingFor
  /**
   * Asks for the right to record, if the platform has such a right; resolves at once elsewhere. Called in the
   * meeting, after `watch`. Rejects with the code: refused, cannot be asked for, or not answered within `limitMs`.
   */
  obtainRecordingRight(limitMs: number, signal: AbortSignal): Promise<void>
  /**
   * Clears the way after admission (dialogs, devices, panels), lays the composite over the page and resolves when the
   * picture is the meeting. In sound-only mode resolves once the page is quiet.
   */
  prepareRecording(signal: AbortSignal): Promise<void>
  /** Events from admission on; those before the first listener are kept for it. Returns the way to stop listening. */
  watch(listener: (event: MeetingEvent) => void): () => void
  /** Resolves when the platform shows the message as sent. Rejects with ChatUnavailable or BotError. */
  sendChat(text: string): Promise<void>
  /**
   * Plays mono PCM through the bot's microphone after what is queued, and opens the microphone where it is muted.
   * Resolves with the seconds that are now queued. Rejects with a BotError before admission.
   */
  playSound(samples: Int16Array, sampleRate: number): Promise<number>
  /** Drops what is queued. */
  clearSound(): Promise<void>
  /** Mutes the bot again; repeatable. */
  closeMicrophone(): Promise<void>
  /**
   * People speak and nothing is heard: plays again what the page has stopped or muted. Resolves with what was put right,
   * for people; rejects where the page does not answer.
   */
  restoreSound(): Promise<string[]>
  /** Shows another of the bot's pictures, by its place in the job; one that could not be loaded changes nothing. */
  showImage(index: number): Promise<void>
  /**
   * Opens a page that takes the place of the bot's picture, or is shared as its screen, and takes the place of the page
   * before it there, once its document is there. Rejects with a sentence if it cannot be shown; then everything stays as it
   * was.
   */
  showPage(target: PageTarget, url: string, listener: ShownPageListener): Promise<ShownPage>
  /** Where the machine cannot keep up. */
  setDegradationStep(step: DegradationStep): Promise<void>
  /** PNG of what the browser shows. */
  screenshot(): Promise<Uint8Array>
  /** Leaves, or withdraws a pending request; repeatable, never rejects. */
  leave(): Promise<void>
  /** Pages that the bot saw on its way in, and its steps, in any order. */
  readonly sightings: readonly Sighting[]
  /** Empty if the platform's signals are not counted. */
  readonly signalCounts: SignalCounts
  /** Names of selectors and words that the page shows now; null if it does not answer. */
  census(): Promise<{ found: string[] } | null>
  /** Never rejects. */
  evidence(): Promise<Evidence>
  /** Closes the browser; repeatable, never rejects. */
  close(): Promise<void>
}

/** How much of the picture is made: less of it on a machine that cannot keep up. */
export interface DegradationStep {
  /** Of each picture, at most; null for all that come. */
  framesPerSecond: number | null
  /** Share of the screen's width and of its height that the picture takes, above 0 and up to 1. */
  size: number
}

/** A page that the bot shows: its picture is the bot's camera or screen, its sound the bot's voice, and it hears the meeting. */
export interface ShownPage {
  /** Hands an event of the meeting to the page's `window.standin`. */
  tell(news: PageNews): void
  /** The bot has its own picture again, or shares no screen, if it still shows this page. Repeatable, never rejects. */
  close(): Promise<void>
}

export interface ShownPageListener {
  /** What each document of the page gets first. */
  firstNews(): PageNews[]
  /** Sound of the page, at `CAPTURE_SAMPLE_RATE`, which the meeting gets too; none while the page is silent. */
  onSound(sound: CapturedAudio): void
  /** A call of `window.standin`. Its answer goes to the page; what it rejects with is a sentence for the page. */
  onCall(call: PageCall): Promise<unknown>
  /** The page was ended, for a reason in one sentence; the bot has its own picture again. */
  onEnded(reason: string): void
}

/** Audio captured in the meeting's page, before it reaches the sound server. */
export interface CapturedAudio {
  /** UTC milliseconds of the first sample. */
  at: number
  /** Mono PCM, signed 16 bit little-endian. */
  samples: Buffer
}

/** A packet of one participant's track. */
export interface ParticipantAudio {
  /** The platform's id, which a reload of the page may change. */
  participantId: string
  /** UTC milliseconds of the first sample. */
  at: number
  /** One packet of 20 ms, mono. */
  opus: Buffer
}

/** Receives audio captured in the page. Audio from before admission, or without a listener, is dropped. */
export interface AudioTap {
  /** Hertz of the mixed audio of all participants; null if no listener needs it. */
  mixRate: number | null
  wantsParticipantTracks: boolean
  onMix(sound: CapturedAudio): void
  onParticipantAudio(voice: ParticipantAudio): void
}

/**
 * Operations in a meeting that the bot is in. The browser may be replaced; without a browser, each of these rejects.
 */
export type InMeeting = Pick<MeetingDriver, 'sendChat' | 'playSound' | 'clearSound' | 'closeMicrophone' | 'screenshot'>

/**
 * `environment` may still be starting: what else the meeting needs is loaded meanwhile. `onVoice` gets the audio of each
 * participant, if the platform sends it separately and the job wants it.
 */
export type OpenMeeting = (
  target: MeetingTarget,
  environment: Promise<CaptureEnvironment>,
  signal: AbortSignal,
  onVoice: (voice: ParticipantAudio) => void,
) => Promise<MeetingDriver>

/** One finished file beside a recording. */
export interface RecordedFile {
  /** Name inside the recording's folder, such as `chat_messages.json`. */
  name: string
  path: string
  bytes: number
}

/** An audio file for each participant whose audio arrives separately. One instance serves one recording. */
export interface ParticipantTracks {
  /** Audio outside of the recorded stretches is dropped. */
  write(voice: ParticipantAudio): void
  /** Completes the files and lists them in `audio/index.json`; none if the platform sends mixed audio only. */
  finish(personOf: (platformId: string) => Person | null): Promise<RecordedFile[]>
}

/** Facts for the report page that its files do not contain. */
export interface ReportFacts {
  platform: PlatformName
  /** `MeetingTarget.meetingId` */
  meetingId: string
  botName: string
  /** UTC milliseconds of the first frame; null if nothing was recorded. */
  startedAt: number | null
  /** Length of the recording, pauses removed. */
  seconds: number
  /** How it ended, in one sentence. */
  end: string
  /** Names of the recorded files. */
  files: readonly string[]
  /** Of these files together. */
  bytes: number
  quality: WholeQuality | null
  gaps: readonly Gap[]
  pauses: number
}

/** Makes the transcript's files in a recording's folder. Rejects with a plain sentence; no file is written then. */
export type Transcribe = (folder: string, signal: AbortSignal) => Promise<void>

/** Writes the picture of a video at `at` seconds to `target`, a JPEG. Rejects if the video cannot be read. */
export type TakePicture = (file: string, picture: { at: number; target: string }, signal: AbortSignal) => Promise<void>

/** Makes `report.html` in a recording's folder from the files there. Rejects if it cannot; nothing depends on it. */
export type WriteReport = (folder: string, facts: ReportFacts) => Promise<void>

/** Live audio and speaker messages, to and from the sockets of the job. One instance serves one bot. */
export interface Streaming {
  /** Resolves when every socket has been open once; rejects with STREAMING_SETUP_FAILED. Lost ones are dialed again. */
  connect(signal: AbortSignal): Promise<void>
  /** From the start of the recording: sends the meeting's audio, and passes received audio to the bot's mouth. */
  start(environment: CaptureEnvironment): Promise<void>
  /** `at` is a UTC instant in milliseconds. */
  onSpeaker(person: Person, isSpeaking: boolean, at: number): void
  /** Neither sound nor speaker messages leave until `resume`. */
  pause(): void
  resume(): void
  /** Sound that has passed so far, in seconds. */
  usage(): StreamingUsage
  /** Repeatable, never rejects. */
  close(): Promise<void>
}

/** Turns text into speech. One instance serves one bot. */
export interface Voice {
  /** Mono PCM, signed 16 bit little-endian, at the rate of the bot's `Mouth`. Rejects with a sentence for the caller. */
  speak(text: string, signal: AbortSignal): Promise<Buffer>
  /** Repeatable. */
  close(): void
}

/** The bot's microphone, for all that is played into the meeting and, once, into the recording. One instance serves one bot. */
export interface Mouth {
  /** Hertz of all sound that it takes: mono PCM, signed 16 bit little-endian. */
  readonly sampleRate: number
  /** From the start of the recording; sound from before is dropped. */
  start(environment: CaptureEnvironment, meeting: InMeeting): void
  readonly isStarted: boolean
  /** Something is about to be played: its first word is then in the recording in time. */
  prepare(): void
  /** Live sound: any amount at any pace. What is more than two minutes ahead is dropped. */
  stream(sound: Buffer): void
  /**
   * Plays a whole piece behind what is queued. Resolves when it was played, or dropped: with the seconds of it that
   * participants were played. Never rejects.
   */
  play(sound: Buffer): Promise<number>
  /** The bot shows a page, whose first sound is then in the recording in time. */
  prepareToOverhear(): void
  /**
   * Sound that the meeting has already, from a page that the bot shows, at `CAPTURE_SAMPLE_RATE`: for the recording, and for
   * the bot's turns.
   */
  overhear(sound: CapturedAudio): void
  /** Drops what is queued, of all senders. */
  clear(): Promise<void>
  /** Sound of the bot is being played, or was within the last seconds. */
  readonly isOpen: boolean
  /** Calls back when the bot begins to be heard, and when it ends; `at` in UTC milliseconds. */
  onTurn(listener: (isSpeaking: boolean, at: number) => void): void
  /** Seconds of live sound. */
  readonly figures: { playedSeconds: number; refusedSeconds: number }
  /** Repeatable, never rejects. */
  close(): Promise<void>
}

/** What an agent may do in the meeting, and what it has to know of it. */
export interface AgentMeeting {
  nameOf(participantId: string): string
  /** UTC milliseconds of a second of the recording, which was a moment ago. */
  instantOf(second: number): number
  sendChat(text: string): Promise<void>
  leave(): void
  /** Absent: the bot can show no page. */
  showPage?(url: string): Promise<void>
}

/** A server that listens to the meeting and speaks in it. One instance serves one bot; it never delays the meeting. */
export interface Agent {
  /** From the recording's start on, once the mouth is started. */
  start(environment: CaptureEnvironment, meeting: AgentMeeting): void
  onMeeting(event: MeetingEvent): void
  /** Live words of the meeting; a final text comes once. */
  onWords(words: Transcript): void
  /** Nothing of the recording's pauses leaves the bot. */
  pause(): void
  resume(): void
  /** What it says is cut. */
  hush(): void
  /** Off: it is silent, and nothing is sent to its server. Rejects with a sentence if it is over. */
  setEnabled(isEnabled: boolean): Promise<void>
  /** Repeatable, never rejects. */
  close(): Promise<void>
}

/** A stretch of speech, in seconds of the recording. A turn that continues has an end in the future. */
export interface SpokenTurn {
  person: Person
  start: number
  end: number
}

/** Recording time and speakers, for a live transcript. */
export interface RecordedTime {
  /** Seconds of the recording at a UTC instant in milliseconds; null if it was not recorded. */
  offset(at: number): number | null
  /** Who spoke when, so far. */
  turns(): SpokenTurn[]
  /** Null for a participant whom the roster does not know. */
  person(participantId: string | null, name: string): Person | null
}

/** Live transcript. One instance serves one bot; it never delays the meeting. */
export interface LiveTranscript {
  /** From the recording's start on. */
  start(environment: CaptureEnvironment, time: RecordedTime): void
  takeCaption(event: Extract<MeetingEvent, { type: 'caption' | 'captions' }>): void
  /** A turn ends where another person begins to speak. */
  onSpeaker(participantId: string, isSpeaking: boolean): void
  /** For a job with separate tracks, if the platform gives voices apart. */
  takeVoice(voice: ParticipantAudio): void
  /** A person's voice does not come apart since this instant (UTC milliseconds): from now on words are made of the mix. */
  hearMixed(since: number): void
  /** Speech until `resume` is not transcribed. */
  pause(): void
  resume(): void
  /** Waits some seconds for the last final transcripts. Repeatable, never rejects. */
  close(): Promise<void>
}

export interface UsageReading {
  /** Of the whole process tree over the last seconds; 100 is one core. */
  cpuPercent: number
  /** Of the whole process tree, shared pages counted once; at most some seconds old. */
  memoryBytes: number
  /** Since the start of the process. */
  usage: BotUsage
}

/** Counts what the bot uses. One instance serves one bot. */
export interface UsageMeter {
  /** From now on the time counts for this phase. */
  enter(phase: UsagePhase): void
  /** Bytes since the last call. */
  noteTraffic(received: number, sent: number): void
  /** Bytes of all files that are stored so far. */
  noteStored(bytes: number): void
  /** `withMemory`: also the memory, at some cost. Never rejects. */
  read(withMemory?: boolean): Promise<UsageReading>
  /** Null before the first reading. */
  readonly latest: UsageReading | null
  close(): void
}

export type CommandAnswer =
  | { ok: true; data?: Record<string, unknown> }
  | { ok: false; code: CommandErrorCode; message: string }

/** The bot's side of the control link, or a stand-in if no control plane was named. */
/** The machine under the bot. */
export interface BotMachine {
  /**
   * Takes a moment. Rejects with a BotError that names what is unfit, with its cure. Resolves with sentences about what there
   * is little of.
   */
  look(): Promise<string[]>
  /** Rejects likewise if the encoder cannot encode what a bot records. */
  tryEncoder(): Promise<void>
}

export interface ControlPlane {
  /** Numbered, journaled and sent in order; never rejects and never waits for the network. */
  report(event: BotEvent): void
  /** Shown at once to current viewers; neither numbered nor stored, because a final one follows. */
  show(partial: Transcript): void
  /** Commands from the first moment on. Each gets exactly one answer. */
  onCommand(listener: (command: BotCommand) => Promise<CommandAnswer>): void
  /**
   * Resolves when the control plane has welcomed the bot and stored what was reported before, so that a command which it
   * sent instead has arrived. Never rejects; may wait for ever.
   */
  whenWelcomed(): Promise<void>
  /** Waits until everything is acknowledged, at most `deadlineMs`. Never rejects. */
  drain(deadlineMs: number): Promise<void>
  close(): Promise<void>
}

export type { Clock }
