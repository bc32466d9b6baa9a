/**
 * A driver from its parts: the behavior that all platforms' drivers share, wired to the interface of the worker run.
 */

import { randomBytes } from 'node:crypto'
import type { PageTarget } from '@standin/wire/bot-fields.ts'
import { type PlatformName, problemOfPagesOn } from '@standin/wire/platforms.ts'
import { MAX_SIGHTING_LENGTH, type Sighting } from '@standin/wire/reasons.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { systemClock, within } from '@standin/wire/time/deadline.ts'
import { BotError } from '../../packages/core/errors.ts'
import { redactText } from '../../packages/core/logger.ts'
import type { MeetingEvent } from '../../packages/core/meeting/meeting.ts'
import type {
  Admission,
  AskGate,
  CapturedAudio,
  CaptureEnvironment,
  DegradationStep,
  Evidence,
  MeetingDriver,
  ShownPage,
  ShownPageListener,
  SignalCounts,
  WaitingFor,
} from '../../packages/core/ports.ts'
import { pageScript } from '../../packages/core/process/page-scripts.ts'
import { type BotBrowser, type BrowserOptions, openBrowser } from '../browser/browser.ts'
import type { DriverOptions } from './driver-options.ts'
import type { CaptionSteps } from './in-call/caption-toggle.ts'
import { ChatSender, type ChatSteps } from './in-call/chat-sender.ts'
import { type LeaveSteps, leaveMeeting } from './in-call/leaving.ts'
import { MeetingWatch, type Watching } from './in-call/meeting-watch.ts'
import { PageStage } from './in-call/page-stage.ts'
import type { SharingWords } from './in-call/screen-share.ts'
import { SignalCounter } from './in-call/signal-counts.ts'
import { leaveVideosUnpainted, SEEN_VIDEOS } from './in-call/unseen-videos.ts'
import { WebRtcTraffic } from './in-call/webrtc-traffic.ts'
import { AdmissionJudge } from './join/admission.ts'
import { Advance } from './join/advance.ts'
import { OPEN_GATE } from './join/ahead.ts'
import { AnswerTime } from './join/answer-time.ts'
import type { DeviceToggles } from './join/device-toggles.ts'
import { enter, type JoinSteps, waitForAdmission, waitingForOf } from './join/join-steps.ts'
import type { CommonSnapshot, PageApi } from './page/types.ts'
import { FrameLink, PAINTER } from './page-access/frame-link.ts'
import { MeetingPage, type MeetingScript, type PageParts } from './page-access/meeting-page.ts'
import { NoAnswer, untilSilence } from './page-access/no-answer.ts'
import { receiveCarriedAudio } from './page-access/page-audio-transport.ts'
import { structureOf } from './page-access/page-structure.ts'
import { devicesAtStart } from './page-access/script-config.ts'
import type { PageClassifier, PagePhase, PageState } from './page-state.ts'
import { REAL_WAITS, type Waits } from './waits.ts'
import { namedWording } from './words.ts'

const EVIDENCE_MS = 5000
const COOKIES_MS = 2000
/** Number of page states that are kept for the evidence. */
const HISTORY = 50

export interface PageOpening extends Pick<BrowserOptions, 'mediaOrigins'> {
  /** From `meetingScript`. */
  script: MeetingScript
  /** The platform's own waits, where they differ from the common ones. */
  waits?: Partial<Waits>
  frameOf?: PageParts['frameOf']
}

/**
 * Starts the browser in the capture environment, with the platform's script in it. Rejects with a BotError when it does
 * not start.
 */
export async function openMeetingPage<
  Snapshot extends CommonSnapshot,
  Name extends string,
  Api extends PageApi<Snapshot, Name> = PageApi<Snapshot, Name>,
