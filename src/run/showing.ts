/**
 * The pages that the bot shows, through all browsers of the bot: one at a time as its camera, and one as its shared screen, each
 * replaced, stopped, and shown again after a rejoin.
 */

import { PAGE_TARGETS, type PageTarget } from '@standin/wire/bot-fields.ts'
import type { BotEvent, Transcript } from '@standin/wire/events.ts'
import { PAGE_NEWS, type PageCall, type PageNews } from '@standin/wire/page-bridge.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { inTurn } from '@standin/wire/time/in-turn.ts'
import type { Logger } from '../../packages/core/logger.ts'
import type { ControlPlane, MeetingDriver, Mouth, ShownPage } from '../../packages/core/ports.ts'
import type { Saying } from './saying.ts'

export interface ShowingParts {
  meeting: Pick<MeetingDriver, 'showPage'>
  mouth: Pick<Mouth, 'overhear' | 'prepareToOverhear'>
  saying: Pick<Saying, 'say' | 'stop'>
  control: Pick<ControlPlane, 'report'>
  logger: Logger
}

type Person = Extract<BotEvent, { type: 'participant_joined' }>

interface Place {
  /** For people, at the start of a sentence. */
  name: string
  /** The page to show, also in browsers to come. */
  wanted: string | null
  page: ShownPage | null
}

export class Showing {
  readonly #parts: ShowingParts
  readonly #inTurn = inTurn(1)
  readonly #places: Record<PageTarget, Place> = {
    camera: { name: 'The page', wanted: null, page: null },
    screen: { name: 'The shared page', wanted: null, page: null },
  }
  /** Who is in the meeting, for pages that come later. */
  readonly #people = new Map<number, Person>()
  #isClosed = false

  /** `wanted`: addresses of the pages to show from the start. */
  constructor(parts: ShowingParts, wanted: readonly [PageTarget, string][]) {
    this.#parts = parts
    for (const [target, url] of wanted) this.#places[target].wanted = url
  }

  /** In place of the page before. Rejects with a sentence if it cannot be shown; the one before stays. */
  show(target: PageTarget, url: string): Promise<void> {
    return this.#inTurn(async () => {
      await this.#open(target, url)
      this.#places[target].wanted = url
    })
  }

  /** Repeatable. */
  stop(target: PageTarget): Promise<void> {
    const place = this.#places[target]
    place.wanted = null
    return this.#inTurn(async () => {
      const { page } = place
      place.page = null
      // A page that was still loading is wanted since it is shown.
      place.wanted = null
      await page?.close()
    })
  }

  /** A browser of the bot is in the meeting, and has no page yet. */
  onReady(): void {
    for (const target of PAGE_TARGETS) {
      const place = this.#places[target]
      place.page = null
      void this.#inTurn(async () => {
        const { wanted, name } = place
        if (wanted === null || place.page !== null) return
        await this.#open(target, wanted).catch((error) => this.#notice(`${name} is not shown: ${messageOf(error)}`))
      })
    }
  }

  onEvent(event: BotEvent | Transcript): void {
    if (event.type === 'participant_joined' || event.type === 'participant_changed')
      this.#people.set(event.participant.id, { ...event, type: 'participant_joined' })
    if (event.type === 'participant_left') this.#people.delete(event.participant.id)
    if (isNews(event)) for (const target of PAGE_TARGETS) this.#places[target].page?.tell(event)
  }

  /** Repeatable. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(PAGE_TARGETS.map((target) => this.stop(target)))
  }

  async #open(target: PageTarget, url: string): Promise<void> {
    const { meeting, mouth } = this.#parts
    const place = this.#places[target]
    if (this.#isClosed) throw new Error('The bot leaves the meeting.')
    mouth.prepareToOverhear()
    let hasEnded = false
    const page = await meeting.showPage(target, url, {
      firstNews: () => [...this.#people.values()],
      onSound: (sound) => mouth.overhear(sound),
      onCall: (call) => this.#answer(target, call),
      onEnded: (reason) => {
        hasEnded = true
        place.page = null
        place.wanted = null
        this.#notice(`${place.name} is not shown any more: ${reason}`)
      },
    })
    await place.page?.close()
    place.page = hasEnded ? null : page
  }

  async #answer(target: PageTarget, call: PageCall): Promise<unknown> {
    const { saying } = this.#parts
    if (call.call === 'say') return saying.say(call)
    if (call.what === 'speech') return saying.stop()
    this.#notice(`${this.#places[target].name} has ended itself.`)
    // Its answer has no page to go to.
    void this.stop(target)
    return null
  }

  #notice(message: string): void {
    this.#parts.logger.info(message)
    this.#parts.control.report({ type: 'notice', level: 'warning', message })
  }
}

function isNews(event: BotEvent | Transcript): event is PageNews {
  return (PAGE_NEWS as readonly string[]).includes(event.type)
}
