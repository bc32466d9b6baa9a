/**
 * Random edits of a calendar in the stand-ins of both providers, what callers ask of its bots, and what happens to the
 * service: series that move, split, are made again, change their zone, become one event and the reverse, occurrences that
 * move out and back, processes that crash, tokens that end. After each sync the service has the events of the calendar, and
 * each of them the bots that are expected.
 */
import { randomOf } from '@standin/mock/shared/page/random.ts'
import { sql } from 'kysely'
import { Temporal } from 'temporal-polyfill'
import { expect } from 'vitest'
import type { Calendars } from '../../../control-plane/calendars/index.ts'
import type { Instance, NewEvent } from '../../../packages/mock/calendars/model.ts'
import { DAY, HOUR } from './stand-ins.ts'
import { keyOf, Wishes } from './wishes.ts'
import type { openCalendarParts } from './world.ts'
import { botOf, type CalendarSetting, days } from './world.ts'

type World = Awaited<ReturnType<typeof openCalendarParts>>
type Platform = 'google' | 'microsoft'

const MINUTE = 60_000
const WINDOW_DAYS = 30
/** Nearer than the shortest way between two occurrences of a daily series, so that each is nearest to itself. */
const SHIFTS = [-5, -3, -0.5, 0.5, 1, 3, 5].map((hours) => hours * HOUR)
const DAY_SHIFTS = [-3, -2, -1, 1, 2, 3].map((count) => count * DAY)
const ZONES = ['UTC', 'Europe/Berlin', 'Europe/Lisbon', 'Africa/Lagos', 'America/Sao_Paulo']
/** So near that its bot is on its way, or that it has begun; half an hour from any bound. */
const NEAR = [-25, -1, 2].map((minutes) => minutes * MINUTE)
const NO_MEETING = 'no-meeting-'

/** Resolves to the number of syncs that were compared; rejects with everything that was done. */
export async function runSequence(world: World, platform: Platform, seed: number): Promise<number> {
  const random = randomOf(seed)
  // A day and a minute of some years, with every change of the clocks.
  const now = new Date(Date.UTC(2026, 0, random.int(1, 1000), 0, random.int(0, 1439)))
  const set = await world.unconnected({ platform })
  await sql`update clock_step set step = ${now}::timestamptz - pg_catalog.clock_timestamp()`.execute(set.database)
  world.clock.advance(now.getTime() - world.clock.now())
  world.google.lists.listsConverted = random.chance(0.5)
  world.microsoft.views.faults.stubInstances = random.chance(0.3)
  world.microsoft.views.faults.missingRemovals = random.chance(0.7)
  set.standIn.limitPages(random.chance(0.5) ? 2 : 1000)
  const provider = new Provider(set.calendar, platform, now, random)
  for (let count = 0; count < 3; count++) provider.create()
  const engine = set.open()
  const sequence = new Sequence({ ...set, ...(await world.connected(set, engine)) }, provider, random)
  try {
    let compared = 0
    await sequence.begin()
    while (compared < 8 && (await sequence.round())) compared++
    await sequence.end()
    return compared
  } catch (error) {
    throw new Error(`Seed ${seed}: ${String(error)}\n${provider.done.join('\n')}`, { cause: error })
  } finally {
    await sequence.leave()
  }
}

type Random = ReturnType<typeof randomOf>

const pick = <T>(random: Random, of: readonly T[]): T | undefined => of[random.int(0, of.length - 1)]

/** Runs one of these, each as often as its weight says. */
function run<T>(random: Random, works: readonly (readonly [weight: number, work: () => T])[]): T {
  return pick(
    random,
    works.flatMap(([weight, work]) => new Array<() => T>(weight).fill(work)),
  )!()
}

/** What people do at the provider. */
class Provider {
  readonly done: string[] = []
  readonly wishes: Wishes
  readonly #calendar: CalendarSetting['calendar']
  readonly #platform: Platform
  readonly #now: Date
  readonly #random: Random
  #made = 0

  constructor(calendar: CalendarSetting['calendar'], platform: Platform, now: Date, random: Random) {
    this.#calendar = calendar
    this.#platform = platform
    this.#now = now
    this.#random = random
    this.wishes = new Wishes(now)
  }

