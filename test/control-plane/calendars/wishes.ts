/**
 * The rules of docs/calendars.md#how-bots-follow-events written down a second time, without a database: the bots that a
 * reader of that page expects after the service has looked at the calendar.
 */
import { expect } from 'vitest'
import type { Instance } from '../../../packages/mock/calendars/model.ts'

const LOCK_MS = 4 * 60_000

interface Bot {
  id: string
  start: number
  url: string
}

export interface FoundBot {
  id: string
  event_id: string | null
  bot_name: string
  join_at: Date | null
  meeting_url: string
  phase: string
}

/** What is wanted for one occurrence, beside the rule of its series. */
interface Wish {
  /** The name of its own bot. */
  own: string | null
  isExcluded: boolean
  /** The link that was last seen. */
  url: string | null
  /** The bot that was made last for what the event says now. */
  bot: Bot | null
  state: 'waits' | 'runs' | 'over'
  /** Open bots for details that are no longer those of the event. */
  left: string[]
  /** It was not there when its series changed: no rule says which one it is. */
  isLost: boolean
}

const NO_BOT = { bot: null, left: [], state: 'waits' } as const
const newWish = (): Wish => ({ own: null, isExcluded: false, url: null, isLost: false, ...NO_BOT, left: [] })

/** Of one occurrence; `original` is null for a single event. */
export const keyOf = (event: string, original: Date | null) => `${event}|${original?.toISOString() ?? ''}`
const eventOf = (key: string) => key.split('|')[0]!

export class Wishes {
  readonly #now: Date
  readonly #wishes = new Map<string, Wish>()
  /** Names of bots for every occurrence, by the id of the series. */
  readonly #rules = new Map<string, string>()
  /** Occurrences that the service saw. */
  seen = new Set<string>()
  /** Series whose occurrences got other places since the last sync. */
  readonly #edited = new Set<string>()
  /** The first series of those that splitting and making it again gave: they look the same. */
  readonly #families = new Map<string, string>()

  constructor(now: Date) {
    this.#now = now
  }

