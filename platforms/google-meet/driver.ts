/** The Google Meet driver: wires its parts to the interface of the life. */
import { type BrowserOptions, openBrowser } from '../../src/browser.ts'
import { systemClock, within } from '../../src/clock.ts'
import { BotError } from '../../src/errors.ts'
import type { Logger } from '../../src/logger.ts'
import type { MeetingEvent, MeetingTarget } from '../../src/meeting.ts'
import type { Admission, Clock, Evidence, MeetingDriver, Stage } from '../../src/ports.ts'
import type { RecordingMode } from '../../src/wire/codes.ts'
import { AdmissionJudge } from './admission.ts'
import { MeetChat } from './chat.ts'
import { DeviceKeeper } from './devices.ts'
import { DialogSweeper } from './entry-steps.ts'
import { InMeeting } from './in-meeting.ts'
import { type Joining, join } from './join.ts'
import { leaveMeeting } from './leaving.ts'
import { MeetPage, meetingScript, NoAnswer } from './meet-page.ts'
import type { Situation } from './situation.ts'
import { waitForAdmission } from './waiting-room.ts'
import { REAL_WAITS, type Waits } from './waits.ts'

export interface GoogleMeetOptions {
  botName: string
  /** A data: URL that is shown as the bot's picture; null keeps its camera off. */
  botImage: string | null
  recordingMode: RecordingMode
  /** What to answer when the meeting asks whether the bot agrees to be recorded itself. */
  recordingConsent: 'accept' | 'refuse'
  hostMap: readonly { host: string; address: string }[]
  /** The browser's binary; null for Debian's. */
  chromium: string | null
  browserPlugins: readonly string[]
  logger: Logger
  clock?: Clock
  /** Shorter waits for tests; the real page's are the default. */
  waits?: Partial<Waits>
  /** The browser carries an account's session. */
  expectsAccount?: boolean
  extraArguments?: readonly string[]
  /** Default off. On is for a bot that plays sound into the meeting; it is silent while nothing is played. */
  microphone?: 'on' | 'off'
}

const ORIGIN = 'https://meet.google.com'
const EVIDENCE_MS = 5000
/** Situations that are remembered for the evidence. */
const HISTORY = 50

/** Starts the browser on the stage. Rejects with a BotError when it does not start. */
export async function openGoogleMeet(
  target: MeetingTarget,
  stage: Stage,
  signal: AbortSignal,
  options: GoogleMeetOptions,
): Promise<MeetingDriver> {
  const { botName, botImage, recordingMode, logger } = options
  const script = meetingScript({ botName, botImage, recordingMode })
  const browserOptions: BrowserOptions = {
    executablePath: options.chromium ?? undefined,
    mappedHosts: options.hostMap,
    plugins: options.browserPlugins,
    mediaOrigins: [ORIGIN],
    initScript: script.source,
    extraArguments: options.extraArguments ?? [],
    logger,
  }
  let browser: Awaited<ReturnType<typeof openBrowser>>
  try {
    browser = await openBrowser(stage, browserOptions, signal)
  } catch (error) {
    signal.throwIfAborted()
    const reason = (error instanceof Error ? error.message : String(error)).split('\n')[0]
    throw new BotError('INTERNAL_ERROR', `The browser did not start: ${reason}`, { step: 'browser', cause: error })
  }
  const page = new MeetPage(browser, script.channel, {
    clock: options.clock ?? systemClock,
    logger,
    waits: { ...REAL_WAITS, ...options.waits },
  })
  return new GoogleMeetDriver(target, page, options)
}

class GoogleMeetDriver implements MeetingDriver {
  readonly #page: MeetPage
  readonly #options: GoogleMeetOptions
  readonly #joining: Joining
  readonly #meeting: InMeeting
  readonly #chat: MeetChat
  readonly #history: { at: string; kind: string; text: string; proofs: readonly string[] }[] = []
  #hasAsked = false
  #leaving: Promise<void> | null = null

