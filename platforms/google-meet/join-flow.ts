/** The green room: fills in the name, sets the devices and presses the button, each as often as is reasonable. */
import { BotError } from '../../src/errors.ts'
import type { DeviceToggles } from '../shared/device-toggles.ts'
import { JoinButton } from '../shared/join-button.ts'
import { NameBox } from '../shared/name-box.ts'
import type { PageSnapshot } from './page/types.ts'
import type { MeetPage } from './page-script.ts'
import { labelIsJoin } from './words.ts'

export interface JoinFlowParts {
  page: MeetPage
  devices: DeviceToggles
  botName: string
  /** The browser carries an account; a name box then says that its session is lost. */
  expectsAccount: boolean
}

export class JoinFlow {
  readonly #knocking: JoinFlowParts
  readonly #nameBox: NameBox
  readonly #button: JoinButton
  #onlySwitch = 0
  #greenRoomSince: number | null = null

  constructor(knocking: JoinFlowParts) {
    this.#knocking = knocking
    this.#nameBox = new NameBox(knocking.page, knocking.botName)
    this.#button = new JoinButton(knocking.page)
  }

  get wasAsked(): boolean {
    return this.#button.wasPressed
  }

  async prepareAndAsk(signs: PageSnapshot): Promise<void> {
    const { page, devices, expectsAccount } = this.#knocking
    const { clock, waits } = page
    if (signs.nameBox !== null && expectsAccount)
      throw new BotError('LOGIN_REQUIRED', "The account's session is lost: Google Meet asks for a guest's name.", {
        step: 'pre-join',
      })
    if (signs.join === null && signs.switchHere && ++this.#onlySwitch > 3)
      throw new BotError(
        'CANNOT_JOIN_MEETING',
        'The account is in this call on another device, and the page offers only to move it here.',
        { step: 'pre-join' },
      )
    if (signs.withoutAccount && signs.nameBox === null && signs.join === null) {
      await page.press('withoutAccount')
      return
    }
    if (signs.nameBox !== null && !(await this.#nameBox.holdsName(signs.nameBox.value))) return
    this.#greenRoomSince ??= clock.now()
    // Devices that come on after the click would be heard and seen in the meeting.
    const mayStillCome = clock.now() - this.#greenRoomSince < waits.devicesMs
    if (mayStillCome && [signs.microphone, signs.camera].some((sign) => sign === 'absent' || sign === 'problem')) return
    if (!(await devices.settle(signs)) || !devices.mayJoin(signs)) return
    await this.#button.press(signs.join, languageNote(signs), { foundBy: signs.join?.rank })
  }

  timeOut(signs: PageSnapshot | null): BotError {
    return this.#button.timeOut(signs?.join ?? null, languageNote(signs))
  }
}

/** For a sentence about a page in another language than the one that was asked for. */
export function languageNote(signs: PageSnapshot | null): string {
  const lang = signs?.lang ?? ''
  if (lang === '' || /^en\b/i.test(lang)) return ''
  const label = signs?.join?.label
  const seen = label === undefined || labelIsJoin(label) ? '' : `; its button says "${label}"`
  return ` The page is in the language "${lang}" although English was asked for${seen}.`
}
