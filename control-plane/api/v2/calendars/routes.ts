/** `/v2/calendars`: connections to calendars of Google and Microsoft, by the caller's own OAuth app. */
import type { FastifyRequest } from 'fastify'
import type { OAuthCredentials } from '../../../calendars/ports.ts'
import { listCalendars, openChannel } from '../../../store/calendars/reads.ts'
import { withCalendarErrors } from '../../calendar-problems.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { type App, callerOf } from '../../http/generation.ts'
import { onceOutside } from '../../http/idempotency.ts'
import { errors, list, message, success } from '../common.ts'
import { cursorsOf, pageRequest } from '../cursor.ts'
import { calendarOf, checkCalendarFirst, ownerOf } from './access.ts'
import { calendarDetails, calendarItem, createdCalendar, updatedCalendar } from './presenter.ts'
import {
  calendarDetailsSchema,
  calendarItemSchema,
  calendarParams,
  createCalendarBody,
  createdCalendarSchema,
  listCalendarsQuery,
  listRawBody,
  type OAuthFields,
  rawCalendarSchema,
  resubscribedSchema,
  updateCalendarBody,
  updatedCalendarSchema,
} from './schema.ts'

const TAGS = ['Calendars']

export function calendarRoutes(app: App, dependencies: ApiDependencies): void {
  const { database, readList, calendars } = dependencies
  const exists = checkCalendarFirst(dependencies)

  app.post(
    '/calendars/list-raw',
    {
      config: { changes: 'never' },
      schema: {
        summary: 'The calendars of an account, nothing is stored',
        tags: TAGS,
        body: listRawBody,
        response: { 200: success(rawCalendarSchema.array()), ...errors() },
      },
    },
    async ({ body }) => {
      const raw = await withCalendarErrors({}, () => calendars.listRaw(body.calendar_platform, credentialsOf(body)))
      const data = raw.map(({ id, name, email, isPrimary }) => ({ id, name, email, is_primary: isPrimary }))
      return { success: true as const, data }
    },
  )

  app.post(
    '/calendars',
    {
      config: { isIdempotent: true },
      schema: {
        summary: 'Connect a calendar',
        description:
          'The first sync and the subscription to changes follow at once, in the background. `calendar.connection_created` and `calendar.events_synced` report them.',
        tags: TAGS,
        body: createCalendarBody,
        response: { 201: success(createdCalendarSchema), ...errors(409) },
      },
    },
    async (request, reply) =>
      onceOutside(database, request, reply, async () => {
        const { body } = request
        const { teamId, keyId } = callerOf(request)
        const caller = {
          teamId,
          apiKeyId: keyId,
          generation: 'v2' as const,
          isCompat: request.generation?.isCompat ?? false,
        }
        const calendar = await withCalendarErrors({}, () =>
          calendars.connect(caller, {
            platform: body.calendar_platform,
            credentials: credentialsOf(body),
            rawCalendarId: body.raw_calendar_id,
          }),
        )
        return { status: 201, body: { success: true as const, data: createdCalendar(calendar) } }
      }),
  )

  app.get(
    '/calendars',
    {
      schema: {
        summary: 'List calendars, newest first',
        tags: TAGS,
        querystring: listCalendarsQuery,
        response: { 200: list(calendarItemSchema), ...errors() },
      },
    },
    async (request) => {
      const { query } = request
      const page = await readList(
        callerOf(request).teamId,
        listCalendars,
        ownerOf(request),
        { accountEmail: query.account_email, platforms: query.calendar_platform, statuses: query.status },
        pageRequest(query.cursor, query.limit),
      )
      return { success: true as const, data: page.calendars.map(calendarItem), ...cursorsOf(page) }
    },
  )

  app.get(
    '/calendars/:calendar_id',
    {
      schema: {
        summary: 'A calendar',
        tags: TAGS,
        params: calendarParams,
        response: { 200: success(calendarDetailsSchema), ...errors(404) },
      },
    },
    async (request) => {
      const calendar = await calendarOf(dependencies, request, request.params.calendar_id)
      return { success: true as const, data: calendarDetails(calendar, await openChannel(database, calendar.id)) }
    },
  )

  app.patch(
    '/calendars/:calendar_id',
    {
      preValidation: exists,
      schema: {
        summary: 'Give a calendar new credentials',
        description:
          'The calendar must be found with them. Its bots stay. A refused token answers 401 and makes the status `error`.',
        tags: TAGS,
        params: calendarParams,
        body: updateCalendarBody,
        response: { 200: success(updatedCalendarSchema), ...errors(404) },
      },
    },
    async (request) => {
      const name = nameOf(request)
      const calendar = await withCalendarErrors(name, () => calendars.update(name, credentialsOf(request.body)))
      return { success: true as const, data: updatedCalendar(calendar) }
    },
  )

  app.delete(
    '/calendars/:calendar_id',
    {
      preValidation: exists,
      schema: {
        summary: 'Disconnect a calendar',
        description: 'Its events are removed, its scheduled bots cancelled. Bots that are in a meeting stay there.',
        tags: TAGS,
        params: calendarParams,
        response: { 200: message, ...errors(404) },
      },
    },
    async (request) => {
      const name = nameOf(request)
      await withCalendarErrors(name, () => calendars.disconnect(name))
      return { success: true as const, data: { message: 'Calendar deleted successfully.' } }
    },
  )

  app.post(
    '/calendars/:calendar_id/sync',
    {
      config: { changes: 'never' },
      preValidation: exists,
      schema: {
        summary: 'Read the next 30 days of a calendar again',
        tags: TAGS,
        params: calendarParams,
        response: { 200: message, ...errors(404) },
      },
    },
    async (request) => {
      const name = nameOf(request)
      const { changed } = await withCalendarErrors(name, () => calendars.sync(name))
      const events = changed === 1 ? '1 event was' : `${changed} events were`
      return { success: true as const, data: { message: `Calendar synced successfully: ${events} new or changed.` } }
    },
  )

  app.post(
    '/calendars/:calendar_id/resubscribe',
    {
      config: { changes: 'never' },
      preValidation: exists,
      schema: {
        summary: 'Subscribe to changes again',
        description: 'A calendar without a subscription is read every 15 minutes.',
        tags: TAGS,
        params: calendarParams,
        response: { 200: success(resubscribedSchema), ...errors(404) },
      },
    },
    async (request) => {
      const name = nameOf(request)
      const { resubscribedAt, problem } = await withCalendarErrors(name, () => calendars.resubscribe(name))
      const data = { calendar_id: name.calendarId, resubscribed_at: resubscribedAt.toISOString(), problem }
      return { success: true as const, data }
    },
  )
}

function nameOf(request: FastifyRequest) {
  const { calendar_id: calendarId } = request.params as { calendar_id: string }
  return { ...ownerOf(request), calendarId }
}

function credentialsOf(body: OAuthFields): OAuthCredentials {
  return {
    clientId: body.oauth_client_id,
    clientSecret: body.oauth_client_secret,
    refreshToken: body.oauth_refresh_token,
    tenantId: body.oauth_tenant_id || 'common',
  }
}
