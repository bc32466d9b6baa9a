/** All parts of a worker run as fakes: each part does what the test says and notes its calls. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BotCommand } from '@standin/wire/commands.ts'
import type { BotEvent, FinalReport, Quality } from '@standin/wire/events.ts'
import { type Job, jobSchema } from '@standin/wire/job.ts'
import type { Sighting } from '@standin/wire/reasons.ts'
import { onTestFinished } from 'vitest'
import { silentLogger } from '../../packages/core/logger.ts'
import type { MeetingEvent, Participant } from '../../packages/core/meeting/meeting.ts'
import type {
  Admission,
  Agent,
  CommandAnswer,
  LiveTranscript,
  MeetingDriver,
  ParticipantAudio,
  ParticipantTracks,
  SignalCounts,
  Streaming,
  TakePicture,
  Transcribe,
  WaitingFor,
  WriteReport,
} from '../../packages/core/ports.ts'
import type { StopRequester } from '../../packages/core/process/stop-requests.ts'
import type { FinishedRecording, RecordedSpan, RecorderEvent, StoredMedia } from '../../packages/core/recording.ts'
import { runBot } from '../../src/run/bot.ts'
import type { BotParts, Outcome } from '../../src/run/parts.ts'
import { HandClock } from './clock.ts'
import { ownVoice } from './own-voice.ts'
import { fakeUsage } from './usage.ts'

const BOT_ID = '5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11'
const TARGET = {
  platform: 'meet',
  url: 'https://meet.google.com/abc-defg-hij',
  meetingId: 'abc-defg-hij',
} as const

type Script<T> = (signal: AbortSignal) => Promise<T>

/** Waits until the signal aborts, as a driver in a waiting room does. */
export const untilStopped: Script<never> = (signal) =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
  })

/** A bot that is never let in. */
export const IN_WAITING_ROOM: Pick<World, 'join' | 'waitForAdmission'> = {
  join: async () => 'waiting_room',
  waitForAdmission: untilStopped,
}

/** An event without an instant happens now. */
type Undated<E> = E extends { at: number } ? Omit<E, 'at'> & { at?: number } : E

/** A recorded file that is at its place. */
export function grown(name: string): StoredMedia {
  return {
    stored: { name, location: `/somewhere/${name}`, bytes: 10, sha256: null, crc32: '0a1b2c3d' },
    durationSeconds: 1,
  }
}

export class World {
  readonly clock = new HandClock()
  readonly workFolder = mkdtempSync(join(tmpdir(), 'standin-life-'))
  readonly events: BotEvent[] = []
  takeScreenshot: () => Promise<Uint8Array> = async () => new Uint8Array([1, 2, 3])
  /** The calls to all parts, in order. */
  readonly calls: string[] = []
  /** Instants at which the bot opened the link, UTC milliseconds; it asks to join later. */
  readonly linkOpenedAt: number[] = []
  readonly askedAt: number[] = []
  readonly usage = fakeUsage()
  readonly sentChat: string[] = []
  readonly stored: string[] = []
  readonly spans: RecordedSpan[] = []
  join: Script<Admission> = async () => 'in_meeting'
  waitForAdmission: Script<void> = async () => {}
  waitingFor: WaitingFor = 'admission'
  signalCounts: SignalCounts = {}
  sightings: Sighting[] = []
  /** Of the meeting's page. */
  provenAt: number | null = null
  readyToStandBy: () => void = () => {}
  /** Whether the recorder on standby may start again. */
  mayRenew: () => boolean = () => true
  obtainRecordingRight: (limitMs: number, signal: AbortSignal) => Promise<void> = async () => {}
  prepareEnvironment: () => Promise<void> = async () => {}
  openMeeting: () => Promise<void> = async () => {}
  whenWelcomed: () => Promise<void> = async () => {}
  look: () => Promise<string[]> = async () => []
  tryEncoder: () => Promise<void> = async () => {}
  prepareStorage: () => Promise<void> = async () => {}
  sendChat: (text: string) => Promise<void> = async () => {}
  leave: () => Promise<void> = async () => {}
  showPage: MeetingDriver['showPage'] = () => Promise.reject(new Error('This meeting shows no pages.'))
  restoreSound: (where: 'page' | 'server') => Promise<string[]> = async () => []
  startRecording: () => Promise<void> = async () => {}
  resumeRecording: () => Promise<void> = async () => {}
  finish: () => Promise<FinishedRecording> = async () => ({ files: [grown('video.mp4')], problem: null })
  fetch: (name: string) => Promise<void> = async () => {}
  store: (name: string) => Promise<void> = async () => {}
  writeReport: WriteReport = async () => {}
  takePicture: TakePicture = async () => {}
  transcribe: Transcribe | null = null
  /** The bot's voice: a tenth of a second of silence for each letter, at 24 kHz. */
  speak: (text: string) => Promise<Buffer> = async (text) => Buffer.alloc(text.length * 100 * 48)
  /** Null as in a job that streams nothing. */
  streaming: Streaming | null = null
  /** The recorder's own measurements. */
  quality: Quality | null = null
  participantTracks: ParticipantTracks | null = null
  agent: Agent | null = null
  liveTranscript: LiveTranscript | null = null
  command: (command: BotCommand) => Promise<CommandAnswer> = () => Promise.reject(new Error('nobody listens'))
  stop: (askedBy: StopRequester, atOnce?: boolean) => void = () => {}
  /** Passes audio of one participant to the bot. */
  voice: (voice: ParticipantAudio) => void = () => {}
  throwUncaught: (thrown: unknown) => void = () => {}
  readonly outcome: Promise<Outcome>
  #meetingListeners: ((event: MeetingEvent) => void)[] = []
  #reported: (event: BotEvent) => void = () => {}
  #recorderListeners: ((event: RecorderEvent) => void)[] = []

