/** The form before the join: fills in the name, waits for the devices and presses the button. */

import type { BotError } from '../../../packages/core/errors.ts'
import type { CommonSnapshot } from '../page/types.ts'
import type { DeviceToggles } from './device-toggles.ts'
import { JoinButton, type PageWithButton, type SeenButton } from './join-button.ts'
import { type FillablePage, NameBox } from './name-box.ts'
import { languageNote } from './refusal.ts'

type FormSnapshot = Pick<CommonSnapshot, 'microphone' | 'camera' | 'lang'> & { join: SeenButton | null }

export class JoinForm {
  readonly #page: FillablePage & PageWithButton
  readonly #devices: DeviceToggles
  readonly #nameBox: NameBox
  readonly #button: JoinButton
  #since: number | null = null

  constructor(page: FillablePage & PageWithButton, devices: DeviceToggles, botName: string) {
    this.#page = page
    this.#devices = devices
    this.#nameBox = new NameBox(page, botName)
    this.#button = new JoinButton(page)
  }

  get hasAsked(): boolean {
    return this.#button.wasPressed
  }

  /** The last press had no effect: the next one need not wait. */
  forgetPress(): void {
    this.#button.forgetPress()
  }

  /** Another form took the place of this one. */
  restart(): void {
    this.#since = this.#page.clock.now()
    this.#button.forgetPress()
  }

  /** True if the box of the latest snapshot has the name, or if there is no box. */
  async holdsName(box: { value: string } | null): Promise<boolean> {
    return box === null || this.#nameBox.holdsName(box.value)
  }

  /** One poll of a form with its name: presses the button once the devices are as wanted. `seen` goes into the log. */
  async join(snapshot: FormSnapshot, seen?: Record<string, unknown>): Promise<void> {
    const { clock, waits } = this.#page
    this.#since ??= clock.now()
    // Devices that turn on after the click would be audible and visible in the meeting.
    const mayStillCome = clock.now() - this.#since < waits.devicesMs
    if (mayStillCome && [snapshot.microphone, snapshot.camera].some((sign) => sign === 'absent' || sign === 'problem'))
      return
    if (!(await this.#devices.settle(snapshot)) || !this.#devices.mayJoin(snapshot)) return
    await this.#button.press(snapshot.join, languageNote(snapshot), seen)
  }

  /** The error of a page that did not decide within its time. */
  timeOut(snapshot: FormSnapshot | null): BotError {
    return this.#button.timeOut(snapshot?.join ?? null, languageNote(snapshot))
  }
}
