/** Keeps microphone and camera as the bot wants them: platforms turn them on and off by themselves, most at admission. */

import type { CommonSnapshot, DeviceState } from '../page/types.ts'
import type { MeetingPage } from '../page-access/meeting-page.ts'

const PRESSES = 5
/** Presses are forgotten after this, so that a much later reset is corrected too. */
const FORGET_MS = 20_000
/** A toggle shows its new state a moment after the click. */
const BETWEEN_PRESSES_MS = 800
/** A press that came on top of another one has undone it by then. */
const UNDONE_MS = 3_000

export type Device = 'microphone' | 'camera'
type DeviceSnapshot = Pick<CommonSnapshot, Device>

export class DeviceToggles {
  readonly #page: MeetingPage
  readonly #wanted: Record<Device, 'on' | 'off'>
  readonly #presses: Record<Device, number[]> = { microphone: [], camera: [] }
  /** The look that each device was pressed after; the page may have changed since. */
  readonly #pressedAfter: Record<Device, DeviceSnapshot | null> = { microphone: null, camera: null }
  #lastMicrophone: DeviceState = 'absent'
  /** The state that is awaited after a press. */
  #microphonePressedTo: 'on' | 'off' | null = null

  constructor(page: MeetingPage, wanted: Record<Device, 'on' | 'off'>) {
    this.#page = page
    this.#wanted = { ...wanted }
  }

  /**
   * Presses the toggle of each device that is not in the wanted state. True when there is nothing left to do, or
   * nothing that can be done.
   */
  async settle(snapshot: DeviceSnapshot): Promise<boolean> {
    let isSettled = true
    for (const device of ['microphone', 'camera'] as const) {
      if (this.#isRight(snapshot, device)) continue
      const now = this.#page.clock.now()
      const presses = this.#presses[device].filter((at) => now - at < FORGET_MS)
      this.#presses[device] = presses
      if (presses.length >= PRESSES) continue
      isSettled = false
      if (now - (presses.at(-1) ?? 0) < BETWEEN_PRESSES_MS || this.#pressedAfter[device] === snapshot) continue
      presses.push(now)
      this.#pressedAfter[device] = snapshot
      if (device === 'microphone') this.#microphonePressedTo = this.#wanted.microphone
      await this.#page.press(device)
    }
    return isSettled
  }

  /** `off` also after a host has muted the bot. */
  wants(device: Device): 'on' | 'off' {
    return this.#wanted[device]
  }

  /** Sets the wanted state from now on; a host's muting is kept until then. The next `settle` presses. */
  want(device: Device, state: 'on' | 'off'): void {
    if (this.#wanted[device] === state) return
    this.#wanted[device] = state
    this.#presses[device] = []
  }

  /** False while a device that has to be off is on: the meeting would hear or see the bot from its first moment. */
  mayJoin(snapshot: DeviceSnapshot): boolean {
    return (['microphone', 'camera'] as const).every(
      (device) => this.#wanted[device] === 'on' || snapshot[device] !== 'on',
    )
  }

  isRight(snapshot: DeviceSnapshot): boolean {
    return this.#isRight(snapshot, 'microphone') && this.#isRight(snapshot, 'camera')
  }

  /** To be called once for every poll. True when the microphone went off and the bot did not press. */
  wasMuted(snapshot: DeviceSnapshot): boolean {
    const before = this.#lastMicrophone
    this.#lastMicrophone = snapshot.microphone
    const went = before === 'on' && snapshot.microphone === 'off'
    const presses = this.#presses.microphone
    const isUndone = presses.length > 1 && this.#page.clock.now() - presses.at(-1)! < UNDONE_MS
    // A single press that was to turn it on has turned nothing off.
    const byUs = this.#microphonePressedTo === 'off' || isUndone
    if (snapshot.microphone === this.#microphonePressedTo) this.#microphonePressedTo = null
    // A host's decision is kept.
    if (went && !byUs) this.#wanted.microphone = 'off'
    return went && !byUs
  }

  #isRight(snapshot: DeviceSnapshot, device: Device): boolean {
    const state = snapshot[device]
    return state === this.#wanted[device] || state === 'absent' || state === 'problem'
  }
}
