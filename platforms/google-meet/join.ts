/** From the link to the waiting room or the meeting: load, dialogs, name, devices, the button, and what follows it. */
import { BotError } from '../../src/errors.ts'
import type { Admission } from '../../src/ports.ts'
import type { AdmissionJudge } from './admission.ts'
import type { DeviceKeeper } from './devices.ts'
import { type DialogSweeper, languageNote } from './entry-steps.ts'
import type { MeetPage } from './meet-page.ts'
import { type Phase, refusalOf } from './outcomes.ts'
import type { PageSigns } from './page/types.ts'
import { type Situation, situationOf } from './situation.ts'

/** The box takes no more, and people read no more. */
const MAX_NAME_LENGTH = 60
const NAME_TRIES = 10

export interface Joining {
  page: MeetPage
  url: string
  botName: string
  /** The browser carries an account; a name box then says that its session is lost. */
  expectsAccount: boolean
  judge: AdmissionJudge
  devices: DeviceKeeper
  dialogs: DialogSweeper
  /** Told of every look, for the evidence. */
  note(situation: Situation): void
}

export async function join(joining: Joining, signal: AbortSignal): Promise<Admission> {
  const { page, judge } = joining
  const { clock, waits } = page
  await open(joining, signal)
  const started = clock.now()
  const knock = new Knock(joining)
  let unknownSince: number | null = null
  let undecidedSince: number | null = null
  let captchaSince: number | null = null
  let callErrorSince: number | null = null
  let sawBlocked = false
  let lostCaptchaMs = 0

  for (;;) {
    signal.throwIfAborted()
    const look = await page.look()
    const now = clock.now()
    if (now - started - lostCaptchaMs > waits.preJoinMs) throw knock.timeOut(page.lastSigns)
    if (!look) {
      await clock.sleep(waits.lookEveryMs, signal)
      continue
    }
    const { signs } = look
    const situation = situationOf(signs)
    joining.note(situation)
    const phase: Phase = knock.wasAsked ? 'waiting' : 'pre-join'
    const { kind } = situation
    sawBlocked ||= kind === 'blocked'
    captchaSince = kind === 'captcha' ? (captchaSince ?? now) : null
    callErrorSince = kind === 'call_error' ? (callErrorSince ?? now) : null
    unknownSince = kind === 'unknown' || kind === 'loading' ? (unknownSince ?? now) : null
    undecidedSince = kind === 'undecided' ? (undecidedSince ?? now) : null

    if (captchaSince !== null) lostCaptchaMs = Math.max(lostCaptchaMs, now - captchaSince)
    const passes =
      (captchaSince !== null && now - captchaSince < waits.captchaMs) ||
      (callErrorSince !== null && now - callErrorSince < waits.callErrorMs)
    const refusal = passes ? null : refusalOf(situation, phase, sawBlocked)
    if (refusal) throw refusal
    if (unknownSince !== null && now - unknownSince > waits.unknownPageMs) throw unknownPage(situation, signs)

    const verdict = judge.observe(situation, now)
    if (verdict === 'admitted') return 'in_meeting'
    if (verdict === 'waiting') return 'waiting_room'
    if (undecidedSince !== null && now - undecidedSince > waits.undecidedMs) return 'waiting_room'

    const answered = await joining.dialogs.sweep(signs)
    if (answered === null && kind === 'green_room') await knock.prepareAndAsk(signs)
    await clock.sleep(waits.lookEveryMs, signal)
  }
}

async function open({ page, url }: Joining, signal: AbortSignal): Promise<void> {
  const { waits } = page
  const unreachable = (reason: string, cause?: unknown) =>
    new BotError('CANNOT_JOIN_MEETING', `The meeting page could not be loaded: ${reason}.`, {
      step: 'load',
      canRetry: true,
      cause,
    })
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  let status: number | undefined
  try {
    const load = page.browser.page.goto(url, { waitUntil: 'domcontentloaded', timeout: waits.loadMs })
    load.catch(() => {})
    status = (await Promise.race([load, stopped]))?.status()
  } catch (error) {
    signal.throwIfAborted()
    // The first line says what went wrong; the others are Playwright's own log.
    const reason = String(error instanceof Error ? error.message : error).split('\n')[0] ?? ''
    throw unreachable(reason.replace(/^page\.goto: /, ''), error)
  }
  if (status !== undefined && status >= 500) throw unreachable(`the server answered ${status}`)
  if (status === 404)
    throw new BotError('INVALID_MEETING_URL', 'Google Meet has no page for this link (404).', { step: 'load' })
}

