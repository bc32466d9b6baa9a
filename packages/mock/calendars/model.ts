/** The content of the calendars of both stand-ins: single events, and series with a rule and exceptions. */
import { Temporal } from 'temporal-polyfill'

export interface Person {
  email: string
  name?: string
  answer?: Answer
  isResource?: boolean
}

export type Answer = 'accepted' | 'declined' | 'tentative' | 'needsAction'

/** Fields in which an instance may differ from its series. */
export interface Details {
  title: string
  /** HTML, as both providers have it. */
  description: string
  location: string
  /** The link of the conference that the event itself carries. */
  link: string | null
  /** The owner's own answer; null if the owner is the organizer. */
  answer: Answer | null
  status: 'confirmed' | 'tentative'
  organizer: Person | null
  /** Beside the owner. */
  attendees: Person[]
}

export interface Rule {
  every: 'day' | 'week'
  /** Without an end if neither is given. */
  count?: number
  /** The last instance starts before it. */
  until?: Date
}

export interface NewEvent extends Partial<Details> {
  /** Chosen if it is left out. */
  id?: string
  start: Date
  /** An hour after the start if it is left out. */
  end?: Date
  isAllDay?: boolean
  timezone?: string
  repeats?: Rule
  /** Google only, such as `focusTime`. */
  eventType?: string
  /** Microsoft only, such as `oof`. */
  showAs?: string
}

/** Where a rule puts its instances: at the same time of the day in its zone, also after the clocks there change. */
export interface Schedule {
  start: Date
  durationMs: number
  /** 0 for a single event. */
  stepDays: number
  timezone: string
  count: number | null
  until: Date | null
  /** The revision that replaced it; null for the current one. */
  goneSince: number | null
}

export type Existence = 'live' | 'cancelled' | 'deleted'

export interface Exception extends Partial<Details> {
  start?: Date
  end?: Date
  existence: Existence
  revision: number
  updated: Date
}

export interface StoredEvent extends Details {
  id: string
  isAllDay: boolean
  timezone: string
  eventType: string
  showAs: string | null
  existence: Existence
  /** The last schedule is the current one. */
  schedules: Schedule[]
  isSeries: boolean
  exceptions: Map<string, Exception>
  /** Of the last change of the event as a whole. */
  revision: number
  created: Date
  updated: Date
}

/** A single event, or one instance of a series, with all its properties. */
export interface Instance extends Details {
  event: StoredEvent
  /** Null for a single event. */
  originalStart: Date | null
  start: Date
  end: Date
  existence: Existence
  isException: boolean
  revision: number
  updated: Date
}

export const DAY_MS = 24 * 3600_000
/** Instances of a series are looked at this far around a window, so that moved ones are found. */
const AROUND_MS = 60 * DAY_MS

/** Every instance that touches the window, and where asked for, what no longer exists; in the order of their starts. */
export function instancesOf(
  event: StoredEvent,
  window: { start: Date; end: Date },
  { gone = false, everywhere = false }: { gone?: boolean; everywhere?: boolean } = {},
): Instance[] {
  const found = new Map<string, Instance>()
  const current = event.schedules.at(-1)!
  for (const original of originalsOf(current, window)) put(found, instanceAt(event, original, current))
  for (const key of event.exceptions.keys()) {
    const original = new Date(key)
    if (isOn(current, original)) put(found, instanceAt(event, original, current))
  }
  if (gone)
    for (const schedule of event.schedules.slice(0, -1).reverse())
      for (const original of originalsOf(schedule, window)) {
        const instance = instanceAt(event, original, schedule)
        if (!found.has(keyOf(instance))) put(found, instance)
      }
  return [...found.values()]
    .filter(({ existence }) => gone || existence !== 'deleted')
    .filter(({ start, end }) => everywhere || (start < window.end && end > window.start))
    .sort((one, other) => one.start.getTime() - other.start.getTime())
}

const put = (found: Map<string, Instance>, instance: Instance) => void found.set(keyOf(instance), instance)
const keyOf = ({ originalStart }: Instance) => originalStart?.toISOString() ?? ''

/** Null if the series' rule has no such instance. */
export function instanceOn(event: StoredEvent, original: Date | null): Instance | null {
  const current = event.schedules.at(-1)!
  if (!event.isSeries) return instanceAt(event, current.start, current)
  return original !== null && isOn(current, original) ? instanceAt(event, original, current) : null
}

function instanceAt(event: StoredEvent, original: Date, schedule: Schedule): Instance {
  const isPast = schedule.goneSince !== null
  const isRecurring = schedule.stepDays > 0
  const exception = isRecurring ? event.exceptions.get(original.toISOString()) : undefined
  const { start, end, existence = 'live', revision = 0, updated = event.updated, ...details } = exception ?? {}
  const own = event.existence !== 'live' ? event.existence : isPast ? 'deleted' : existence
  const moved = start ?? original
  return {
    title: event.title,
    description: event.description,
    location: event.location,
    link: event.link,
    answer: event.answer,
    status: event.status,
    organizer: event.organizer,
    attendees: event.attendees,
    ...details,
    event,
    originalStart: isRecurring ? original : null,
    start: moved,
    end: end ?? new Date(moved.getTime() + schedule.durationMs),
    existence: own,
    isException: exception !== undefined,
    revision: isPast
      ? Math.max(schedule.goneSince!, event.existence === 'live' ? 0 : event.revision)
      : Math.max(event.revision, revision),
    updated: new Date(Math.max(updated.getTime(), event.updated.getTime())),
  }
}

function* originalsOf(schedule: Schedule, window: { start: Date; end: Date }): Generator<Date> {
  if (schedule.stepDays === 0) {
    yield schedule.start
    return
  }
  const from = window.start.getTime() - AROUND_MS
  const to = window.end.getTime() + AROUND_MS
  for (let index = Math.max(0, indexOf(schedule, from) - 1); ; index++) {
    const original = originalAt(schedule, index)
    if (original.getTime() > to || !isOn(schedule, original)) return
    yield original
  }
}

/** Of the nearest one. */
const indexOf = ({ start, stepDays }: Schedule, instant: number): number =>
  stepDays === 0 ? 0 : Math.round((instant - start.getTime()) / (stepDays * DAY_MS))

function originalAt({ start, stepDays, timezone }: Schedule, index: number): Date {
  if (timezone === 'UTC') return new Date(start.getTime() + index * stepDays * DAY_MS)
  return new Date(inZone(start, timezone).add({ days: index * stepDays }).epochMilliseconds)
}

function isOn(schedule: Schedule, original: Date): boolean {
  const { count, until } = schedule
  const index = indexOf(schedule, original.getTime())
  if (index < 0 || originalAt(schedule, index).getTime() !== original.getTime()) return false
  return (count === null || index < count) && (until === null || original < until)
}

export function inZone(instant: Date, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone)
}

/** The link of the conference where a meeting of Google Meet was added by Google itself. */
export function isMeet(link: string | null): boolean {
  return link?.startsWith('https://meet.google.com/') ?? false
}