>(
  environment: CaptureEnvironment,
  signal: AbortSignal,
  options: DriverOptions,
  { script, waits, frameOf, mediaOrigins }: PageOpening,
): Promise<MeetingPage<Snapshot, Name, Api>> {
  const { logger, clock = systemClock } = options
  let browser: BotBrowser
  try {
    const browserOptions: BrowserOptions = {
      executablePath: options.chromium ?? undefined,
      mappedHosts: options.hostMap,
      plugins: options.browserPlugins,
      mediaOrigins,
      mayReachPrivate: options.mayReachPrivate ?? false,
      initScript: script.source,
      carrier: options.audioTap || options.mayShow || options.talks ? script.channel : undefined,
      tabMark: options.mayShow ? randomBytes(12).toString('hex') : undefined,
      extraArguments: options.extraArguments ?? [],
      ownScript:
        environment.frames === undefined ? undefined : { path: `/${script.painter}.js`, source: pageScript(PAINTER) },
      state: options.browserState ?? null,
      egress: options.egress ?? null,
      onTraffic: options.onTraffic,
      logger,
    }
    browser = await (options.openBrowser ?? openBrowser)(environment, browserOptions, signal)
  } catch (error) {
    signal.throwIfAborted()
    const message = `The browser did not start: ${messageOf(error)}`
    throw new BotError('INTERNAL_ERROR', message, { step: 'browser', cause: error, endCause: 'MACHINE_UNFIT' })
  }
  return new MeetingPage<Snapshot, Name, Api>({
    browser,
    environment,
    channel: script.channel,
    clock,
    logger,
    waits: { ...REAL_WAITS, ...waits, ...options.waits },
    frameOf,
  })
}

/** The parts of a driver that differ between platforms. */
export interface DriverParts<Snapshot extends CommonSnapshot, Kind extends string> {
  platform: PlatformName
  page: MeetingPage<Snapshot>
  options: DriverOptions
  classifier: PageClassifier<Snapshot, Kind>
  devices: DeviceToggles
  /** Answers a dialog, if one is open; returns its kind. */
  answerOpenDialog(snapshot: Snapshot): Promise<string | null>
  entrance: Omit<
    JoinSteps<Snapshot, Kind>,
    'page' | 'classifier' | 'judge' | 'answers' | 'answerOpenDialog' | 'note' | 'onPoll'
  >
  chat: ChatSteps
  /** Absent where the bot shows no pages. */
  sharing?: SharingWords
  leaving: LeaveSteps<Snapshot>
  /** Absent if a platform has no captions that a guest can read. */
  captions?: CaptionSteps<Snapshot>
  watching?: Pick<Watching<Snapshot, Kind>, 'afterPoll' | 'endLooks' | 'canBePutBack' | 'codeBeforeRecording'>
  obtainRecordingRight?: MeetingDriver['obtainRecordingRight']
  /** Advice how to let the bot in where a platform wants an account; default: a stored session of the browser. */
  accountAdvice?: string
  /** Removes secrets from a text of the evidence, beyond those that the logger knows. */
  hide?(text: string): string
}

export class PlatformDriver<Snapshot extends CommonSnapshot, Kind extends string> implements MeetingDriver {
  readonly #parts: DriverParts<Snapshot, Kind>
  readonly #page: MeetingPage<Snapshot>
  readonly #entrance: JoinSteps<Snapshot, Kind>
  readonly #meeting: MeetingWatch<Snapshot, Kind>
  readonly #chat: ChatSender
  readonly #frames: FrameLink
  readonly #advance: Advance
  readonly #traffic: WebRtcTraffic | null
  /** Null if this bot shows no pages. */
  readonly #stage: PageStage | null
  readonly #answers = new AnswerTime()
  readonly #signals: SignalCounter<Snapshot, Kind>
  readonly #history: { at: string; kind: string; text: string; proofs: readonly string[] }[] = []
  #waitingFor: WaitingFor = 'admission'
  #isPrepared = false
  /** Null as long as the machine keeps up. */
  #pictureStep: DegradationStep | null = null
  /** Replaces the first image; null for that one. */
  #image: string | null = null
  #speaksUp = false
  /** When the bot began to speak: also by a host, although it shows a page. */
  #wasMuted = false
  #hasAsked = false
  #phase: PagePhase = 'unclear'
  #leaving: Promise<void> | null = null
  /** Aborted once the bot leaves. */
  readonly #over = new AbortController()

