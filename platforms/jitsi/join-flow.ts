/** In front of the meeting: fills in the name, sets the devices, presses the button and gives the password. */
import { BotError } from '../../src/errors.ts'
import type { DeviceToggles } from '../shared/device-toggles.ts'
import { JoinButton } from '../shared/join-button.ts'
import type { MeetingPage } from '../shared/meeting-page.ts'
import { NameBox } from '../shared/name-box.ts'
import type { PageState } from '../shared/page-state.ts'
import type { ElementName, PageSnapshot } from './page/types.ts'
import type { PageStateKind } from './page-state.ts'

/** A press on a button that is not listening yet comes to nothing. */
const PASSWORD_PRESSES = 8
/** So often the password is given before it counts as the wrong one. */
const PASSWORD_ANSWERS = 2

export interface JoinFlowParts {
  page: MeetingPage<PageSnapshot, ElementName>
  devices: DeviceToggles
  botName: string
  /** Of a locked room, where the link had one. */
  password: string | null
}

export class JoinFlow {
  readonly #knocking: JoinFlowParts
  readonly #nameBox: NameBox
  readonly #button: JoinButton
  #screen: PageSnapshot['screen'] = null
  #since: number | null = null
  #passwordPresses = 0
  #passwordPressedAt: number | null = null
  /** The password is out, and the page has not closed its form since. */
  #isAnswered = false
  #answers = 0

  constructor(knocking: JoinFlowParts) {
    this.#knocking = knocking
    this.#nameBox = new NameBox(knocking.page, knocking.botName)
    this.#button = new JoinButton(knocking.page)
  }

  get wasAsked(): boolean {
    return this.#button.wasPressed
  }

  /** One look at the entrance. */
  async ask(signs: PageSnapshot, { kind }: PageState<PageStateKind>): Promise<void> {
    const { page } = this.#knocking
    if (kind === 'deep_link') await page.press('launchWeb')
    else if (kind === 'password' || (kind === 'lobby_door' && this.#mayOfferPassword(signs))) await this.#unlock(signs)
    else await this.#knock(signs)
  }

  /** One look in the lobby: who knows the password need not wait there. */
  async wait(signs: PageSnapshot): Promise<void> {
    if (this.#mayOfferPassword(signs) || signs.passwordBox) await this.#unlock(signs)
  }

  timeOut(signs: PageSnapshot | null): BotError {
    return this.#button.timeOut(signs?.join ?? null, languageNote(signs))
  }

  async #knock(signs: PageSnapshot): Promise<void> {
    const { page, devices } = this.#knocking
    const { clock, waits } = page
    if (signs.screen !== this.#screen) {
      // The lobby is a screen of its own with a button of its own.
      this.#screen = signs.screen
      this.#since = clock.now()
      this.#button.forgetPress()
    }
    if (signs.nameBox !== null && !(await this.#nameBox.holdsName(signs.nameBox.value))) return
    // Devices that come on after the click would be heard and seen in the meeting.
    const mayStillCome = clock.now() - (this.#since ?? 0) < waits.devicesMs
    if (mayStillCome && [signs.microphone, signs.camera].some((sign) => sign === 'absent' || sign === 'problem')) return
    if (!(await devices.settle(signs)) || !devices.mayJoin(signs)) return
    await this.#button.press(signs.join, languageNote(signs), { screen: signs.screen })
  }

  #mayOfferPassword({ withPassword }: PageSnapshot): boolean {
    return this.#knocking.password !== null && withPassword && this.#answers < PASSWORD_ANSWERS
  }

  async #unlock(signs: PageSnapshot): Promise<void> {
    const { page, password } = this.#knocking
    // Whoever gives it is in.
    if (password === null || !page.gate.isOpen) return
    const now = page.clock.now()
    if (!signs.passwordBox) {
      this.#isAnswered = false
      if (this.#passwordPressedAt !== null && now - this.#passwordPressedAt < page.waits.joinClickMs / 2) return
      if (this.#passwordPresses++ >= PASSWORD_PRESSES) return
      this.#passwordPressedAt = now
      await page.press('withPassword')
      return
    }
    const waited = this.#passwordPressedAt === null ? Number.POSITIVE_INFINITY : now - this.#passwordPressedAt
    if (this.#isAnswered && waited < page.waits.joinClickMs && !signs.passwordWrong) return
    if (this.#answers >= PASSWORD_ANSWERS)
      throw new BotError('CANNOT_JOIN_MEETING', 'The room did not take the password that the link gave (#pwd=…).', {
        step: 'password',
      })
    this.#answers++
    this.#isAnswered = true
    this.#passwordPressedAt = now
    page.logger.info('Giving the password of the room')
    await page.fill('passwordBox', password)
    await page.press('passwordJoin')
  }
}

/** For a sentence about a page in another language than the one that was asked for. */
export function languageNote(signs: PageSnapshot | null): string {
  const lang = signs?.lang ?? ''
  return lang === '' || /^en\b/i.test(lang)
    ? ''
    : ` The page is in the language "${lang}" although English was asked for.`
}
