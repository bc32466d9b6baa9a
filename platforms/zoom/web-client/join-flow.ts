/**
 * From the link to the request to join: cookie banner, launch page, the form with its name and passcode, and stalls.
 */
import { BotError } from '../../../packages/core/errors.ts'
import type { MeetingTarget } from '../../../packages/core/meeting/meeting.ts'
import type { DeviceToggles } from '../../shared/join/device-toggles.ts'
import { JoinButton } from '../../shared/join/join-button.ts'
import { loadMeeting } from '../../shared/join/loading.ts'
import { languageNote } from '../../shared/join/refusal.ts'
import { nameForZoom } from '../bot-name.ts'
import type { ZoomPaces } from '../paces.ts'
import type { ElementName, FormSnapshot, PageSnapshot } from '../page/types.ts'
import { type PageState, stateOf } from '../page-state.ts'
import type { ZoomPage } from './page.ts'
import { StallWatch } from './stalls.ts'
import { typeInto } from './typing.ts'

const NAME_TRIES = 5
const LAUNCH_TRIES = 4
const MAX_PRESSES = 4

export class JoinFlow {
  readonly #page: ZoomPage
  readonly #target: MeetingTarget
  readonly #name: string
  readonly #devices: DeviceToggles
  readonly #paces: ZoomPaces
  readonly #stalls: StallWatch
  readonly #button: JoinButton
  #formSince: number | null = null
  #nameTries = 0
  #launchTries = 0
  #launchedAt = Number.NEGATIVE_INFINITY
  #passcodeTries = 0
  readonly #pressedAway = new Map<ElementName, number>()
  /** The page has no devices, because it offers no switches for them. */
  #areWithdrawn = false
  #isOver = false
  #deadSince: number | null = null
  #reloadedAt = 0

  constructor(page: ZoomPage, target: MeetingTarget, botName: string, devices: DeviceToggles, paces: ZoomPaces) {
    this.#page = page
    this.#target = target
    this.#name = nameForZoom(botName)
    this.#devices = devices
    this.#paces = paces
    this.#stalls = new StallWatch(paces)
    this.#button = new JoinButton(page)
  }

