/**
 * Joins the meeting in two loops that every platform shares: the first ends in the waiting room or in the meeting, the
 * second in the meeting. Both reject with the error code of any other outcome.
 */
import { BotError } from '../../../packages/core/errors.ts'
import type { Admission, WaitingFor } from '../../../packages/core/ports.ts'
import type { CommonSnapshot } from '../page/types.ts'
import type { MeetingPage } from '../page-access/meeting-page.ts'
import { untilSilence } from '../page-access/no-answer.ts'
import type { JoinStep, PageClassifier, PagePhase, PageState } from '../page-state.ts'
import type { Waits } from '../waits.ts'
import type { AdmissionJudge } from './admission.ts'
import { prepareAhead, stepIn } from './ahead.ts'
import type { AnswerTime } from './answer-time.ts'

export interface JoinSteps<Snapshot extends CommonSnapshot, Kind extends string> {
  page: MeetingPage<Snapshot>
  classifier: PageClassifier<Snapshot, Kind>
  judge: AdmissionJudge
  answers: AnswerTime
  /** Answers a dialog; returns its kind, or null when there was none to answer. */
  answerOpenDialog(snapshot: Snapshot): Promise<string | null>
  /** Called with every page state, for the evidence. */
  note(state: PageState<Kind>): void
  /** Opens the meeting's address. */
  open(signal: AbortSignal): Promise<void>
  /**
   * One poll of the page before the join, without a dialog over it: fills in the form, sets devices and presses the
   * button, as far as is due. Does not ask to join while `page.gate` is closed.
   */
  ask(snapshot: Snapshot, state: PageState<Kind>): Promise<void>
  /** The request to join was sent. */
  hasAsked(): boolean
  /** Called after each poll and its judgment. */
  onPoll(phase: PagePhase, isNewDocument: boolean): void
  /** The error of a page that did not decide within its time. */
  timeOut(snapshot: Snapshot | null): BotError
  /** A note for people about the page's language or the like; ends a sentence about an unknown page. */
  pageNote?(snapshot: Snapshot): string
  /** One poll in the waiting room, for a platform's own tasks there. */
  wait?(snapshot: Snapshot, state: PageState<Kind>): Promise<void>
}

/** Resolves in the waiting room or in the meeting. */
export async function enter<Snapshot extends CommonSnapshot, Kind extends string>(
  entrance: JoinSteps<Snapshot, Kind>,
  signal: AbortSignal,
): Promise<Admission> {
  const { page, classifier, judge } = entrance
  const { clock, waits } = page
  await prepareAhead(entrance, signal)
  const started = clock.now()
  const patience = new Patience(entrance)
  const unclear = new Stretch()
  const undecided = new Stretch()
  for (;;) {
    signal.throwIfAborted()
    const lookedAt = clock.now()
    const look = await page.poll()
    const now = clock.now()
    if (now - started - patience.excusedMs > waits.preJoinMs) throw entrance.timeOut(page.lastSnapshot)
    if (look) {
      const { snapshot } = look
      const state = classifier.stateOf(snapshot)
      const phase = classifier.phases[state.kind]
      entrance.note(state)
      const refusal = patience.refusalOf(state, entrance.hasAsked() ? 'waiting' : 'pre-join', { lookedAt, now })
      if (refusal) throw refusal
      if (unclear.lasts(phase === 'unclear', now) > waits.unknownPageMs)
        throw unknownPage('The meeting page', 'pre-join', entrance, state, snapshot)
      const verdict = judge.observe(phase, classifier.isCorroborated?.(state) ?? false, now)
      entrance.onPoll(phase, look.isNewDocument)
      if (verdict === 'admitted') return 'in_meeting'
      if (verdict === 'waiting') return 'waiting_room'
      if (undecided.lasts(phase === 'undecided', now) > waits.undecidedMs) return 'waiting_room'
      await stepIn(entrance, snapshot, state)
    }
    await clock.sleep(entrance.hasAsked() ? soonLook(waits) : waits.pollEveryMs, signal)
  }
}

