/** Watches the meeting from admission to its end and tells it in words of the life. */
import { within } from '../../src/clock.ts'
import { BotError, toBotError } from '../../src/errors.ts'
import type { MeetingEnd, MeetingEvent } from '../../src/meeting.ts'
import type { DeviceKeeper } from './devices.ts'
import type { DialogSweeper } from './entry-steps.ts'
import type { MeetPage } from './meet-page.ts'
import { endOf, refusalOf } from './outcomes.ts'
import type { PageSigns } from './page/types.ts'
import { type Situation, type SituationKind, situationOf } from './situation.ts'

/** Statuses of the own device in the roster. */
const OUT = 6
const REMOVED = 7
/** Looks in a row that have to say the same before a meeting counts as ended. */
const END_LOOKS = 2

const LAST_LOOK_MS = 1000

/** Pages that are the meeting, however disturbed. */
const IN_MEETING: ReadonlySet<SituationKind> = new Set<SituationKind>(['in_call', 'consent', 'reconnecting'])

export interface Watching {
  page: MeetPage
  devices: DeviceKeeper
  dialogs: DialogSweeper
  note(situation: Situation): void
}

export class InMeeting {
  readonly #watching: Watching
  readonly #listeners = new Set<(event: MeetingEvent) => void>()
  /** Events before the first listener. */
  #kept: MeetingEvent[] | null = []
  readonly #stop = new AbortController()
  #loop: Promise<void> | null = null
  #isOver = false
  #lostAt: number | null = null
  #lobbyAgain = false
  #unknownSince: number | null = null
  #endSeen: { end: string; looks: number; at: number } | null = null
  #availability: boolean | null = null

  constructor(watching: Watching) {
    this.#watching = watching
  }

  watch(listener: (event: MeetingEvent) => void): () => void {
    this.#listeners.add(listener)
    const kept = this.#kept ?? []
    this.#kept = null
    for (const event of kept) listener(event)
    return () => this.#listeners.delete(listener)
  }

