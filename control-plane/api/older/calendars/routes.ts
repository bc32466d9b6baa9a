/** `/calendars` of the older generation. */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { CalendarProblem } from '../../../calendars/operations.ts'
import type { OAuthCredentials } from '../../../calendars/ports.ts'
import type { CalendarRow } from '../../../rows/index.ts'
import { allCalendars, type CalendarOwner, openChannel, readCalendar } from '../../../store/calendars/reads.ts'
import { withCalendarErrors } from '../../calendar-problems.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../http/errors.ts'
import { type App, callerOf } from '../../http/generation.ts'
import { onceOutside } from '../../http/idempotency.ts'
import { errors } from '../common.ts'
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

const TAGS = ['Calendars']
/** Calendars are read one after the other. */
const MAX_RESYNC_MS = 10 * 60_000

export const ownerOf = (request: FastifyRequest): CalendarOwner => ({
  teamId: callerOf(request).teamId,
  generation: 'older',
})

export function calendarRoutes(app: App, dependencies: ApiDependencies): void {
  const { database, calendars, log } = dependencies
  const exists = async (request: FastifyRequest) => {
    const id = uuidParams.safeParse(request.params)
    if (id.success) await calendarOf(request, id.data.uuid)
  }

  async function calendarOf(request: FastifyRequest, uuid: string): Promise<CalendarRow> {
    const calendar = await readCalendar(database, ownerOf(request), uuid)
    if (calendar === undefined) throw refusals.calendarNotFound(uuid)
    return calendar
  }

  async function whole(calendar: CalendarRow) {
    return calendarOfRow(calendar, (await openChannel(database, calendar.id))?.resource_id ?? null)
  }

  app.post(
    '/calendars/raw',
    {
      config: { changes: 'never' },
      schema: {
        summary: 'The calendars of an account, nothing is stored',
        tags: TAGS,
        body: credentialsBody,
        response: { 200: rawCalendarsAnswer, ...errors() },
      },
    },
    async ({ body }) => {
      const raw = await withCalendarErrors({}, () => calendars.listRaw(body.platform, credentialsOf(body)))
      return { calendars: raw.map(({ id, email, isPrimary }) => ({ id, email, is_primary: isPrimary })) }
    },
  )

  app.post(
    '/calendars',
    {
      config: { isIdempotent: true },
      schema: {
        summary: 'Connect a calendar',
        description: 'Its first sync follows at once, in the background.',
        tags: TAGS,
        body: createCalendarBody,
        response: { 200: calendarAnswer, ...errors(409) },
      },
    },
    async (request, reply) =>
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
  )

  app.get(
    '/calendars',
    {
      schema: {
        summary: 'Calendars of the team, oldest first',
        tags: TAGS,
        response: { 200: z.array(calendarSchema), ...errors() },
      },
    },
    async (request) => {
      const all = await allCalendars(database, ownerOf(request))
      return all.map((calendar) => calendarOfRow(calendar, calendar.resource_id))
    },
  )

  app.get(
    '/calendars/:uuid',
    {
      schema: {
        summary: 'A calendar',
        tags: TAGS,
        params: uuidParams,
        response: { 200: calendarSchema, ...errors(404) },
      },
    },
    async (request) => whole(await calendarOf(request, request.params.uuid)),
  )

  app.patch(
    '/calendars/:uuid',
    {
      preValidation: exists,
      schema: {
        summary: 'Give a calendar new credentials',
        description:
          'The bots of its events are unscheduled, then all events are read again. The uuid does not change.',
        tags: TAGS,
        params: uuidParams,
        body: credentialsBody,
        response: { 200: calendarAnswer, ...errors(404) },
      },
    },
    async (request) => {
      const { body } = request
      const name = nameOf(request)
      const calendar = await withCalendarErrors(name, () =>
        calendars.update(name, credentialsOf(body), { cancelsSchedules: true, platform: body.platform }),
      )
      return { calendar: await whole(calendar) }
    },
  )

  app.delete(
    '/calendars/:uuid',
    {
      preValidation: exists,
      schema: {
        summary: 'Disconnect a calendar',
        description: 'Its events are removed, its scheduled bots cancelled. Answers without a body.',
        tags: TAGS,
        params: uuidParams,
        response: { 200: z.null().describe('Without a body.'), ...errors(404) },
      },
    },
    async (request, reply) => {
      const name = nameOf(request)
      await withCalendarErrors(name, () => calendars.disconnect(name))
      // null would be sent as the text of it.
      return reply.code(200).send(undefined as never)
    },
  )

  app.post(
    '/calendars/resync_all',
    {
      config: { changes: 'never' },
      handlerTimeout: MAX_RESYNC_MS,
      schema: {
        summary: 'Read all calendars of the team again, one by one',
        tags: TAGS,
        querystring: resyncQuery,
        response: { 200: resyncAnswer, ...errors() },
      },
    },
    async (request) => {
      const owner = ownerOf(request)
      const answer: z.output<typeof resyncAnswer> = { synced_calendars: [], errors: [] }
      for (const { id } of await allCalendars(database, owner)) {
        const problem = await resync({ ...owner, calendarId: id })
        if (problem === null) answer.synced_calendars.push(id)
        else answer.errors.push([id, problem])
      }
      return answer
    },
  )

  /** A sentence where it failed. */
  async function resync(calendar: ReturnType<typeof nameOf>): Promise<string | null> {
    try {
      await calendars.sync(calendar)
      return null
    } catch (error) {
      if (error instanceof CalendarProblem) return error.message
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