  constructor(target: MeetingTarget, page: MeetPage, options: GoogleMeetOptions) {
    this.#page = page
    this.#options = options
    const wantsCamera = options.botImage !== null
    const microphone = options.microphone ?? 'off'
    const devices = new DeviceKeeper(page, { camera: wantsCamera ? 'on' : 'off', microphone })
    const dialogs = new DialogSweeper(page, { consent: options.recordingConsent, wantsCamera })
    const note = (situation: Situation) => this.#note(situation)
    this.#joining = {
      page,
      url: target.url,
      botName: options.botName,
      expectsAccount: options.expectsAccount ?? false,
      judge: new AdmissionJudge(page.waits),
      devices,
      dialogs,
      note,
    }
    this.#meeting = new InMeeting({ page, devices, dialogs, note })
    this.#chat = new MeetChat(page, (isAvailable) => this.#meeting.tellChatAvailability(isAvailable))
  }

  async join(signal: AbortSignal): Promise<Admission> {
    this.#hasAsked = true
    const admission = await orReason(signal, join(this.#joining, signal))
    if (admission === 'in_meeting') await this.#meeting.begin()
    return admission
  }

  async waitForAdmission(signal: AbortSignal): Promise<void> {
    await orReason(signal, waitForAdmission(this.#joining, signal))
    await this.#meeting.begin()
  }

  async prepareRecording(signal: AbortSignal): Promise<void> {
    await orReason(signal, this.#meeting.whenQuiet(signal))
    signal.throwIfAborted()
    await this.#chat.explore().catch((error) => {
      // Chat is a side matter: what is wrong with the page itself, the watch says.
      this.#page.logger.warn('The chat panel could not be opened', { error })
    })
    signal.throwIfAborted()
    if (this.#options.recordingMode === 'audio_only') return
    try {
      await this.#page.ask('showComposite')
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      // The layer lies over the page all the same; a picture that comes late is no reason to record nothing.
      this.#page.logger.warn('The composite did not report its first picture in time')
    }
  }

  watch(listener: (event: MeetingEvent) => void): () => void {
    return this.#meeting.watch(listener)
  }

  async sendChat(text: string): Promise<void> {
    await this.#chat.send(text)
  }

  async screenshot(): Promise<Uint8Array> {
    return this.#page.browser.page.screenshot({ timeout: EVIDENCE_MS, animations: 'allow', caret: 'initial' })
  }

  leave(): Promise<void> {
    this.#leaving ??= this.#leave()
    return this.#leaving
  }

  async evidence(): Promise<Evidence> {
    const { page } = this.#page.browser
    const bounded = <Found>(work: Promise<Found>) =>
      within(this.#page.clock, EVIDENCE_MS, work, () => new NoAnswer()).catch(() => null)
    const [screenshot, html] = await Promise.all([bounded(this.screenshot()), bounded(page.content())])
    return {
      screenshot,
      html,
      console: [...this.#page.browser.console],
      url: page.url(),
      signs: { seen: [...this.#history], last: this.#page.lastSigns, browser: this.#page.browser.ended ?? 'running' },
    }
  }

  async close(): Promise<void> {
    await this.#meeting.end()
    await this.#page.browser.close()
  }

  async #leave(): Promise<void> {
    try {
      await this.#meeting.end()
      const isConfirmed = await leaveMeeting(this.#page, this.#hasAsked)
      this.#page.logger.info('Left the meeting page', { isConfirmed })
    } catch (error) {
      this.#page.logger.warn('Leaving the meeting failed', { error })
    }
  }

  #note({ kind, text, proofs }: Situation): void {
    const last = this.#history.at(-1)
    if (last?.kind === kind && last.text === text && last.proofs.length === proofs.length) return
    this.#page.logger.info('The page shows', { situation: kind, text, proofs })
    this.#history.push({ at: new Date(this.#page.clock.now()).toISOString(), kind, text, proofs })
    if (this.#history.length > HISTORY) this.#history.shift()
  }
}

/** A wait that was cut short rejects with what cut it, whatever broke because of that. */
async function orReason<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    signal.throwIfAborted()
    throw error
  }
}
