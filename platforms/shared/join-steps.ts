/**
 * From the link to the meeting. The two loops that every platform shares: the first ends in the waiting room or in the
 * meeting, the second in the meeting; both end in the code of what happened instead.
 */
import { BotError } from '../../src/errors.ts'
import type { Admission, WaitingFor } from '../../src/ports.ts'
import type { AdmissionJudge } from './admission.ts'
import { prepareAhead } from './ahead.ts'
import type { MeetingPage } from './meeting-page.ts'
import type { CommonSnapshot } from './page/types.ts'
import type { JoinStage, PageClassifier, PagePhase, PageState } from './page-state.ts'
import type { Waits } from './waits.ts'

export interface JoinSteps<Signs extends CommonSnapshot, Kind extends string> {
  page: MeetingPage<Signs>
  classifier: PageClassifier<Signs, Kind>
  judge: AdmissionJudge
  /** Answers a dialog; says of which kind it was, null when there was none to answer. */
  sweep(signs: Signs): Promise<string | null>
  /** Told of every look, for the evidence. */
  note(situation: PageState<Kind>): void
  /** Opens the meeting's address. */
  open(signal: AbortSignal): Promise<void>
  /**
   * One look at the entrance, without a dialog over it: fills in, sets devices, presses the button, as far as is due. Asks
   * nothing while `page.gate` is closed.
   */
  ask(signs: Signs, situation: PageState<Kind>): Promise<void>
  /** The request to join went out. */
  hasAsked(): boolean
  /** Each look, after it was judged. */
  onPoll(place: PagePhase, isNewDocument: boolean): void
  /** The error of a page that came to no decision in all the time for it. */
  timeOut(signs: Signs | null): BotError
  /** What people should know about the page's language or the like; ends a sentence about an unknown page. */
  pageNote?(signs: Signs): string
  /** One look in the waiting room, for what a platform has to do there. */
  wait?(signs: Signs, situation: PageState<Kind>): Promise<void>
}

/** Resolves in the waiting room or in the meeting. */
export async function enter<Signs extends CommonSnapshot, Kind extends string>(
  entrance: JoinSteps<Signs, Kind>,
  signal: AbortSignal,
): Promise<Admission> {
  const { page, classifier, judge } = entrance
  const { clock, waits } = page
  await prepareAhead(entrance, signal)
  const started = clock.now()
  const patience = new Patience(classifier)
  const unclear = new Stretch()
  const undecided = new Stretch()
  for (;;) {
    signal.throwIfAborted()
    const look = await page.look()
    const now = clock.now()
    if (now - started - patience.excusedMs > waits.preJoinMs) throw entrance.timeOut(page.lastSnapshot)
    if (look) {
      const { signs } = look
      const situation = classifier.situationOf(signs)
      const place = classifier.places[situation.kind]
      entrance.note(situation)
      const refusal = patience.refusalOf(situation, entrance.hasAsked() ? 'waiting' : 'pre-join', now)
      if (refusal) throw refusal
      if (unclear.lasts(place === 'unclear', now) > waits.unknownPageMs)
        throw unknownPage('The meeting page', 'pre-join', entrance, situation, signs)
      const verdict = judge.observe(place, classifier.isCorroborated?.(situation) ?? false, now)
      entrance.onPoll(place, look.isNewDocument)
      if (verdict === 'admitted') return 'in_meeting'
      if (verdict === 'waiting') return 'waiting_room'
      if (undecided.lasts(place === 'undecided', now) > waits.undecidedMs) return 'waiting_room'
      const answered = await entrance.sweep(signs)
      if (answered === null && place === 'entrance') await entrance.ask(signs, situation)
    }
    await clock.sleep(entrance.hasAsked() ? soonLook(waits) : waits.pollEveryMs, signal)
  }
}

/** Resolves when the bot is in. Its own patience is the caller's: the wait ends with the signal. */
export async function waitForAdmission<Signs extends CommonSnapshot, Kind extends string>(
  entrance: JoinSteps<Signs, Kind>,
  signal: AbortSignal,
): Promise<void> {
  const { page, classifier, judge } = entrance
  const { clock, waits } = page
  const patience = new Patience(classifier)
  const lost = new Stretch()
  for (;;) {
    signal.throwIfAborted()
    const look = await page.look()
    if (look) {
      const now = clock.now()
      const { signs } = look
      const situation = classifier.situationOf(signs)
      const place = classifier.places[situation.kind]
      entrance.note(situation)
      const refusal = patience.refusalOf(situation, 'waiting', now)
      if (refusal) throw refusal
      if (lost.lasts(place === 'unclear' || place === 'entrance', now) > waits.unknownPageMs)
        throw unknownPage('The waiting room gave way to a page that', 'waiting', entrance, situation, signs)
      const verdict = judge.observe(place, classifier.isCorroborated?.(situation) ?? false, now)
      entrance.onPoll(place, look.isNewDocument)
      if (verdict === 'admitted') return
      // A click on the toolbar of the waiting room is never needed; dialogs are answered as everywhere.
      await entrance.sweep(signs)
      await entrance.wait?.(signs, situation)
    }
    await clock.sleep(soonLook(waits), signal)
  }
}

function soonLook({ pollEveryMs, admissionPollMs }: Waits): number {
  return Math.min(pollEveryMs, admissionPollMs)
}

/** What a bot in this situation waits for, as far as it waits at all. */
export function waitingForOf<Signs extends CommonSnapshot, Kind extends string>(
  classifier: PageClassifier<Signs, Kind>,
  { kind }: PageState<Kind>,
): WaitingFor | null {
  return classifier.places[kind] === 'waiting' ? (classifier.waitsFor?.[kind] ?? 'admission') : null
}

function unknownPage<Signs extends CommonSnapshot, Kind extends string>(
  subject: string,
  step: JoinStage,
  { pageNote }: JoinSteps<Signs, Kind>,
  { kind, text }: PageState<Kind>,
  signs: Signs,
): BotError {
  const what = kind === 'loading' ? 'kept loading' : `shows nothing the bot knows ("${text}")`
  const note = pageNote?.(signs) ?? ''
  return new BotError('CANNOT_JOIN_MEETING', `${subject} ${what}.${note}`, { step, canRetry: true })
}

/** How long something has lasted without a break, in milliseconds. */
class Stretch {
  #since: number | null = null

  lasts(isSo: boolean, now: number): number {
    this.#since = isSo ? (this.#since ?? now) : null
    return this.#since === null ? 0 : now - this.#since
  }
}

/** Refusals, once those that may pass have stood for their time. */
class Patience<Signs extends CommonSnapshot, Kind extends string> {
  readonly #classifier: PageClassifier<Signs, Kind>
  readonly #seen = new Set<Kind>()
  #standing: { kind: Kind; since: number } | null = null
  /** The longest time for which something was waited that is not the bot's to speed up. */
  excusedMs = 0

  constructor(classifier: PageClassifier<Signs, Kind>) {
    this.#classifier = classifier
  }

  refusalOf(situation: PageState<Kind>, phase: JoinStage, now: number): BotError | null {
    const { kind } = situation
    if (this.#standing?.kind !== kind) this.#standing = { kind, since: now }
    const stoodMs = now - this.#standing.since
    const patienceMs = this.#classifier.patience?.[kind] ?? 0
    const refusal = stoodMs < patienceMs ? null : this.#classifier.refusalOf(situation, phase, this.#seen)
    if (patienceMs > 0) this.excusedMs = Math.max(this.excusedMs, stoodMs)
    this.#seen.add(kind)
    return refusal
  }
}
