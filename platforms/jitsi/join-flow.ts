/** Before the meeting: fills in the name, sets the devices, presses the button and gives the password. */
import { BotError } from '../../packages/core/errors.ts'
import type { JoinForm } from '../shared/join/join-form.ts'
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
  form: JoinForm
  /** The password of a locked room, if the link had one. */
  password: string | null
}

export class JoinFlow {
  readonly #parts: JoinFlowParts
  #screen: PageSnapshot['screen'] = null
  #passwordPresses = 0
  #passwordPressedAt: number | null = null
  /** The password was sent, and the page has not closed its form since. */
  #isAnswered = false
  #answers = 0

  constructor(parts: JoinFlowParts) {
    this.#parts = parts
  }

  /** One poll of the page before the join. */
  async ask(snapshot: PageSnapshot, { kind }: PageState<PageStateKind>): Promise<void> {
    const { page } = this.#parts
    if (kind === 'deep_link') await page.press('launchWeb')
    else if (kind === 'password' || (kind === 'lobby_entrance' && this.#mayOfferPassword(snapshot)))
      await this.#unlock(snapshot)
    else await this.#fillIn(snapshot)
  }

  /** One poll in the lobby: with the password the bot need not wait there. */
  async wait(snapshot: PageSnapshot): Promise<void> {
    if (this.#mayOfferPassword(snapshot) || snapshot.passwordBox) await this.#unlock(snapshot)
  }

  async #fillIn(snapshot: PageSnapshot): Promise<void> {
    const { form } = this.#parts
    if (snapshot.screen !== this.#screen) {
      // The lobby is a separate screen with its own button.
      this.#screen = snapshot.screen
      form.restart()
    }
    if (await form.holdsName(snapshot.nameBox)) await form.join(snapshot, { screen: snapshot.screen })
  }

  #mayOfferPassword({ withPassword }: PageSnapshot): boolean {
    return this.#parts.password !== null && withPassword && this.#answers < PASSWORD_ANSWERS
  }

  async #unlock(snapshot: PageSnapshot): Promise<void> {
    const { page, password } = this.#parts
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
