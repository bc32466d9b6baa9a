/** `/v2/calendars`: connections to calendars of Google and Microsoft, by the caller's own OAuth app. */
import type { FastifyRequest } from 'fastify'
import type { OAuthCredentials } from '../../../calendars/ports.ts'
import { openChannel } from '../../../store/calendars/channels.ts'
import { listCalendars } from '../../../store/calendars/reads.ts'
import type { CalendarRow, ChannelRow } from '../../../store/rows/index.ts'
import { withCalendarErrors } from '../../calendar-problems.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { type App, callerOf } from '../../http/generation.ts'
import { onceOutside } from '../../http/idempotency.ts'
import { at, documented, done, list, message, succeeded, success } from '../common.ts'
import { cursorsOf, pageRequest } from '../cursor.ts'
import { calendarOf, checkCalendarFirst, ownerOf } from './access.ts'
import {
  type CalendarDetails,
  type CalendarItem,
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

const OAUTH_EXAMPLE = {
  oauth_client_id: 'your-app.apps.googleusercontent.com',
  oauth_client_secret: 'secret-of-your-app',
  oauth_refresh_token: 'refresh-token-of-the-user',
}

export function calendarRoutes(app: App, dependencies: ApiDependencies): void {
  const route = documented(app, 'Calendars')
  const { database, readList, calendars } = dependencies
  const exists = checkCalendarFirst(dependencies)

  route.post('/calendars/list-raw', {
    config: { changes: 'never' },
    summary: 'The calendars of an account, nothing is stored',
    body: listRawBody,
    example: () => ({ calendar_platform: 'google', ...OAUTH_EXAMPLE }),
    answer: success(rawCalendarSchema.array()),
    async handle({ body }) {
      const raw = await withCalendarErrors({}, () => calendars.listRaw(body.calendar_platform, credentialsOf(body)))
      const data = raw.map(({ id, name, email, isPrimary }) => ({ id, name, email, is_primary: isPrimary }))
      return succeeded(data)
    },
  })

  route.post('/calendars', {
    config: { isIdempotent: true },
    summary: 'Connect a calendar',
    description:
      'The first sync and the subscription to changes follow at once, in the background. `calendar.connection_created` and `calendar.events_synced` report them.',
    body: createCalendarBody,
    example: () => ({ calendar_platform: 'google', ...OAUTH_EXAMPLE, raw_calendar_id: 'primary' }),
    status: 201,
    answer: success(createdCalendarSchema),
    refusals: [409],
    handle: async (request, reply) =>
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
        return { status: 201, body: succeeded(createdCalendar(calendar)) }
      }),
  })

  route.get('/calendars', {
    summary: 'List calendars, newest first',
    querystring: listCalendarsQuery,
    answer: list(calendarItemSchema),
    async handle(request) {
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
  })

  route.get('/calendars/:calendar_id', {
    summary: 'A calendar',
    params: calendarParams,
    answer: success(calendarDetailsSchema),
    refusals: [404],
    async handle(request) {
      const calendar = await calendarOf(dependencies, request, request.params.calendar_id)
      return succeeded(calendarDetails(calendar, await openChannel(database, calendar.id)))
    },
  })

  route.patch('/calendars/:calendar_id', {
    preValidation: exists,
    summary: 'Give a calendar new credentials',
    description:
      'The calendar must be found with them. Its bots stay. A refused token answers 401 and makes the status `error`.',
    params: calendarParams,
    body: updateCalendarBody,
    example: () => OAUTH_EXAMPLE,
    answer: success(updatedCalendarSchema),
    refusals: [404],
    async handle(request) {
      const name = nameOf(request)
      const calendar = await withCalendarErrors(name, () => calendars.update(name, credentialsOf(request.body)))
      return succeeded(updatedCalendar(calendar))
    },
  })

  route.delete('/calendars/:calendar_id', {
    preValidation: exists,
    summary: 'Disconnect a calendar',
    description: 'Its events are removed, its scheduled bots cancelled. Bots that are in a meeting stay there.',
    params: calendarParams,
    answer: message,
    refusals: [404],
    async handle(request) {
      const name = nameOf(request)
      await withCalendarErrors(name, () => calendars.disconnect(name))
      return done('Calendar deleted successfully.')
    },
  })

  route.post('/calendars/:calendar_id/sync', {
    config: { changes: 'never' },
    preValidation: exists,
    summary: 'Read the next 30 days of a calendar again',
    params: calendarParams,
    answer: message,
    refusals: [404],
    async handle(request) {
      const name = nameOf(request)
      const { changed } = await withCalendarErrors(name, () => calendars.sync(name))
      const events = changed === 1 ? '1 event was' : `${changed} events were`
      return done(`Calendar synced successfully: ${events} new or changed.`)
    },
  })

  route.post('/calendars/:calendar_id/resubscribe', {
    config: { changes: 'never' },
    preValidation: exists,
    summary: 'Subscribe to changes again',
    description: 'A calendar without a subscription is read every 15 minutes.',
    params: calendarParams,
    answer: success(resubscribedSchema),
    refusals: [404],
    async handle(request) {
      const name = nameOf(request)
      const { resubscribedAt, problem } = await withCalendarErrors(name, () => calendars.resubscribe(name))
      const data = { calendar_id: name.calendarId, resubscribed_at: resubscribedAt.toISOString(), problem }
      return succeeded(data)
    },
  })
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

/** A connected calendar as the newer generation answers it. Credentials are never answered. */
function calendarItem(calendar: CalendarRow): CalendarItem {
  return { ...namesOf(calendar), synced_at: at(calendar.synced_at), created_at: calendar.created_at.toISOString() }
}

function createdCalendar(calendar: CalendarRow) {
  return { ...namesOf(calendar), created_at: calendar.created_at.toISOString() }
}

function updatedCalendar(calendar: CalendarRow) {
  return { ...namesOf(calendar), updated_at: calendar.updated_at.toISOString() }
}

function calendarDetails(calendar: CalendarRow, channel: ChannelRow | undefined): CalendarDetails {
  return {
    ...calendarItem(calendar),
    status_message: calendar.status_message,
    subscription_id: channel?.provider_id ?? null,
    subscription_expires_at: at(channel?.expires_at ?? null),
    sync_status: calendar.sync_status as CalendarDetails['sync_status'],
    sync_error: calendar.sync_error,
    provider_metadata: calendar.provider_metadata as CalendarDetails['provider_metadata'],
    updated_at: calendar.updated_at.toISOString(),
  }
}

function namesOf(calendar: CalendarRow) {
  return {
    calendar_id: calendar.id,
    calendar_platform: calendar.platform as CalendarItem['calendar_platform'],
    account_email: calendar.account_email,
    status: calendar.status as CalendarItem['status'],
  }
}
