/** What the bot says: into the meeting through its microphone, and once into the recording. */
import { messageOf } from '@standin/wire/text/error-text.ts'
import type { Logger } from '../../packages/core/logger.ts'
import type { CaptureEnvironment, Clock, InMeeting, Mouth } from '../../packages/core/ports.ts'
import { restartLoop } from '../../packages/core/process/restart-loop.ts'
import type { Supervised } from '../../packages/core/process/supervised.ts'
import { Inlet } from './inlet.ts'
import { speakIntoRecording } from './pulse.ts'

export interface MouthOptions {
  sampleRate: number
  /** For what ffmpeg wants to write. */
  folder: string
  clock: Clock
  logger: Logger
  /** Replaced by tests that have no sound server. */
  speak?: typeof speakIntoRecording
}

/** A sound process that exited is restarted after this; it exits with the sound server, whose restart takes some time. */
const RETRY_MS = 2_000

export function createMouth(options: MouthOptions): Mouth {
  const { sampleRate, folder, clock, logger, speak = speakIntoRecording } = options
  const over = new AbortController()
  let inlet: Inlet | null = null
  let voice: Supervised | null = null
  let clears = 0
  /** Starts the way into the recording, if it does not run. */
  let record: () => Promise<void> = async () => {}
  let onTurn: (isSpeaking: boolean, at: number) => void = () => {}

  /** Resolves when the first process runs, or could not be started. */
  function keepRecording(environment: CaptureEnvironment): Promise<void> {
    const begun = Promise.withResolvers<void>()
    // Where the meeting is streamed, the bot has a sink apart from the meeting's: the stream must not have its voice.
    const voiceSink = environment.voiceSink ?? environment.pulseSink
    const start = async () => {
      voice = await speak({ ...environment, voiceSink }, sampleRate, folder).finally(begun.resolve)
      // A pipe that broke: the process says why.
      voice.stdin!.on('error', (error) => logger.debug("The recording has not the bot's voice", { error }))
      return voice
    }
    const onBroken = (reason: string) => logger.warn("The bot's voice for the recording broke off", { reason })
    void restartLoop({ start, retryMs: RETRY_MS, clock, signal: over.signal, onBroken })
    return begun.promise
  }

  return {
    sampleRate,
    get isStarted() {
      return inlet !== null
    },
    start(environment, meeting: InMeeting) {
      inlet = new Inlet({
        speaker: meeting,
        alsoHear(samples) {
          const { stdin } = voice ?? {}
          if (stdin?.writable) stdin.write(Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength))
        },
        onTurn: (isSpeaking, at) => onTurn(isSpeaking, at),
        ...{ sampleRate, clock, logger },
      })
      let begun: Promise<void> | null = null
      record = () => {
        begun ??= keepRecording(environment)
        return begun
      }
      // The first word of a socket comes at any moment; a bot that says nothing needs no process.
      if (environment.voiceSink !== undefined) void record()
    },
    prepare: () => void record(),
    stream: (sound) => inlet?.stream(sound),
    async play(sound) {
      const before = clears
      await record()
      return clears === before && inlet !== null ? inlet.play(sound) : 0
    },
    async clear() {
      clears++
      await inlet?.clear()
    },
    get isOpen() {
      return inlet?.isOpen ?? false
    },
    onTurn(listener) {
      onTurn = listener
    },
    get figures() {
      return inlet?.figures ?? { playedSeconds: 0, refusedSeconds: 0 }
    },
    async close() {
      over.abort()
      await inlet?.close().catch((error) => logger.warn('The voice did not end in order', { error: messageOf(error) }))
      await voice?.stop()
    },
  }
}
