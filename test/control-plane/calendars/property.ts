/**
 * Random sequences of what happens to calendars, their callers and this service, beside a model of the rules. After each
 * settling the bots of the service are those of the model.
 */
import { expect, vi } from 'vitest'
import type { Calendars } from '../../../control-plane/calendars/index.ts'
import type { ProviderEvent } from '../../../control-plane/calendars/ports.ts'
import { seeded } from '../checker/seeded.ts'
import { eventOf, type MemoryCalendar, seriesOf } from './memory-provider.ts'
import { type PlannedBot, RulesModel } from './rules-model.ts'
import { botOf, type CalendarSetting } from './world.ts'

const LINKS = [
  'https://meet.google.com/abc-defg-hij',
  'https://meet.google.com/klm-nopq-rst',
  'https://zoom.us/j/123456789?pwd=a',
] as const
/** Minutes ahead; the first ones lie inside the four minutes, the last behind the window. */
const STARTS = [2, 2, 2, 30, 60, 180, 1500, 20_000, 60_000] as const

export interface Counts {
  sequences: number
  steps: Record<string, number>
  settlings: number
  bots: number
}

/** One sequence: rejects with everything that was done if bots and model differ. */
export async function runSequence(setting: CalendarSetting, seed: number, counts: Counts): Promise<void> {
  // The clock of the test does not move, so that a seed always draws the same. That of the database runs on for seconds.
  vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(Date.now() / 1000) * 1000 })
  try {
    await runAtOneTime(setting, seed, counts)
  } finally {
    vi.useRealTimers()
  }
}

async function runAtOneTime(setting: CalendarSetting, seed: number, counts: Counts): Promise<void> {
  const random = seeded(seed)
  const sequence = new Sequence(setting, random, counts)
  await sequence.begin(seed)
  const length = 6 + Math.floor(random() * 14)
  try {
    for (let step = 0; step < length; step++) await sequence.step()
    await sequence.settle()
    await sequence.end()
  } catch (error) {
    await sequence.leave()
    const { actual, expected } = error as { actual?: unknown; expected?: unknown }
    const found = JSON.stringify({ actual, expected }, null, 1)
    throw new Error(`Seed ${seed}: ${String(error)}\n${sequence.done.join('\n')}\n${found}`, { cause: error })
  }
  counts.sequences++
}

class Sequence {
  readonly done: string[] = []
  readonly #set: CalendarSetting
  readonly #random: () => number
  readonly #counts: Counts
  #calendar!: MemoryCalendar
  #engine: Calendars
  #name!: { teamId: string; generation: 'v2' | 'older' | 'any'; calendarId: string }
  #model = new RulesModel()
  #made = 0
  /** Releases the requests that crashed processes were waiting for. */
  readonly #dead: (() => void)[] = []

  constructor(setting: CalendarSetting, random: () => number, counts: Counts) {
    this.#set = setting
    this.#random = random
    this.#counts = counts
    this.#engine = setting.open()
  }