  #wishOf(key: string): Wish {
    const wish = this.#wishes.get(key) ?? newWish()
    this.#wishes.set(key, wish)
    return wish
  }

  #nameOf(key: string, { own, isExcluded }: Wish): string | null {
    return isExcluded ? null : (own ?? this.#rules.get(eventOf(key)) ?? null)
  }

  #familyOf = (id: string) => this.#families.get(id) ?? id

  /** Whether occurrences of the series, or of one that it was a part of, got other places since the last sync. */
  isEdited(id: string): boolean {
    return [...this.#edited].some((edited) => this.#familyOf(edited) === this.#familyOf(id))
  }

  /** `move`: undefined for an occurrence that stays in its series, or that is no more; null for a single event. */
  replace(id: string, newId: string, move: (original: Date) => Date | null | undefined): void {
    this.#families.set(newId, this.#familyOf(id))
    this.#edited.add(id).add(newId)
    const rule = this.#rules.get(id)
    if (rule !== undefined) this.#rules.set(newId, rule)
    const placeOf = (key: string) => {
      const [event, original] = key.split('|') as [string, string]
      const place = event === id ? move(new Date(original)) : undefined
      return place === undefined ? undefined : keyOf(newId, place)
    }
    for (const [key, wish] of [...this.#wishes]) {
      const place = placeOf(key)
      // With the same id it may come back.
      if (place === undefined) continue
      this.#wishes.delete(key)
      this.#wishes.set(place, { ...wish, isLost: wish.isLost || !this.seen.has(key) })
    }
    this.seen = new Set([...this.seen].map((key) => placeOf(key) ?? key))
  }

  /**
   * A caller asked for bots of one of the occurrences that take place, or of all of its series; `scheduled`: those that the
   * service says get one.
   */
  schedule(
    key: string,
    isAll: boolean,
    name: string,
    here: ReadonlyMap<string, Instance>,
    scheduled: ReadonlySet<string>,
  ): void {
    if (isAll) this.#rules.set(eventOf(key), name)
    for (const [one, { link }] of here) {
      if (isAll ? eventOf(one) !== eventOf(key) : one !== key) continue
      const wish = this.#wishOf(one)
      const isOpen = wish.bot !== null && wish.state !== 'over'
      const gets = !isOpen && (link ?? wish.url) !== null
      if (!wish.isLost) expect(scheduled.has(one), `${one} is scheduled`).toBe(gets)
      // An occurrence that gets a link later gets its bot then.
      const waits = isAll && !isOpen && !gets
      if (wish.isLost ? scheduled.has(one) : gets || waits)
        this.#wishes.set(one, { ...newWish(), own: isAll ? null : name, left: wish.left })
    }
  }

  unschedule(key: string, isAll: boolean): void {
    const keys = isAll ? [...this.#wishes.keys()].filter((one) => eventOf(one) === eventOf(key)) : [key]
    for (const one of keys) {
      const wish = this.#wishOf(one)
      // The request for a single event whose bot has ended stays.
      const isRefused = !isAll && wish.state === 'over' && wish.left.length === 0
      if (wish.isLost || this.#nameOf(one, wish) === null || isRefused) continue
      Object.assign(wish, { own: null, isExcluded: true, ...NO_BOT, left: [] })
    }
    if (isAll) this.#rules.delete(eventOf(key))
  }

  /** Bots for what their events say now, in this state. */
  bots(state: 'waits' | 'runs'): Bot[] {
    const wishes = [...this.#wishes.values()].filter((wish) => wish.state === state && !wish.isLost)
    return wishes.flatMap(({ bot }) => bot ?? [])
  }

  set(bot: Bot, state: 'runs' | 'over'): void {
    for (const wish of this.#wishes.values()) if (wish.bot === bot) wish.state = state
  }

  /** The service has seen these occurrences. */
  see(here: ReadonlyMap<string, Instance>): void {
    for (const [key, wish] of this.#wishes) {
      if (here.has(key)) continue
      if (this.#edited.has(eventOf(key))) wish.isLost = true
      Object.assign(wish, NO_BOT, { left: [] })
    }
    this.seen = new Set(here.keys())
    this.#edited.clear()
  }

  /** `found`: the open bots of the occurrence. */
  compare(key: string, { start, link }: Instance, found: readonly FoundBot[]): void {
    const wish = this.#wishOf(key)
    const isLocked = (at: number) => at < this.#now.getTime() + LOCK_MS
    if (wish.isLost) {
      const waiting = found.filter(({ phase, join_at }) => phase === 'scheduled' && !isLocked(+join_at!))
      expect(waiting.length, `bots of ${key}`).toBeLessThan(2)
      return
    }
    const name = this.#nameOf(key, wish)
    if (name === null) {
      expect(found, `bots of ${key}`).toEqual([])
      return
    }
    wish.url = link ?? wish.url
    const plan = { start: start.getTime(), url: wish.url }
    const isOther = wish.bot !== null && (wish.bot.start !== plan.start || wish.bot.url !== plan.url)
    if (isOther && (wish.state !== 'waits' || isLocked(wish.bot!.start))) {
      if (wish.state !== 'over') wish.left.push(wish.bot!.id)
      Object.assign(wish, { bot: null, state: 'waits' })
    }
    const isLeft = ({ id }: FoundBot) => wish.left.includes(id)
    const left = found.filter(isLeft).map(({ id }) => id)
    expect(left.sort(), `left of ${key}`).toEqual([...wish.left].sort())
    const current = found.filter((bot) => !isLeft(bot))
    const plans = current.map((bot) => ({ start: bot.join_at!.getTime(), url: bot.meeting_url }))
    const hasNone = wish.url === null || wish.state === 'over'
    expect(plans, `the bot of ${key}`).toEqual(hasNone ? [] : [plan])
    const [bot] = current
    if (bot === undefined) return
    expect(bot.phase, key).toBe(wish.state === 'runs' ? 'running' : 'scheduled')
    // A rule may be changed while its bots wait; each keeps the settings that it was made with.
    if (wish.own !== null) expect(bot.bot_name, key).toBe(name)
    if (wish.bot !== null) expect(bot.id, `the bot of ${key} is the same`).toBe(wish.bot.id)
    wish.bot = { id: bot.id, start: plan.start, url: plan.url! }
  }
}
