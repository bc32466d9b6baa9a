/** Before the meeting: fills in the name, sets the devices, presses the button and gives the password. */
import { BotError } from '../../core/errors.ts'
import type { DeviceToggles } from '../shared/join/device-toggles.ts'
import { JoinButton } from '../shared/join/join-button.ts'
import { NameBox } from '../shared/join/name-box.ts'
import type { MeetingPage } from '../shared/page-access/meeting-page.ts'
import type { PageState } from '../shared/page-state.ts'
import type { ElementName, PageSnapshot } from './page/types.ts'
import type { PageStateKind } from './page-state.ts'

/** A press on a button without a listener yet has no effect. */
const PASSWORD_PRESSES = 8
/** After so many attempts the password counts as wrong. */
const PASSWORD_ANSWERS = 2

export interface JoinFlowParts {
  page: MeetingPage<PageSnapshot, ElementName>
  devices: DeviceToggles
  botName: string
  /** The password of a locked room, where the link had one. */
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
  /** The password was sent, and the page has not closed its form since. */
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

  /** One poll of the page before the join. */
  async ask(snapshot: PageSnapshot, { kind }: PageState<PageStateKind>): Promise<void> {
    const { page } = this.#knocking
    if (kind === 'deep_link') await page.press('launchWeb')
    else if (kind === 'password' || (kind === 'lobby_door' && this.#mayOfferPassword(snapshot)))
      await this.#unlock(snapshot)
    else await this.#knock(snapshot)
  }

  /** One poll in the lobby: with the password the bot need not wait there. */
  async wait(snapshot: PageSnapshot): Promise<void> {
    if (this.#mayOfferPassword(snapshot) || snapshot.passwordBox) await this.#unlock(snapshot)
  }

  timeOut(snapshot: PageSnapshot | null): BotError {
    return this.#button.timeOut(snapshot?.join ?? null, languageNote(snapshot))
  }

  async #knock(snapshot: PageSnapshot): Promise<void> {
    const { page, devices } = this.#knocking
    const { clock, waits } = page
    if (snapshot.screen !== this.#screen) {
      // The lobby is a separate screen with its own button.
      this.#screen = snapshot.screen
      this.#since = clock.now()
      this.#button.forgetPress()
    }
    if (snapshot.nameBox !== null && !(await this.#nameBox.holdsName(snapshot.nameBox.value))) return
    // Devices that turn on after the click would be audible and visible in the meeting.
    const mayStillCome = clock.now() - (this.#since ?? 0) < waits.devicesMs
    if (mayStillCome && [snapshot.microphone, snapshot.camera].some((sign) => sign === 'absent' || sign === 'problem'))
      return
    if (!(await devices.settle(snapshot)) || !devices.mayJoin(snapshot)) return
    await this.#button.press(snapshot.join, languageNote(snapshot), { screen: snapshot.screen })
  }

  #mayOfferPassword({ withPassword }: PageSnapshot): boolean {
    return this.#knocking.password !== null && withPassword && this.#answers < PASSWORD_ANSWERS
  }

  async #unlock(snapshot: PageSnapshot): Promise<void> {
    const { page, password } = this.#knocking
    // The password lets the bot in at once.
    if (password === null || !page.gate.isOpen) return
    const now = page.clock.now()
    if (!snapshot.passwordBox) {
      this.#isAnswered = false
      if (this.#passwordPressedAt !== null && now - this.#passwordPressedAt < page.waits.joinClickMs / 2) return
      if (this.#passwordPresses++ >= PASSWORD_PRESSES) return
      this.#passwordPressedAt = now
      await page.press('withPassword')
      return
    }
    const waited = this.#passwordPressedAt === null ? Number.POSITIVE_INFINITY : now - this.#passwordPressedAt
    if (this.#isAnswered && waited < page.waits.joinClickMs && !snapshot.passwordWrong) return
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

/** A note about a page in another language than the requested one, to be added to a sentence. */
export function languageNote(snapshot: PageSnapshot | null): string {
  const lang = snapshot?.lang ?? ''
  return lang === '' || /^en\b/i.test(lang)
    ? ''
    : ` The page is in the language "${lang}" although English was asked for.`
}