  #pick<T>(of: readonly T[]): T {
    return of[Math.floor(this.#random() * of.length)]!
  }

  async begin(seed: number): Promise<void> {
    this.#calendar = this.#set.provider.add(`calendar-${seed}`)
    this.#calendar.rotates = this.#random() < 0.5
    for (let count = 0; count < 2; count++) this.#addEvent()
    this.#addSeries()
    this.#name = await this.#set.connect(this.#calendar, this.#engine)
    this.#updateModel()
    await this.#compare('connected')
    // Most sequences are about bots from their beginning on.
    for (const isAll of [false, false, true]) {
      this.done.push('schedule')
      if (this.#random() < 0.7) await this.#schedule(isAll)
    }
  }

  /** Updates the model with the state of the provider that the service has seen by now. */
  #updateModel(): void {
    this.#model.see([...this.#calendar.events.values()].filter(({ isDeleted }) => !isDeleted).map(({ event }) => event))
  }

  async step(): Promise<void> {
    const steps: [weight: number, name: string, () => void | Promise<void>][] = [
      [4, 'move', () => this.#move()],
      [3, 'link', () => this.#edit({ meetingUrl: this.#random() < 0.25 ? null : this.#pick(LINKS) })],
      [1, 'title', () => this.#edit({ title: `Title ${this.#random()}` })],
      [3, 'cancel', () => this.#edit({ status: 'cancelled' })],
      [2, 'restore', () => this.#edit({ status: 'confirmed' })],
      [2, 'delete', () => this.#deleteOne()],
      [1, 'delete series', () => this.#deleteSeries()],
      [2, 'split', () => this.#split()],
      [2, 'add', () => this.#addEvent()],
      [1, 'add series', () => this.#addSeries()],
      [2, 'grow series', () => this.#grow()],
      [4, 'schedule one', () => this.#schedule(false)],
      [3, 'schedule all', () => this.#schedule(true)],
      [2, 'unschedule one', () => this.#unschedule(false)],
      [1, 'unschedule all', () => this.#unschedule(true)],
      [2, 'spawn', () => this.#spawn()],
      [1, 'end', () => this.#endOne()],
      [2, 'kill cursors', () => this.#calendar.killCursors()],
      [2, 'rotate', () => this.#expireToken()],
      [2, 'fail', () => this.#fail()],
      [2, 'crash', () => this.#crash()],
      [2, 'restart', () => this.#restart()],
      [2, 'two at once', () => this.#twoAtOnce()],
      [3, 'pushes', () => this.#push()],
      [5, 'settle', () => this.settle()],
      [2, 'full', () => this.#full()],
    ]
    const total = steps.reduce((sum, [weight]) => sum + weight, 0)
    let place = this.#random() * total
    for (const [weight, name, run] of steps) {
      place -= weight
      if (place >= 0) continue
      this.#counts.steps[name] = (this.#counts.steps[name] ?? 0) + 1
      this.done.push(name)
      await run()
      return
    }
  }

  // --- What people do at the provider ------------------------------------------------------------------------------

  #events(): ProviderEvent[] {
    return [...this.#calendar.events.values()].filter(({ isDeleted }) => !isDeleted).map(({ event }) => event)
  }

  #addEvent(): void {
    const id = `e${++this.#made}`
    const meetingUrl = this.#random() < 0.2 ? null : this.#pick(LINKS)
    this.#calendar.put(eventOf(id, this.#pick(STARTS), { meetingUrl }))
    this.#note(id)
  }

  #addSeries(): void {
    const id = `s${++this.#made}`
    // Each series has a different time, so that none looks like the result of changing another one.
    const minutes = 40 + this.#made * 7
    const values = { meetingUrl: this.#pick(LINKS), organizerEmail: `${id}@example.com` }
    for (const event of seriesOf(id, minutes, 2 + Math.floor(this.#random() * 3), values)) this.#calendar.put(event)
    this.#note(id)
  }

  #edit(patch: Partial<ProviderEvent>): void {
    const event = this.#pick(this.#events())
    if (event === undefined) return
    this.#calendar.change(event.providerId, patch)
    this.#note(event.providerId, JSON.stringify(patch))
  }

  #move(): void {
    const event = this.#pick(this.#events())
    if (event === undefined) return
    const moved = eventOf(event.providerId, this.#pick(STARTS) + Math.floor(this.#random() * 3) * 0.1)
    this.#calendar.change(event.providerId, { start: moved.start, end: moved.end, isException: event.isRecurring })
    this.#note(event.providerId, moved.start.toISOString())
  }

  #deleteOne(): void {
    const event = this.#pick(this.#events())
    if (event !== undefined) this.#calendar.delete(event.providerId)
    this.#note(event?.providerId)
  }

  #ofSeries(): ProviderEvent[] {
    const recurring = this.#events().filter(({ isRecurring }) => isRecurring)
    const event = this.#pick(recurring)
    return recurring.filter(({ seriesProviderId }) => seriesProviderId === event?.seriesProviderId)
  }

  #deleteSeries(): void {
    const events = this.#ofSeries()
    for (const { providerId } of events) this.#calendar.delete(providerId)
    this.#note(events[0]?.seriesProviderId)
  }

  /** This and following: the rest of a series becomes another one, half an hour later. */
  #split(): void {
    const events = this.#ofSeries().sort((a, b) => a.originalStart!.getTime() - b.originalStart!.getTime())
    if (events.length < 2) return
    const rest = events.slice(Math.floor(events.length / 2))
    const old = events[0]!.seriesProviderId
    const id = `${familyOf(old)}_R${++this.#made}`
    rest.forEach((event, index) => {
      this.#calendar.delete(event.providerId)
      this.#model.replace(event.providerId, `${id}_${index}`)
      // An occurrence that was moved alone is back in its place.
      const start = new Date(event.originalStart!.getTime() + 1_800_000)
      const times = { start, end: new Date(start.getTime() + 3_600_000), originalStart: start }
      this.#calendar.put({
        ...event,
        ...times,
        status: 'confirmed',
        providerId: `${id}_${index}`,
        seriesProviderId: id,
      })
    })
    this.#note(old, id)
  }

  /** Behind each place that the series or a part of it ever had, so that none of those that are gone seems to be back. */
  #grow(): void {
    const event = this.#pick(this.#ofSeries())
    if (event === undefined) return
    const family = familyOf(event.seriesProviderId)
    const places = [...this.#calendar.events.values()]
      .filter((held) => familyOf(held.event.seriesProviderId) === family)
      .map((held) => held.event.originalStart!.getTime())
    const id = `${event.seriesProviderId}_x${++this.#made}`
    const start = new Date(Math.max(...places) + 86_400_000)
    const times = { start, end: new Date(start.getTime() + 3_600_000), originalStart: start }
    this.#calendar.put({ ...event, ...times, providerId: id, status: 'confirmed' })
    this.#note(id)
  }

  #note(...what: (string | undefined)[]): void {
    this.done[this.done.length - 1] += ` ${what.join(' ')}`
  }

  // --- What callers ask --------------------------------------------------------------------------------------------

  async #target(isAll: boolean) {
    const known = await this.#set.events(this.#name)
    const event = this.#pick(known)
    if (event === undefined) return null
    this.#note(event.provider_id)
    const seriesId = isAll ? event.series_id : null
    return { event, target: this.#set.target(this.#name, { eventId: event.id, seriesId, allOccurrences: isAll }) }
  }

  async #schedule(isAll: boolean): Promise<void> {
    const chosen = await this.#target(isAll)
    if (chosen === null) return
    const { eventIds } = await this.#engine.operations.scheduleBots(chosen.target, botOf(), null)
    const scheduled = this.#model.schedule(chosen.event.provider_id, isAll)
    expect(await this.#providerIds(eventIds)).toEqual(scheduled.sort())
    await this.#compare('scheduled')
  }

  async #unschedule(isAll: boolean): Promise<void> {
    const chosen = await this.#target(isAll)
    if (chosen === null) return
    await this.#engine.operations.cancelBots(chosen.target)
    this.#model.unschedule(chosen.event.provider_id, isAll)
    await this.#compare('unscheduled')
  }

  async #providerIds(eventIds: readonly string[]): Promise<string[]> {
    const events = await this.#set.events(this.#name)
    return events
      .filter(({ id }) => eventIds.includes(id))
      .map(({ provider_id }) => provider_id)
      .sort()
  }

  // --- What becomes of bots ----------------------------------------------------------------------------------------

  async #openBot(phases: readonly string[]) {
    const bots = (await this.#set.bots(this.#name)).filter(({ phase }) => phases.includes(phase))
    const named = await Promise.all(bots.map(async (bot) => ({ bot, name: nameOfPlan(await this.#planOf(bot)) })))
    return this.#pick(named.sort((one, other) => (one.name < other.name ? -1 : 1)))?.bot
  }

  async #spawn(): Promise<void> {
    const bot = await this.#openBot(['scheduled'])
    if (bot === undefined) return
    await this.#set.spawn(bot.id)
    this.#model.spawn(await this.#planOf(bot))
  }

  async #endOne(): Promise<void> {
    const bot = await this.#openBot(['running'])
    if (bot === undefined) return
    const ended = { phase: 'closed', status: 'completed', ended_at: new Date() }
    await this.#set.database.updateTable('bots').set(ended).where('id', '=', bot.id).execute()
    this.#model.end(await this.#planOf(bot))
  }

  async #planOf(bot: { event_id: string | null; join_at: Date | null; meeting_url: string }): Promise<PlannedBot> {
    const events = await this.#set.events(this.#name)
    const { provider_id } = events.find(({ id }) => id === bot.event_id)!
    return { event: provider_id, start: bot.join_at!.getTime(), url: bot.meeting_url }
  }

  // --- What happens to the service ---------------------------------------------------------------------------------

  async #expireToken(): Promise<void> {
    this.#calendar.accessTokens.clear()
    this.#calendar.rotates = this.#random() < 0.7
    if (this.#random() < 0.5) {
      await this.#set.alter(this.#name.calendarId, { access_token_until: new Date(0) })
    }
  }

  /** A call that fails for a while: the sync is repeated. */
  async #fail(): Promise<void> {
    this.#set.provider.failures.set('changes', [this.#pick(['unavailable', 'rate_limited', 'token_refused'] as const)])
    await this.#set.poll(this.#name, this.#engine)
    this.#set.provider.failures.clear()
    await this.settle()
  }

  /** A process has read everything, and waits for `held`. */
  async #readBy(process: Calendars, held: Promise<void>): Promise<void> {
    let isRead = false
    this.#set.provider.afterChanges = () => {
      isRead = true
      this.#set.provider.afterChanges = null
      return held
    }
    await this.#set.due(this.#name.calendarId)
    void process.settle()
    await expect.poll(() => isRead, { interval: 2 }).toBe(true)
  }

  /** The process crashes between the last page and the commit: its lease runs out, and another one starts again. */
  async #crash(): Promise<void> {
    const dying = this.#set.open()
    const { promise, reject } = Promise.withResolvers<void>()
    this.#dead.push(() => reject(new Error('The process is dead')))
    await this.#readBy(dying, promise)
    void dying.close()
    await this.#endLease()
    await this.#restart()
    await this.settle()
  }

  #endLease = () => this.#set.alter(this.#name.calendarId, { sync_lease_until: new Date(0) })

  async #restart(): Promise<void> {
    await this.#engine.close()
    this.#engine = this.#set.open()
  }

  /** A second process takes the calendar while the first still reads, and both come to their end. */
  async #twoAtOnce(): Promise<void> {
    const first = this.#set.open()
    const { promise, resolve } = Promise.withResolvers<void>()
    await this.#readBy(first, promise)
    // It takes nothing else, and brings this one to its end.
    const slow = first.close()
    await this.#endLease()
    if (this.#random() < 0.5) this.#edit({ meetingUrl: this.#pick(LINKS) })
    await this.settle()
    resolve()
    await slow
    await this.settle()
  }

  /** Several for one change, or one for none. */
  async #push(): Promise<void> {
    if (this.#calendar.subscriptions.size === 0) return
    const push = this.#set.pushOf(this.#calendar)
    const results = await Promise.all([push, push, push].map((one) => this.#engine.operations.notified(one)))
    expect(results).toEqual(['known', 'known', 'known'])
    await this.settle()
  }

  async #full(): Promise<void> {
    await this.#engine.operations.sync(this.#name)
    this.#updateModel()
    await this.#compare('full')
  }

  async settle(): Promise<void> {
    await this.#set.poll(this.#name, this.#engine)
    this.#updateModel()
    await this.#compare('settled')
  }

  async #compare(when: string): Promise<void> {
    this.#counts.settlings++
    const bots = (await this.#set.bots(this.#name)).filter(
      ({ phase, stop_requested_at }) => phase !== 'closed' && stop_requested_at === null,
    )
    const plans = await Promise.all(
      bots.map(async (bot) => ({ ...(await this.#planOf(bot)), runs: bot.phase === 'running' })),
    )
    const expected = this.#model.openBots()
    this.#counts.bots += expected.length
    expect(plans.map(nameOfPlan).sort(), `${when}, bots`).toEqual(expected.map(nameOfPlan).sort())
    const events = await this.#set.events(this.#name)
    const shown = events.filter(({ status }) => status !== 'cancelled').map(({ provider_id: id }) => id)
    expect(shown.sort(), when).toEqual(this.#model.shownEvents().sort())
  }

  /** After a difference: the next sequence has to find nothing that is due. */
  async leave(): Promise<void> {
    this.#set.provider.afterChanges = null
    this.#set.provider.failures.clear()
    await this.#set.alter(this.#name.calendarId, { deleted_at: new Date() })
    for (const letGo of this.#dead) letGo()
    await this.#engine.close()
  }

  async end(): Promise<void> {
    await this.#engine.operations.disconnect(this.#name)
    const left = (await this.#set.bots(this.#name)).filter(({ phase }) => phase === 'scheduled')
    expect(left).toEqual([])
    this.#set.provider.calendars.delete(this.#calendar.id)
    for (const letGo of this.#dead) letGo()
    await this.#engine.close()
  }
}

/** Parts of a series are named after it. */
const familyOf = (series: string) => series.replace(/_R\d+$/, '')

function nameOfPlan({ event, start, url, runs }: PlannedBot & { runs?: boolean }): string {
  return `${event} ${new Date(start).toISOString()} ${url}${runs ? ' runs' : ''}`
}
