/** Whether the files that an attempt stores still grow. It is looked at for bots that were asked to leave. */
import type { FileStore } from '../../platform/ports.ts'

/** Milliseconds between two looks at the same attempt. */
const LOOK_EVERY_MS = 10_000

interface Watched {
  bytes: number
  grewAt: number
  lookedAt: number
}

export class UploadWatch {
  readonly #files: Pick<FileStore, 'bytesOf'>
  readonly #now: () => number
  readonly #watched = new Map<string, Watched>()

  constructor(files: Pick<FileStore, 'bytesOf'>, now = () => performance.now()) {
    this.#files = files
    this.#now = now
  }

  /** Seconds since the files were last seen to grow, at first those since the first look. */
  async secondsWithoutGrowth(botId: string, attempt: number): Promise<number> {
    const place = `${botId}/${attempt}`
    const now = this.#now()
    const known = this.#watched.get(place)
    if (known === undefined || now - known.lookedAt >= LOOK_EVERY_MS) {
      const bytes = await this.#files.bytesOf(place)
      const grewAt = known?.bytes === bytes ? known.grewAt : now
      this.#watched.set(place, { bytes, grewAt, lookedAt: now })
    }
    return (now - this.#watched.get(place)!.grewAt) / 1000
  }

  /** Forgets attempts that were not looked at for a while. */
  forgetOld(): void {
    const now = this.#now()
    for (const [place, { lookedAt }] of this.#watched)
      if (now - lookedAt > 10 * LOOK_EVERY_MS) this.#watched.delete(place)
  }
}
