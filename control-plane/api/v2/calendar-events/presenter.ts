/** Events and series as the newer generation answers them. */
import type { Attendee } from '../../../calendars/ports.ts'
import type { ListedEvent, WholeEvent } from '../../../store/calendars/reads.ts'
import type { SeriesRow } from '../../../store/rows/index.ts'
import type { EventDetails, EventItem, Instance, Series } from './schema.ts'

export function eventItem(event: ListedEvent): EventItem {
  return { series_id: event.series_id, event_type: typeOf(event), ...instance(event) }
}

export function seriesItem(series: SeriesRow & { events: ListedEvent[] }): Series {
  return {
    series_id: series.id,
    event_type: typeOf(series),
    calendar_id: series.calendar_id,
    created_at: series.created_at.toISOString(),
    events: series.events.map(instance),
  }
}

export function eventDetails(event: WholeEvent): EventDetails {
  return {
    ...eventItem(event),
    description: event.description,
    location: event.location,
    timezone: event.timezone,
    is_all_day: event.is_all_day,
    organizer_email: event.organizer_email,
    organizer_name: event.organizer_name,
    attendees: (event.attendees as Attendee[]).map(attendee),
    calendar_platform: event.calendar_platform as EventDetails['calendar_platform'],
    raw_payload: event.raw as EventDetails['raw_payload'],
    updated_at: event.updated_at.toISOString(),
  }
}

function instance(event: ListedEvent): Instance {
  return {
    event_id: event.id,
    title: event.title,
    start_time: event.starts_at.toISOString(),
    end_time: event.ends_at.toISOString(),
    status: event.status as Instance['status'],
    is_exception: event.is_exception,
    meeting_url: event.meeting_url,
    meeting_platform: event.meeting_platform as Instance['meeting_platform'],
    calendar_id: event.calendar_id,
    bot_scheduled: event.bot_scheduled,
    created_at: event.created_at.toISOString(),
  }
}

const typeOf = ({ event_type }: { event_type: string }) => event_type as EventItem['event_type']

/** `organizer` and `self` are present only if they are true. */
function attendee({ email, name, responseStatus, isOrganizer, isSelf }: Attendee) {
  return {
    email,
    name,
    response_status: responseStatus,
    ...(isOrganizer && { organizer: true }),
    ...(isSelf && { self: true }),
  }
}
