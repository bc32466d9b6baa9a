/** The green room: the name, the devices and the button; an account that lost its session or is in the call already. */
import { BotError } from '../../packages/core/errors.ts'
import type { JoinForm } from '../shared/join/join-form.ts'
import { sessionNotUsed } from '../shared/join/refusal.ts'
import type { PageSnapshot } from './page/types.ts'
import type { MeetPage } from './page-script.ts'

export class JoinFlow {
  readonly #page: MeetPage
  readonly #form: JoinForm
  readonly #expectsAccount: boolean
  #onlySwitch = 0

  /** `expectsAccount`: the browser has an account's session, so a name box means that the session is lost. */
  constructor(page: MeetPage, form: JoinForm, expectsAccount: boolean) {
    this.#page = page
    this.#form = form
    this.#expectsAccount = expectsAccount
  }

  async ask(snapshot: PageSnapshot): Promise<void> {
    const { nameBox, join } = snapshot
    if (nameBox !== null && this.#expectsAccount) throw sessionNotUsed('Google Meet')
    if (join === null && snapshot.switchHere && ++this.#onlySwitch > 3)
      throw new BotError(
        'CANNOT_JOIN_MEETING',
        'The account is in this call on another device, and the page offers only to move it here.',
        { step: 'pre-join' },
      )
    if (snapshot.withoutAccount && nameBox === null && join === null) await this.#page.press('withoutAccount')
    else if (await this.#form.holdsName(nameBox)) await this.#form.join(snapshot, { foundBy: join?.rank })
  }
}