  constructor(parts: DriverParts<Snapshot, Kind>) {
    this.#parts = parts
    const { page, classifier, answerOpenDialog, devices, watching = {} } = parts
    const note = (state: PageState<Kind>) => this.#note(state)
    this.#page = page
    this.#frames = new FrameLink(page)
    const { onTraffic } = parts.options
    this.#traffic = onTraffic ? new WebRtcTraffic(page, onTraffic) : null
    this.#signals = new SignalCounter(classifier)
    const judge = new AdmissionJudge(page.waits)
    this.#advance = new Advance({
      frames: this.#frames,
      paint: parts.options.recordingMode === 'audio_only' ? null : () => page.ask('paintAhead'),
      logger: page.logger,
    })
    const onPoll: JoinSteps<Snapshot, Kind>['onPoll'] = (phase, isNewDocument) => {
      this.#advance.observe(phase, judge.provenSince, isNewDocument)
      if (this.#frames.refusal !== null) throw this.#frames.refusal
    }
    this.#entrance = {
      ...parts.entrance,
      page,
      classifier,
      answerOpenDialog,
      note,
      onPoll,
      judge,
      answers: this.#answers,
    }
    const noteInMeeting: Watching<Snapshot, Kind>['note'] = (state, alsoAnswered) => {
      this.#note(state, alsoAnswered)
      this.#advance.observeInMeeting(classifier.phases[state.kind], page.lastSnapshot?.at ?? page.clock.now())
    }
    const onNewDocument = () => {
      this.#traffic?.onNewDocument()
      this.#phase = 'unclear'
      this.#stage?.onNewDocument()
      void this.#showAgain()
    }
    const captions = parts.options.captions ? { captions: parts.captions ?? null } : {}
    const afterPoll: typeof watching.afterPoll = async (...look) => {
      this.#traffic?.check()
      this.#stage?.onSnapshot(look[0])
      await this.#frames.check()
      await watching.afterPoll?.(...look)
    }
    const { account, browserState } = parts.options
    const own = {
      onSignedOut: browserState ? (text: string) => void account?.onLoginRequired(text) : undefined,
      ...captions,
      page,
      classifier,
      devices,
      answerOpenDialog,
      note: noteInMeeting,
      onNewDocument,
      afterPoll,
    }
    this.#meeting = new MeetingWatch({ ...watching, ...own })
    const { audioTap = null, mayShow: isPermitted, egress } = parts.options
    const usual = () => ({ ...devicesAtStart(parts.options), ...(this.#speaksUp && { microphone: 'on' as const }) })
    const isInCall = () => this.#phase === 'in_call'
    const shown = { page, devices, usual, isInCall, sharingWords: parts.sharing ?? null }
    const network = { upstreamProxy: egress?.proxy ?? null, onTraffic }
    const stage = isPermitted ? new PageStage({ ...shown, ...network, isPermitted }) : null
    this.#stage = stage
    const listeners = {
      audioTap,
      onPage: (sound: CapturedAudio) => stage?.onPage(sound),
      onMeeting: (sound: CapturedAudio) => stage?.onMeeting(sound),
      onVoice: (...voice: [participantId: string, isHeard: boolean, at: number]) => this.#meeting.reportVoice(...voice),
    }
    page.browser.onCarried((payload) => receiveCarriedAudio(payload, listeners))
    this.#chat = new ChatSender(page, parts.chat, (isAvailable) => this.#meeting.reportChatAvailability(isAvailable))
  }

  get waitingFor(): WaitingFor {
    // A link that led to a request was not invalid.
    return this.#waitingFor === 'valid_link' && this.#entrance.hasAsked() ? 'admission' : this.#waitingFor
  }

  get provenAt(): number | null {
    return this.#advance.provenAt
  }

  get signalCounts(): SignalCounts {
    return this.#signals.counts
  }

  get sightings(): readonly Sighting[] {
    const { askedAt } = this.#answers
    const asked = askedAt === null ? [] : [{ seen: 'The bot asked to join.', at: new Date(askedAt).toISOString() }]
    const seen = this.#history.map(({ at, kind, text }) => ({
      seen: this.#hide(`${kind.replaceAll('_', ' ')}: ${text}`).slice(0, MAX_SIGHTING_LENGTH),
      at,
    }))
    return [...seen, ...asked]
  }

  onReadyToStandBy(listener: () => void): void {
    this.#advance.onReady(listener)
  }

  async join(signal: AbortSignal, gate: AskGate = OPEN_GATE): Promise<Admission> {
    this.#page.gate = gate
    this.#hasAsked = true
    const admission = await orReason(signal, this.#orAboutAccount(enter(this.#entrance, signal)))
    if (admission === 'in_meeting') await this.#begin()
    return admission
  }

  async waitForAdmission(signal: AbortSignal): Promise<void> {
    await orReason(signal, this.#orAboutAccount(waitForAdmission(this.#entrance, signal)))
    await this.#begin()
  }

  async #begin(): Promise<void> {
    await this.#meeting.begin(this.provenAt)
    void this.#keepSession()
  }

  /** Platforms refresh the session in the meeting. Never rejects. */
  async #keepSession(): Promise<void> {
    const { account, browserState } = this.#parts.options
    if (!account || !browserState || !this.#meeting.hasBegun) return
    const { browser, clock } = this.#page
    const read = within(clock, COOKIES_MS, browser.context.cookies(), () => new NoAnswer()).catch(() => null)
    const cookies = await read
    if (cookies !== null) await account.onRefreshed(cookies.map((cookie) => ({ ...cookie })))
  }

  async obtainRecordingRight(limitMs: number, signal: AbortSignal): Promise<void> {
    if (this.#parts.obtainRecordingRight === undefined) return
    await this.#parts.obtainRecordingRight(limitMs, signal)
    this.#advance.notBefore(this.#page.clock.now())
  }

  async prepareRecording(signal: AbortSignal): Promise<void> {
    await orReason(signal, this.#meeting.whenQuiet(signal))
    signal.throwIfAborted()
    this.#isPrepared = true
    await this.#show()
    signal.throwIfAborted()
    this.#advance.settle()
  }

  watch(listener: (event: MeetingEvent) => void): () => void {
    return this.#meeting.watch(listener)
  }

  async sendChat(text: string): Promise<void> {
    await this.#chat.send(text)
  }

  async playSound(samples: Int16Array, sampleRate: number): Promise<number> {
    if (!this.#meeting.isUnderWay)
      throw new BotError('INTERNAL_ERROR', 'Sound can be played in the meeting only.', { step: 'sound' })
    const { devices } = this.#parts
    // Once for each time the bot speaks: if a host mutes it meanwhile, it stays muted.
    if (!this.#speaksUp) {
      this.#wasMuted = devices.wants('microphone') === 'off'
      devices.want('microphone', 'on')
    }
    this.#speaksUp = true
    const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)
    const queued = await this.#page.ask('playSound', bytes.toString('base64'), sampleRate)
    const snapshot = this.#page.lastSnapshot
    if (snapshot) await this.#settleDevices(snapshot)
    return queued ?? 0
  }

  async clearSound(): Promise<void> {
    await this.#page.ask('clearSound')
  }

  async closeMicrophone(): Promise<void> {
    const { devices } = this.#parts
    this.#speaksUp = false
    // A page may speak at any moment.
    if (this.#stage?.isUsed && !this.#wasMuted) return
    devices.want('microphone', 'off')
    const snapshot = this.#page.lastSnapshot
    if (this.#meeting.isUnderWay && snapshot) await this.#settleDevices(snapshot)
  }

  /** Sooner than the next poll would. */
  async #settleDevices(snapshot: Snapshot): Promise<void> {
    const { devices } = this.#parts
    if (!devices.isRight(snapshot)) await untilSilence(this.#page.logger, devices.settle(snapshot))
  }

  async restoreSound(): Promise<string[]> {
    const faults = await this.#page.ask('restoreSound')
    return (faults ?? []).map((fault) => `the page had ${fault} its sound`)
  }

  async setDegradationStep(step: DegradationStep): Promise<void> {
    this.#pictureStep = step
    if (this.#isPrepared) await this.#page.ask('setDegradationStep', step)
  }

  async showImage(index: number): Promise<void> {
    this.#image = this.#parts.options.botImages[index] ?? this.#image
    await this.#showImage()
  }

  async showPage(target: PageTarget, url: string, listener: ShownPageListener): Promise<ShownPage> {
    if (!this.#meeting.isUnderWay) throw new Error('A page can be shown in the meeting only.')
    if (this.#stage === null) throw new Error(problemOfPagesOn(this.#parts.platform) ?? 'This bot shows no pages.')
    return this.#stage.show(target, url, listener)
  }

  async screenshot(): Promise<Uint8Array> {
    // Frames are not on the display, so the page gives the picture.
    const png = this.#frames.isUsed ? await this.#page.ask('compositePng').catch(() => null) : null
    if (png !== null) return Buffer.from(png, 'base64')
    const style = this.#parts.options.recordingMode === 'audio_only' ? SEEN_VIDEOS : undefined
    return this.#page.browser.page.screenshot({ timeout: EVIDENCE_MS, animations: 'allow', caret: 'initial', style })
  }

  leave(): Promise<void> {
    this.#leaving ??= this.#leave()
    return this.#leaving
  }

  async census(): Promise<{ found: string[] } | null> {
    await this.#page.wakePointer()
    return this.#page.ask('census', namedWording(this.#parts.platform))
  }

  async evidence(): Promise<Evidence> {
    const { page, console, ended } = this.#page.browser
    const bounded = <Found>(work: Promise<Found>) =>
      within(this.#page.clock, EVIDENCE_MS, work, () => new NoAnswer()).catch(() => null)
    const [screenshot, html, structure] = await Promise.all([
      bounded(this.screenshot()),
      bounded(this.#page.frame.content()),
      bounded(structureOf(this.#page)),
    ])
    const hide = (text: string) => this.#hide(text)
    const { lastSnapshot: last } = this.#page
    const snapshot = { seen: [...this.#history], last, browser: ended ?? 'running', signals: this.signalCounts }
    return {
      screenshot,
      html: html === null ? null : hide(html),
      structure: structure === null ? null : hide(structure),
      console: console.map(hide),
      url: hide(page.url()),
      signs: hideIn(snapshot, hide) as Record<string, unknown>,
    }
  }

  #hide(text: string): string {
    return redactText(this.#parts.hide?.(text) ?? text)
  }

  async close(): Promise<void> {
    this.#over.abort()
    await this.#meeting.end()
    await this.#keepSession()
    await this.#stage?.close()
    await this.#page.browser.close()
  }

  async #leave(): Promise<void> {
    this.#over.abort()
    try {
      await this.#meeting.end()
      if (this.#meeting.hasBegun) await this.#traffic?.last()
      const isConfirmed = await leaveMeeting(this.#page, this.#parts.leaving, this.#hasAsked)
      this.#page.logger.info('Left the meeting page', { isConfirmed })
    } catch (error) {
      this.#page.logger.warn('Leaving the meeting failed', { error })
    }
  }

  /**
   * Adds to the error of a page that wants an account whether a stored session would have helped, or that the given one
   * did not.
   */
  async #orAboutAccount<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work
    } catch (error) {
      if (!(error instanceof BotError) || error.code !== 'LOGIN_REQUIRED') throw error
      const { message, step, canRetry, reason } = error
      const { browserState, account } = this.#parts.options
      const comesAgain = account?.onLoginRequired(message) ?? false
      const advice = browserState
        ? 'The stored session that was given is not signed in any more, or its account may not join.'
        : comesAgain
          ? 'The bot tries again with an account of its team.'
          : (this.#parts.accountAdvice ?? 'A stored session of an account (browser_state) would help.')
      throw new BotError('LOGIN_REQUIRED', `${message} ${advice}`, {
        ...{ cause: error, step, canRetry: canRetry || comesAgain },
        reason: browserState ? 'account_signed_out' : reason,
      })
    }
  }

  /**
   * Shows the meeting as it is recorded: its picture over the page, and under it the chat, for which the recording does
   * not wait.
   */
  async #show(): Promise<void> {
    void this.#chat.explore(this.#over.signal).catch((error) => {
      // Chat is secondary: faults of the page itself are reported by the meeting watch.
      if (this.#meeting.isUnderWay) this.#page.logger.warn('The chat panel could not be opened', { error })
    })
    if (this.#leaving) return
    if (this.#parts.options.recordingMode === 'audio_only') {
      const { clock, frame, waits } = this.#page
      await within(clock, waits.answerMs, leaveVideosUnpainted(frame), () => new NoAnswer()).catch((error) =>
        this.#page.logger.warn('The videos of the page could not be hidden and are still painted', { error }),
      )
      return
    }
    await this.#frames.prepare(this.#over.signal)
    try {
      if (this.#pictureStep !== null) await this.#page.ask('setDegradationStep', this.#pictureStep)
      await this.#page.ask('showComposite')
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      // The layer covers the page all the same; a picture that comes late is no reason to record nothing.
      this.#page.logger.warn('The composite did not report its first picture in time')
    }
  }

  async #showImage(): Promise<void> {
    if (this.#image !== null) await this.#page.ask('showImage', this.#image)
  }

  /** On a document that took the place of the meeting's. */
  async #showAgain(): Promise<void> {
    await this.#showImage().catch((error) => this.#page.logger.warn("The bot's picture was not shown again", { error }))
    if (!this.#isPrepared) return
    await this.#show().catch((error) => {
      this.#page.logger.warn('The page was reloaded and could not be prepared', { error })
      if (error instanceof BotError && !this.#leaving) this.#meeting.breakOff(error)
    })
  }

  #note(state: PageState<Kind>, alsoAnswered: readonly string[] = []): void {
    const { kind, text, proofs } = state
    this.#phase = this.#parts.classifier.phases[kind]
    this.#waitingFor = waitingForOf(this.#parts.classifier, state) ?? this.#waitingFor
    const { lastSnapshot } = this.#page
    if (lastSnapshot) this.#signals.poll(lastSnapshot, state, alsoAnswered)
    const last = this.#history.at(-1)
    if (last?.kind === kind && last.text === text && last.proofs.length === proofs.length) return
    this.#page.logger.info('The page shows', { state: kind, text, proofs })
    this.#history.push({ at: new Date(this.#page.clock.now()).toISOString(), kind, text, proofs })
    if (this.#history.length > HISTORY) this.#history.shift()
  }
}

/** Every text in plain data. */
function hideIn(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === 'string') return hide(value)
  if (Array.isArray(value)) return value.map((item) => hideIn(item, hide))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hideIn(item, hide)]))
}

/** A wait that was cut short rejects with the signal's reason, even if another error came of it. */
async function orReason<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    signal.throwIfAborted()
    throw error
  }
}
