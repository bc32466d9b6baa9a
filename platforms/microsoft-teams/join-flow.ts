/**
 * The join flow: launcher, name, devices and the button, with limits for each; and requests that the waiting room
 * drops.
 */
import { BotError } from '../../packages/core/errors.ts'
import type { JoinForm } from '../shared/join/join-form.ts'
import { languageNote, sessionNotUsed } from '../shared/join/refusal.ts'
import type { PageState } from '../shared/page-state.ts'
import type { PageSnapshot } from './page/types.ts'
import type { TeamsPage } from './page-script.ts'
import type { PageStateKind } from './page-state.ts'

/** Interval between two presses of a control that leads to the next page. Milliseconds. */
const STEP_EVERY_MS = 3000
/** A name box may appear some seconds after the button is enabled. Milliseconds. */
const NAME_BOX_MS = 20_000
/** A sound switch without effect may be a misread sign; it is no reason not to join. */
const SOUND_TRIES = 3
/**
 * A dropped request is repeated at most this often without effect, at this interval
 * (docs/platform-notes/microsoft-teams.md#denied-timed-out-dropped).
 */
const ASK_AGAIN_TRIES = 3
const ASK_AGAIN_EVERY_MS = 5000

export interface JoinFlowParts {
  page: TeamsPage
  form: JoinForm
  /** The browser has an account's session; a name box then shows that the session was not used. */
  expectsAccount: boolean
}

export class JoinFlow {
  readonly #parts: JoinFlowParts
  readonly #steps = new Map<string, { at: number; times: number }>()
  #namelessSince: number | null = null
  #againTries = 0
  #againAt = Number.NEGATIVE_INFINITY
  /** The waiting room showed its words or a disabled button, so it is seen if it drops the request. */
  #wasHeld = false

  constructor(parts: JoinFlowParts) {
    this.#parts = parts
  }

  /** One poll of a page before the join. */
  async ask(snapshot: PageSnapshot, { kind }: PageState<PageStateKind>): Promise<void> {
    const { page } = this.#parts
    if (kind === 'launcher') await this.#step('launcher', Number.POSITIVE_INFINITY, () => page.press('onWeb'))
    else if (kind === 'permission_gate')
      await this.#step('permissions', Number.POSITIVE_INFINITY, () => page.ask('warmUpDevices'))
    else await this.#fillIn(snapshot)
  }

  /** A dialog covered the page, so the request before it had no effect: the next one need not wait. */
  dialogAnswered(kind: string | null): void {
    if (kind === 'without_devices') this.#parts.form.forgetPress()
  }

  /** One poll of the waiting room, which may drop a request without a message. */
  async wait(snapshot: PageSnapshot, { kind }: PageState<PageStateKind>): Promise<void> {
    const { page } = this.#parts
    const { clock } = page
    if (kind === 'lobby' || kind === 'waiting_for_host') {
      this.#againTries = 0
      this.#wasHeld = true
    }
    // A waiting room in unknown words may keep the button enabled all the time: asking again would annoy the host.
    const isDropped = kind === 'pre_join' || (kind === 'lobby_dropped' && this.#wasHeld)
    if (!isDropped || !snapshot.join?.isEnabled || clock.now() - this.#againAt < ASK_AGAIN_EVERY_MS) return
    if (snapshot.nameBox !== null && !(await this.#isNamed(snapshot))) return
    if (this.#againTries >= ASK_AGAIN_TRIES)
      throw new BotError(
        'CANNOT_JOIN_MEETING',
        `The waiting room let go of the request to join, and asking again ${ASK_AGAIN_TRIES} times changed nothing.`,
        { step: 'waiting', canRetry: true },
      )
    this.#againTries++
    this.#againAt = clock.now()
    page.logger.info('Asking to join again', { try: this.#againTries })
    await page.press('join')
  }

  async #fillIn(snapshot: PageSnapshot): Promise<void> {
    const { page, form, expectsAccount } = this.#parts
    if (snapshot.nameBox !== null && expectsAccount) throw sessionNotUsed('Microsoft Teams')
    if (!(await this.#isNamed(snapshot))) return
    // Without the computer's sound the bot would record silence.
    if (snapshot.withoutComputerAudio && (await this.#step('sound', SOUND_TRIES, () => page.press('computerAudio'))))
      return
    if (snapshot.speakerIsOff && (await this.#step('speaker', SOUND_TRIES, () => page.press('speaker')))) return
    await form.join(snapshot)
  }

  /** The name is in its box, or belongs to the account. Rejects if a guest gets no box. */
  async #isNamed({ nameBox, join, lang }: PageSnapshot): Promise<boolean> {
    const { page, form, expectsAccount } = this.#parts
    if (expectsAccount) return true
    if (nameBox !== null) {
      this.#namelessSince = null
      return form.holdsName(nameBox)
    }
    this.#namelessSince ??= page.clock.now()
    if (page.clock.now() - this.#namelessSince < NAME_BOX_MS) return false
    throw new BotError(
      'CANNOT_JOIN_MEETING',
      `Microsoft Teams showed no box for the name of the bot within ${NAME_BOX_MS / 1000} s, and the bot does not join without its name.${languageNote({ join, lang })}`,
      { step: 'pre-join', canRetry: true },
    )
  }

  /** True while the latest attempt is so recent that its effect may still come; false after `max` attempts. */
  async #step(name: string, max: number, action: () => Promise<unknown>): Promise<boolean> {
    const { clock, logger } = this.#parts.page
    const { at, times } = this.#steps.get(name) ?? { at: Number.NEGATIVE_INFINITY, times: 0 }
    if (clock.now() - at < STEP_EVERY_MS) return true
    if (times >= max) return false
    this.#steps.set(name, { at: clock.now(), times: times + 1 })
    try {
      await action()
    } catch (error) {
      logger.debug('A step on the way in failed', { step: name, error })
    }
    return true
  }
}
