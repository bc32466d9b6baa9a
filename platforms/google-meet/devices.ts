/** Keeps microphone and camera as the bot wants them: Meet turns them on and off by itself while waiting and at admission. */
import type { MeetPage } from './meet-page.ts'
import type { DeviceSign, PageSigns } from './page/types.ts'

const PRESSES = 5
/** Presses are forgotten after this, so that a reset much later is mended too. */
const FORGET_MS = 20_000
/** A toggle shows its new state a moment after the click. */
const BETWEEN_PRESSES_MS = 800

type Kind = 'microphone' | 'camera'

export class DeviceKeeper {
  readonly #page: MeetPage
  readonly #wanted: Record<Kind, DeviceSign>
  readonly #presses: Record<Kind, number[]> = { microphone: [], camera: [] }
  #lastMicrophone: DeviceSign = 'absent'
  #microphonePressed = false

  constructor(page: MeetPage, wanted: { camera: 'on' | 'off'; microphone: 'on' | 'off' }) {
    this.#page = page
    this.#wanted = { ...wanted }
  }

  /** Presses what is not as wanted. True when nothing is left to do, or nothing can be done. */
  async settle(signs: PageSigns): Promise<boolean> {
    let isSettled = true
    for (const kind of ['microphone', 'camera'] as const) {
      if (this.#isRight(signs, kind)) continue
      const now = this.#page.clock.now()
      const presses = this.#presses[kind].filter((at) => now - at < FORGET_MS)
      this.#presses[kind] = presses
      if (presses.length >= PRESSES) continue
      isSettled = false
      if (now - (presses.at(-1) ?? 0) < BETWEEN_PRESSES_MS) continue
      presses.push(now)
      if (kind === 'microphone') this.#microphonePressed = true
      await this.#page.press(kind)
    }
    return isSettled
  }

  isRight(signs: PageSigns): boolean {
    return this.#isRight(signs, 'microphone') && this.#isRight(signs, 'camera')
  }

  /** To be called once for every look: true when the microphone went off and it was not us. */
  wasMuted(signs: PageSigns): boolean {
    const before = this.#lastMicrophone
    this.#lastMicrophone = signs.microphone
    const went = before === 'on' && signs.microphone === 'off'
    const byUs = this.#microphonePressed
    if (signs.microphone === 'off') this.#microphonePressed = false
    // A host's decision stands.
    if (went && !byUs) this.#wanted.microphone = 'off'
    return went && !byUs
  }

  #isRight(signs: PageSigns, kind: Kind): boolean {
    const state = signs[kind]
    return state === this.#wanted[kind] || state === 'absent' || state === 'problem'
  }
}
