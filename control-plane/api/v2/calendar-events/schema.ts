/** Events and series as the newer generation answers them. */
import { z } from 'zod'
import { calendarFields, calendarParams } from '../calendars/schema.ts'
import { commaList, cursor, flag, limit, requestTime, time, uuid } from '../common.ts'
import { fields } from '../fields.ts'

const EVENT_STATUSES = ['confirmed', 'cancelled', 'tentative'] as const
const EVENT_TYPES = ['one_off', 'recurring'] as const
const RESPONSES = ['accepted', 'declined', 'tentative', 'needsAction'] as const

const page = { limit: limit(250, 50), cursor }
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

export const eventParams = z.strictObject({
  calendar_id: calendarParams.shape.calendar_id,
  event_id: uuid.describe('The id of the event.'),
})

export const calendarIds = {
  event_id: z.uuid().describe('The id of the event.'),
  series_id: z.uuid().describe('The id of its series; a single event is a series of one.'),
  calendar_id: z.uuid().describe('The id of the calendar.'),
  event_type: z.enum(EVENT_TYPES).describe('A single event, or one that recurs.'),
}
const meetingLink = {
  meeting_url: z.string().nullable().describe('The meeting link in the event; null without one.'),
  meeting_platform: fields.meeting_platform.nullable().describe('The platform that the link leads to.'),
}
const shared = {
  title: z.string().describe('As the calendar shows it.'),
  start_time: time.describe('When the event starts.'),
  end_time: time.describe('When the event ends.'),
  status: z.enum(EVENT_STATUSES).describe('An event that its owner declined is `cancelled`.'),
  is_exception: z.boolean().describe('Whether this event of a series differs from it.'),
  bot_scheduled: z.boolean().describe('Whether a bot goes to this event.'),
  created_at: fields.created_at,
}
const isAllDay = z.boolean().describe('Whether it has dates only, no times.')
/** Fields of an event in webhooks, with the texts that they have in answers. */
export const instanceTexts = { ...shared, ...meetingLink, is_all_day: isAllDay }
const instanceFields = {
  event_id: calendarIds.event_id,
  ...shared,
  ...meetingLink,
  calendar_id: calendarIds.calendar_id,
}
const seriesFields = { series_id: calendarIds.series_id, event_type: calendarIds.event_type }

const instanceSchema = z.object(instanceFields).meta({ id: 'SeriesInstance', description: 'An event of a series.' })
export type Instance = z.output<typeof instanceSchema>

export const eventItemSchema = z
  .object({ ...seriesFields, ...instanceFields })
  .meta({ id: 'CalendarEventItem', description: 'An event in a list.' })
export type EventItem = z.output<typeof eventItemSchema>

export const seriesSchema = z
  .object({
    ...seriesFields,
    calendar_id: calendarIds.calendar_id,
    created_at: fields.created_at,
    events: z.array(instanceSchema).describe('Those of the next 30 days.'),
  })
  .meta({ id: 'EventSeries', description: 'A series with its events.' })
export type Series = z.output<typeof seriesSchema>

const attendee = z.object({
  email: z.string().describe('Address of the person.'),
  name: z.string().nullable().describe('Name of the person, if the provider knows it.'),
  response_status: z.enum(RESPONSES).describe('The answer of the person to the invitation.'),
  organizer: z.boolean().optional().describe('Whether the person organizes the event.'),
  self: z.boolean().optional().describe('Whether the person is the owner of the calendar.'),
})

export const eventDetailsSchema = z
  .object({
    event_id: calendarIds.event_id,
    ...seriesFields,
    ...shared,
    description: z.string().nullable().describe('As the calendar shows it.'),
    location: z.string().nullable().describe('As the calendar shows it.'),
    timezone: z.string().nullable().describe('The zone in which the event was made.'),
    is_all_day: isAllDay,
    organizer_email: z.string().nullable().describe('Address of the person who organizes the event.'),
    organizer_name: z.string().nullable().describe('Name of that person.'),
    attendees: z.array(attendee).nullable().describe('The people who were invited, without rooms.'),
    ...meetingLink,
    calendar_id: calendarIds.calendar_id,
    calendar_platform: calendarFields.calendar_platform,
    raw_payload: z.record(z.string(), z.unknown()).nullable().describe('The event as the provider sent it.'),
    updated_at: fields.updated_at,
  })
  .meta({ id: 'CalendarEvent', description: 'An event with everything that is known of it.' })
export type EventDetails = z.output<typeof eventDetailsSchema>
