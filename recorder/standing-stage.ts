import { mkdir } from 'node:fs/promises'
import { type Cleanup, createCleanup } from '../src/cleanup.ts'
import type { Logger } from '../src/logger.ts'
import type { Stage } from '../src/ports.ts'
import type { Supervised } from '../src/supervised.ts'
import { type AudioSink, makeSoundHome, startAudioSink } from './audio-sink.ts'
import { type Display, startDisplay } from './display.ts'

export interface StandingStageOptions {
  /** For what the servers need; made where it is missing. */
  folder: string
  hasPicture: boolean
  /** Pixels. */
  width: number
  height: number
  withVoice: boolean
  soundPieceMs: number
  readyDeadlineMs: number
  logger: Pick<Logger, 'info' | 'warn'>
  /** A server died; who lives on the stage has nothing to show on or to sound into. */
  onLost(error: Error): void
}

/** The display and the sound server of a bot. What died is started again by the next `prepare`. */
export class StandingStage {
  readonly #options: StandingStageOptions
  readonly #cleanup: Cleanup
  #home: string | null = null
  #sound: AudioSink | null = null
  #display: Display | null = null

  constructor(options: StandingStageOptions) {
    this.#options = options
    this.#cleanup = createCleanup(({ step, error }) => options.logger.warn('A clean-up step failed', { step, error }))
  }

  /** Null before `prepare`, and from the death of one server until the next `prepare`. */
  get servers(): { sound: AudioSink; display: Display | null } | null {
    if (this.#sound === null || (this.#options.hasPicture && this.#display === null)) return null
    return { sound: this.#sound, display: this.#display }
  }

  /** Starts what does not run. Rejects when that is not ready in time or the signal is aborted. */
  async prepare(signal: AbortSignal): Promise<Stage> {
    const { folder, hasPicture, width, height, withVoice, soundPieceMs, readyDeadlineMs, logger } = this.#options
    signal.throwIfAborted()
    const isStanding = this.servers !== null
    await mkdir(folder, { recursive: true, mode: 0o700 })
    if (this.#home === null) {
      const { home, remove } = await makeSoundHome(folder)
      this.#cleanup.add('sound server folder', remove)
      this.#home = home
    }
    // Kept at hand: one may die while the other starts, and is told as lost then.
    const sound = this.#sound ?? (await this.#startSound({ home: this.#home, withVoice, readyDeadlineMs, signal }))
    signal.throwIfAborted()
    const display = hasPicture
      ? (this.#display ?? (await this.#startDisplay({ width, height, folder, readyDeadlineMs, signal })))
      : null
    signal.throwIfAborted()
    const name = display?.name ?? null
    if (!isStanding) logger.info('The stage stands', { display: name, sound: sound.server })
    return {
      ...{ display: name, pulseServer: sound.server, pulseSink: sound.sink, soundPieceMs, width, height },
      ...(sound.voice === null ? {} : { voiceSink: sound.voice.sink }),
    }
  }

  /** Never rejects. */
  async close(): Promise<void> {
    await this.#cleanup.run()
  }

  async #startSound(options: Parameters<typeof startAudioSink>[0]): Promise<AudioSink> {
    const sound = await startAudioSink(options)
    this.#sound = sound
    this.#guard(sound.process, () => {
      this.#sound = null
    })
    return sound
  }

  async #startDisplay(options: Parameters<typeof startDisplay>[0]): Promise<Display> {
    const display = await startDisplay(options)
    this.#display = display
    this.#guard(display.process, () => {
      this.#display = null
    })
    return display
  }

  #guard(process: Supervised, forget: () => void): void {
    this.#cleanup.add(process.name, () => process.stop())
    void process.ended.then((ending) => {
      forget()
      if (ending.how === 'died') this.#options.onLost(new Error(ending.text))
    })
  }
}
