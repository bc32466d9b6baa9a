/**
 * The rules of docs/calendars.md#how-bots-follow-events written down a second time, without a database: which bots a
 * reader of that page expects after the service has looked at the calendar.
 */
import type { ProviderEvent } from '../../../control-plane/calendars/ports.ts'

const LOCK_MS = 4 * 60_000
const WINDOW_MS = 30 * 86_400_000

export interface PlannedBot {
  event: string
  start: number
  url: string
}

type ModelBot = PlannedBot & { state: 'scheduled' | 'runs' | 'over' }

interface Wish {
  state: 'wanted' | 'excluded' | 'ended'
  /** The link that was last seen. */
  url: string | null
  /** The bot that was made last for what the event says now. */
  bot: ModelBot | null
}

/** An event as the service knows it. */
interface Seen {
  series: string
  start: number
  end: number
  url: string | null
  isGone: boolean
}

export class RulesModel {
  readonly #events = new Map<string, Seen>()
  readonly #wishes = new Map<string, Wish>()
  readonly #bots: ModelBot[] = []
  /** Series whose every occurrence gets a bot. */
  readonly #rules = new Set<string>()
  /** Series that ever had a rule. */
  readonly #ruled = new Set<string>()
  /** Events that continue others, until the service has seen it. */
  #replaced: [old: string, by: string][] = []

  /** The provider gave the event another id. */
  replace(old: string, by: string): void {
    const known = this.#replaced.find((one) => one[1] === old)
    if (known === undefined) this.#replaced.push([old, by])
    else known[1] = by
  }