/** Resolves when the bot is in. The caller limits the wait: it ends with the signal. */
export async function waitForAdmission<Snapshot extends CommonSnapshot, Kind extends string>(
  entrance: JoinSteps<Snapshot, Kind>,
  signal: AbortSignal,
): Promise<void> {
  const { page, classifier, judge } = entrance
  const { clock, waits } = page
  const patience = new Patience(entrance)
  const lost = new Stretch()
  for (;;) {
    signal.throwIfAborted()
    const lookedAt = clock.now()
    const look = await page.poll()
    if (look) {
      const now = clock.now()
      const { snapshot } = look
      const state = classifier.stateOf(snapshot)
      const phase = classifier.phases[state.kind]
      entrance.note(state)
      const refusal = patience.refusalOf(state, 'waiting', { lookedAt, now })
      if (refusal) throw refusal
      if (lost.lasts(phase === 'unclear' || phase === 'entrance', now) > waits.unknownPageMs)
        throw unknownPage('The waiting room gave way to a page that', 'waiting', entrance, state, snapshot)
      const verdict = judge.observe(phase, classifier.isCorroborated?.(state) ?? false, now)
      entrance.onPoll(phase, look.isNewDocument)
      if (verdict === 'admitted') return
      // The toolbar of the waiting room is never needed; dialogs are answered as everywhere.
      const waitInside = async () => {
        await entrance.answerOpenDialog(snapshot)
        await entrance.wait?.(snapshot, state)
      }
      await untilSilence(page.logger, waitInside())
    }
    await clock.sleep(soonLook(waits), signal)
  }
}

function soonLook({ pollEveryMs, admissionPollMs }: Waits): number {
  return Math.min(pollEveryMs, admissionPollMs)
}

/** The admission or event that the bot waits for in this page state; null if it does not wait. */
export function waitingForOf<Snapshot extends CommonSnapshot, Kind extends string>(
  classifier: PageClassifier<Snapshot, Kind>,
  { kind }: PageState<Kind>,
): WaitingFor | null {
  return classifier.phases[kind] === 'waiting' ? (classifier.waitsFor?.[kind] ?? 'admission') : null
}

/** On this page those who decide do not have the request: the bot has to ask again, or a person has to come first. */
function isHeld<Snapshot extends CommonSnapshot, Kind extends string>(
  classifier: PageClassifier<Snapshot, Kind>,
  state: PageState<Kind>,
): boolean {
  if (classifier.phases[state.kind] === 'entrance' || classifier.droppedRequest === state.kind) return true
  return (waitingForOf(classifier, state) ?? 'admission') !== 'admission'
}

function unknownPage<Snapshot extends CommonSnapshot, Kind extends string>(
  subject: string,
  step: JoinStep,
  { pageNote }: JoinSteps<Snapshot, Kind>,
  { kind, text }: PageState<Kind>,
  snapshot: Snapshot,
): BotError {
  const what = kind === 'loading' ? 'kept loading' : `shows nothing the bot knows ("${text}")`
  const note = pageNote?.(snapshot) ?? ''
  const reason = kind === 'loading' ? undefined : 'page_unknown'
  return new BotError('CANNOT_JOIN_MEETING', `${subject} ${what}.${note}`, { step, canRetry: true, reason })
}

/** The platform gave up before the bot did, and no host was there who could have answered. */
function noHost({ message, step }: BotError): BotError {
  return new BotError('WAITING_FOR_HOST_TIMEOUT', `The host did not come. ${message}`, { step, reason: 'not_started' })
}

/** How long something has lasted without a break, in milliseconds. */
class Stretch {
  #since: number | null = null

  lasts(isSo: boolean, now: number): number {
    this.#since = isSo ? (this.#since ?? now) : null
    return this.#since === null ? 0 : now - this.#since
  }
}

/** Refusals; one that may pass counts only after its time. */
class Patience<Snapshot extends CommonSnapshot, Kind extends string> {
  readonly #entrance: JoinSteps<Snapshot, Kind>
  readonly #seen = new Set<Kind>()
  #waitedFor: WaitingFor | null = null
  #standing: { kind: Kind; since: number } | null = null
  /** The longest wait that the bot could not shorten. Milliseconds. */
  excusedMs = 0

  constructor(entrance: JoinSteps<Snapshot, Kind>) {
    this.#entrance = entrance
  }

  refusalOf(
    state: PageState<Kind>,
    joinStep: JoinStep,
    { lookedAt, now }: { lookedAt: number; now: number },
  ): BotError | null {
    const { classifier, answers } = this.#entrance
    const { kind } = state
    if (this.#standing?.kind !== kind) this.#standing = { kind, since: now }
    const stoodMs = now - this.#standing.since
    const patienceMs = classifier.patience?.[kind] ?? 0
    const refused = classifier.refusalOf(state, joinStep, this.#seen)
    const wasDecidedBefore = classifier.decidedBefore?.includes(kind) ?? false
    const refusal = refused && !wasDecidedBefore ? answers.judge(refused, this.#standing.since, classifier) : refused
    this.#waitedFor = waitingForOf(classifier, state) ?? this.#waitedFor
    if (refused === null) answers.noAnswer(lookedAt, isHeld(classifier, state))
    if (patienceMs > 0) this.excusedMs = Math.max(this.excusedMs, stoodMs)
    this.#seen.add(kind)
    if (stoodMs < patienceMs) return null
    return refusal?.reason === 'waiting_ended_by_platform' && this.#waitedFor === 'host' ? noHost(refusal) : refusal
  }
}