function unknownPage(situation: Situation, signs: PageSigns): BotError {
  const what = situation.kind === 'loading' ? 'kept loading' : `showed nothing the bot knows ("${situation.text}")`
  return new BotError('CANNOT_JOIN_MEETING', `The meeting page ${what}.${languageNote(signs)}`, {
    step: 'pre-join',
    canRetry: true,
  })
}

/** The green room: fills in the name, sets the devices and presses the button, each as often as is reasonable. */
class Knock {
  readonly #joining: Joining
  readonly #name: string
  #nameTries = 0
  #clicks = 0
  #clickedAt: number | null = null
  #onlySwitch = 0
  #greenRoomSince: number | null = null

  constructor(joining: Joining) {
    this.#joining = joining
    this.#name = [...joining.botName.trim()].slice(0, MAX_NAME_LENGTH).join('')
  }

  get wasAsked(): boolean {
    return this.#clicks > 0
  }

  async prepareAndAsk(signs: PageSigns): Promise<void> {
    const { page, devices, expectsAccount } = this.#joining
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
    if (signs.nameBox !== null && !(await this.#fillName(signs.nameBox.value))) return
    this.#greenRoomSince ??= clock.now()
    // Devices that come on after the click would be heard and seen in the meeting.
    const mayStillCome = clock.now() - this.#greenRoomSince < waits.devicesMs
    if (mayStillCome && [signs.microphone, signs.camera].some((sign) => sign === 'absent' || sign === 'problem')) return
    if (!(await devices.settle(signs))) return
    if (!signs.join?.isEnabled) return
    if (this.#clickedAt !== null && clock.now() - this.#clickedAt < waits.joinClickMs) return
    if (this.#clicks >= waits.joinClicks)
      throw new BotError(
        'CANNOT_JOIN_MEETING',
        `The button "${signs.join.label}" was pressed ${this.#clicks} times without effect.${languageNote(signs)}`,
        { step: 'pre-join', canRetry: true },
      )
    page.logger.info('Asking to join', { button: signs.join.label, foundBy: signs.join.rank })
    this.#clicks++
    this.#clickedAt = clock.now()
    // A person's pointer comes from somewhere.
    await page.wakePointer()
    await page.press('join')
  }

  timeOut(signs: PageSigns | null): BotError {
    const why =
      signs?.join && !signs.join.isEnabled
        ? `the button "${signs.join.label}" stayed disabled`
        : this.wasAsked
          ? 'it came to no decision after the request to join'
          : 'neither a name box nor a button to join appeared'
    return new BotError(
      'CANNOT_JOIN_MEETING',
      `The meeting page did not let the bot ask: ${why}.${languageNote(signs)}`,
      {
        step: 'pre-join',
        canRetry: true,
      },
    )
  }

  /** True when the box holds the name, as the latest look saw it. */
  async #fillName(value: string): Promise<boolean> {
    if (value === this.#name) return true
    // A shorter box cuts the name; after some tries its beginning will do.
    if (this.#nameTries >= NAME_TRIES && value !== '' && this.#name.startsWith(value)) return true
    if (this.#nameTries >= 3 * NAME_TRIES) return value !== ''
    this.#nameTries++
    const { page } = this.#joining
    await page.inTurn(async () => {
      const box = await page.element('nameBox')
      try {
        // The box may be replaced under our hands; the next look tells.
        await box?.fill(this.#name, { timeout: page.waits.clickMs })
      } catch (error) {
        page.logger.debug('The name box did not take the name', { error })
      } finally {
        await box?.dispose().catch(() => {})
      }
    })
    return false
  }
}
