/** The content of the calendars of both stand-ins: single events, and series with a rule and exceptions. */

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

interface Rule {
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
}

/** Where a rule puts its instances: all of them `stepMs` apart. */
export interface Schedule {
  start: Date
  durationMs: number
  stepMs: number
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
  existence: Existence
  /** A single event has one schedule with a count of one. The last schedule is the current one. */
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

/** Instances of a series are looked at this far around a window, so that moved ones are found. */
const AROUND_MS = 60 * 24 * 3600_000

/** Every instance that touches the window, and where asked for, what no longer exists; in the order of their starts. */
export function instancesOf(
  event: StoredEvent,
  window: { start: Date; end: Date },
  { gone = false, everywhere = false }: { gone?: boolean; everywhere?: boolean } = {},
): Instance[] {
  const found = new Map<string, Instance>()
  const current = event.schedules.at(-1)!
  const originals = event.isSeries ? originalsOf(current, window) : [current.start]
  for (const original of originals) put(found, instanceAt(event, original, current))
  for (const key of event.exceptions.keys()) {
    const original = new Date(key)
    if (isOn(current, original)) put(found, instanceAt(event, original, current))
  }
  if (gone)
    for (const schedule of event.schedules.slice(0, -1))
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
  const exception = event.isSeries ? event.exceptions.get(original.toISOString()) : undefined
  const isPast = schedule.goneSince !== null
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
    originalStart: event.isSeries ? original : null,
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
  const { start, stepMs } = schedule
  const from = window.start.getTime() - AROUND_MS
  const to = window.end.getTime() + AROUND_MS
  const first = Math.max(0, Math.floor((from - start.getTime()) / stepMs))
  for (let index = first; ; index++) {
    const original = new Date(start.getTime() + index * stepMs)
    if (original.getTime() > to || !isOn(schedule, original)) return
    yield original
  }
}

function isOn({ start, stepMs, count, until }: Schedule, original: Date): boolean {
  const index = (original.getTime() - start.getTime()) / stepMs
  if (!Number.isInteger(index) || index < 0) return false
  return (count === null || index < count) && (until === null || original < until)
}

/** The link of the conference where a meeting of Google Meet was added by Google itself. */
export function isMeet(link: string | null): boolean {
  return link?.startsWith('https://meet.google.com/') ?? false
}
