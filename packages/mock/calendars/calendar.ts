/** One calendar, with the actions of its owner and of the organizers of its events. */
import { createHash } from 'node:crypto'
import type { StandInClock } from './clock.ts'
import {
  type Answer,
  DAY_MS,
  type Details,
  type Exception,
  type Existence,
  type Instance,
  instanceOn,
  instancesOf,
  inZone,
  type NewEvent,
  type Rule,
  type Schedule,
  type StoredEvent,
} from './model.ts'

export interface NewCalendar {
  id: string
  name: string
  isPrimary?: boolean
  timezone?: string
  /** Subscribed and holiday calendars of Google cannot be watched. */
  canWatch?: boolean
  /** Google names the series that a split makes after the old one. */
  namesSplits?: boolean
}

export class StandInCalendar {
  readonly id: string
  readonly name: string
  readonly isPrimary: boolean
  readonly timezone: string
  readonly canWatch: boolean
  private readonly namesSplits: boolean
  readonly events = new Map<string, StoredEvent>()
  /** Rises with each change. */
  revision = 0
  private readonly clock: StandInClock
  private readonly changed: (calendar: StandInCalendar) => void

  constructor(calendar: NewCalendar, clock: StandInClock, changed: (calendar: StandInCalendar) => void) {
    this.id = calendar.id
    this.name = calendar.name
    this.isPrimary = calendar.isPrimary ?? false
    this.timezone = calendar.timezone ?? 'UTC'
    this.canWatch = calendar.canWatch ?? true
    this.namesSplits = calendar.namesSplits ?? false
    this.clock = clock
    this.changed = changed
  }

  /** Returns the id of the event or the series. */
  create(given: NewEvent): string {
    const { start, repeats } = given
    const end = given.end ?? new Date(start.getTime() + (given.isAllDay ? DAY_MS : 3600_000))
    if (!(end >= start)) throw new Error('The event ends before it starts')
    // Not random, so that a random test repeats its seed.
    const id = given.id ?? createHash('sha256').update(`${this.id} ${this.revision}`).digest('hex').slice(0, 26)
    if (this.events.has(id)) throw new Error(`There is an event ${id} already`)
    const timezone = given.timezone ?? this.timezone
    const isAllDay = given.isAllDay ?? false
    const revision = ++this.revision
    const now = this.clock.date()
    this.events.set(id, {
      title: 'Meeting',
      description: '',
      location: '',
      link: null,
      answer: null,
      status: 'confirmed',
      organizer: null,
      attendees: [],
      ...detailsOf(given),
      id,
      isAllDay,
      timezone,
      eventType: given.eventType ?? 'default',
      showAs: given.showAs ?? null,
      existence: 'live',
      isSeries: repeats !== undefined,
      schedules: [
        {
          start,
          durationMs: end.getTime() - start.getTime(),
          // Days have no hours to keep.
          timezone: isAllDay ? 'UTC' : timezone,
          ...ruleOf(repeats),
          goneSince: null,
        },
      ],
      exceptions: new Map(),
      revision,
      created: now,
      updated: now,
    })
    this.changed(this)
    return id
  }

  /** Of the event or the whole series; of one instance where the original start of one is named. */
  change(id: string, details: Partial<Details>, instance?: Date): void {
    if (instance) this.except(id, instance, detailsOf(details))
    else this.edit(id, (event) => Object.assign(event, detailsOf(details)))
  }

  /** The length stays where `end` is left out. A series that is moved has no exceptions any more. */
  move(id: string, start: Date, end?: Date, instance?: Date): void {
    if (instance) {
      const { start: before, end: endBefore } = this.instance(id, instance)
      const length = endBefore.getTime() - before.getTime()
      this.except(id, instance, { start, end: end ?? new Date(start.getTime() + length) })
      return
    }
    this.reschedule(id, (schedule) => {
      const durationMs = end === undefined ? schedule.durationMs : end.getTime() - start.getTime()
      const shift = start.getTime() - schedule.start.getTime()
      const until = schedule.until === null ? null : new Date(schedule.until.getTime() + shift)
      return { start, durationMs, until }
    })
  }

  /** A single event becomes the first of a series; with null, a series becomes one event, at its instance `instance` or its first. */
  repeat(id: string, rule: Rule | null, instance?: Date): void {
    const start = instance ?? this.eventOf(id).schedules.at(-1)!.start
    this.reschedule(id, () => ({ start, ...ruleOf(rule ?? undefined) }))
  }

  /** The same time of the day in another zone. */
  changeZone(id: string, timezone: string): void {
    this.reschedule(id, ({ start, until, timezone: before }) => {
      const there = (instant: Date) =>
        new Date(inZone(instant, before).toPlainDateTime().toZonedDateTime(timezone).epochMilliseconds)
      return { start: there(start), until: until && there(until), timezone }
    })
    this.edit(id, (event) => Object.assign(event, { timezone }))
  }

  /** The event or series is gone, and another one with its content has taken its place. Returns the other's id. */
  recreate(id: string): string {
    const event = this.eventOf(id)
    const { start, durationMs, stepDays, count, until } = event.schedules.at(-1)!
    const { isAllDay, timezone, eventType } = event
    this.delete(id)
    return this.create({
      ...detailsOf(event),
      start,
      end: new Date(start.getTime() + durationMs),
      isAllDay,
      timezone,
      eventType,
      ...(event.isSeries && { repeats: repeatsOf(stepDays, count, until) }),
    })
  }

