/**
 * Webhooks of calendars. Their ids are derived from the calendar and the happening, so that a repeat sends nothing
 * twice.
 */
import type { Channel, OutgoingMessage } from '../bots/change.ts'
import { messageId } from '../bots/messages/index.ts'
import type { ReportedEvent } from '../store/calendars/events.ts'
import type { CalendarRow } from '../store/rows/index.ts'
import type { ChangeKind } from './difference.ts'

type Body = Record<string, unknown>

function message(calendar: CalendarRow, channel: Channel, event: string, source: string, data: Body): OutgoingMessage {
  return {
    id: messageId([calendar.id, source, channel, event].join('\n')),
    channel,
    event,
    body: { event, data },
    teamId: calendar.team_id,
    botId: null,
    orderingKey: calendar.id,
    isCompat: calendar.is_compat,
  }
}

const connection = ({ id, platform, account_email, status, created_at }: CalendarRow) => ({
  calendar_id: id,
  calendar_platform: platform,
  account_email,
  status,
  created_at: created_at.toISOString(),
})

/** The older generation has no events of connections: the lists below are empty for it. */
const ofNewer = (calendar: CalendarRow, event: string, source: string, data: Body): OutgoingMessage[] =>
  calendar.generation === 'v2' ? [message(calendar, 'webhooks', event, source, data)] : []

export function messagesOfConnect(calendar: CalendarRow): OutgoingMessage[] {
  return ofNewer(calendar, 'calendar.connection_created', 'created', connection(calendar))
}

/** Other credentials, or active again. `calendar` is the row after the change. */
export function messagesOfUpdate(calendar: CalendarRow, now: Date): OutgoingMessage[] {
  const source = `updated:${calendar.tokens_version}:${calendar.status_changes}`
  const data = { ...connection(calendar), updated_at: now.toISOString() }
  return ofNewer(calendar, 'calendar.connection_updated', source, data)
}

/** Not active any more. `calendar` is the row after the change. */
export function messagesOfProblem(calendar: CalendarRow): OutgoingMessage[] {
  const { id, platform, status, status_message: error } = calendar
  const data = {
    calendar_id: id,
    calendar_platform: platform,
    ...(calendar.is_compat && { platform }),
    status,
    error,
  }
  return ofNewer(calendar, 'calendar.connection_error', `status:${calendar.status_changes}`, data)
}

export function messagesOfDisconnect(calendar: CalendarRow, now: Date): OutgoingMessage[] {
  const data = { calendar_id: calendar.id, calendar_platform: calendar.platform, deleted_at: now.toISOString() }
  return ofNewer(calendar, 'calendar.connection_deleted', 'deleted', data)
}

export interface SyncNews {
  /** Of the calendar's syncs, from 1. */
  number: number
  now: Date
  /** The first sync: every event of the window. */
  isFirst: boolean
  events: readonly ReportedEvent[]
  news: ReadonlyMap<string, ChangeKind>
}

export function messagesOfSync(calendar: CalendarRow, sync: SyncNews): OutgoingMessage[] {
  if (calendar.generation === 'older') return olderMessages(calendar, sync)
  if (sync.isFirst) {
    const events = seriesOf(sync.events).map((events) => ({ ...nameOf(events), instances: events.map(instance) }))
    return ofNewer(calendar, 'calendar.events_synced', 'synced', { calendar_id: calendar.id, events })
  }
  return (['created', 'updated', 'cancelled'] as const).flatMap((kind) =>
    seriesOf(sync.events.filter(({ id }) => sync.news.get(id) === kind)).flatMap((events) =>
      ofNewer(
        calendar,
        `calendar.event_${kind}`,
        `sync:${sync.number}:${events[0]!.series_id}`,
        eventData(calendar, kind, events),
      ),
    ),
  )
}

function olderMessages(calendar: CalendarRow, { number, now, events }: SyncNews): OutgoingMessage[] {
  if (events.length === 0) return []
  const data = {
    calendar_id: calendar.id,
    last_updated_ts: now.toISOString(),
    affected_event_uuids: events.map(({ id }) => id),
  }
  return [message(calendar, 'older', 'calendar.sync_events', `sync:${number}`, data)]
}

function eventData(calendar: CalendarRow, kind: ChangeKind, events: readonly ReportedEvent[]): Body {
  const instances = events.map(instance)
  const { event_type, series_id, series_bot_scheduled } = nameOf(events)
  const names = { calendar_id: calendar.id, event_type, series_id }
  if (kind === 'cancelled') return { ...names, cancelled_instances: instances }
  if (kind === 'created') return { ...names, series_bot_scheduled, instances }
  const isException = events.some(({ is_exception }) => is_exception)
  return { ...names, series_bot_scheduled, is_exception: isException, affected_instances: instances }
}

function seriesOf(events: readonly ReportedEvent[]): ReportedEvent[][] {
  return [...Map.groupBy(events, ({ series_id }) => series_id).values()]
}

function nameOf(events: readonly ReportedEvent[]) {
  const { event_type, series_id, series_bot_scheduled } = events[0]!
  return { event_type, series_id, series_bot_scheduled }
}

function instance(event: ReportedEvent): Body {
  return {
    event_id: event.id,
    start: event.starts_at.toISOString(),
    end: event.ends_at.toISOString(),
    title: event.title,
    status: event.status,
    is_all_day: event.is_all_day,
    is_exception: event.is_exception,
    bot_scheduled: event.bot_scheduled,
    meeting_url: event.meeting_url,
    meeting_platform: event.meeting_platform,
  }
}
