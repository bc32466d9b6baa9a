/** Events and series as the newer generation answers them. */
import { z } from 'zod'
import { shownPlatform } from '../bots/schema.ts'
import { CALENDAR_PLATFORMS } from '../calendars/schema.ts'
import { commaList, flag, limit, requestTime, time, uuid } from '../common.ts'

const EVENT_STATUSES = ['confirmed', 'cancelled', 'tentative'] as const
const EVENT_TYPES = ['one_off', 'recurring'] as const
const RESPONSES = ['accepted', 'declined', 'tentative', 'needsAction'] as const

const page = { limit: limit(250, 50), cursor: z.string().max(400).optional() }
const showCancelled = flag.default(true).describe('`false` leaves cancelled events out.')

export const listEventsQuery = z.strictObject({
  start_date: requestTime.optional().describe('Events that start then or later.'),
  end_date: requestTime.optional().describe('Events that end then or earlier.'),
  status: commaList(EVENT_STATUSES).optional(),
  show_cancelled: showCancelled,
  ...page,
})

export const listSeriesQuery = z.strictObject({
  event_type: commaList(EVENT_TYPES).optional(),
  show_cancelled: showCancelled,
  ...page,
})

export const eventParams = z.strictObject({ calendar_id: uuid, event_id: uuid })

const instanceFields = {
  event_id: z.uuid(),
  title: z.string(),
  start_time: time,
  end_time: time,
  status: z.enum(EVENT_STATUSES),
  is_exception: z.boolean(),
  meeting_url: z.string().nullable(),
  meeting_platform: shownPlatform.nullable(),
  calendar_id: z.uuid(),
  bot_scheduled: z.boolean(),
  created_at: time,
}
const seriesFields = { series_id: z.uuid(), event_type: z.enum(EVENT_TYPES) }

const instanceSchema = z.object(instanceFields).meta({ id: 'SeriesInstance' })
export type Instance = z.output<typeof instanceSchema>

export const eventItemSchema = z.object({ ...seriesFields, ...instanceFields }).meta({ id: 'CalendarEventItem' })
export type EventItem = z.output<typeof eventItemSchema>

export const seriesSchema = z
  .object({ ...seriesFields, calendar_id: z.uuid(), created_at: time, events: z.array(instanceSchema) })
  .meta({ id: 'EventSeries' })
export type Series = z.output<typeof seriesSchema>

const attendee = z.object({
  email: z.string(),
  name: z.string().nullable(),
  response_status: z.enum(RESPONSES),
  organizer: z.boolean().optional(),
  self: z.boolean().optional(),
})

export const eventDetailsSchema = z
  .object({
    event_id: z.uuid(),
    ...seriesFields,
    title: z.string(),
    description: z.string().nullable(),
    location: z.string().nullable(),
    start_time: time,
    end_time: time,
    timezone: z.string().nullable(),
    is_all_day: z.boolean(),
    status: z.enum(EVENT_STATUSES),
    is_exception: z.boolean(),
    organizer_email: z.string().nullable(),
    organizer_name: z.string().nullable(),
    attendees: z.array(attendee).nullable(),
    meeting_url: z.string().nullable(),
    meeting_platform: shownPlatform.nullable(),
    calendar_id: z.uuid(),
    calendar_platform: z.enum(CALENDAR_PLATFORMS),
    bot_scheduled: z.boolean(),
    raw_payload: z.record(z.string(), z.unknown()).nullable().describe('The event as the provider sent it.'),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'CalendarEvent' })
export type EventDetails = z.output<typeof eventDetailsSchema>
