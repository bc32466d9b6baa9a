/** Joins the meeting's sound, which mostly joins by itself; without it the bot records silence. */
import type { ZoomPaces } from './paces.ts'
import type { AudioState } from './page/types.ts'

/** Presses in a row; a control without effect is not pressed again. */
const TRIES = 6
const BLIND_TRIES = 1

/** The part of `MeetingPage` that is needed. */
interface PageWithSound {
  wakePointer(): Promise<void>
  press(name: 'microphone'): Promise<boolean>
}

export class SoundJoin {
  readonly #page: PageWithSound
  readonly #paces: Pick<ZoomPaces, 'audioMs' | 'controlMs'>
  #deafSince: number | null = null
  #tries = 0
  #triedAt = Number.NEGATIVE_INFINITY

  constructor(page: PageWithSound, paces: Pick<ZoomPaces, 'audioMs' | 'controlMs'>) {
    this.#page = page
    this.#paces = paces
  }

  /**
   * One poll of the meeting, at `at` in milliseconds. `hears`: sound reaches the page, whatever its button says. True if
   * the button was pressed.
   */
  async update({ audio, hears, at }: { audio: AudioState; hears: boolean; at: number }): Promise<boolean> {
    const { audioMs, controlMs } = this.#paces
    const isDeaf = audio === 'apart' || (audio === 'unreadable' && !hears)
    this.#deafSince = isDeaf ? (this.#deafSince ?? at) : null
    // A breakout room or the waiting room disconnects the bot from the sound again.
    if (!isDeaf) this.#tries = 0
    if (this.#deafSince === null || at - this.#deafSince < audioMs) return false
    // A button of other words may not join at all: while the browser refuses the microphone it says "audio".
    if (this.#tries >= (audio === 'unreadable' ? BLIND_TRIES : TRIES) || at - this.#triedAt < controlMs) return false
    this.#tries++
    this.#triedAt = at
    // The toolbar hides while the pointer rests.
    await this.#page.wakePointer()
    await this.#page.press('microphone')
    return true
  }
}