  constructor(setUp: Partial<World> | ((world: World) => void) = {}, job: Record<string, unknown> = {}) {
    onTestFinished(() => rmSync(this.workFolder, { recursive: true, force: true }))
    if (typeof setUp === 'function') setUp(this)
    else Object.assign(this, setUp)
    const whole: Job = jobSchema.parse({ bot_id: BOT_ID, meeting_url: TARGET.url, ...job })
    this.outcome = runBot(whole, TARGET, this.#parts())
  }

  /** Emits an event of the meeting to the bot. */
  emit(event: Undated<MeetingEvent>): void {
    const dated = { at: this.clock.now(), ...event } as MeetingEvent
    for (const listener of this.#meetingListeners) listener(dated)
  }

  emitRecorder(event: Undated<RecorderEvent>): void {
    const dated = { at: this.clock.now(), ...event } as RecorderEvent
    for (const listener of this.#recorderListeners) listener(dated)
  }

  joins(participant: Participant, at = this.clock.now()): void {
    this.emit({ type: 'participant_joined', participant, at })
  }

  speaks(participantId: string, isSpeaking: boolean, at = this.clock.now(), confidence = 1): void {
    this.emit({ type: 'speaking', participantId, isSpeaking, source: 'csrc', confidence, at })
  }

  /** One heartbeat a second while the time moves, as a healthy page gives. */
  async pass(seconds: number, others: number | null): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      this.emit({ type: 'heartbeat', others, at: this.clock.now() })
      await this.clock.advance(1000)
    }
  }

  async untilStatus(status: string): Promise<void> {
    for (let turn = 0; turn < 200 && !this.statuses().includes(status); turn++) await this.clock.advance(10)
    if (!this.statuses().includes(status)) throw new Error(`still ${this.statuses().join(', ')}`)
  }

  statuses(): string[] {
    return this.events.flatMap((event) => (event.type === 'status_change' ? [event.status] : []))
  }

  get notices(): string[] {
    return this.events.flatMap((event) => (event.type === 'notice' ? [event.message] : []))
  }

  get gaps() {
    return this.events.filter((event) => event.type === 'recording_gap')
  }

  count(call: string): number {
    return this.calls.filter((made) => made === call).length
  }

  /** A file of the work folder. */
  json(name: string) {
    return JSON.parse(readFileSync(join(this.workFolder, name), 'utf8'))
  }

  diarization(): unknown[] {
    const text = readFileSync(join(this.workFolder, 'diarization.jsonl'), 'utf8')
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  }

  /** Lets time pass until the run is over. */
  async end(): Promise<Outcome> {
    let over = false
    void this.outcome.finally(() => {
      over = true
    })
    for (let turn = 0; turn < 2000 && !over; turn++) await this.clock.advance(1000)
    return this.outcome
  }

  async report(): Promise<FinalReport> {
    return (await this.end()).report
  }

  #parts(): BotParts {
    const { calls, clock, spans, workFolder } = this
    const world = this
    /** When the page will have played what it was given. */
    let emptyAt = 0
    const meeting: MeetingDriver = {
      join: async (signal, gate) => {
        this.linkOpenedAt.push(clock.now())
        await gate?.opened
        this.askedAt.push(clock.now())
        return this.#noting('join', this.join(signal))
      },
      waitForAdmission: (signal) => this.#noting('waitForAdmission', this.waitForAdmission(signal)),
      onReadyToStandBy: (listener) => {
        this.readyToStandBy = listener
      },
      get provenAt() {
        return world.provenAt
      },
      get waitingFor() {
        return world.waitingFor
      },
      census: async () => null,
      get sightings() {
        return world.sightings
      },
      get signalCounts() {
        return world.signalCounts
      },
      obtainRecordingRight: (limitMs, signal) => this.obtainRecordingRight(limitMs, signal),
      prepareRecording: async () => void calls.push('prepareRecording'),
      watch: (listener) => {
        this.#meetingListeners.push(listener)
        return () => {}
      },
      sendChat: async (text) => {
        await this.sendChat(text)
        this.sentChat.push(text)
      },
      playSound: async (samples, sampleRate) => {
        emptyAt = Math.max(emptyAt, clock.now()) + (samples.length / sampleRate) * 1000
        return (emptyAt - clock.now()) / 1000
      },
      clearSound: async () => {
        calls.push('clear sound')
        emptyAt = 0
      },
      closeMicrophone: async () => {},
      restoreSound: () => this.restoreSound('page'),
      showImage: async (index) => void calls.push(`image ${index}`),
      showPage: (...given) => this.showPage(...given),
      setDegradationStep: async ({ framesPerSecond, size }) => void calls.push(`picture ${framesPerSecond} at ${size}`),
      screenshot: () => this.takeScreenshot(),
      leave: () => this.#noting('leave', this.leave()),
      evidence: async () => {
        calls.push('evidence')
        return {
          screenshot: new Uint8Array([1]),
          html: '<p>',
          console: ['a line'],
          url: TARGET.url,
          signs: { seen: true },
        }
      },
      close: async () => void calls.push('close meeting'),
    }
    return {
      clock,
      workFolder,
      logger: silentLogger,
      usage: this.usage,
      machine: { look: async () => this.look(), tryEncoder: () => this.tryEncoder() },
      openMeeting: async (_target, environment, _signal, onVoice) => {
        calls.push('open meeting')
        this.voice = onVoice
        // A new browser reports nothing to the listeners of the one before.
        this.#meetingListeners = []
        await Promise.all([environment, this.openMeeting()])
        return meeting
      },
      recorder: {
        prepare: async () => {
          calls.push('prepare environment')
          await this.prepareEnvironment()
          return { display: ':9', pulseServer: 's', pulseSink: 'meeting', width: 1280, height: 720 }
        },
        standBy: (mayRenew) => {
          calls.push('stand by')
          this.mayRenew = mayRenew
        },
        start: async (from) => {
          await this.startRecording()
          calls.push('start recording')
          spans.push({ startedAt: from ?? clock.now(), endedAt: null })
        },
        pause: async () => {
          spans.at(-1)!.endedAt = clock.now()
        },
        resume: async () => {
          await this.resumeRecording()
          spans.push({ startedAt: clock.now(), endedAt: null })
        },
        watch: (listener) => {
          this.#recorderListeners.push(listener)
          return () => {}
        },
        restoreSound: () => this.restoreSound('server'),
        spans: () => spans,
        quality: () => this.quality,
        finish: async (_signal, until) => {
          calls.push('finish')
          const last = spans.at(-1)
          if (last === undefined) return { files: [], problem: null }
          last.endedAt ??= Math.min(clock.now(), until ?? Number.POSITIVE_INFINITY)
          const finished = await this.finish()
          this.stored.push(...finished.files.map((file) => file.stored.name))
          return finished
        },
        close: async () => void calls.push('close recorder'),
      },
      streaming: this.streaming,
      ...ownVoice(clock, this.speak),
      agent: this.agent,
      participantTracks: this.participantTracks,
      liveTranscript: this.liveTranscript,
      transcribe: this.transcribe,
      writeReport: this.writeReport,
      takePicture: this.takePicture,
      storage: {
        prepare: () => this.prepareStorage(),
        store: async ({ name }) => {
          await this.store(name)
          this.stored.push(name)
          return { name, location: `/somewhere/${name}`, bytes: 10, sha256: 'ab' }
        },
        grow: () => Promise.reject(new Error('The life lets the recorder grow files')),
        fetch: (name) => this.fetch(name),
        location: () => '/somewhere',
      },
      control: {
        report: (event) => {
          this.events.push(structuredClone(event))
          this.#reported(event)
        },
        show: () => {},
        onCommand: (listener) => {
          this.command = listener
        },
        whenWelcomed: () => this.whenWelcomed(),
        drain: async () => void calls.push('drain'),
        close: async () => {},
      },
      onStopRequest: (listener) => {
        this.stop = (askedBy, atOnce = false) => listener(askedBy, atOnce)
      },
      onReported: (listener) => {
        this.#reported = listener
      },
      onDefect: (listener) => {
        this.throwUncaught = listener
      },
    }
  }

  #noting<T>(call: string, work: Promise<T>): Promise<T> {
    this.calls.push(call)
    return work
  }
}