  /** Of a series, the instances get other original starts, and none differs from it any more. */
  private reschedule(id: string, change: (schedule: Schedule) => Partial<Schedule>): void {
    this.edit(id, (event, revision) => {
      const schedule = event.schedules.at(-1)!
      const next = { ...schedule, ...change(schedule) }
      event.isSeries = next.stepDays > 0
      event.exceptions.clear()
      if (schedule.stepDays === 0 && next.stepDays === 0) Object.assign(schedule, next)
      else {
        schedule.goneSince = revision
        event.schedules.push(next)
      }
    })
  }

  /** The organizer cancels it: Microsoft shows it as cancelled, Google removes it. */
  cancel(id: string, instance?: Date): void {
    this.end(id, 'cancelled', instance)
  }

  /** Of one instance: it is excluded from the series. */
  delete(id: string, instance?: Date): void {
    this.end(id, 'deleted', instance)
  }

  /** Brings back a cancelled or deleted event or instance. */
  restore(id: string, instance?: Date): void {
    const event = this.events.get(id)
    if (event === undefined) throw new Error(`There is no event ${id}`)
    if (!instance) event.existence = 'live'
    this.end(id, 'live', instance)
  }

  /** The owner answers an invitation. */
  respond(id: string, answer: Answer, instance?: Date): void {
    this.change(id, { answer }, instance)
  }

  /**
   * "This and the following": the old series ends before `from`, and a new one starts there. Returns the id of the new
   * one.
   */
  split(id: string, from: Date, change: Partial<Details> & { id?: string; start?: Date; end?: Date } = {}): string {
    const event = this.eventOf(id)
    this.instance(id, from)
    const schedule = event.schedules.at(-1)!
    const index = Math.round((from.getTime() - schedule.start.getTime()) / (schedule.stepDays * DAY_MS))
    const rest: Schedule = { ...schedule, start: from, count: schedule.count === null ? null : schedule.count - index }
    const start = change.start ?? from
    const end = change.end ?? new Date(start.getTime() + schedule.durationMs)
    const named = this.namesSplits ? `${id.replace(/_R\d{8}T\d{6}$/, '')}_R${compact(from)}` : undefined
    const newId = change.id ?? (named !== undefined && this.events.has(named) ? undefined : named)
    const { isAllDay, timezone, eventType } = event
    this.edit(id, (edited, revision) => {
      const kept = edited.schedules.pop()!
      edited.schedules.push({ ...rest, goneSince: revision }, { ...kept, until: from })
      for (const key of edited.exceptions.keys()) if (new Date(key) >= from) edited.exceptions.delete(key)
    })
    return this.create({
      ...detailsOf(event),
      ...detailsOf(change),
      ...(newId !== undefined && { id: newId }),
      start,
      end,
      isAllDay,
      timezone,
      eventType,
      repeats: repeatsOf(rest.stepDays, rest.count, rest.until),
    })
  }

  /** Of the event, of the first instance of a series, or of the instance with this original start. */
  startOf(id: string, instance?: Date): Date {
    return instance ? this.instance(id, instance).start : this.eventOf(id).schedules.at(-1)!.start
  }

  /** Everything that is not deleted and touches the window, by start. */
  between(start: Date, end: Date, options?: { gone?: boolean; everywhere?: boolean }): Instance[] {
    return [...this.events.values()]
      .flatMap((event) => instancesOf(event, { start, end }, options))
      .sort((one, other) => one.start.getTime() - other.start.getTime() || (one.event.id < other.event.id ? -1 : 1))
  }

  private instance(id: string, original: Date): Instance {
    const instance = instanceOn(this.eventOf(id), original)
    if (instance === null) throw new Error(`The series ${id} has no instance at ${original.toISOString()}`)
    return instance
  }

  private eventOf(id: string): StoredEvent {
    const event = this.events.get(id)
    if (event === undefined || event.existence === 'deleted') throw new Error(`There is no event ${id}`)
    return event
  }

  private end(id: string, existence: Existence, instance?: Date): void {
    if (instance) this.except(id, instance, { existence })
    else this.edit(id, (event) => Object.assign(event, { existence }))
  }

  private edit(id: string, work: (event: StoredEvent, revision: number) => void): void {
    const event = this.eventOf(id)
    const revision = ++this.revision
    work(event, revision)
    event.revision = revision
    event.updated = this.clock.date()
    this.changed(this)
  }

  private except(id: string, original: Date, change: Partial<Exception>): void {
    this.instance(id, original)
    const event = this.eventOf(id)
    const key = original.toISOString()
    const before = event.exceptions.get(key) ?? { existence: 'live' as const }
    const revision = ++this.revision
    event.exceptions.set(key, { ...before, ...change, revision, updated: this.clock.date() })
    this.changed(this)
  }
}

function ruleOf(repeats: Rule | undefined): Pick<Schedule, 'stepDays' | 'count' | 'until'> {
  if (repeats === undefined) return { stepDays: 0, count: 1, until: null }
  return {
    stepDays: repeats.every === 'week' ? 7 : 1,
    count: repeats.count ?? null,
    until: repeats.until ?? null,
  }
}

function repeatsOf(stepDays: number, count: number | null, until: Date | null): Rule {
  return {
    every: stepDays === 1 ? 'day' : 'week',
    ...(count !== null && { count }),
    ...(until !== null && { until }),
  }
}

const DETAILS = ['title', 'description', 'location', 'link', 'answer', 'status', 'organizer', 'attendees'] as const

function detailsOf(given: Partial<Details>): Partial<Details> {
  return Object.fromEntries(DETAILS.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])))
}

/** `20261124T140000`. */
export function compact(instant: Date): string {
  return instant.toISOString().replace(/[-:]/g, '').slice(0, 15)
}
