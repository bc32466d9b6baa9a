/** Watches the meeting from admission to its end and reports it in the events of the worker run. */

import { within } from '@standin/wire/time/deadline.ts'
import { BotError, toBotError } from '../../../packages/core/errors.ts'
import type { MeetingEvent } from '../../../packages/core/meeting/meeting.ts'
import type { DeviceToggles } from '../join/device-toggles.ts'
import type { CommonSnapshot } from '../page/types.ts'
import { browserBroke, type MeetingPage } from '../page-access/meeting-page.ts'
import { untilSilence } from '../page-access/no-answer.ts'
import type { PageClassifier, PageState } from '../page-state.ts'
import { AnnouncedRooms, saidIn } from './announced-rooms.ts'
import { type CaptionSteps, CaptionToggle } from './caption-toggle.ts'

/** A few unreadable messages of a channel are a rare kind of message, and no change of the protocol. */
const UNREAD_MESSAGES = 3
/** Polls in a row that have to agree before a meeting counts as ended. */
const END_LOOKS = 2
const LAST_LOOK_MS = 1000

export interface Watching<Snapshot extends CommonSnapshot, Kind extends string> {
  page: MeetingPage<Snapshot>
  classifier: PageClassifier<Snapshot, Kind>
  devices: DeviceToggles
  /** Answers a dialog, if one is open. */
  answerOpenDialog(snapshot: Snapshot): Promise<string | null>
  note(state: PageState<Kind>, alsoAnswered: readonly string[]): void
  /** The page was reloaded and lost its state. */
  onNewDocument(): void
  /** Called after each poll and its judgment, for a platform's own tasks in the meeting. */
  afterPoll?(snapshot: Snapshot, state: PageState<Kind>, isNewDocument: boolean): Promise<void>
  /** Absent if captions are not wanted, null if the platform has none that a guest can read. */
  captions?: CaptionSteps<Snapshot> | null
  /** Number of polls for ends that need more in a row than the usual two. */
  endLooks?: Readonly<Partial<Record<Kind, number>>>
  /**
   * A host can put a participant back into the waiting room; elsewhere a waiting room means that there was no
   * admission.
   */
  canBePutBack?: boolean
  /** Absent: the bot is a guest, whom a platform cannot sign out. */
  onSignedOut?: ((text: string) => void) | undefined
  /** The platform's code for a meeting that ended before anything was recorded. */
  codeBeforeRecording?: 'MEETING_ENDED_PREMATURELY'
}

export class MeetingWatch<Snapshot extends CommonSnapshot, Kind extends string> {
  readonly #watching: Watching<Snapshot, Kind>
  readonly #listeners = new Set<(event: MeetingEvent) => void>()
  /** Events before the first listener. */
  #kept: MeetingEvent[] | null = []
  readonly #stop = new AbortController()
  readonly #captions: CaptionToggle<Snapshot> | null
  readonly #rooms: AnnouncedRooms | null
  #loop: Promise<void> | null = null
  #isOver = false
  #lastLookAt: number | null = null
  /** Dropped events of the current document, as far as they were reported. */
  #dropped = 0
  #reportedRefused = 0
  #hasReportedUnread = false
  #lostAt: number | null = null
  #lobbyAgain = false
  #unknownSince: number | null = null
  /** UTC milliseconds of the latest poll that showed the meeting. */
  #inCallAt = 0
  #endSeen: { last: string; looks: number; at: number } | null = null
  #availability: boolean | null = null

  constructor(watching: Watching<Snapshot, Kind>) {
    this.#watching = watching
    const { captions: steps, page, classifier } = watching
    this.#rooms = classifier.roomWords ? new AnnouncedRooms(classifier.roomWords) : null
    const { clock, logger } = page
    const onKnown = (areOn: boolean) => this.#emit({ type: 'captions', areOn, at: clock.now() })
    this.#captions = steps === undefined ? null : new CaptionToggle({ steps, clock, logger, onKnown })
  }

  watch(listener: (event: MeetingEvent) => void): () => void {
    this.#listeners.add(listener)
    const kept = this.#kept ?? []
    this.#kept = null
    for (const event of kept) listener(event)
    return () => this.#listeners.delete(listener)
  }

