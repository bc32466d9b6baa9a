import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../packages/core/logger.ts'
import type { CaptureEnvironment } from '../packages/core/ports.ts'
import { type Cleanup, createCleanup } from '../packages/core/process/cleanup.ts'
import type { Supervised } from '../packages/core/process/supervised.ts'
import { type AudioSink, makeSoundHome, startAudioSink } from './servers/audio-sink.ts'
import { type Display, startDisplay } from './servers/display.ts'
import { restoreWiring } from './servers/sound-wiring.ts'

export interface CaptureServersOptions {
  /** For what the servers need; made if it is missing. */
  folder: string
  hasPicture: boolean
  /** Pixels. */
  width: number
  height: number
  withVoice: boolean
  soundPieceMs: number
  soundAheadMs?: number
  readyDeadlineMs: number
  logger: Pick<Logger, 'info' | 'warn'>
  /** A server crashed: programs in this environment have no display or no sound server any more. */
  onLost(error: Error): void
}

/** The sound server of a bot, and its display if a page cannot paint frames. The next `prepare` restarts a server that crashed. */
export class CaptureServers {
  readonly #options: CaptureServersOptions
  readonly #cleanup: Cleanup
  #home: string | null = null
  #sound: AudioSink | null = null
  #display: Display | null = null
  #needsDisplay = false

  constructor(options: CaptureServersOptions) {
    this.#options = options
    this.#cleanup = createCleanup(({ step, error }) => options.logger.warn('A clean-up step failed', { step, error }))
  }

  /** Null before `prepare`, and from the death of one server until the next `prepare`. */
  get servers(): { sound: AudioSink; display: Display | null } | null {
    const sound = running(this.#sound)
    const display = running(this.#display)
    if (sound === null || (this.#needsDisplay && display === null)) return null
    return { sound, display }
  }

  get hasPicture(): boolean {
    return this.#options.hasPicture
  }

  /** Leads to the frames of a browser that paints no display. */
  get framesLink(): string {
    return join(this.#options.folder, 'frames')
  }

  /** Starts what does not run. Rejects when that is not ready in time or the signal is aborted. */
  async prepare(signal: AbortSignal): Promise<CaptureEnvironment> {
    const { folder, hasPicture, width, height, withVoice, soundPieceMs, soundAheadMs, readyDeadlineMs, logger } =
      this.#options
    signal.throwIfAborted()
    const isStanding = this.servers !== null
    await mkdir(folder, { recursive: true, mode: 0o700 })
    if (this.#home === null) {
      const { home, remove } = await makeSoundHome(folder)
      this.#cleanup.add('sound server folder', remove)
      this.#home = home
    }
    const home = this.#home
    const startSound = async () => {
      const sound =
        running(this.#sound) ?? this.#guarded(await startAudioSink({ home, withVoice, readyDeadlineMs, signal }))
      this.#sound = sound
      return sound
    }
    const startScreen = async () => {
      if (!this.#needsDisplay) return
      this.#display =
        running(this.#display) ?? this.#guarded(await startDisplay({ width, height, folder, readyDeadlineMs, signal }))
    }
    // At once, since a person may be waiting for the bot. If one fails, the other has started and is ended with the rest.
    const [sound, screen] = await Promise.allSettled([startSound(), startScreen()])
    signal.throwIfAborted()
    if (sound.status === 'rejected') throw sound.reason
    if (screen.status === 'rejected') throw screen.reason
    const name = this.#display?.name ?? null
    if (!isStanding) logger.info('Capture environment ready', { display: name, sound: sound.value.server })
    return {
      ...{ display: name, soundPieceMs, soundAheadMs, width, height },
      pulseServer: sound.value.server,
      pulseSink: sound.value.sink,
      displayAuthority: this.#display?.authority,
      ...(hasPicture && { frames: this.framesLink }),
      ...(hasPicture && name === null && { needDisplay: () => this.#startWithDisplay() }),
      voiceSink: sound.value.voice?.sink,
    }
  }

  /** See `restoreWiring`; nothing is wrong with a sound server that does not run. */
  async restoreSound(signal: AbortSignal): Promise<string[]> {
    const sound = running(this.#sound)
    return sound === null ? [] : restoreWiring(sound, signal)
  }

  /** Never rejects. */
  async close(): Promise<void> {
    await this.#cleanup.run()
  }

  #startWithDisplay(): void {
    this.#needsDisplay = true
  }

  #guarded<Server extends { process: Supervised }>(server: Server): Server {
    const { process } = server
    this.#cleanup.add(process.name, () => process.stop())
    void process.ended.then((ending) => {
      if (ending.how === 'died') this.#options.onLost(new Error(ending.text))
    })
    return server
  }
}

/** Null for a server that exited. */
function running<Server extends { process: Supervised }>(server: Server | null): Server | null {
  return server?.process.ending() === null ? server : null
}
