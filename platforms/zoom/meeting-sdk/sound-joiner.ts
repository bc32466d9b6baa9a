/** Joins the meeting's sound, which mostly happens by itself; without it the bot would record silence. */
import type { ZoomPaces } from '../paces.ts'
import type { SdkSnapshot } from './page/types.ts'

/** Presses in one meeting; a control without effect is not pressed again. */
const PRESSES = 6

export class SoundJoiner {
  readonly #paces: Pick<ZoomPaces, 'audioMs' | 'controlMs'>
  readonly #press: () => Promise<unknown>
  #apartSince: number | null = null
  #pressedAt = Number.NEGATIVE_INFINITY
  #presses = 0

  constructor(paces: Pick<ZoomPaces, 'audioMs' | 'controlMs'>, press: () => Promise<unknown>) {
    this.#paces = paces
    this.#press = press
  }

  async update({ audio, at }: Pick<SdkSnapshot, 'audio' | 'at'>): Promise<void> {
    this.#apartSince = audio === 'apart' ? (this.#apartSince ?? at) : null
    const { audioMs, controlMs } = this.#paces
    if (this.#apartSince === null || at - this.#apartSince < audioMs) return
    if (this.#presses >= PRESSES || at - this.#pressedAt < controlMs) return
    this.#presses++
    this.#pressedAt = at
    await this.#press()
  }
}