  /** Begins at the admission, which was proven at `provenAt`. Repeatable. */
  async begin(provenAt: number | null = null): Promise<void> {
    if (this.#loop) return
    const { page } = this.#watching
    page.enterCall()
    page.browser.whenEnded.then((reason) => this.#fail(browserBroke(`The browser broke: ${reason}`)))
    await this.#notifyPage(provenAt ?? page.clock.now())
    this.#loop ??= this.#watch()
  }

  /** Reports no more events. Waits for the poll that is under way, but not for a frozen page. */
  async end(): Promise<void> {
    this.#isOver = true
    this.#stop.abort()
    if (!this.#loop) return
    await within(this.#watching.page.clock, LAST_LOOK_MS, this.#loop, () => new Error('The last look hangs')).catch(
      (error) => this.#watching.page.logger.debug('The page is left without its last look', { error }),
    )
  }

  get hasBegun(): boolean {
    return this.#loop !== null
  }

  /** The bot is in and nothing has ended it. */
  get isUnderWay(): boolean {
    return this.#loop !== null && !this.#isOver
  }

  /** Another part of the driver found that the page is unusable. */
  breakOff(error: BotError): void {
    this.#fail(error)
  }

  /** Not kept for a first listener: it is of this moment. */
  reportVoice(participantId: string, isHeard: boolean, at: number): void {
    if (this.#kept === null) this.#emit({ type: 'voice', participantId, isHeard, at })
  }

  reportChatAvailability(isAvailable: boolean): void {
    if (this.#availability === isAvailable) return
    this.#availability = isAvailable
    this.#emit({ type: 'chat_availability', isAvailable, at: this.#watching.page.clock.now() })
  }

  /** Resolves when nothing covers the meeting and the devices are as wanted, or when the time for that is over. */
  async whenQuiet(signal: AbortSignal): Promise<void> {
    const { page, devices } = this.#watching
    const deadline = page.clock.now() + page.waits.settleMs
    let looks = 0
    let last: Snapshot | null = null
    while (!this.#isOver && page.clock.now() < deadline) {
      signal.throwIfAborted()
      const snapshot = page.lastSnapshot
      if (snapshot !== null && snapshot !== last) {
        last = snapshot
        looks = devices.isRight(snapshot) && snapshot.dialogs.every(({ isModal }) => !isModal) ? looks + 1 : 0
        if (looks >= 2) return
      }
      await page.clock.sleep(Math.min(200, page.waits.callPollEveryMs), signal)
    }
  }

  async #watch(): Promise<void> {
    const { page } = this.#watching
    while (!this.#isOver) {
      try {
        await this.#poll()
        if (!this.#isOver) await page.clock.sleep(page.waits.callPollEveryMs, this.#stop.signal)
      } catch (error) {
        if (this.#isOver) return
        this.#fail(toBotError(error, 'in meeting'))
      }
    }
  }

  async #poll(): Promise<void> {
    const { page, classifier, devices, note, onNewDocument } = this.#watching
    const look = await page.poll()
    if (!look || this.#isOver) return
    const { snapshot } = look
    if (look.isNewDocument) {
      this.#dropped = 0
      if (this.#lastLookAt !== null) this.#emit({ type: 'new_document', lastAt: this.#lastLookAt, at: snapshot.at })
      onNewDocument()
    }
    if (!look.hasBegun) await this.#notifyPage(snapshot.at)
    this.#lastLookAt = snapshot.at
    for (const event of look.events) this.#emit(event)
    if (look.dropped > this.#dropped)
      this.#emit({ type: 'events_dropped', count: look.dropped - this.#dropped, at: snapshot.at })
    this.#dropped = look.dropped
    this.#reportRefused(snapshot.at)
    this.#reportUnread(snapshot)
    const state = classifier.stateOf(snapshot)
    const isClear = classifier.phases[state.kind] === 'in_call'
    const others = isClear ? snapshot.others : null
    const haveMoved = this.#rooms?.areOpen(saidIn(snapshot), others, snapshot.at)
    note(state, haveMoved ? ['rooms.people_left'] : [])
    if (devices.wasMuted(snapshot)) this.#emit({ type: 'muted_by_host', at: snapshot.at })
    this.#judge(state, snapshot)
    if (this.#isOver) return
    this.#emit({ type: 'heartbeat', others, areRoomsOpen: snapshot.areRoomsOpen ?? haveMoved, at: snapshot.at })
    await untilSilence(page.logger, this.#act(snapshot, state, look.isNewDocument))
  }

  async #act(snapshot: Snapshot, state: PageState<Kind>, isNewDocument: boolean): Promise<void> {
    const { page, classifier, devices, answerOpenDialog, afterPoll } = this.#watching
    const isClear = classifier.phases[state.kind] === 'in_call'
    // Polls do not move the pointer: the recorded screen does not need it, and hidden toolbars can be pressed too.
    await answerOpenDialog(snapshot)
    if (isClear && !devices.isRight(snapshot)) {
      await page.wakePointer()
      await devices.settle(snapshot)
    }
    await afterPoll?.(snapshot, state, isNewDocument)
    if (isClear) await this.#captions?.update(snapshot, isNewDocument)
  }

  /** At first, and whenever there are twice as many: a hostile page must not flood the reports. */
  #reportRefused(at: number): void {
    const { refused } = this.#watching.page
    if (refused === 0 || refused < 2 * this.#reportedRefused) return
    this.#reportedRefused = refused
    this.#emit({ type: 'events_refused', count: refused, at })
  }

  /** Reports once: later counts are in the evidence. */
  #reportUnread({ unread = {}, at }: Snapshot): void {
    if (this.#hasReportedUnread) return
    const counts = Object.entries(unread).filter(([, count]) => count >= UNREAD_MESSAGES)
    if (counts.length === 0) return
    this.#hasReportedUnread = true
    this.#watching.page.logger.warn('Messages of the meeting cannot be read', { counts: Object.fromEntries(counts) })
    this.#emit({ type: 'unread_messages', channels: counts.map(([channel]) => channel), at })
  }

  /** A page that does not answer this is notified again at the next poll. */
  async #notifyPage(at: number): Promise<void> {
    const { page } = this.#watching
    await page
      .ask('begin', at)
      .catch((error) => page.logger.warn('The page was not notified of the admission', { error }))
  }

  #judge(state: PageState<Kind>, snapshot: Snapshot): void {
    const { classifier, page, endLooks, canBePutBack, codeBeforeRecording } = this.#watching
    const failure = classifier.failureOf?.(state, snapshot) ?? null
    const end = classifier.endOf(state, snapshot)
    const last = failure?.code ?? end
    if (last !== null) {
      const seen = this.#endSeen?.last === last ? this.#endSeen : { last, looks: 0, at: this.#firstSignOf(snapshot) }
      this.#endSeen = { ...seen, looks: seen.looks + 1 }
      if (seen.looks + 1 < (endLooks?.[state.kind] ?? END_LOOKS)) return
      if (failure || end === null) {
        this.#fail(failure ?? new BotError('INTERNAL_ERROR', state.text))
        return
      }
      const refusal = classifier.refusalOf(state, 'waiting', new Set())
      if (this.#lobbyAgain || classifier.answers?.includes(state.kind)) {
        // There was no admission, and this is the answer to the request to join.
        const { code = 'BOT_NOT_ACCEPTED', message = state.text } = refusal ?? {}
        // Since when those who decide had the request is not known, and so not who refused.
        this.#fail(new BotError(code, message, { step: 'waiting' }))
        return
      }
      const isSignedOut = this.#watching.onSignedOut && refusal?.reason === 'account_required'
      if (isSignedOut) this.#watching.onSignedOut?.(state.text)
      const unverified = refusal?.reason === 'ejected_as_unverified' ? refusal.reason : undefined
      const reason = isSignedOut ? 'account_signed_out' : unverified
      this.#emit({ type: 'ended', end, text: state.text, at: seen.at, codeBeforeRecording, reason })
      this.#isOver = true
      return
    }
    this.#endSeen = null
    this.#followConnection(state, snapshot.at)
    const phase = classifier.phases[state.kind]
    if (phase === 'in_call') this.#inCallAt = snapshot.at
    if (phase === 'waiting') this.#lobbyAgain = canBePutBack !== true
    else if (phase === 'in_call') this.#lobbyAgain = false
    const isKnown = phase === 'in_call' || phase === 'disturbed' || phase === 'reconnecting' || phase === 'waiting'
    this.#unknownSince = isKnown ? null : (this.#unknownSince ?? snapshot.at)
    if (this.#unknownSince !== null && snapshot.at - this.#unknownSince > page.waits.unknownInCallMs)
      this.#fail(
        new BotError('INTERNAL_ERROR', `The page shows neither the meeting nor its end ("${state.text}").`, {
          step: 'in meeting',
        }),
      )
  }

  /**
   * When the leave control disappeared, if that was after the latest poll that showed the meeting; else when the end
   * was seen.
   */
  #firstSignOf({ at, callGoneAt }: Snapshot): number {
    if (typeof callGoneAt !== 'number' || this.#inCallAt === 0) return at
    return Math.min(at, Math.max(callGoneAt, this.#inCallAt))
  }

  #followConnection(state: PageState<Kind>, at: number): void {
    const { classifier, page } = this.#watching
    const phase = classifier.phases[state.kind]
    if (phase === 'reconnecting') {
      if (this.#lostAt === null) {
        this.#lostAt = at
        this.#emit({ type: 'connection', state: 'lost', at })
      } else if (at - this.#lostAt > page.waits.reconnectMs)
        this.#fail(
          new BotError(
            'INTERNAL_ERROR',
            `The connection to the meeting was lost and did not come back ("${state.text}").`,
            { step: 'connection' },
          ),
        )
    } else if (this.#lostAt !== null && phase === 'in_call') {
      this.#lostAt = null
      this.#emit({ type: 'connection', state: 'recovered', at })
    }
  }

  #fail(error: BotError): void {
    if (this.#isOver) return
    this.#emit({ type: 'failed', error, at: this.#watching.page.clock.now() })
    this.#isOver = true
    this.#stop.abort()
  }

  #emit(event: MeetingEvent): void {
    if (this.#isOver) return
    if (this.#kept) this.#kept.push(event)
    for (const listener of this.#listeners) listener(event)
  }
}