  /** From admission on. Repeatable. */
  async begin(): Promise<void> {
    if (this.#loop) return
    const { page } = this.#watching
    page.browser.whenEnded.then((reason) => this.#fail(new BotError('INTERNAL_ERROR', `The browser broke: ${reason}`)))
    // A page that does not answer this has its say at the first look.
    await page.ask('begin').catch((error) => page.logger.warn('The page did not hear of the admission', { error }))
    this.#loop ??= this.#watch()
  }

  /** Nothing is told any more. Waits for the look that is under way, but not for a frozen page. */
  async end(): Promise<void> {
    this.#isOver = true
    this.#stop.abort()
    if (!this.#loop) return
    await within(this.#watching.page.clock, LAST_LOOK_MS, this.#loop, () => new Error('The last look hangs')).catch(
      (error) => this.#watching.page.logger.debug('The page is left without its last look', { error }),
    )
  }

  tellChatAvailability(isAvailable: boolean): void {
    if (this.#availability === isAvailable) return
    this.#availability = isAvailable
    this.#tell({ type: 'chat_availability', isAvailable, at: this.#watching.page.clock.now() })
  }

  /** Nothing is open over the meeting and the devices are as wanted, or the time for it is over. */
  async whenQuiet(signal: AbortSignal): Promise<void> {
    const { page, devices } = this.#watching
    const deadline = page.clock.now() + page.waits.settleMs
    let looks = 0
    let last: PageSigns | null = null
    while (!this.#isOver && page.clock.now() < deadline) {
      signal.throwIfAborted()
      const signs = page.lastSigns
      if (signs !== null && signs !== last) {
        last = signs
        looks = devices.isRight(signs) && signs.dialogs.every(({ isModal }) => !isModal) ? looks + 1 : 0
        if (looks >= 2) return
      }
      await page.clock.sleep(Math.min(200, page.waits.callLookEveryMs), signal)
    }
  }

  async #watch(): Promise<void> {
    const { page } = this.#watching
    while (!this.#isOver) {
      try {
        await this.#look()
        if (!this.#isOver) await page.clock.sleep(page.waits.callLookEveryMs, this.#stop.signal)
      } catch (error) {
        if (this.#isOver) return
        this.#fail(toBotError(error, 'in meeting'))
      }
    }
  }

  async #look(): Promise<void> {
    const { page, devices, dialogs, note } = this.#watching
    const look = await page.look()
    if (!look || this.#isOver) return
    for (const event of look.events) this.#tell(event)
    const { signs } = look
    const situation = situationOf(signs)
    note(situation)
    if (devices.wasMuted(signs)) this.#tell({ type: 'muted_by_host', at: signs.at })
    this.#judge(situation, signs)
    if (this.#isOver) return
    const isClear = situation.kind === 'in_call'
    this.#tell({ type: 'heartbeat', others: isClear ? signs.others : null, at: signs.at })
    // A moving pointer keeps nothing on the screen that is recorded, and hidden toolbars are not needed to press.
    await dialogs.sweep(signs)
    if (isClear && !devices.isRight(signs)) {
      await page.wakePointer()
      await devices.settle(signs)
    }
  }

  #judge(situation: Situation, signs: PageSigns): void {
    const { kind } = situation
    const end = this.#endOf(situation, signs)
    if (end !== null) {
      const seen = this.#endSeen?.end === end ? this.#endSeen : { end, looks: 0, at: signs.at }
      this.#endSeen = { ...seen, looks: seen.looks + 1 }
      if (seen.looks + 1 < END_LOOKS) return
      if (this.#lobbyAgain) {
        // The admission was none, and this is the answer to the knock.
        this.#fail(refusalOf(situation, 'waiting') ?? new BotError('BOT_NOT_ACCEPTED', situation.text))
        return
      }
      this.#tell({ type: 'ended', end, text: situation.text, at: seen.at })
      this.#isOver = true
      return
    }
    this.#endSeen = null
    this.#followConnection(situation, signs.at)
    if (kind === 'lobby' || kind === 'waiting_for_host') this.#lobbyAgain = true
    else if (kind === 'in_call') this.#lobbyAgain = false
    this.#unknownSince = IN_MEETING.has(kind) || kind === 'lobby' ? null : (this.#unknownSince ?? signs.at)
    if (this.#unknownSince !== null && signs.at - this.#unknownSince > this.#watching.page.waits.unknownInCallMs)
      this.#fail(
        new BotError('INTERNAL_ERROR', `The page shows neither the meeting nor its end ("${situation.text}").`, {
          step: 'in meeting',
        }),
      )
  }

  #endOf(situation: Situation, signs: PageSigns): MeetingEnd | null {
    const end = endOf(situation)
    if (end !== null) return end
    // What the roster says of our own device, where the page has no words for it (yet).
    if (situation.kind !== 'in_call' && !IN_MEETING.has(situation.kind) && signs.ownStatus === REMOVED) return 'removed'
    if (situation.kind === 'unknown' && signs.ownStatus === OUT) return 'ended_for_all'
    return null
  }

  #followConnection(situation: Situation, at: number): void {
    if (situation.kind === 'reconnecting') {
      if (this.#lostAt === null) {
        this.#lostAt = at
        this.#tell({ type: 'connection', state: 'lost', at })
      } else if (at - this.#lostAt > this.#watching.page.waits.reconnectMs)
        this.#fail(
          new BotError(
            'INTERNAL_ERROR',
            `The connection to the meeting was lost and did not come back ("${situation.text}").`,
            {
              step: 'connection',
            },
          ),
        )
    } else if (this.#lostAt !== null && situation.kind === 'in_call') {
      this.#lostAt = null
      this.#tell({ type: 'connection', state: 'recovered', at })
    }
  }

  #fail(error: BotError): void {
    if (this.#isOver) return
    this.#tell({ type: 'failed', error, at: this.#watching.page.clock.now() })
    this.#isOver = true
    this.#stop.abort()
  }

  #tell(event: MeetingEvent): void {
    if (this.#isOver) return
    if (this.#kept) this.#kept.push(event)
    for (const listener of this.#listeners) listener(event)
  }
}
