/**
 * The bot's presence in one meeting, across several browsers: it joins, and may join again after a browser crash. Users
 * keep one object whose driver is replaced behind it; each participant and event is reported once.
 */

import type { PageTarget } from '@standin/wire/bot-fields.ts'
import type { ErrorCode } from '@standin/wire/codes.ts'
import { MAX_DENIALS, MAX_SIGHTING_LENGTH, MAX_SIGHTINGS, type Reason, type Sighting } from '@standin/wire/reasons.ts'
import { within } from '@standin/wire/time/deadline.ts'
import { BotError, DISPLAY_STEP } from '../../packages/core/errors.ts'
import { type Logger, redactText } from '../../packages/core/logger.ts'
import type { MeetingEvent, MeetingTarget } from '../../packages/core/meeting/meeting.ts'
import type {
  AskGate,
  CaptureEnvironment,
  Clock,
  ControlPlane,
  DegradationStep,
  Evidence,
  InMeeting,
  MeetingDriver,
  OpenMeeting,
  ParticipantAudio,
  ShownPage,
  ShownPageListener,
  SignalCounts,
  WaitingFor,
} from '../../packages/core/ports.ts'

import type { JoinGate } from './join-gate.ts'
import { MeetingMemory } from './memory/meeting-memory.ts'

/** At most this many attempts to join. No other code retries a join. */
const JOIN_ATTEMPTS = 3
const JOIN_RETRY_DELAY_MS = 3_000
/** Longer than every wait of a driver before the waiting room; past it the driver itself is stuck. */
const JOIN_DEADLINE_MS = 240_000
/** The driver reports the best reason for a missing permission to record, so its timeout comes first. */
const RIGHT_GRACE_MS = 10_000
const PREPARE_DEADLINE_MS = 60_000
/**
 * Platforms show a crashed browser's participant for about a minute; after this time, a participant of the same name is
 * a person.
 */
const FORMER_SELF_MS = 180_000

export interface MeetingSessionParts {
  target: MeetingTarget
  openMeeting: OpenMeeting
  /** Capture environment of the next browser; restarts the parts of it that crashed. */
  prepareEnvironment(): Promise<CaptureEnvironment>
  botName: string
  /** When the bot may open the link and ask; asked with a browser ready. */
  gate: JoinGate
  /** Of each wait in a waiting room. */
  waitingRoomSeconds: number
  /** Requests to join that were denied in earlier attempts of this bot. */
  denials: number
  control: Pick<ControlPlane, 'report'>
  clock: Clock
  logger: Logger
  /** Aborts every wait when the bot ends. */
  signal: AbortSignal
  onWaitingRoom(): void
  /** A recording may begin at any moment; called once for each browser. `mayRenew` says that no such moment is known. */
  onReadyToStandBy(mayRenew: () => boolean): void
  /** The meeting is ready to be recorded; called once for each browser. */
  onMadeReady(): void
  /** The participant's id is the one under which the participant was reported. */
  onVoice(voice: ParticipantAudio): void
}

export class MeetingSession implements InMeeting {
  readonly #parts: MeetingSessionParts
  readonly #listeners = new Set<(event: MeetingEvent) => void>()
  readonly #memory: MeetingMemory
  /** The bot's own former participants, by platform id, left by lost browsers. */
  readonly #formerSelves = new Set<string>()
  #driver: MeetingDriver | null = null
  #isIn = false
  #lostAt: number | null = null
  #pictureStep: DegradationStep | null = null
  #image = 0
  /** Of the drivers that are closed. */
  readonly #signalCounts: Record<string, number> = {}
  #sightings: Sighting[] = []
  #denials: number
  /** An entry that is under way; a browser it opens must not outlive the bot. */
  #entering: Promise<void> = Promise.resolve()
  #giveUp = new AbortController()
  #breakOff: (error: BotError) => void = () => {}

  constructor(parts: MeetingSessionParts) {
    this.#parts = parts
    this.#denials = parts.denials
    this.#memory = new MeetingMemory(() => parts.clock.now())
  }