  pick<T>(of: readonly T[]): T | undefined {
    return pick(this.#random, of)
  }

  /** What takes place in the window. */
  all(): Instance[] {
    return this.#calendar
      .between(this.#now, days(this.#now, WINDOW_DAYS))
      .filter(({ event, ...instance }) => isOn(instance) && !event.id.startsWith(NO_MEETING))
  }

  /** By the key of each. */
  here(): Map<string, Instance> {
    return new Map(this.all().map((instance) => [keyOf(instance.event.id, instance.originalStart), instance]))
  }

  /** Whether an occurrence comes so near to a bound that time decides what happens to it. */
  isHot(): boolean {
    const aheads = this.all().map(({ start }) => start.getTime() - this.#now.getTime())
    const isNear = (ahead: number) => ahead < -50 * MINUTE || (ahead > 2.5 * MINUTE && ahead < 10 * MINUTE)
    return aheads.some((ahead) => isNear(ahead) || Math.abs(ahead - WINDOW_DAYS * DAY) < 10 * MINUTE)
  }

  create(): void {
    const number = ++this.#made
    // Half hours away from now, so that no shift brings one near to it.
    const hours = this.#random.int(1, 22) + 0.75
    const every = this.pick(['day', 'week', 'week', null] as const)
    const isNear = every === null && this.#random.chance(0.5)
    const ahead = isNear ? this.pick(NEAR)! : this.#random.int(-2, 4) * DAY + hours * HOUR
    const count = this.#random.int(6, 9)
    const id = this.#calendar.create({
      title: `Title ${number}`,
      link: this.#random.chance(0.15) ? null : this.#link(),
      start: new Date(this.#now.getTime() + ahead),
      timezone: this.pick(ZONES)!,
      ...(every && { repeats: { every, ...(this.#random.chance(0.3) && { count }) } }),
      ...(this.#random.chance(0.5) && { organizer: { email: 'bo@example.com' }, answer: 'accepted' as const }),
    })
    this.done.push(`create ${id} ${every ?? 'once'} in ${ahead / HOUR} h`)
  }

  #link(): string {
    const letters = (count: number) =>
      Array.from({ length: count }, () => String.fromCharCode(97 + this.#random.int(0, 25))).join('')
    return `https://meet.google.com/${letters(3)}-${letters(4)}-${letters(3)}`
  }

  edit(): void {
    const instance = this.pick(this.all())
    if (instance === undefined) {
      this.create()
      return
    }
    const { event, originalStart } = instance
    const { id } = event
    const one = originalStart ?? undefined
    run(this.#random, [
      [2, () => this.create()],
      [3, () => this.#moveSeries(instance)],
      [1, () => this.#changeZone(instance)],
      [2, () => this.#split(instance)],
      [1, () => this.#grow(instance)],
      [1, () => this.#repeat(instance)],
      [1, () => this.#recreate(instance)],
      [2, () => this.#moveOut(id, one)],
      [1, () => this.#moveBack()],
      [2, () => this.#cancel(instance, one)],
      [1, () => this.#restore()],
      [1, () => this.change(id, { link: this.#link() }, one)],
      [1, () => this.change(id, { link: null }, one)],
      [1, () => this.change(id, { title: `Title ${++this.#made}` }, one)],
      [1, () => this.#noMeeting()],
    ])
  }

  #moveOut(id: string, one: Date | undefined): void {
    // A series that becomes one event elsewhere: nothing says which one of its events it was.
    if (one === undefined && this.wishes.isEdited(id)) return
    const ahead = run(this.#random, [
      [4, () => this.#random.int(1, 29) * DAY + 5 * HOUR],
      [1, () => this.#random.int(35, 45) * DAY],
      [1, () => this.pick(NEAR)!],
    ])
    this.#calendar.move(id, new Date(this.#now.getTime() + ahead), undefined, one)
    this.done.push(`move out ${id} ${one?.toISOString()} to ${ahead / HOUR} h`)
  }

  #moveBack(): void {
    const everywhere = this.#calendar.between(days(this.#now, -60), days(this.#now, 60))
    const isMoved = ({ originalStart, start }: Instance) =>
      originalStart !== null && originalStart > this.#now && +start !== +originalStart
    const moved = this.pick(everywhere.filter(isMoved))
    if (moved === undefined) return
    const { event, originalStart } = moved
    this.#calendar.move(event.id, originalStart!, undefined, originalStart!)
    this.done.push(`move back ${event.id} ${originalStart!.toISOString()}`)
  }

  #cancel({ event: { id }, answer }: Instance, one: Date | undefined): void {
    const how = this.pick(['delete', 'cancel', 'decline'] as const)!
    if (how !== 'decline') this.#calendar[how](id, one)
    else if (answer !== null) this.#calendar.respond(id, 'declined', one)
    this.done.push(`${how} ${id} ${one?.toISOString()}`)
  }

  #restore(): void {
    const window = [this.#now, days(this.#now, WINDOW_DAYS)] as const
    const off = this.#calendar.between(...window, { gone: true }).filter((instance) => {
      const { event, originalStart, isException } = instance
      const isOne = originalStart === null ? !event.isSeries : isException && event.existence === 'live'
      return !isOn(instance) && isOne
    })
    const chosen = this.pick(off)
    if (chosen === undefined) return
    const { event, originalStart, existence } = chosen
    if (existence === 'live') this.#calendar.respond(event.id, 'accepted', originalStart ?? undefined)
    else this.#calendar.restore(event.id, originalStart ?? undefined)
    this.done.push(`restore ${event.id} ${originalStart?.toISOString()}`)
  }

  change(id: string, details: Pick<NewEvent, 'link' | 'title'>, one: Date | undefined): void {
    const which = this.#random.chance(0.5) ? one : undefined
    if (details.link === null && this.wishes.isEdited(id)) return
    this.#calendar.change(id, details, which)
    this.done.push(`change ${id} ${which?.toISOString()} ${JSON.stringify(details)}`)
  }

  #noMeeting(): void {
    const start = new Date(this.#now.getTime() + 20 * DAY + 2 * HOUR)
    const eventType = this.pick(['workingLocation', 'outOfOffice', 'focusTime', 'birthday', 'fromGmail'])!
    const kind = this.#platform === 'google' ? { eventType } : { showAs: this.pick(['oof', 'workingElsewhere'])! }
    this.#calendar.create({ id: `${NO_MEETING}${++this.#made}`, link: this.#link(), start, ...kind })
    this.done.push(`no meeting ${JSON.stringify(kind)}`)
  }

  /** Whether the occurrences of a series may get other places now: once between two syncs, or no rule says which is which. */
  #mayEdit({ event }: Instance): boolean {
    return event.isSeries && !this.wishes.isEdited(event.id)
  }

  #moveSeries(instance: Instance): void {
    const { event, originalStart } = instance
    if (!this.#mayEdit(instance)) return
    const { stepDays, start } = event.schedules.at(-1)!
    const shift = this.pick(stepDays === 7 ? [...SHIFTS, ...DAY_SHIFTS] : SHIFTS)!
    // Microsoft's ids have the day: where each day has one, they say which is which.
    const moved = new Date(originalStart!.getTime() + shift)
    const isOtherDay = `${local(moved, event.timezone)}` !== `${local(originalStart!, event.timezone)}`
    if (this.#platform === 'microsoft' && stepDays === 1 && isOtherDay) return
    this.#reschedule(event.id, () => this.#calendar.move(event.id, new Date(start.getTime() + shift)))
    this.done.push(`move series ${event.id} by ${shift / HOUR} h`)
  }

  #changeZone(instance: Instance): void {
    const { event } = instance
    const { stepDays } = event.schedules.at(-1)!
    // Over midnight, see above.
    if (!this.#mayEdit(instance) || (stepDays === 1 && this.#platform === 'microsoft')) return
    const zone = this.pick(ZONES)!
    this.#reschedule(event.id, () => this.#calendar.changeZone(event.id, zone))
    this.done.push(`zone of ${event.id}: ${zone}`)
  }

  /** The occurrence with the same number stays the same one. */
  #reschedule(id: string, work: () => void): void {
    const event = this.#calendar.events.get(id)!
    const before = event.schedules.at(-1)!
    work()
    const after = event.schedules.at(-1)!
    this.wishes.replace(id, id, (original) => {
      const count = Math.round(daysBetween(before.start, original, before.timezone) / before.stepDays)
      return zoned(after.start, after.timezone, count * after.stepDays)
    })
  }

  #split(instance: Instance): void {
    const { event, originalStart } = instance
    if (!this.#mayEdit(instance) || !isKnown(instance)) return
    const { id } = event
    const rest = this.all().filter((one) => one.event.id === id && one.originalStart! >= originalStart!)
    // One alone that is missing looks like an exception of its series.
    if (rest.filter((one) => this.wishes.seen.has(keyOf(id, one.originalStart))).length < 2) return
    const start = new Date(originalStart!.getTime() + this.pick([0, 0.5 * HOUR])!)
    const other = this.#random.chance(0.4) ? { id: `other-${++this.#made}` } : {}
    const newId = this.#calendar.split(id, originalStart!, { start, ...other })
    const [before, after] = [event.schedules.at(-1)!, this.#calendar.events.get(newId)!.schedules.at(-1)!]
    this.wishes.replace(id, newId, (original) =>
      original < originalStart!
        ? undefined
        : zoned(after.start, after.timezone, Math.round(daysBetween(originalStart!, original, before.timezone))),
    )
    this.done.push(`split ${id} at ${originalStart!.toISOString()} into ${newId} ${start.toISOString()}`)
  }

  #grow(instance: Instance): void {
    const { count, stepDays } = instance.event.schedules.at(-1)!
    if (!this.#mayEdit(instance) || count === null || stepDays === 0) return
    instance.event.schedules.at(-1)!.count = count + 2
    this.#calendar.change(instance.event.id, {})
    this.done.push(`grow ${instance.event.id}`)
  }

  #repeat(instance: Instance): void {
    const { event, originalStart, start } = instance
    const { id } = event
    if (this.wishes.isEdited(id)) return
    if (event.isSeries) {
      this.#calendar.repeat(id, null, originalStart!)
      this.wishes.replace(id, id, (original) => (+original === +originalStart! ? null : undefined))
      this.done.push(`only ${id} ${originalStart!.toISOString()}`)
      return
    }
    const every = this.pick(['day', 'week'] as const)!
    this.#calendar.repeat(id, { every })
    this.wishes.replace(id, id, (original) => (Number.isNaN(+original) ? start : undefined))
    this.done.push(`repeat ${id} every ${every}`)
  }

  #recreate(instance: Instance): void {
    const { id } = instance.event
    const isSeen = this.all().some((one) => one.event.id === id && this.wishes.seen.has(keyOf(id, one.originalStart)))
    if (!this.#mayEdit(instance) || !isSeen || !isKnown(instance)) return
    const newId = this.#calendar.recreate(id)
    this.wishes.replace(id, newId, (original) => original)
    this.done.push(`make ${id} again as ${newId}`)
  }
}

/** What callers ask, what happens to the service, and what has to be true. */
class Sequence {
  readonly #set: CalendarSetting
  readonly #provider: Provider
  readonly #wishes: Wishes
  readonly #random: Random
  readonly #done: string[]
  #engine: Calendars
  #named = 0
  /** Ends the requests that crashed processes were waiting for. */
  readonly #crashed: (() => void)[] = []

  constructor(set: CalendarSetting, provider: Provider, random: Random) {
    this.#set = set
    this.#engine = set.engine
    this.#provider = provider
    this.#wishes = provider.wishes
    this.#done = provider.done
    this.#random = random
  }

  async begin(): Promise<void> {
    await this.#compare()
    for (let count = 0; count < 4; count++) await this.#schedule()
  }

  /** False if time decides what happens, see `isHot`. */
  async round(): Promise<boolean> {
    for (let count = this.#random.int(1, 3); count > 0; count--) this.#provider.edit()
    if (this.#provider.isHot()) return false
    if (this.#random.chance(0.15)) {
      this.#done.push('the cursors are dead')
      this.#set.standIn.forgetCursors()
    }
    await run(this.#random, [
      [5, () => this.#settle()],
      [1, () => this.#full()],
      [1, () => this.#fail()],
      [1, () => this.#crash()],
      [1, () => this.#twoAtOnce()],
      [1, () => this.#push()],
      [1, () => this.#expireToken()],
    ])
    for (const [share, work] of [
      [0.6, () => this.#schedule()],
      [0.4, () => this.#unschedule()],
      [0.3, () => this.#spawn()],
      [0.15, () => this.#endBot()],
    ] as const)
      if (this.#random.chance(share)) await work()
    return true
  }

  async end(): Promise<void> {
    await this.#engine.operations.disconnect(this.#set.name)
    expect((await this.#set.bots()).filter(({ phase }) => phase === 'scheduled')).toEqual([])
  }

  async leave(): Promise<void> {
    this.#set.provider.afterChanges = null
    for (const end of this.#crashed) end()
    await this.#set.alter({ deleted_at: new Date() })
    await this.#engine.close()
  }

  // --- What callers ask --------------------------------------------------------------------------------------------

  async #target(isAll: boolean) {
    const shown = await this.#shown()
    const key = this.#provider.pick([...shown.keys()].sort())
    if (key === undefined) return null
    const { id: eventId, series_id: seriesId } = shown.get(key)!
    const target = this.#set.target(isAll ? { seriesId, allOccurrences: true } : { eventId })
    return { target, key, shown }
  }

  async #schedule(): Promise<void> {
    const isAll = this.#random.chance(0.4)
    const chosen = await this.#target(isAll)
    if (chosen === null) return
    const { key, shown, target } = chosen
    const name = `Bot ${++this.#named}`
    this.#done.push(`schedule ${isAll ? 'all of ' : ''}${key} as ${name}`)
    const { eventIds } = await this.#engine.operations.scheduleBots(target, botOf({ bot_name: name }), null)
    const scheduled = new Set([...shown].flatMap(([one, { id }]) => (eventIds.includes(id) ? [one] : [])))
    this.#wishes.schedule(key, isAll, name, this.#provider.here(), scheduled)
    await this.#compare()
  }

  async #unschedule(): Promise<void> {
    const isAll = this.#random.chance(0.25)
    const chosen = await this.#target(isAll)
    if (chosen === null) return
    this.#done.push(`unschedule ${isAll ? 'all of ' : ''}${chosen.key}`)
    await this.#engine.operations.cancelBots(chosen.target)
    this.#wishes.unschedule(chosen.key, isAll)
    await this.#compare()
  }

  async #spawn(): Promise<void> {
    const bot = this.#provider.pick(this.#wishes.bots('waits'))
    if (bot === undefined) return
    this.#done.push(`the bot at ${new Date(bot.start).toISOString()} is in its meeting`)
    await this.#set.spawn(bot.id)
    this.#wishes.set(bot, 'runs')
    await this.#compare()
  }

  async #endBot(): Promise<void> {
    const bot = this.#provider.pick(this.#wishes.bots('runs'))
    if (bot === undefined) return
    this.#done.push(`the bot at ${new Date(bot.start).toISOString()} has ended`)
    await this.#set.base.set(bot.id, { phase: 'closed', status: 'completed', ended_at: new Date() })
    this.#wishes.set(bot, 'over')
    await this.#compare()
  }

  // --- What happens to the service ---------------------------------------------------------------------------------

  async #settle(): Promise<void> {
    await this.#set.poll(this.#engine)
    this.#done.push('synced')
    await this.#compare()
  }

  async #full(): Promise<void> {
    this.#done.push('full')
    await this.#engine.operations.sync(this.#set.name)
    await this.#compare()
  }

  /** A call that fails for a while: the sync is repeated. */
  async #fail(): Promise<void> {
    const kind = this.#provider.pick(['unavailable', 'rate_limited', 'token_refused'] as const)!
    this.#done.push(kind)
    this.#set.provider.failures.set('changes', [kind])
    await this.#set.poll(this.#engine)
    this.#set.provider.failures.clear()
    await this.#settle()
  }

  async #expireToken(): Promise<void> {
    this.#done.push('the access token is over')
    this.#set.standIn.tokens.expireAccess(this.#set.account)
    if (this.#random.chance(0.5)) await this.#set.alter({ access_token_until: new Date(0) })
    await this.#settle()
  }

  /** Several for one change, or one for none. */
  async #push(): Promise<void> {
    const push = this.#set.pushOf()
    for (const answer of await Promise.all([push, push, push].map((one) => this.#engine.operations.notified(one))))
      expect(answer).toBe('known')
    await this.#settle()
  }

  /** Another process has read everything and waits; its lease has run out. */
  async #overtaken() {
    const process = this.#set.open()
    const { read, ...held } = this.#set.provider.hold()
    await this.#set.due()
    void process.settle()
    await read
    // It takes nothing else, and brings this one to its end.
    const closed = process.close()
    await this.#set.alter({ sync_lease_until: new Date(0) })
    return { closed, ...held }
  }

  /** The process crashes between the last page and the commit, and this one starts again. */
  async #crash(): Promise<void> {
    this.#done.push('crash')
    const { crash } = await this.#overtaken()
    this.#crashed.push(crash)
    await this.#engine.close()
    this.#engine = this.#set.open()
    await this.#settle()
  }

  /** This process takes the calendar while the other one still reads, and both come to their end. */
  async #twoAtOnce(): Promise<void> {
    this.#done.push('two at once')
    const { closed, release } = await this.#overtaken()
    const instance = this.#provider.pick(this.#provider.all())
    if (instance !== undefined) this.#provider.change(instance.event.id, { title: 'Of two' }, undefined)
    await this.#settle()
    release()
    await closed
    await this.#compare()
    await this.#settle()
  }

  // --- What has to be true -----------------------------------------------------------------------------------------

  /** Events that the service has, by the place of their occurrence. */
  async #shown() {
    const rows = (await this.#set.places()).filter(({ status }) => status !== 'cancelled')
    return new Map(
      rows.map((row) => [keyOf(row.series, row.is_recurring ? (row.original_start ?? row.starts_at) : null), row]),
    )
  }

  async #compare(): Promise<void> {
    const here = this.#provider.here()
    this.#wishes.see(here)
    const shown = await this.#shown()
    const textOf = (key: string, title: string, start: Date, link: string | null) =>
      `${key} ${title} ${start.toISOString()} ${link}`
    expect(
      [...shown].map(([key, row]) => textOf(key, row.title, row.starts_at, row.meeting_url)).sort(),
      'events',
    ).toEqual([...here].map(([key, { title, start, link }]) => textOf(key, title, start, link)).sort())
    const keys = new Map([...shown].map(([key, { id }]) => [id, key]))
    const open = (await this.#set.bots()).filter(
      ({ phase, stop_requested_at }) => phase !== 'closed' && stop_requested_at === null,
    )
    const found = Map.groupBy(open, ({ event_id }) => keys.get(event_id!) ?? `no event ${event_id}`)
    for (const key of found.keys()) expect(here.has(key), `a bot at ${key}`).toBe(true)
    for (const [key, instance] of here) this.#wishes.compare(key, instance, found.get(key) ?? [])
  }
}

/** By its link, if its title changes too: another series with neither is another one. */
const isKnown = ({ event }: Instance) => event.link !== null

const isOn = ({ existence, answer }: Pick<Instance, 'existence' | 'answer'>) =>
  existence === 'live' && answer !== 'declined'

const at = (instant: Date, zone: string) =>
  Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone)
const local = (instant: Date, zone: string) => at(instant, zone).toPlainDate()
const daysBetween = (from: Date, to: Date, zone: string) => local(from, zone).until(local(to, zone)).total('days')
/** At the same time of the day, so many days later. */
const zoned = (instant: Date, zone: string, count: number) =>
  new Date(at(instant, zone).add({ days: count }).epochMilliseconds)
