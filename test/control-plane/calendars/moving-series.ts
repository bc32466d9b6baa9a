/**
 * Random edits of series in the stand-ins of both providers, read by the real adapters: series that move, split, are made
 * again, change their zone, become one event and the reverse, and instances that move out and back. After each sync, each
 * occurrence has the bot that was wanted for it, the same one as before, and no other event has any.
 */
import { randomOf } from '@standin/mock/shared/page/random.ts'
import { sql } from 'kysely'
import { Temporal } from 'temporal-polyfill'
import { expect } from 'vitest'
import type { BotTarget, CalendarName } from '../../../control-plane/calendars/operations.ts'
import type { Instance } from '../../../packages/mock/calendars/model.ts'
import type { openWorld } from './providers/world.ts'
import { botOf, type CalendarSetting } from './world.ts'

type StandIns = Awaited<ReturnType<typeof openWorld>>
type Platform = 'google' | 'microsoft'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const WINDOW_DAYS = 30
/** Nearer than the shortest way between two occurrences of a daily series, so that each is nearest to itself. */
const SHIFTS = [-5, -3, -0.5, 0.5, 1, 3, 5].map((hours) => hours * HOUR)
const DAY_SHIFTS = [-3, -2, -1, 1, 2, 3].map((days) => days * DAY)
const ZONES = ['UTC', 'Europe/Berlin', 'Europe/Lisbon', 'Africa/Lagos', 'America/Sao_Paulo']

const NO_MEETING = 'no-meeting-'

interface Bot {
  id: string
  start: number
  url: string
}

/** The bot that is wanted for one occurrence, beside the rule of its series. */
interface Mark {
  own: string | null
  isExcluded: boolean
  bot: Bot | null
  /** Bots that are in the meeting, for times that are no longer those of the event. */
  left: string[]
  runs: boolean
  /** It was not there when its series changed: no rule says which one it is. */
  isLost: boolean
}

const newMark = (): Mark => ({ own: null, isExcluded: false, bot: null, left: [], runs: false, isLost: false })
const keyOf = (event: string, original: Date | null) => `${event}|${original?.toISOString() ?? ''}`

/** Resolves to the number of syncs that were compared; rejects with everything that was done. */
export async function runSeries(setting: CalendarSetting, standIns: StandIns, platform: Platform, seed: number) {
  const sequence = new Sequence(setting, standIns, platform, seed)
  await sequence.begin()
  try {
    let compared = 0
    while (compared < 8 && (await sequence.round())) compared++
    return compared
  } catch (error) {
    throw new Error(`Seed ${seed}: ${String(error)}\n${sequence.done.join('\n')}`, { cause: error })
  } finally {
    await sequence.end()
  }
}

class Sequence {
  readonly done: string[] = []
  readonly #set: CalendarSetting
  readonly #standIns: StandIns
  readonly #platform: Platform
  readonly #random
  readonly #account
  readonly #calendar
  /** Of the whole sequence: a day and a minute of some years, with every change of the clocks. */
  readonly #now: Date
  readonly #marks = new Map<string, Mark>()
  /** Names of bots for every occurrence, by the id of the series. */
  readonly #rules = new Map<string, string>()
  /** Occurrences that the service saw. */
  #seen = new Set<string>()
  /** Series whose occurrences got other places since the last sync. */
  readonly #edited = new Set<string>()
  #name!: CalendarName
  #engine!: ReturnType<CalendarSetting['open']>
  /** The first series of those that splitting and making it again gave: they look the same. */
  readonly #families = new Map<string, string>()
  #made = 0

  constructor(set: CalendarSetting, standIns: StandIns, platform: Platform, seed: number) {
    this.#set = set
    this.#standIns = standIns
    this.#platform = platform
    this.#random = randomOf(seed)
    this.#now = new Date(Date.UTC(2026, 0, this.#random.int(1, 1000), 0, this.#random.int(0, 1439)))
    this.#account = standIns[platform].addAccount({ email: `ann-${seed}@example.com` })
    this.#calendar = this.#account.primary
  }

