/**
 * A whole worker run with a real driver. The recorder counts time, no file is stored, the test is the control plane.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { RecordingMode } from '@standin/wire/codes.ts'
import type { BotCommand } from '@standin/wire/commands.ts'
import type { BotEvent } from '@standin/wire/events.ts'
import { jobSchema } from '@standin/wire/job.ts'
import { systemClock } from '@standin/wire/time/deadline.ts'
import { silentLogger } from '../../../packages/core/logger.ts'
import type { MeetingTarget } from '../../../packages/core/meeting/meeting.ts'
import type { CommandAnswer, MeetingDriver, OpenMeeting } from '../../../packages/core/ports.ts'
import type { RecordedSpan, Recorder } from '../../../packages/core/recording.ts'
import { runBot } from '../../../src/run/bot.ts'
import type { Outcome } from '../../../src/run/parts.ts'
import { ownVoice } from '../../fakes/own-voice.ts'
import { fakeUsage } from '../../fakes/usage.ts'
import { SILENT_STAGE, until } from './ground.ts'

export class BotLife {
  readonly events: BotEvent[] = []
  readonly spans: RecordedSpan[] = []
  readonly folder: string
  readonly outcome: Promise<Outcome>
  driver: MeetingDriver | null = null
  command: (command: BotCommand) => Promise<CommandAnswer> = () => Promise.reject(new Error('nobody listens'))
  stop: () => void = () => {}

  constructor(
    target: MeetingTarget,
    job: Record<string, unknown>,
    open: (mode: RecordingMode) => OpenMeeting,
    place: string,
  ) {
    const whole = jobSchema.parse({ bot_id: randomUUID(), meeting_url: target.url, ...job })
    this.folder = join(place, whole.bot_id)
    mkdirSync(this.folder)
    this.outcome = runBot(whole, target, {
      usage: fakeUsage(),
      machine: { look: async () => [], tryEncoder: async () => {} },
      recorder: this.#recorder(),
      openMeeting: async (...given) => {
        this.driver = await open(whole.recording_mode)(...given)
        return this.driver
      },
      streaming: null,
      ...ownVoice(systemClock),
      agent: null,
      participantTracks: null,
      liveTranscript: null,
      writeReport: async () => {},
      takePicture: async () => {},
      transcribe: null,
      storage: {
        prepare: async () => {},
        store: async ({ name }) => ({ name, location: name, bytes: 1, sha256: '' }),
        grow: () => Promise.reject(new Error('nothing grows')),
        fetch: async () => {},
        location: () => this.folder,
      },
      control: {
        whenWelcomed: async () => {},
        show: () => {},
        report: (event) => void this.events.push(structuredClone(event)),
        onCommand: (listener) => {
          this.command = listener
        },
        drain: async () => {},
        close: async () => {},
      },
      clock: systemClock,
      logger: silentLogger,
      workFolder: this.folder,
      onStopRequest: (listener) => {
        this.stop = () => listener('command', false)
      },
      onReported: () => {},
      onDefect: () => {},
    })
    // A test that fails before it looks at the outcome has said what is wrong.
    this.outcome.catch(() => {})
  }

  statuses(): string[] {
    return this.events.flatMap((event) => (event.type === 'status_change' ? [event.status] : []))
  }

  async whenStatus(status: string): Promise<void> {
    const isReached = () => this.statuses().some((seen) => [status, 'failed', 'completed'].includes(seen))
    await until(isReached, () => `the status ${status}; so far: ${this.statuses().join(', ')}`, 90_000)
    if (!this.statuses().includes(status))
      throw new Error(`The life ended: ${JSON.stringify((await this.outcome).report)}`)
  }

  async whenEvent(fits: (event: BotEvent) => boolean, what: string): Promise<void> {
    await until(() => this.events.some(fits), what)
  }

  async dispose(): Promise<void> {
    this.stop()
    await this.outcome
  }

  #recorder(): Recorder {
    const { spans } = this
    return {
      prepare: async () => SILENT_STAGE,
      standBy: () => {},
      restoreSound: async () => [],
      start: async () => void spans.push({ startedAt: Date.now(), endedAt: null }),
      pause: async () => {
        spans.at(-1)!.endedAt = Date.now()
      },
      resume: async () => void spans.push({ startedAt: Date.now(), endedAt: null }),
      watch: (listener) => {
        listener({ type: 'sound', isAudible: false, at: Date.now() })
        return () => {}
      },
      spans: () => spans,
      quality: () => null,
      finish: async () => {
        const last = spans.at(-1)
        if (!last) return { files: [], problem: null }
        last.endedAt ??= Date.now()
        const stored = { name: 'audio.m4a', location: 'audio.m4a', bytes: 1, sha256: null, crc32: '00000000' }
        return { files: [{ stored, durationSeconds: 1 }], problem: null }
      },
      close: async () => {},
    }
  }
}
