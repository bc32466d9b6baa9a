/**
 * From the link to the meeting. The two loops that every platform shares: the first ends in the waiting room or in the
 * meeting, the second in the meeting; both end in the code of what happened instead.
 */
import { BotError } from '../../src/errors.ts'
import type { Admission, WaitingFor } from '../../src/ports.ts'
import type { AdmissionJudge } from './admission.ts'
import { prepareAhead } from './ahead.ts'
import type { MeetingPage } from './meeting-page.ts'
import type { CommonSigns } from './page/types.ts'
import type { MeetingSense, Phase, Place, Situation } from './situation.ts'
import type { Waits } from './waits.ts'

export interface Entrance<Signs extends CommonSigns, Kind extends string> {
  page: MeetingPage<Signs>
  sense: MeetingSense<Signs, Kind>
  judge: AdmissionJudge
  /** Answers a dialog; says of which kind it was, null when there was none to answer. */
  sweep(signs: Signs): Promise<string | null>
  /** Told of every look, for the evidence. */
  note(situation: Situation<Kind>): void
  /** Opens the meeting's address. */
  open(signal: AbortSignal): Promise<void>
  /**
   * One look at the entrance, without a dialog over it: fills in, sets devices, presses the button, as far as is due. Asks
   * nothing while `page.gate` is closed.
   */
  ask(signs: Signs, situation: Situation<Kind>): Promise<void>
  /** The request to join went out. */
  hasAsked(): boolean
  /** Each look, after it was judged. */
  onLook(place: Place, isNewDocument: boolean): void
  /** The error of a page that came to no decision in all the time for it. */
  timeOut(signs: Signs | null): BotError
  /** What people should know about the page's language or the like; ends a sentence about an unknown page. */
  pageNote?(signs: Signs): string
  /** One look in the waiting room, for what a platform has to do there. */
  wait?(signs: Signs, situation: Situation<Kind>): Promise<void>
}

/** Resolves in the waiting room or in the meeting. */
export async function enter<Signs extends CommonSigns, Kind extends string>(
  entrance: Entrance<Signs, Kind>,
  signal: AbortSignal,
): Promise<Admission> {
  const { page, sense, judge } = entrance
  const { clock, waits } = page
  await prepareAhead(entrance, signal)
  const started = clock.now()
  const patience = new Patience(sense)
  const unclear = new Stretch()
  const undecided = new Stretch()
  for (;;) {
    signal.throwIfAborted()
    const look = await page.look()
    const now = clock.now()
    if (now - started - patience.excusedMs > waits.preJoinMs) throw entrance.timeOut(page.lastSigns)
    if (look) {
      const { signs } = look
      const situation = sense.situationOf(signs)
      const place = sense.places[situation.kind]
      entrance.note(situation)
      const refusal = patience.refusalOf(situation, entrance.hasAsked() ? 'waiting' : 'pre-join', now)
      if (refusal) throw refusal
      if (unclear.lasts(place === 'unclear', now) > waits.unknownPageMs)
        throw unknownPage('The meeting page', 'pre-join', entrance, situation, signs)
      const verdict = judge.observe(place, sense.isCorroborated?.(situation) ?? false, now)
      entrance.onLook(place, look.isNewDocument)
      if (verdict === 'admitted') return 'in_meeting'
      if (verdict === 'waiting') return 'waiting_room'
      if (undecided.lasts(place === 'undecided', now) > waits.undecidedMs) return 'waiting_room'
      const answered = await entrance.sweep(signs)
      if (answered === null && place === 'entrance') await entrance.ask(signs, situation)
    }
    await clock.sleep(entrance.hasAsked() ? soonLook(waits) : waits.lookEveryMs, signal)
  }
}

/** Resolves when the bot is in. Its own patience is the caller's: the wait ends with the signal. */
export async function waitForAdmission<Signs extends CommonSigns, Kind extends string>(
  entrance: Entrance<Signs, Kind>,
  signal: AbortSignal,
): Promise<void> {
  const { page, sense, judge } = entrance
  const { clock, waits } = page
  const patience = new Patience(sense)
  const lost = new Stretch()
  for (;;) {
    signal.throwIfAborted()
    const look = await page.look()
    if (look) {
      const now = clock.now()
      const { signs } = look
      const situation = sense.situationOf(signs)
      const place = sense.places[situation.kind]
      entrance.note(situation)
      const refusal = patience.refusalOf(situation, 'waiting', now)
      if (refusal) throw refusal
      if (lost.lasts(place === 'unclear' || place === 'entrance', now) > waits.unknownPageMs)
        throw unknownPage('The waiting room gave way to a page that', 'waiting', entrance, situation, signs)
      const verdict = judge.observe(place, sense.isCorroborated?.(situation) ?? false, now)
      entrance.onLook(place, look.isNewDocument)
      if (verdict === 'admitted') return
      // A click on the toolbar of the waiting room is never needed; dialogs are answered as everywhere.
      await entrance.sweep(signs)
      await entrance.wait?.(signs, situation)
    }
    await clock.sleep(soonLook(waits), signal)
  }
}

function soonLook({ lookEveryMs, admissionLookMs }: Waits): number {
  return Math.min(lookEveryMs, admissionLookMs)
}

/** What a bot in this situation waits for, as far as it waits at all. */
export function waitingForOf<Signs extends CommonSigns, Kind extends string>(
  sense: MeetingSense<Signs, Kind>,
  { kind }: Situation<Kind>,
): WaitingFor | null {
  return sense.places[kind] === 'waiting' ? (sense.waitsFor?.[kind] ?? 'admission') : null
}

function unknownPage<Signs extends CommonSigns, Kind extends string>(
  subject: string,
  step: Phase,
  { pageNote }: Entrance<Signs, Kind>,
  { kind, text }: Situation<Kind>,
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
class Patience<Signs extends CommonSigns, Kind extends string> {
  readonly #sense: MeetingSense<Signs, Kind>
  readonly #seen = new Set<Kind>()
  #standing: { kind: Kind; since: number } | null = null
  /** The longest time for which something was waited that is not the bot's to speed up. */
  excusedMs = 0

  constructor(sense: MeetingSense<Signs, Kind>) {
    this.#sense = sense
  }

  refusalOf(situation: Situation<Kind>, phase: Phase, now: number): BotError | null {
    const { kind } = situation
    if (this.#standing?.kind !== kind) this.#standing = { kind, since: now }
    const stoodMs = now - this.#standing.since
    const patienceMs = this.#sense.patience?.[kind] ?? 0
    const refusal = stoodMs < patienceMs ? null : this.#sense.refusalOf(situation, phase, this.#seen)
    if (patienceMs > 0) this.excusedMs = Math.max(this.excusedMs, stoodMs)
    this.#seen.add(kind)
    return refusal
  }
}
