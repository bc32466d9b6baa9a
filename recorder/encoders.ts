/** Starts encoders: which sound and which picture one captures in the capture environment. */

import { realpath } from 'node:fs/promises'
import type { Clock } from '../packages/core/ports.ts'
import { type Capture, type CaptureListener, startCapture } from './capture.ts'
import type { CaptureServers } from './capture-environment.ts'
import type { CaptureSettings } from './ffmpeg/ffmpeg-args.ts'
import type { PICTURE_LATENCY_MS, RecorderLimits } from './settings.ts'

type Picture = NonNullable<CaptureSettings['picture']>

export interface EncodersParts {
  environment: CaptureServers
  picture: Pick<Picture, 'width' | 'height' | 'framesPerSecond'>
  latencyMs(place: keyof typeof PICTURE_LATENCY_MS): number
  folder: string
  limits: RecorderLimits
  clock: Clock
  /** Aborted when no encoder may start or begin any more. */
  over: AbortSignal
}

export class Encoders {
  readonly #parts: EncodersParts

  constructor(parts: EncodersParts) {
    this.#parts = parts
  }

  async start(
    onBytes: (bytes: Uint8Array) => Promise<void>,
    listener: CaptureListener,
    { signal, standsBy }: { signal?: AbortSignal; standsBy: boolean },
  ): Promise<Capture> {
    const { environment, folder, limits, clock, over } = this.#parts
    return startCapture({
      settings: await this.#settings(standsBy),
      ...{ onBytes, folder, limits, clock, listener },
      displayAuthority: environment.servers?.display?.authority,
      signal: signal === undefined ? over : AbortSignal.any([signal, over]),
    })
  }

  async #settings(standsBy: boolean): Promise<CaptureSettings> {
    const { environment, picture, limits } = this.#parts
    if (environment.servers === null) throw new Error('The recorder has no capture environment')
    const { sound, display } = environment.servers
    return {
      pulseServer: sound.server,
      source: sound.monitor,
      voiceSource: sound.voice?.monitor ?? null,
      picture: environment.hasPicture ? { ...(await this.#pictureOn(display?.name ?? null)), ...picture } : null,
      noiseFloorDb: limits.noiseFloorDb,
      silenceMs: limits.silenceMs,
      standsBy,
    }
  }

  /** A browser that paints frames has a link to them; that of one that is gone leads nowhere. */
  async #pictureOn(display: string | null): Promise<Pick<Picture, 'from' | 'latencyMs'>> {
    const { environment, latencyMs } = this.#parts
    const frames = await realpath(environment.framesLink).catch(() => null)
    if (frames !== null) return { from: { frames }, latencyMs: latencyMs('frames') }
    if (display === null) throw new Error('No browser paints frames, and there is no display')
    return { from: { display }, latencyMs: latencyMs('display') }
  }
}
