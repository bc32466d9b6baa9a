/** One video of the scene: its frames as they come, and the newest that was taken, scaled as it is shown. */
import type { Fit } from './fit.ts'
import type { Pixels } from './pixels.ts'
import { Scaling } from './scaling.ts'
import { Source } from './source.ts'

export interface Size {
  /** Pixels, as people see it. */
  width: number
  height: number
}

export class Video {
  readonly source: Source
  readonly #pixels: Pixels
  #reader: ReadableStreamDefaultReader<VideoFrame> | null = null
  /** The newest frame that was received and not used yet. */
  #newest: VideoFrame | null = null
  #size = ''
  #takenAt = 0
  /** Runs while the picture is frozen. */
  #rest: ReturnType<typeof setTimeout> | undefined
  #scaling: Scaling | null = null

  constructor(pixels: Pixels) {
    this.#pixels = pixels
    this.source = new Source(pixels)
  }

  /** Calls `arrived` for the frames of this stream from now on, instead of the stream before. */
  follow(frames: ReadableStream<VideoFrame>, arrived: (frame: VideoFrame) => void): void {
    this.unfollow()
    const reader = frames.getReader()
    this.#reader = reader
    const read = async () => {
      for (;;) {
        const { value } = await reader.read()
        if (value === undefined) return
        if (this.#reader === reader) arrived(value)
        else value.close()
      }
    }
    // A stream that is given up rejects; there are no more frames to read then.
    read().catch(() => {})
  }

  unfollow(): void {
    this.#reader?.cancel().catch(() => {})
    this.#reader = null
    this.#newest?.close()
    this.#newest = null
    this.#size = ''
  }

  /** Keeps the frame until it is used, in place of an unused one. Returns its size where that is new. */
  arrive(frame: VideoFrame): Size | null {
    this.#newest?.close()
    this.#newest = frame
    const size = sizeOf(frame)
    const key = `${size.width}x${size.height}`
    if (key === this.#size) return null
    this.#size = key
    return size
  }

  /** Calls `paint` once so long has passed since the frame before. */
  whenRested(restMs: number, paint: () => void): void {
    const leftMs = this.#leftMs(restMs)
    if (leftMs <= 0) paint()
    else
      this.#rest ??= setTimeout(() => {
        this.#rest = undefined
        paint()
      }, leftMs)
  }

  /**
   * Makes the newest frame the source, if there is one and so long has passed since the one before. Resolves with
   * whether the source is another picture then. Rejects, and keeps the source, if the frame has no pixels for us.
   */
  async takeNewest(now: number, restMs: number): Promise<boolean> {
    const frame = this.#newest
    if (frame === null || this.#leftMs(restMs) > 0) return false
    this.#newest = null
    this.#takenAt = now
    try {
      return await this.source.load(frame)
    } finally {
      frame.close()
    }
  }

  /** The scaling of the source to its place. */
  scaling(fit: Fit): Scaling {
    if (this.#scaling?.suits(this.source, fit)) return this.#scaling
    this.#scaling?.release()
    this.#scaling = new Scaling(this.#pixels, this.source, fit)
    return this.#scaling
  }

  release(): void {
    this.unfollow()
    clearTimeout(this.#rest)
    this.source.release()
    this.#scaling?.release()
  }

  #leftMs(restMs: number): number {
    return restMs === 0 ? 0 : this.#takenAt + restMs - performance.now()
  }
}

function sizeOf(frame: VideoFrame & { rotation?: number }): Size {
  const { width, height } = frame.visibleRect ?? { width: frame.codedWidth, height: frame.codedHeight }
  return (frame.rotation ?? 0) % 180 === 0 ? { width, height } : { width: height, height: width }
}
