/** The green room: fills in the name, sets the devices and presses the button, with limits for each. */
import { BotError } from '../../core/errors.ts'
import type { DeviceToggles } from '../shared/join/device-toggles.ts'
import { JoinButton } from '../shared/join/join-button.ts'
import { NameBox } from '../shared/join/name-box.ts'
import type { PageSnapshot } from './page/types.ts'
import type { MeetPage } from './page-script.ts'
import { labelIsJoin } from './words.ts'

export interface JoinFlowParts {
  page: MeetPage
  devices: DeviceToggles
  botName: string
  /** The browser has an account's session; a name box then shows that the session is lost. */
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

  async prepareAndAsk(snapshot: PageSnapshot): Promise<void> {
    const { page, devices, expectsAccount } = this.#knocking
    const { clock, waits } = page
    if (snapshot.nameBox !== null && expectsAccount)
      throw new BotError('LOGIN_REQUIRED', "The account's session is lost: Google Meet asks for a guest's name.", {
        step: 'pre-join',
      })
    if (snapshot.join === null && snapshot.switchHere && ++this.#onlySwitch > 3)
      throw new BotError(
        'CANNOT_JOIN_MEETING',
        'The account is in this call on another device, and the page offers only to move it here.',
        { step: 'pre-join' },
      )
    if (snapshot.withoutAccount && snapshot.nameBox === null && snapshot.join === null) {
      await page.press('withoutAccount')
      return
    }
    if (snapshot.nameBox !== null && !(await this.#nameBox.holdsName(snapshot.nameBox.value))) return
    this.#greenRoomSince ??= clock.now()
    // Devices that turn on after the click would be audible and visible in the meeting.
    const mayStillCome = clock.now() - this.#greenRoomSince < waits.devicesMs
    if (mayStillCome && [snapshot.microphone, snapshot.camera].some((sign) => sign === 'absent' || sign === 'problem'))
      return
    if (!(await devices.settle(snapshot)) || !devices.mayJoin(snapshot)) return
    await this.#button.press(snapshot.join, languageNote(snapshot), { foundBy: snapshot.join?.rank })
  }

  timeOut(snapshot: PageSnapshot | null): BotError {
    return this.#button.timeOut(snapshot?.join ?? null, languageNote(snapshot))
  }
}

/** A note about a page in another language than the requested one, to be added to a sentence. */
export function languageNote(snapshot: PageSnapshot | null): string {
  const lang = snapshot?.lang ?? ''
  if (lang === '' || /^en\b/i.test(lang)) return ''
  const label = snapshot?.join?.label
  const seen = label === undefined || labelIsJoin(label) ? '' : `; its button says "${label}"`
  return ` The page is in the language "${lang}" although English was asked for${seen}.`
}
