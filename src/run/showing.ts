/** The page that the bot shows, through all browsers of the bot: one at a time, replaced, stopped, and shown again after a rejoin. */

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

export class Showing {
  readonly #parts: ShowingParts
  readonly #inTurn = inTurn(1)
  /** The page to show, also in browsers to come. */
  #wanted: string | null
  #page: ShownPage | null = null
  /** Who is in the meeting, for pages that come later. */
  readonly #people = new Map<number, Person>()
  #isClosed = false

  /** `wanted`: the address of the page to show from the start. */
  constructor(parts: ShowingParts, wanted: string | null) {
    this.#parts = parts
    this.#wanted = wanted
  }

  /** In place of the page before. Rejects with a sentence if it cannot be shown; the one before stays. */
  show(url: string): Promise<void> {
    return this.#inTurn(async () => {
      await this.#open(url)
      this.#wanted = url
    })
  }

  /** Repeatable. */
  stop(): Promise<void> {
    this.#wanted = null
    return this.#inTurn(() => this.#closePage())
  }

  /** A browser of the bot is in the meeting, and has no page yet. */
  onReady(): void {
    this.#page = null
    void this.#inTurn(async () => {
      const url = this.#wanted
      if (url === null || this.#page !== null) return
      await this.#open(url).catch((error) => this.#notice(`The page is not shown: ${messageOf(error)}`))
    })
  }

  onEvent(event: BotEvent | Transcript): void {
    if (event.type === 'participant_joined' || event.type === 'participant_changed')
      this.#people.set(event.participant.id, { ...event, type: 'participant_joined' })
    if (event.type === 'participant_left') this.#people.delete(event.participant.id)
    if (isNews(event)) this.#page?.tell(event)
  }

  /** Repeatable. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.stop()
  }

  async #open(url: string): Promise<void> {
    const { meeting, mouth } = this.#parts
    if (this.#isClosed) throw new Error('The bot leaves the meeting.')
    mouth.prepareToOverhear()
    let hasEnded = false
    const page = await meeting.showPage(url, {
      firstNews: () => [...this.#people.values()],
      onSound: (sound) => mouth.overhear(sound),
      onCall: (call) => this.#answer(call),
      onEnded: (reason) => {
        hasEnded = true
        this.#page = null
        this.#wanted = null
        this.#notice(`The page is not shown any more: ${reason}`)
      },
    })
    await this.#page?.close()
    this.#page = hasEnded ? null : page
  }

  async #closePage(): Promise<void> {
    const page = this.#page
    this.#page = null
    await page?.close()
  }

  async #answer(call: PageCall): Promise<unknown> {
    const { saying } = this.#parts
    if (call.call === 'say') return saying.say(call)
    if (call.what === 'speech') return saying.stop()
    this.#notice('The page that the bot showed has ended itself.')
    // Its answer has no page to go to.
    void this.stop()
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