  see(reported: readonly ProviderEvent[]): void {
    const now = Date.now()
    const here = new Map(reported.map((event) => [event.providerId, event]))
    const isNewSeries = new Set(
      reported
        .map(({ seriesProviderId }) => seriesProviderId)
        .filter((id) => ![...this.#events.values()].some(({ series }) => series === id)),
    )
    for (const event of reported) {
      const isInWindow = event.start.getTime() < now + WINDOW_MS && event.end.getTime() > now
      if (!this.#events.has(event.providerId) && !isInWindow) continue
      const isBehind = event.start.getTime() >= now + WINDOW_MS
      this.#events.set(event.providerId, {
        series: event.seriesProviderId,
        start: event.start.getTime(),
        end: event.end.getTime(),
        url: event.meetingUrl,
        isGone: isBehind || event.status === 'cancelled',
      })
    }
    for (const [id, seen] of this.#events) if (!here.has(id)) seen.isGone = true
    this.#handOver(isNewSeries)
    for (const [old, by] of this.#replaced) this.#continue(old, by)
    this.#replaced = []
    this.#fill(now)
    for (const id of this.#wishes.keys()) this.#follow(id, now)
  }

  /** A series gets the rule of the one that it continues: of those that it is named after, else the newest. */
  #handOver(isNewSeries: ReadonlySet<string>): void {
    const known = [...new Set([...this.#events.values()].map(({ series }) => series))]
    for (const series of isNewSeries) {
      if (!known.includes(series) || this.#ruled.has(series)) continue
      const [replaced] =
        this.#replaced.find(([old, by]) => this.#events.get(by)?.series === series && this.#events.has(old)) ?? []
      const family = series.replace(/_R\d+$/, '')
      const isOlder = (other: string) =>
        !isNewSeries.has(other) && (other === family || other.startsWith(`${family}_R`))
      const parent = replaced === undefined ? known.filter(isOlder).at(-1) : this.#events.get(replaced)!.series
      if (parent !== undefined && this.#rules.has(parent)) this.#rule(series)
    }
  }

  #continue(old: string, by: string): void {
    const wish = this.#wishes.get(old)
    if (wish === undefined || !this.#events.has(by)) return
    this.#wishes.delete(old)
    this.#wishes.set(by, wish)
    for (const bot of this.#bots) if (bot.event === old && bot.state !== 'over') bot.event = by
  }

  #rule(series: string): void {
    this.#rules.add(series)
    this.#ruled.add(series)
  }

  #fill(now: number): void {
    for (const [id, { series, end }] of this.#events)
      if (this.#rules.has(series) && end > now && !this.#wishes.has(id))
        this.#wishes.set(id, { state: 'wanted', url: null, bot: null })
  }

  #follow(id: string, now: number): void {
    const wish = this.#wishes.get(id)!
    const event = this.#events.get(id)!
    if (wish.state !== 'wanted') return
    if (event.isGone) {
      for (const bot of this.#bots) if (bot.event === id) bot.state = 'over'
      wish.bot = null
      wish.url = event.url ?? wish.url
      return
    }
    wish.url = event.url ?? wish.url
    const { url } = wish
    if (url === null) return
    const isOver = event.end <= now
    const { bot } = wish
    if (bot !== null && bot.start === event.start && bot.url === url) return
    if (bot !== null && bot.state === 'scheduled' && bot.start >= now + LOCK_MS) {
      if (isOver) {
        bot.state = 'over'
        wish.bot = null
      } else Object.assign(bot, { start: event.start, url })
      return
    }
    if (isOver) return
    wish.bot = { event: id, start: event.start, url, state: 'scheduled' }
    this.#bots.push(wish.bot)
  }

  /** The events that get a bot now. */
  schedule(id: string, isAll: boolean): string[] {
    const now = Date.now()
    const { series } = this.#events.get(id)!
    if (isAll) this.#rule(series)
    const targets = isAll ? [...this.#events].filter(([, seen]) => seen.series === series).map(([id]) => id) : [id]
    const scheduled: string[] = []
    for (const target of targets) {
      const event = this.#events.get(target)!
      const wish = this.#wishes.get(target)
      const hasBot = wish?.state === 'wanted' && wish.bot !== null && wish.bot.state !== 'over'
      if (hasBot || event.isGone || event.end <= now) continue
      const url = event.url ?? wish?.url ?? null
      if (url === null && !isAll) continue
      this.#wishes.set(target, { state: 'wanted', url: null, bot: null })
      if (url === null) continue
      scheduled.push(target)
      this.#follow(target, now)
    }
    return scheduled
  }

  unschedule(id: string, isAll: boolean): void {
    const { series } = this.#events.get(id)!
    const hasRule = this.#rules.has(series)
    if (isAll) this.#rules.delete(series)
    const targets = isAll ? [...this.#events].filter(([, seen]) => seen.series === series).map(([id]) => id) : [id]
    for (const target of targets) {
      const wish = this.#wishes.get(target)
      if (wish === undefined) continue
      if (isAll && wish.state === 'excluded') wish.state = 'ended'
      if (wish.state !== 'wanted') continue
      const open = this.#bots.filter((bot) => bot.event === target && bot.state !== 'over')
      if (wish.bot !== null && open.length === 0) continue
      for (const bot of open) bot.state = 'over'
      wish.bot = null
      wish.state = !isAll && hasRule ? 'excluded' : 'ended'
    }
  }

  #find(plan: PlannedBot, state: ModelBot['state']): ModelBot {
    return this.#bots.find(
      (bot) => bot.event === plan.event && bot.start === plan.start && bot.url === plan.url && bot.state === state,
    )!
  }

  spawn(plan: PlannedBot): void {
    this.#find(plan, 'scheduled').state = 'runs'
  }

  end(plan: PlannedBot): void {
    this.#find(plan, 'runs').state = 'over'
  }

  openBots(): (PlannedBot & { runs: boolean })[] {
    return this.#bots.filter(({ state }) => state !== 'over').map((bot) => ({ ...bot, runs: bot.state === 'runs' }))
  }

  shownEvents(): string[] {
    return [...this.#events].filter(([, { isGone }]) => !isGone).map(([id]) => id)
  }
}
