/**
 * Detects a page that has stopped loading: it is empty, or it does not change. Pure;
 * docs/platform-notes/zoom.md#loading-and-stalls.
 */
import type { ZoomPaces } from '../paces.ts'

export interface Progress {
  /** The page shows no element that the bot could use. */
  isIdle: boolean
  isBlank: boolean
  /** Another text whenever the page made progress; null if it does not answer. */
  progress: string | null
}

export class StallWatch {
  readonly #paces: Pick<ZoomPaces, 'blankMs' | 'stallMs' | 'reloads'>
  #blankSince: number | null = null
  #standing: { progress: string | null; since: number } | null = null
  #reloads = 0

  constructor(paces: Pick<ZoomPaces, 'blankMs' | 'stallMs' | 'reloads'>) {
    this.#paces = paces
  }

  /** One poll; true when the page has to be loaded again now. */
  observe({ isIdle, isBlank, progress }: Progress, now: number): boolean {
    this.#blankSince = isBlank ? (this.#blankSince ?? now) : null
    if (!isIdle) this.#standing = null
    else if (this.#standing?.progress !== progress) this.#standing = { progress, since: now }
    const { blankMs, stallMs, reloads } = this.#paces
    const isStalled =
      (this.#blankSince !== null && now - this.#blankSince > blankMs) ||
      (this.#standing !== null && now - this.#standing.since > stallMs)
    if (!isStalled || this.#reloads >= reloads) return false
    this.#reloads++
    this.#blankSince = null
    this.#standing = null
    return true
  }
}
