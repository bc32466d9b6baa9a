/** Events of a calendar and the series that they belong to. A single event is a series of one. */
import { listEvents, listSeries, readEvent } from '../../../store/calendars/reads.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../http/errors.ts'
import { type App, callerOf } from '../../http/generation.ts'
import { calendarOf, ownerOf } from '../calendars/access.ts'
import { calendarParams } from '../calendars/schema.ts'
import { errors, list, success } from '../common.ts'
import { cursorsOf, pageRequest } from '../cursor.ts'
import { eventDetails, eventItem, seriesItem } from './presenter.ts'
import {
  eventDetailsSchema,
  eventItemSchema,
  eventParams,
  listEventsQuery,
  listSeriesQuery,
  seriesSchema,
} from './schema.ts'

const TAGS = ['Calendar events']

export function calendarEventRoutes(app: App, dependencies: ApiDependencies): void {
  const { database, readList } = dependencies

  app.get(
    '/calendars/:calendar_id/events',
    {
      schema: {
        summary: 'List events, earliest first',
        description: 'Of the next 30 days, and those that were there when they came.',
        tags: TAGS,
        params: calendarParams,
        querystring: listEventsQuery,
        response: { 200: list(eventItemSchema), ...errors(404) },
      },
    },
    async (request) => {
      const { query } = request
      const { id } = await calendarOf(dependencies, request, request.params.calendar_id)
      const page = await readList(
        callerOf(request).teamId,
        listEvents,
        id,
        {
          startsFrom: query.start_date,
          endsBy: query.end_date,
          statuses: query.status,
          showCancelled: query.show_cancelled,
        },
        pageRequest(query.cursor, query.limit),
      )
      return { success: true as const, data: page.rows.map(eventItem), ...cursorsOf(page) }
    },
  )

  app.get(
    '/calendars/:calendar_id/series',
    {
      schema: {
        summary: 'List series with their events, oldest series first',
        tags: TAGS,
        params: calendarParams,
        querystring: listSeriesQuery,
        response: { 200: list(seriesSchema), ...errors(404) },
      },
    },
    async (request) => {
      const { query } = request
      const { id } = await calendarOf(dependencies, request, request.params.calendar_id)
      const page = await readList(
        callerOf(request).teamId,
        listSeries,
        id,
        { eventTypes: query.event_type, showCancelled: query.show_cancelled },
        pageRequest(query.cursor, query.limit),
      )
      return { success: true as const, data: page.series.map(seriesItem), ...cursorsOf(page) }
    },
  )

  app.get(
    '/calendars/:calendar_id/events/:event_id',
    {
      schema: {
        summary: 'An event, also a cancelled one',
        tags: TAGS,
        params: eventParams,
        response: { 200: success(eventDetailsSchema), ...errors(404) },
      },
    },
    async (request) => {
      const { calendar_id: calendarId, event_id: eventId } = request.params
      const { id } = await calendarOf(dependencies, request, calendarId)
      const event = await readEvent(database, ownerOf(request), id, eventId)
      if (event === undefined) throw refusals.eventNotFound(eventId)
      return { success: true as const, data: eventDetails(event) }
    },
  )
}