  #pick<T>(of: readonly T[]): T | undefined {
    return of[this.#random.int(0, of.length - 1)]
  }

  async begin(): Promise<void> {
    const { database } = this.#set
    await sql`update clock_step set step = ${this.#now}::timestamptz - pg_catalog.clock_timestamp()`.execute(database)
    this.#standIns.clock.advance(this.#now.getTime() - this.#standIns.clock.now())
    const { tokens } = this.#standIns[this.#platform]
    const { google, microsoft, providers } = this.#standIns
    google.lists.listsConverted = this.#random.chance(0.5)
    microsoft.views.faults.stubInstances = this.#random.chance(0.3)
    microsoft.views.faults.missingRemovals = this.#random.chance(0.7)
    this.#engine = this.#set.open({ providers, publicUrl: null })
    for (let count = 0; count < 3; count++) this.#create()
    const credentials = {
      clientId: tokens.clientId,
      clientSecret: tokens.clientSecret,
      refreshToken: tokens.consent(this.#account),
      tenantId: 'common',
    }
    const connection = { platform: this.#platform, credentials, rawCalendarId: this.#calendar.id }
    const { id: calendarId } = await this.#engine.operations.connect(this.#set.caller, connection)
    await this.#engine.settle()
    this.#name = { teamId: this.#set.teamId, generation: 'v2', calendarId }
    this.#update()
    for (let count = 0; count < 4; count++) await this.#schedule()
  }

  async end(): Promise<void> {
    await this.#set.alter(this.#name.calendarId, { deleted_at: new Date() })
    await this.#engine.close()
  }

  /** False if an occurrence came so near to now, or to the end of the window, that time decides what happens to it. */
  async round(): Promise<boolean> {
    for (let count = this.#random.int(1, 3); count > 0; count--) this.#edit()
    if (this.#all().some(({ start }) => this.#isHot(start))) return false
    if (this.#random.chance(0.15)) {
      this.done.push('the cursors are dead')
      this.#standIns[this.#platform].forgetCursors()
    }
    await this.#set.poll(this.#name, this.#engine)
    this.done.push('synced')
    await this.#compare()
    if (this.#random.chance(0.6)) await this.#schedule()
    if (this.#random.chance(0.3)) await this.#unschedule()
    if (this.#random.chance(0.3)) await this.#spawn()
    await this.#compare()
    return true
  }

  #all(): Instance[] {
    const now = this.#now
    const end = new Date(now.getTime() + WINDOW_DAYS * DAY)
    return this.#calendar
      .between(now, end)
      .filter(({ event, existence }) => existence === 'live' && !event.id.startsWith(NO_MEETING))
  }

  #isHot(start: Date): boolean {
    const ahead = start.getTime() - this.#now.getTime()
    return (ahead > -70 * MINUTE && ahead < 10 * MINUTE) || Math.abs(ahead - WINDOW_DAYS * DAY) < 10 * MINUTE
  }

  // --- What people do at the provider ------------------------------------------------------------------------------

  #create(): void {
    const number = ++this.#made
    // Half hours away from now, so that no shift brings one near to it.
    const hours = this.#random.int(1, 22) + 0.75
    const start = new Date(this.#now.getTime() + this.#random.int(-2, 4) * DAY + hours * HOUR)
    const every = this.#pick(['day', 'week', 'week', null] as const)
    const id = this.#calendar.create({
      title: `Title ${number}`,
      link: this.#link(),
      start,
      timezone: this.#pick(ZONES)!,
      ...(every && { repeats: { every, ...(this.#random.chance(0.3) && { count: this.#random.int(6, 9) }) } }),
    })
    this.done.push(`create ${id} ${every ?? 'once'} ${start.toISOString()}`)
  }

  #link(): string {
    const letters = (count: number) =>
      Array.from({ length: count }, () => String.fromCharCode(97 + this.#random.int(0, 25))).join('')
    return `https://meet.google.com/${letters(3)}-${letters(4)}-${letters(3)}`
  }

  #edit(): void {
    const instance = this.#pick(this.#all())
    if (instance === undefined) {
      this.#create()
      return
    }
    const { event, originalStart } = instance
    const { id } = event
    const one = originalStart ?? undefined
    const edits: [weight: number, () => void][] = [
      [1, () => this.#create()],
      [3, () => this.#moveSeries(instance)],
      [1, () => this.#changeZone(instance)],
      [2, () => this.#split(instance)],
      [1, () => this.#repeat(instance)],
      [1, () => this.#recreate(instance)],
      [1, () => this.#moveOut(id, one)],
      [1, () => this.#moveBack()],
      [1, () => this.#cancel(id, one)],
      [1, () => this.#restore()],
      [1, () => this.#change(id, { link: this.#link() }, one)],
      [1, () => this.#change(id, { title: `Title ${++this.#made}` }, one)],
      [1, () => this.#noMeeting()],
    ]
    this.#pick(edits.flatMap(([weight, edit]) => new Array<() => void>(weight).fill(edit)))!()
  }

  #moveOut(id: string, one: Date | undefined): void {
    // A series that becomes one event elsewhere: nothing says which one of its events it was.
    if (one === undefined && this.#isEdited(id)) return
    const start = new Date(this.#now.getTime() + this.#random.int(1, 29) * DAY + 5 * HOUR)
    this.#calendar.move(id, start, undefined, one)
    this.done.push(`move out ${id} ${one?.toISOString()} to ${start.toISOString()}`)
  }

  #moveBack(): void {
    const isMoved = ({ originalStart, start }: Instance) => originalStart !== null && +start !== +originalStart
    const moved = this.#pick(this.#all().filter(isMoved))
    if (moved === undefined) return
    const { event, originalStart } = moved
    this.#calendar.move(event.id, originalStart!, undefined, originalStart!)
    this.done.push(`move back ${event.id} ${originalStart!.toISOString()}`)
  }

  #cancel(id: string, one: Date | undefined): void {
    const how = this.#random.chance(0.5) ? 'delete' : 'cancel'
    this.#calendar[how](id, one)
    this.done.push(`${how} ${id} ${one?.toISOString()}`)
  }

  #restore(): void {
    const off = this.#pick(this.#ended())
    if (off === undefined) return
    this.#calendar.restore(off.event.id, off.originalStart ?? undefined)
    this.done.push(`restore ${off.event.id} ${off.originalStart?.toISOString()}`)
  }

  #change(id: string, details: { link?: string; title?: string }, one: Date | undefined): void {
    const which = this.#random.chance(0.5) ? one : undefined
    this.#calendar.change(id, details, which)
    this.done.push(`change ${id} ${which?.toISOString()} ${JSON.stringify(details)}`)
  }

  #ended(): Instance[] {
    const now = this.#now
    return this.#calendar
      .between(now, new Date(now.getTime() + WINDOW_DAYS * DAY), { gone: true })
      .filter(({ event, existence, originalStart, isException }) => {
        const isOne = originalStart === null ? !event.isSeries : isException && event.existence === 'live'
        return existence !== 'live' && isOne
      })
  }

  #noMeeting(): void {
    const start = new Date(this.#now.getTime() + 20 * DAY + 2 * HOUR)
    const eventType = this.#pick(['workingLocation', 'outOfOffice', 'focusTime', 'birthday', 'fromGmail'])!
    const kind = this.#platform === 'google' ? { eventType } : { showAs: this.#pick(['oof', 'workingElsewhere'])! }
    this.#calendar.create({ id: `${NO_MEETING}${++this.#made}`, link: this.#link(), start, ...kind })
    this.done.push(`no meeting ${JSON.stringify(kind)}`)
  }

  /** Whether the occurrences of a series may get other places now: once between two syncs, or no rule says which is which. */
  #mayEdit({ event }: Instance): boolean {
    return event.isSeries && !this.#isEdited(event.id)
  }

  #isEdited(id: string): boolean {
    return [...this.#edited].some((edited) => this.#familyOf(edited) === this.#familyOf(id))
  }

  #familyOf(id: string): string {
    return this.#families.get(id) ?? id
  }

  #moveSeries(instance: Instance): void {
    const { event, originalStart } = instance
    if (!this.#mayEdit(instance)) return
    const { stepDays, start } = event.schedules.at(-1)!
    const shift = this.#pick(stepDays === 7 ? [...SHIFTS, ...DAY_SHIFTS] : SHIFTS)!
    // Microsoft's ids have the day: where each day has one, they say which is which.
    const moved = new Date(originalStart!.getTime() + shift)
    const isOtherDay = dayOf(moved, event.timezone) !== dayOf(originalStart!, event.timezone)
    if (this.#platform === 'microsoft' && stepDays === 1 && isOtherDay) return
    this.#reschedule(event.id, () => this.#calendar.move(event.id, new Date(start.getTime() + shift)))
    this.done.push(`move series ${event.id} by ${shift / HOUR} h`)
  }

  #changeZone(instance: Instance): void {
    const { event } = instance
    const { stepDays } = event.schedules.at(-1)!
    // Over midnight, see above.
    if (!this.#mayEdit(instance) || (stepDays === 1 && this.#platform === 'microsoft')) return
    const zone = this.#pick(ZONES)!
    this.#reschedule(event.id, () => this.#calendar.changeZone(event.id, zone))
    this.done.push(`zone of ${event.id}: ${zone}`)
  }

  /** The occurrence with the same number stays the same one. */
  #reschedule(id: string, work: () => void): void {
    const event = this.#calendar.events.get(id)!
    const before = event.schedules.at(-1)!
    work()
    const after = event.schedules.at(-1)!
    this.#replace(id, id, (original) => {
      const days = local(before.start, before.timezone).until(local(original, before.timezone)).total('days')
      const count = Math.round(days / before.stepDays) * after.stepDays
      return new Date(zoned(after.start, after.timezone).add({ days: count }).epochMilliseconds)
    })
  }

  #split(instance: Instance): void {
    const { event, originalStart } = instance
    if (!this.#mayEdit(instance)) return
    const { id } = event
    const rest = this.#all().filter((one) => one.event.id === id && one.originalStart! >= originalStart!)
    // One alone that is missing looks like an exception of its series.
    if (rest.filter((one) => this.#seen.has(keyOf(id, one.originalStart))).length < 2) return
    const shift = this.#pick([0, 0.5 * HOUR])!
    const start = new Date(originalStart!.getTime() + shift)
    const other = this.#random.chance(0.4) ? { id: `other-${++this.#made}` } : {}
    const newId = this.#calendar.split(id, originalStart!, { start, ...other })
    const [before, after] = [event.schedules.at(-1)!, this.#calendar.events.get(newId)!.schedules.at(-1)!]
    this.#replace(id, newId, (original) => {
      if (original < originalStart!) return undefined
      const days = local(originalStart!, before.timezone).until(local(original, before.timezone)).total('days')
      return new Date(zoned(after.start, after.timezone).add({ days: Math.round(days) }).epochMilliseconds)
    })
    this.done.push(`split ${id} at ${originalStart!.toISOString()} into ${newId} ${start.toISOString()}`)
  }

  #repeat(instance: Instance): void {
    const { event, originalStart, start } = instance
    const { id } = event
    if (this.#isEdited(id)) return
    if (event.isSeries) {
      this.#calendar.repeat(id, null, originalStart!)
      this.#replace(id, id, (original) => (original.getTime() === originalStart!.getTime() ? null : undefined))
      this.done.push(`only ${id} ${originalStart!.toISOString()}`)
      return
    }
    const every = this.#pick(['day', 'week'] as const)!
    this.#calendar.repeat(id, { every })
    const isSingle = (original: Date) => Number.isNaN(original.getTime())
    this.#replace(id, id, (original) => (isSingle(original) ? start : undefined))
    this.done.push(`repeat ${id} every ${every}`)
  }

  #recreate(instance: Instance): void {
    const { event } = instance
    const { id } = event
    const isSeen = this.#all().some((one) => one.event.id === id && this.#seen.has(keyOf(id, one.originalStart)))
    if (!this.#mayEdit(instance) || !isSeen) return
    const newId = this.#calendar.recreate(id)
    this.#replace(id, newId, (original) => original)
    this.done.push(`make ${id} again as ${newId}`)
  }

  /** `move`: undefined for an occurrence that stays in its series, or that is no more; null for a single event. */
  #replace(id: string, newId: string, move: (original: Date) => Date | null | undefined): void {
    this.#families.set(newId, this.#familyOf(id))
    this.#edited.add(id).add(newId)
    const rule = this.#rules.get(id)
    if (rule !== undefined) this.#rules.set(newId, rule)
    for (const [key, mark] of [...this.#marks]) {
      const [event, original] = key.split('|') as [string, string]
      if (event !== id) continue
      const place = move(new Date(original))
      // With the same id it may come back.
      if (place === undefined) continue
      this.#marks.delete(key)
      this.#marks.set(keyOf(newId, place), { ...mark, isLost: mark.isLost || !this.#seen.has(key) })
    }
    const moved = [...this.#seen].map((key) => {
      const [event, original] = key.split('|') as [string, string]
      const place = event === id ? move(new Date(original)) : undefined
      return place === undefined ? key : keyOf(newId, place)
    })
    this.#seen = new Set(moved)
  }

  // --- What callers ask --------------------------------------------------------------------------------------------

  /** Events that the service has, by the place of their occurrence. */
  async #events() {
    return this.#set.database
      .selectFrom('calendar_events as e')
      .innerJoin('calendar_series as s', 's.id', 'e.series_id')
      .select(['e.id', 'e.series_id', 'e.status', 's.provider_id', 'e.original_start', 'e.is_recurring', 'e.starts_at'])
      .where('e.calendar_id', '=', this.#name.calendarId)
      .execute()
  }

  async #target(isAll: boolean): Promise<{ target: BotTarget; key: string; event: string } | null> {
    const shown = await this.#shown()
    const key = this.#pick([...shown.keys()].sort())
    if (key === undefined) return null
    const { id: eventId, series_id: seriesId } = shown.get(key)!
    const values = isAll ? { seriesId, allOccurrences: true } : { eventId }
    return { target: this.#set.target(this.#name, values), key, event: key.split('|')[0]! }
  }

  #markOf(key: string): Mark {
    const mark = this.#marks.get(key) ?? newMark()
    this.#marks.set(key, mark)
    return mark
  }

  async #schedule(): Promise<void> {
    const isAll = this.#random.chance(0.4)
    const chosen = await this.#target(isAll)
    if (chosen === null) return
    const name = `Bot ${++this.#made}`
    const { eventIds } = await this.#engine.operations.scheduleBots(chosen.target, botOf({ bot_name: name }), null)
    this.done.push(`schedule ${isAll ? 'all of ' : ''}${chosen.key} as ${name}`)
    if (isAll) this.#rules.set(chosen.event, name)
    const shown = await this.#shown()
    for (const [key, { id }] of shown) {
      if (!eventIds.includes(id)) continue
      Object.assign(this.#markOf(key), {
        own: isAll ? null : name,
        isExcluded: false,
        bot: null,
        runs: false,
        isLost: false,
      })
    }
    await this.#compare()
  }

  async #unschedule(): Promise<void> {
    const chosen = await this.#target(false)
    if (chosen === null) return
    await this.#engine.operations.cancelBots(chosen.target)
    this.done.push(`unschedule ${chosen.key}`)
    const mark = this.#markOf(chosen.key)
    const isWanted = mark.own !== null || this.#rules.has(chosen.event)
    if (mark.isLost || !isWanted || mark.isExcluded) return
    Object.assign(mark, { own: null, isExcluded: true, bot: null, left: [], runs: false })
  }

  async #spawn(): Promise<void> {
    const mark = this.#pick([...this.#marks.values()].filter(({ bot, runs, isLost }) => bot && !runs && !isLost))
    if (!mark?.bot) return
    await this.#set.spawn(mark.bot.id)
    mark.runs = true
    this.done.push(`bot of ${mark.own ?? 'the rule'} is in its meeting`)
  }

  // --- What has to be true -----------------------------------------------------------------------------------------

  async #shown() {
    const rows = await this.#events()
    return new Map(rows.filter(({ status }) => status !== 'cancelled').map((row) => [placeOf(row), row] as const))
  }

  /** The occurrences that a sync finds. */
  #update(): Map<string, Instance> {
    const here = new Map(this.#all().map((instance) => [keyOf(instance.event.id, instance.originalStart), instance]))
    for (const [key, mark] of this.#marks) {
      const wasReplaced = this.#edited.has(key.split('|')[0]!)
      if (here.has(key)) continue
      if (wasReplaced) mark.isLost = true
      Object.assign(mark, { bot: null, left: [], runs: false })
    }
    this.#seen = new Set(here.keys())
    this.#edited.clear()
    return here
  }

  async #compare(): Promise<void> {
    const here = this.#update()
    const shown = await this.#shown()
    expect([...shown.keys()].sort(), 'events').toEqual([...here.keys()].sort())
    const keys = new Map([...shown].map(([key, { id }]) => [id, key]))
    const open = (await this.#set.bots(this.#name)).filter(
      ({ phase, stop_requested_at }) => phase !== 'closed' && stop_requested_at === null,
    )
    const found = Map.groupBy(open, ({ event_id }) => keys.get(event_id!) ?? `no event ${event_id}`)
    for (const key of found.keys()) expect(here.has(key), `a bot at ${key}`).toBe(true)
    for (const [key, instance] of here) this.#compareOne(key, instance, found.get(key) ?? [])
  }

  #compareOne(
    key: string,
    { event, start, link }: Instance,
    found: { id: string; bot_name: string; join_at: Date | null; meeting_url: string; phase: string }[],
  ): void {
    const mark = this.#markOf(key)
    const waiting = found.filter(({ phase }) => phase === 'scheduled')
    if (mark.isLost) {
      expect(waiting.length, `bots of ${key}`).toBeLessThan(2)
      return
    }
    const name = mark.isExcluded ? null : (mark.own ?? this.#rules.get(event.id) ?? null)
    if (name === null) {
      expect(found, `bots of ${key}`).toEqual([])
      return
    }
    const plan = { start: start.getTime(), url: link! }
    const isOther = mark.bot !== null && (mark.bot.start !== plan.start || mark.bot.url !== plan.url)
    if (mark.runs && isOther) {
      mark.left.push(mark.bot!.id)
      Object.assign(mark, { bot: null, runs: false })
    }
    const current = found.filter(({ id }) => !mark.left.includes(id))
    expect(
      found
        .map(({ id }) => id)
        .filter((id) => mark.left.includes(id))
        .sort(),
      `left of ${key}`,
    ).toEqual([...mark.left].sort())
    expect(
      current.map((bot) => ({ start: bot.join_at!.getTime(), url: bot.meeting_url })),
      `the bot of ${key}`,
    ).toEqual([plan])
    const [bot] = current
    expect(bot!.phase, key).toBe(mark.runs ? 'running' : 'scheduled')
    // A rule may be changed while its bots wait; each keeps the settings that it was made with.
    if (mark.own !== null) expect(bot!.bot_name, key).toBe(name)
    if (mark.bot !== null) expect(bot!.id, `the bot of ${key} is the same`).toBe(mark.bot.id)
    mark.bot = { id: bot!.id, ...plan }
  }
}

function placeOf(row: { provider_id: string; original_start: Date | null; is_recurring: boolean; starts_at: Date }) {
  return keyOf(row.provider_id, row.is_recurring ? (row.original_start ?? row.starts_at) : null)
}

const zoned = (instant: Date, zone: string) =>
  Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone)
const local = (instant: Date, zone: string) => zoned(instant, zone).toPlainDate()
const dayOf = (instant: Date, zone: string) => local(instant, zone).toString()
