/** An event as the older generation answers it. Pure. */
import type { StoredRequest } from '../../../bots/request.ts'
import type { Attendee } from '../../../calendars/ports.ts'
import type { WholeEvent } from '../../../store/calendars/reads.ts'
import { askedFields } from '../bots/presenter.ts'
import type { BotParam, OlderEvent } from './schema.ts'

export function olderEvent(event: WholeEvent): OlderEvent {
  return {
    uuid: event.id,
    calendar_uuid: event.calendar_id,
    name: event.title,
    meeting_url: event.meeting_url ?? '',
    start_time: event.starts_at.toISOString(),
    end_time: event.ends_at.toISOString(),
    last_updated_at: event.updated_at.toISOString(),
    is_organizer: event.is_organizer,
    is_recurring: event.is_recurring,
    deleted: event.status === 'cancelled',
    provider_id: event.provider_id,
    recurring_event_id: event.is_recurring ? event.series_provider_id : null,
    attendees: (event.attendees as Attendee[])
      .filter(({ isResource }) => !isResource)
      .map(({ email, name }) => ({ email, name })),
    bot_param: event.bot === null ? null : botParam(event.bot as StoredRequest),
    raw: (event.raw ?? {}) as OlderEvent['raw'],
  }
}

function botParam(request: StoredRequest): BotParam {
  return {
    ...askedFields(request),
    bot_name: request.bot_name,
    deduplication_key: request.deduplication_key ?? null,
    extra: request.extra ?? {},
    recording_mode: request.recording_mode as BotParam['recording_mode'],
  }
}