  /** The meeting's page is open; it may be that of a waiting room. */
  get isOpen(): boolean {
    return this.#driver !== null
  }

  /** UTC milliseconds since when the page proves that the bot is in and may record; null if it does not. */
  get provenAt(): number | null {
    return this.#driver?.provenAt ?? null
  }

  /**
   * Opens the meeting until it lets the bot in; a refusal that may pass is answered by a fresh attempt. After a failure
   * the last attempt stays open, for its evidence.
   */
  enter(): Promise<void> {
    this.#giveUp = new AbortController()
    const entering = this.#enter(AbortSignal.any([this.#parts.signal, this.#giveUp.signal]))
    this.#entering = entering.catch(() => {})
    return entering
  }

  async #enter(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#parts
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted()
      if (this.#denials >= MAX_DENIALS) throw deniedBefore()
      try {
        await this.#attempt(signal)
        this.#isIn = true
        return
      } catch (thrown) {
        if (thrown instanceof BotError) this.#noteFailure(thrown)
        const mayAsk = attempt < JOIN_ATTEMPTS && this.#denials < MAX_DENIALS
        const mayPass = thrown instanceof BotError && thrown.canRetry && mayAsk
        if (signal.aborted || !mayPass) throw thrown
        logger.warn('An attempt to join failed and is repeated', { attempt, error: thrown })
        await this.#driver?.leave()
        await this.#closeDriver()
        await clock.sleep(JOIN_RETRY_DELAY_MS * attempt, signal)
      }
    }
  }

  #noteFailure({ code, step, message }: BotError): void {
    const { clock, control } = this.#parts
    const seen = redactText(message).slice(0, MAX_SIGHTING_LENGTH)
    this.#sightings.push({ seen, at: new Date(clock.now()).toISOString() })
    // Before this step no person was asked.
    if (code !== 'BOT_NOT_ACCEPTED' || step !== 'waiting') return
    this.#denials++
    control.report({ type: 'join_denied' })
  }

  /** The capture environment failed during an attempt to join, which is repeated. */
  environmentLost(error: Error): void {
    this.#breakOff(new BotError('INTERNAL_ERROR', `${error.message}.`, { cause: error, step: 'join', canRetry: true }))
  }

  /** Reports events of the meeting from now on, of any browser; the first listener also gets earlier events. */
  watch(listener: (event: MeetingEvent) => void): void {
    this.#listeners.add(listener)
    this.#driver?.watch(this.#hear)
  }

  /**
   * The browser crashed at `at`: open turns ended then. No participant has left because of that; the next `enter` finds
   * out who is present. An entry that is under way ends. Removes files of the browser.
   */
  async lose(at: number): Promise<void> {
    this.#isIn = false
    this.#lostAt = at
    this.#giveUp.abort(new Error('The browser was lost on its way into the meeting'))
    for (const event of this.#memory.renew(at, this.#parts.clock.now())) this.#emit(event)
    await this.close()
  }

  /** In the meeting: obtains the right to record, if a platform has such a right, and makes the page ready for it. */
  async makeReady(): Promise<void> {
    try {
      await this.#makeReady()
    } catch (thrown) {
      if (!(thrown instanceof BotError && thrown.step === DISPLAY_STEP && this.#isIn)) throw thrown
      const { clock, logger } = this.#parts
      logger.warn('The bot enters again, in a browser on a display', { error: thrown })
      await this.lose(clock.now())
      await this.enter()
      await this.#makeReady()
    }
  }

  async #makeReady(): Promise<void> {
    const { clock, signal, waitingRoomSeconds: limit } = this.#parts
    const driver = this.#present()
    if (this.#pictureStep !== null) await driver.setDegradationStep(this.#pictureStep)
    if (this.#image > 0) await driver.showImage(this.#image)
    const right = driver.obtainRecordingRight(limit * 1000, signal)
    await within(clock, limit * 1000 + RIGHT_GRACE_MS, right, () => notAllowed(limit))
    signal.throwIfAborted()
    await within(clock, PREPARE_DEADLINE_MS, driver.prepareRecording(signal), unready)
    signal.throwIfAborted()
    this.#parts.onMadeReady()
  }

  /** The id under which a participant was first reported, even if a later browser uses another one. */
  idOf(participantId: string): string {
    return this.#memory.idOf(participantId)
  }

  async sendChat(text: string): Promise<void> {
    await this.#present().sendChat(text)
  }

  async playSound(samples: Int16Array, sampleRate: number): Promise<number> {
    return this.#present().playSound(samples, sampleRate)
  }

  /** A browser that is gone plays nothing. */
  async clearSound(): Promise<void> {
    if (this.#isIn) await this.#driver?.clearSound()
  }

  /** Every browser comes in muted. */
  async closeMicrophone(): Promise<void> {
    if (this.#isIn) await this.#driver?.closeMicrophone()
  }

  /** Kept for the browsers that follow. */
  async showImage(index: number): Promise<void> {
    this.#image = index
    if (this.#isIn) await this.#driver?.showImage(index)
  }

  async showPage(target: PageTarget, url: string, listener: ShownPageListener): Promise<ShownPage> {
    return this.#present().showPage(target, url, listener)
  }

  /** Kept for the browsers that follow. */
  async setDegradationStep(step: DegradationStep): Promise<void> {
    this.#pictureStep = step
    if (this.#isIn) await this.#driver?.setDegradationStep(step)
  }

  /** Where no browser is, nothing can be put right. */
  async restoreSound(): Promise<string[]> {
    return this.#isIn ? ((await this.#driver?.restoreSound()) ?? []) : []
  }

  async screenshot(): Promise<Uint8Array> {
    if (this.#driver === null) throw away()
    return this.#driver.screenshot()
  }

  /** Null if no page is open. */
  async evidence(): Promise<Evidence | null> {
    return (await this.#driver?.evidence()) ?? null
  }

  /** Of all browsers that are closed. */
  get signalCounts(): SignalCounts {
    return this.#signalCounts
  }

  /** The last ones of all browsers that are closed, oldest first. */
  get sightings(): readonly Sighting[] {
    return this.#sightings.toSorted((one, other) => one.at.localeCompare(other.at)).slice(-MAX_SIGHTINGS)
  }

  async leave(): Promise<void> {
    await this.#driver?.leave()
  }

  async close(): Promise<void> {
    await this.#entering
    await this.#closeDriver()
  }

  async #closeDriver(): Promise<void> {
    const driver = this.#driver
    this.#driver = null
    this.#sightings.push(...(driver?.sightings ?? []))
    await driver?.close()
    for (const [name, count] of Object.entries(driver?.signalCounts ?? {}))
      this.#signalCounts[name] = (this.#signalCounts[name] ?? 0) + count
  }

  async #attempt(signal: AbortSignal): Promise<void> {
    const { target, openMeeting, prepareEnvironment, gate, clock, waitingRoomSeconds: limit } = this.#parts
    const broken = new Promise<never>((_, reject) => {
      this.#breakOff = reject
    })
    // It may break while nothing waits for it yet.
    broken.catch(() => {})
    const environment = prepareEnvironment()
    // The next attempt begins when no server is starting.
    const driver = await openMeeting(target, environment, signal, this.#onVoice).finally(() =>
      environment.catch(() => {}),
    )
    this.#driver = driver
    driver.onReadyToStandBy(() => {
      if (this.#driver === driver) this.#parts.onReadyToStandBy(() => driver.provenAt === null)
    })
    await Promise.race([gate.whenMayOpen(), broken])
    signal.throwIfAborted()
    const mayAsk = askGate(gate.whenMayAsk())
    const joining = Promise.race([driver.join(signal, mayAsk), broken])
    // It resolves after the gate has opened, and may reject before.
    await Promise.race([mayAsk.opened, joining])
    signal.throwIfAborted()
    const admission = await within(
      clock,
      JOIN_DEADLINE_MS,
      joining,
      () => new BotError('CANNOT_JOIN_MEETING', 'The meeting page did not come to a decision.', { step: 'join' }),
    )
    if (admission === 'waiting_room') {
      this.#parts.onWaitingRoom()
      const admitted = Promise.race([driver.waitForAdmission(signal), broken])
      await within(clock, limit * 1000, admitted, () => waitedTooLong(driver.waitingFor, limit))
    }
    if (this.#listeners.size > 0) driver.watch(this.#hear)
  }

  readonly #onVoice = (voice: ParticipantAudio): void =>
    this.#parts.onVoice({ ...voice, participantId: this.idOf(voice.participantId) })

  readonly #hear = (event: MeetingEvent): void => {
    if (this.#isOfGhost(event)) return
    if (event.type === 'heartbeat') {
      const others = event.others === null ? null : Math.max(0, event.others - this.#formerSelves.size)
      for (const left of this.#memory.settle(others, event.at)) this.#emit(left)
      this.#emit({ ...event, others })
    } else for (const news of this.#memory.remember([event])) this.#emit(news)
  }

  /** The platform may still show the bot of the lost browser, as an unknown participant of the bot's name. */
  #isOfGhost(event: MeetingEvent): boolean {
    if (event.type === 'participant_joined' || event.type === 'participant_changed') {
      const { id, name } = event.participant
      const isRecent = this.#lostAt !== null && event.at - this.#lostAt < FORMER_SELF_MS
      if (isRecent && name === this.#parts.botName && !this.#memory.knows(id)) this.#formerSelves.add(id)
      return this.#formerSelves.has(id)
    }
    if (!('participantId' in event) || event.participantId === null) return false
    const isGhost = this.#formerSelves.has(event.participantId)
    if (event.type === 'participant_left') this.#formerSelves.delete(event.participantId)
    return isGhost
  }

  #emit(event: MeetingEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  #present(): MeetingDriver {
    if (this.#driver === null || !this.#isIn) throw away()
    return this.#driver
  }
}

function askGate(opened: Promise<void>): AskGate {
  const gate = { isOpen: false, opened }
  gate.opened = opened.then(() => {
    gate.isOpen = true
  })
  // The waiting caller receives the rejection.
  gate.opened.catch(() => {})
  return gate
}

function away(): BotError {
  return new BotError('INTERNAL_ERROR', 'The browser crashed, and the bot is rejoining the meeting.', {
    step: 'back into the meeting',
  })
}

function notAllowed(seconds: number): BotError {
  const message = `The host did not allow the bot to record within ${seconds} s.`
  return new BotError('RECORDING_START_TIMEOUT', message, { step: 'right to record' })
}

function unready(): BotError {
  const message = 'The page could not be made ready for recording.'
  return new BotError('INTERNAL_ERROR', message, { step: 'starting to record' })
}

function waitedTooLong(waitingFor: WaitingFor, limit: number): BotError {
  const [code, sentence, reason] = WAITED[waitingFor]
  return new BotError(code, `${sentence} within ${limit} s.`, { step: 'waiting room', reason })
}

function deniedBefore(): BotError {
  const message = `The request to join was denied ${MAX_DENIALS} times before, so the bot does not ask again.`
  return new BotError('BOT_NOT_ACCEPTED', message, { step: 'pre-join', reason: 'denied_twice' })
}

/** The specification knows three waits, all limited by `waiting_room_timeout`; the fourth is an end of the link itself. */
const WAITED: Readonly<Record<WaitingFor, [ErrorCode, string, Reason?]>> = {
  admission: ['TIMEOUT_WAITING_TO_START', 'The host did not admit the bot', 'waited_too_long'],
  host: ['WAITING_FOR_HOST_TIMEOUT', 'The host did not start the meeting', 'not_started'],
  valid_link: [
    'INVALID_MEETING_URL',
    'The platform called the link invalid all the time: the link is wrong, or the host did not start the meeting',
  ],
  authorized_user: ['WAITING_FOR_AUTHORIZED_USER_TIMEOUT', 'The user who authorized the bot did not join'],
}
