/** Events of a calendar and the series that they belong to. A single event is a series of one. */
import { listEvents, listSeries, readEvent } from '../../../store/calendars/reads.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../http/errors.ts'
import { type App, callerOf } from '../../http/generation.ts'
import { calendarOf, ownerOf } from '../calendars/access.ts'
import { calendarParams } from '../calendars/schema.ts'
import { documented, list, succeeded, success } from '../common.ts'
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

export function calendarEventRoutes(app: App, dependencies: ApiDependencies): void {
  const route = documented(app, 'Calendar events')
  const { database, readList } = dependencies

  route.get('/calendars/:calendar_id/events', {
    summary: 'List events, earliest first',
    description: 'Of the next 30 days, and those that were there when they came.',
    params: calendarParams,
    querystring: listEventsQuery,
    answer: list(eventItemSchema),
    refusals: [404],
    async handle(request) {
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
  })

  route.get('/calendars/:calendar_id/series', {
    summary: 'List series with their events, oldest series first',
    params: calendarParams,
    querystring: listSeriesQuery,
    answer: list(seriesSchema),
    refusals: [404],
    async handle(request) {
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
  })

  route.get('/calendars/:calendar_id/events/:event_id', {
    summary: 'An event, also a cancelled one',
    params: eventParams,
    answer: success(eventDetailsSchema),
    refusals: [404],
    async handle(request) {
      const { calendar_id: calendarId, event_id: eventId } = request.params
      const { id } = await calendarOf(dependencies, request, calendarId)
      const event = await readEvent(database, ownerOf(request), id, eventId)
      if (event === undefined) throw refusals.eventNotFound(eventId)
      return succeeded(eventDetails(event))
    },
  })
}