  async open(signal: AbortSignal): Promise<void> {
    await loadMeeting(this.#page, this.#target.url, signal, 'Zoom')
  }

  hasAsked(): boolean {
    return this.#button.wasPressed
  }

  /** The bot is in: from now on the page is not loaded again here. */
  async leaveBehind(): Promise<void> {
    this.#isOver = true
    if (!this.#areWithdrawn) return
    await this.#page.ask('setDevicesPresent', true)
    this.#areWithdrawn = false
  }

  /** Removes a dialog that covers the form before the form can be used. Returns its kind, or null for none. */
  async clear(snapshot: PageSnapshot): Promise<string | null> {
    if (this.#isOver) return null
    if (snapshot.disclaimer !== null && (await this.#pressAway('disclaimerAgree'))) return 'disclaimer'
    if (snapshot.cookieBanner && (await this.#pressAway('cookies'))) return 'cookies'
    if (snapshot.termsAsked && (await this.#pressAway('terms'))) return 'terms'
    return (await this.#reloadIfStalled(snapshot)) ? 'stall' : null
  }

  async ask(snapshot: PageSnapshot, { kind, text }: PageState): Promise<void> {
    if (kind === 'launch_page') await this.#passLaunchPage(snapshot)
    else if (kind === 'other_account') await this.#goToCommonHost(text)
    else if (snapshot.form) await this.#fillIn(snapshot, snapshot.form)
  }

  /** In the waiting room, and on a page that says the link is invalid, which is loaded again until it is valid. */
  async wait(snapshot: PageSnapshot, state: PageState): Promise<void> {
    const { clock } = this.#page
    if (state.kind !== 'invalid_link') {
      this.#deadSince = null
      // The link works by now, or every participant has to fill in the form again.
      await this.ask(snapshot, state)
      return
    }
    this.#deadSince ??= clock.now()
    if (clock.now() - this.#deadSince > this.#paces.deadLinkMs)
      throw new BotError(
        this.hasAsked() ? 'TIMEOUT_WAITING_TO_START' : 'INVALID_MEETING_URL',
        `Zoom said "${state.text}" for ${Math.round(this.#paces.deadLinkMs / 1000)} s: the link is wrong, or the host has not started the meeting. Zoom says the same of both.`,
        { step: 'waiting' },
      )
    if (clock.now() - Math.max(this.#reloadedAt, this.#deadSince) < this.#paces.deadLinkRetryMs) return
    await this.#reload('Zoom says that the link is invalid, as it does before a meeting is started')
  }

  timeOut(snapshot: PageSnapshot | null): BotError {
    const form = snapshot?.form ?? null
    const why =
      form?.join && !form.join.isEnabled
        ? `the button "${form.join.label}" stayed disabled`
        : snapshot && form && !this.#devices.mayJoin(snapshot)
          ? 'microphone or camera could not be turned off'
          : this.hasAsked()
            ? 'it came to no decision after the request to join'
            : 'neither a box for the name nor a button to join appeared'
    return this.#cannotJoin(`The page of Zoom did not let the bot ask: ${why}.${languageNote(snapshot)}`, true)
  }

  /** A dialog that does not go away stays: the form under it may be reachable all the same. */
  async #pressAway(name: ElementName): Promise<boolean> {
    const pressed = this.#pressedAway.get(name) ?? 0
    if (pressed >= MAX_PRESSES) return false
    this.#pressedAway.set(name, pressed + 1)
    return this.#page.press(name)
  }

  async #passLaunchPage(snapshot: PageSnapshot): Promise<void> {
    const { clock, waits } = this.#page
    if (clock.now() - this.#launchedAt < waits.joinClickMs) return
    if (this.#launchTries++ >= LAUNCH_TRIES)
      throw this.#cannotJoin(`Zoom's page "${snapshot.title}" offers no way to join from a browser.`, false)
    this.#launchedAt = clock.now()
    // In the older layout the link for the browser appears only after an attempt to open the app.
    const name: ElementName = (await this.#has('joinFromBrowser')) ? 'joinFromBrowser' : 'openApp'
    await this.#page.press(name)
  }

  /** A company's host serves its own meetings only; the common one serves all. */
  async #goToCommonHost(text: string): Promise<void> {
    const url = new URL(this.#target.url)
    if (url.hostname === 'app.zoom.us' || this.#launchTries > 0)
      throw this.#cannotJoin(`Zoom does not lead from this page to the meeting ("${text}").`, false)
    url.hostname = 'app.zoom.us'
    if (await this.#load(url.href)) this.#launchTries++
  }

  async #fillIn(snapshot: PageSnapshot, form: FormSnapshot): Promise<void> {
    const now = this.#page.clock.now()
    this.#formSince ??= now
    if (!form.isSettled && now - this.#formSince < this.#paces.formMs) return
    if (form.asksForEmail)
      throw this.#cannotJoin('The meeting asks for an e-mail address: it wants a registration.', false)
    if (form.passcode && !(await this.#fillPasscode(form.passcode.isFilled))) return
    if (form.name && !(await this.#fillName(form.name))) return
    if (!(await this.#devices.settle(snapshot)) || !this.#devices.mayJoin(snapshot)) return
    if (!(await this.#haveSwitches(snapshot))) return
    await this.#button.press(form.join, languageNote(snapshot), { client: form.client })
  }

  /**
   * Older forms have no switches, and join with devices that are on: there the bot joins without any, and gets them
   * once it is in.
   */
  async #haveSwitches({ microphone, camera }: PageSnapshot): Promise<boolean> {
    const isSwitched = [microphone, camera].every((sign) => sign === 'on' || sign === 'off')
    if (isSwitched || this.#areWithdrawn) return true
    const { clock, waits } = this.#page
    // They may appear late.
    if (clock.now() - (this.#formSince ?? 0) < waits.devicesMs) return false
    this.#page.logger.info('The form has no switches for microphone and camera; they are withdrawn until admission')
    await this.#page.ask('setDevicesPresent', false)
    this.#areWithdrawn = true
    return false
  }

  /** True when the box has the name in the latest snapshot; only real key presses make the page notice it. */
  async #fillName({ value, isEnabled }: { value: string; isEnabled: boolean }): Promise<boolean> {
    if (value === this.#name || !isEnabled) return true
    if (this.#nameTries >= NAME_TRIES && value !== '') return true
    this.#nameTries++
    await typeInto(this.#page, 'nameBox', this.#name, this.#paces.keyMs)
    return false
  }

  /** True when the box has the passcode; letters typed before the page had settled are lost. */
  async #fillPasscode(isFilled: boolean): Promise<boolean> {
    const passcode = this.#passcode()
    if (passcode === null) {
      if (isFilled) return true
      throw this.#cannotJoin('The meeting asks for a passcode, and none came with the link.', false)
    }
    if (isFilled && (await this.#page.ask('holds', 'passcodeBox', passcode)) === true) return true
    if (isFilled && this.#passcodeTries >= NAME_TRIES) return true
    this.#passcodeTries++
    await typeInto(this.#page, 'passcodeBox', passcode, this.#paces.keyMs)
    return false
  }

  /** As people type it; otherwise the part of the link before the dot (docs/platform-notes/zoom.md#reading-a-link). */
  #passcode(): string | null {
    const inLink = new URL(this.#target.url).searchParams.get('pwd')
    return this.#target.passcode ?? inLink?.replace(/\.\d+$/, '') ?? null
  }

  async #reloadIfStalled(snapshot: PageSnapshot): Promise<boolean> {
    const { clock } = this.#page
    const { kind } = stateOf(snapshot)
    const isIdle = kind === 'blank' || kind === 'joining' || kind === 'unknown'
    const progress = isIdle ? await this.#page.ask('progress').catch(() => null) : null
    const isStalled = this.#stalls.observe({ isIdle, isBlank: kind === 'blank', progress }, clock.now())
    if (!isStalled) return false
    await this.#reload('The page of Zoom is stalled')
    return true
  }

  /** The form is empty afterwards, and the join starts over. */
  async #reload(reason: string): Promise<void> {
    this.#page.logger.info('Loading the page of Zoom again', { reason })
    this.#reloadedAt = this.#page.clock.now()
    this.#formSince = null
    this.#areWithdrawn = false
    this.#nameTries = 0
    this.#passcodeTries = 0
    this.#launchedAt = Number.NEGATIVE_INFINITY
    this.#button.forgetPress()
    // The tab may be at another address than the link by now.
    await this.#load(this.#target.url)
  }

  /** False if that failed, as when the page goes elsewhere by itself: the next polls show the result. */
  async #load(url: string): Promise<boolean> {
    const { browser, logger, waits } = this.#page
    try {
      await browser.page.goto(url, { waitUntil: 'domcontentloaded', timeout: waits.loadMs })
      return true
    } catch (error) {
      logger.warn('The page of Zoom could not be loaded', { error: String(error).split('\n')[0] })
      return false
    }
  }

  async #has(name: ElementName): Promise<boolean> {
    const element = await this.#page.element(name)
    await element?.dispose().catch(() => {})
    return element !== null
  }

  #cannotJoin(message: string, canRetry: boolean): BotError {
    return new BotError('CANNOT_JOIN_MEETING', message, { step: 'pre-join', canRetry })
  }
}
