/** Changes of a sync: the provider's answer compared with the stored events. Pure except for new ids. */
import { createHash, randomUUID } from 'node:crypto'
import type { MeetingLink } from '@standin/wire/meeting-links/index.ts'
import type { EventWrite, NewSeries, StoredEvent } from '../store/calendars/events.ts'
import type { Changes, ProviderEvent, Window } from './ports.ts'

export type ChangeKind = 'created' | 'updated' | 'cancelled'

export interface Difference {
  series: NewSeries[]
  /** `series_id` is still the provider's. */
  writes: EventWrite[]
  /** Ids of stored events that the provider no longer has. */
  removed: string[]
  /** By id of the event. A changed time stamp alone is stored and not reported. */
  news: Map<string, ChangeKind>
  /** Ids of events that had vanished and are there again. */
  revived: string[]
}

export function difference(
  stored: readonly StoredEvent[],
  changes: Changes,
  window: Window,
  linkOf: (url: string) => MeetingLink | null,
): Difference {
  const known = new Map(stored.map((event) => [event.provider_id, event]))
  const received = new Map(changes.events.map((event) => [event.providerId, event]))
  const result: Difference = { series: [], writes: [], removed: [], news: new Map(), revived: [] }
  const series = new Map<string, NewSeries>()

  for (const event of received.values()) {
    const before = known.get(event.providerId)
    // Only the window is stored; events that left it into the past stay unchanged.
    const isLater = event.start >= window.end
    if (before === undefined && !isInWindow(event.start, event.end, window)) continue
    const write = writeOf(event, before, isLater ? window.start : null, linkOf)
    const isChanged = before === undefined || before.content_hash !== write.content_hash || isRevived(before, write)
    const isRestamped = before?.provider_updated_at.getTime() !== event.updatedAt.getTime()
    if (!isChanged && !isRestamped) continue
    series.set(write.series_id, {
      provider_id: write.series_id,
      event_type: event.isRecurring ? 'recurring' : 'one_off',
    })
    result.writes.push(write)
    if (!isChanged) continue
    if (before !== undefined && isRevived(before, write)) result.revived.push(write.id)
    const wasCancelled = before === undefined || before.status === 'cancelled'
    if (write.status === 'cancelled') {
      if (before !== undefined && !wasCancelled) result.news.set(write.id, 'cancelled')
    } else result.news.set(write.id, before === undefined ? 'created' : 'updated')
  }

  for (const event of goneOf(stored, received, changes, window)) {
    if (event.removed_at === null) result.removed.push(event.id)
    if (event.status !== 'cancelled') result.news.set(event.id, 'cancelled')
  }
  result.series = [...series.values()]
  return result
}

function isInWindow(start: Date, end: Date, window: Window): boolean {
  return start < window.end && (end > window.start || start >= window.start)
}

const isRevived = (before: StoredEvent, write: EventWrite) => before.removed_at !== null && write.removed_at === null

/** Stored events that a complete answer does not contain. */
function goneOf(
  stored: readonly StoredEvent[],
  received: ReadonlyMap<string, ProviderEvent>,
  changes: Changes,
  window: Window,
): StoredEvent[] {
  const named = new Set(changes.removedIds)
  const whole = new Set(changes.wholeSeries)
  // An id is that of one event or of a series, never of both.
  const singles = new Set(changes.events.flatMap((event) => (event.isRecurring ? [] : event.providerId)))
  const series = new Set(changes.events.flatMap((event) => (event.isRecurring ? event.seriesProviderId : [])))
  // They exist, and their current content is unknown.
  const unreadable = new Set(changes.unreadable.map(({ providerId }) => providerId))
  return stored.filter((event) => {
    if (received.has(event.provider_id) || unreadable.has(event.provider_id)) return false
    if (named.has(event.provider_id)) return true
    const isSingle = event.provider_id === event.series_provider_id
    const isOther = (isSingle ? series : singles).has(event.series_provider_id)
    const isMissing = isOther || changes.isFull || whole.has(event.series_provider_id)
    return isMissing && isInWindow(event.starts_at, event.ends_at, window)
  })
}

/** `removedAt`: the event is after the window, so it counts only when the window reaches it. */
function writeOf(
  event: ProviderEvent,
  before: StoredEvent | undefined,
  removedAt: Date | null,
  linkOf: (url: string) => MeetingLink | null,
): EventWrite {
  const link = event.meetingUrl === null ? null : linkOf(event.meetingUrl)
  const write = {
    series_id: event.seriesProviderId,
    provider_id: event.providerId,
    is_recurring: event.isRecurring,
    is_exception: event.isException,
    original_start: event.originalStart?.toISOString() ?? null,
    title: event.title,
    description: event.description,
    location: event.location,
    starts_at: event.start.toISOString(),
    ends_at: event.end.toISOString(),
    timezone: event.timezone,
    is_all_day: event.isAllDay,
    status: removedAt === null ? event.status : 'cancelled',
    organizer_email: event.organizerEmail,
    organizer_name: event.organizerName,
    is_organizer: event.isOrganizer,
    attendees: event.attendees,
    meeting_url: link?.link ?? null,
    meeting_platform: link?.platform ?? null,
    meeting_key: link?.key ?? null,
  }
  return {
    ...write,
    id: before?.id ?? randomUUID(),
    removed_at: removedAt?.toISOString() ?? null,
    content_hash: createHash('sha256').update(JSON.stringify(write)).digest('base64'),
    provider_updated_at: event.updatedAt.toISOString(),
    raw: event.raw,
  }
}
