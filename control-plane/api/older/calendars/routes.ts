/** `/calendars` of the older generation. */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { OAuthCredentials } from '../../../calendars/ports.ts'
import { ProviderError } from '../../../platform/ports.ts'
import { openChannel } from '../../../store/calendars/channels.ts'
import { allCalendars, type CalendarOwner, readCalendar } from '../../../store/calendars/reads.ts'
import type { CalendarRow } from '../../../store/rows/index.ts'
import { withCalendarErrors } from '../../calendar-problems.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../http/errors.ts'
import { type App, callerOf, checkFirst } from '../../http/generation.ts'
import { onceOutside } from '../../http/idempotency.ts'
import { documented } from '../common.ts'
import {
  type CredentialsBody,
  calendarAnswer,
  calendarSchema,
  createCalendarBody,
  credentialsBody,
  rawCalendarsAnswer,
  resyncAnswer,
  resyncQuery,
  uuidParams,
} from './schema.ts'

/** Calendars are read one after the other. */
const MAX_RESYNC_MS = 10 * 60_000

export const ownerOf = (request: FastifyRequest): CalendarOwner => ({
  teamId: callerOf(request).teamId,
  generation: 'older',
})

export function calendarRoutes(app: App, dependencies: ApiDependencies): void {
  const route = documented(app, 'Calendars')
  const { database, calendars, log } = dependencies
  const exists = checkFirst(uuidParams, (request, { uuid }) => calendarOf(request, uuid))

  async function calendarOf(request: FastifyRequest, uuid: string): Promise<CalendarRow> {
    const calendar = await readCalendar(database, ownerOf(request), uuid)
    if (calendar === undefined) throw refusals.calendarNotFound(uuid)
    return calendar
  }

  async function whole(calendar: CalendarRow) {
    return calendarOfRow(calendar, (await openChannel(database, calendar.id))?.resource_id ?? null)
  }

  route.post('/calendars/raw', {
    config: { changes: 'never' },
    summary: 'The calendars of an account, nothing is stored',
    body: credentialsBody,
    answer: rawCalendarsAnswer,
    async handle({ body }) {
      const raw = await withCalendarErrors({}, () => calendars.listRaw(body.platform, credentialsOf(body)))
      return { calendars: raw.map(({ id, email, isPrimary }) => ({ id, email, is_primary: isPrimary })) }
    },
  })

  route.post('/calendars', {
    config: { isIdempotent: true },
    summary: 'Connect a calendar',
    description: 'Its first sync follows at once, in the background.',
    body: createCalendarBody,
    answer: calendarAnswer,
    refusals: [409],
    handle: async (request, reply) =>
      onceOutside(database, request, reply, async () => {
        const { body } = request
        const { teamId, keyId } = callerOf(request)
        const calendar = await withCalendarErrors({}, () =>
          calendars.connect(
            { teamId, apiKeyId: keyId, generation: 'older', isCompat: request.generation?.isCompat ?? false },
            {
              platform: body.platform,
              credentials: credentialsOf(body),
              rawCalendarId: body.raw_calendar_id || null,
            },
          ),
        )
        return { status: 200, body: { calendar: await whole(calendar) } }
      }),
  })

  route.get('/calendars', {
    summary: 'Calendars of the team, oldest first',
    answer: z.array(calendarSchema),
    async handle(request) {
      const all = await allCalendars(database, ownerOf(request))
      return all.map((calendar) => calendarOfRow(calendar, calendar.resource_id))
    },
  })

  route.get('/calendars/:uuid', {
    summary: 'A calendar',
    params: uuidParams,
    answer: calendarSchema,
    refusals: [404],
    handle: async (request) => whole(await calendarOf(request, request.params.uuid)),
  })

  route.patch('/calendars/:uuid', {
    preValidation: exists,
    summary: 'Give a calendar new credentials',
    description: 'The bots of its events are unscheduled, then all events are read again. The uuid does not change.',
    params: uuidParams,
    body: credentialsBody,
    answer: calendarAnswer,
    refusals: [404],
    async handle(request) {
      const { body } = request
      const name = nameOf(request)
      const calendar = await withCalendarErrors(name, () =>
        calendars.update(name, credentialsOf(body), { cancelsSchedules: true, platform: body.platform }),
      )
      return { calendar: await whole(calendar) }
    },
  })

  route.delete('/calendars/:uuid', {
    preValidation: exists,
    summary: 'Disconnect a calendar',
    description: 'Its events are removed, its scheduled bots cancelled. Answers without a body.',
    params: uuidParams,
    answer: z.null().describe('Without a body.'),
    refusals: [404],
    async handle(request, reply) {
      const name = nameOf(request)
      await withCalendarErrors(name, () => calendars.disconnect(name))
      return reply.send()
    },
  })

  route.post('/calendars/resync_all', {
    config: { changes: 'never' },
    handlerTimeout: MAX_RESYNC_MS,
    summary: 'Read all calendars of the team again, one by one',
    querystring: resyncQuery,
    answer: resyncAnswer,
    async handle(request) {
      const owner = ownerOf(request)
      const answer: z.output<typeof resyncAnswer> = { synced_calendars: [], errors: [] }
      for (const { id } of await allCalendars(database, owner)) {
        const problem = await resync({ ...owner, calendarId: id })
        if (problem === null) answer.synced_calendars.push(id)
        else answer.errors.push([id, problem])
      }
      return answer
    },
  })

  /** A sentence where it failed. */
  async function resync(calendar: ReturnType<typeof nameOf>): Promise<string | null> {
    try {
      await calendars.sync(calendar)
      return null
    } catch (error) {
      if (error instanceof ProviderError) return error.message
      log.error({ calendar: calendar.calendarId, error: String(error) }, 'Calendar could not be synced')
      return 'The service failed to sync this calendar'
    }
  }
}

function nameOf(request: FastifyRequest) {
  return { ...ownerOf(request), calendarId: (request.params as { uuid: string }).uuid }
}

function credentialsOf(body: CredentialsBody): OAuthCredentials {
  return {
    clientId: body.oauth_client_id,
    clientSecret: body.oauth_client_secret,
    refreshToken: body.oauth_refresh_token,
    tenantId: 'common',
  }
}

function calendarOfRow(calendar: CalendarRow, resourceId: string | null): z.output<typeof calendarSchema> {
  return {
    uuid: calendar.id,
    name: calendar.name,
    email: calendar.account_email,
    provider_id: calendar.raw_calendar_id,
    resource_id: resourceId,
  }
}
