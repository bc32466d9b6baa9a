/** `/calendar_events` of the older generation: events and their bots. */
import type { FastifyRequest } from 'fastify'
import type { BotRequest, StoredRequest } from '../../../bots/request.ts'
import type { BotsResult, BotTarget } from '../../../calendars/operations.ts'
import type { Attendee } from '../../../calendars/ports.ts'
import {
  listOlderEvents,
  readCalendar,
  readEvent,
  readEvents,
  type WholeEvent,
} from '../../../store/calendars/reads.ts'
import { withCalendarErrors } from '../../calendar-problems.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../http/errors.ts'
import { type App, callerOf, checkFirst } from '../../http/generation.ts'
import { onceOutside } from '../../http/idempotency.ts'
import { checkCredential, checkOwnKey, checkRequest } from '../../new-bot.ts'
import { cursorsOf, pageRequest } from '../../v2/cursor.ts'
import { askedFields } from '../bots/presenter.ts'
import { changedRequest, newRequest, ofEvent } from '../bots/request.ts'
import { ownerOf } from '../calendars/routes.ts'
import { uuidParams } from '../calendars/schema.ts'
import { documented } from '../common.ts'
import {
  type BotParam,
  changeBody,
  eventListSchema,
  eventSchema,
  eventsSchema,
  listEventsQuery,
  type OlderEvent,
  occurrencesQuery,
  scheduleBody,
} from './schema.ts'

const PAGE_SIZE = 100
const BOT_PATH = '/calendar_events/:uuid/bot'

export function calendarEventRoutes(app: App, dependencies: ApiDependencies): void {
  const route = documented(app, 'Calendar events')
  const { database, readList, calendars } = dependencies

  route.get('/calendar_events', {
    summary: 'Events of a calendar, earliest first, 100 on each page',
    querystring: listEventsQuery,
    answer: eventListSchema,
    refusals: [404],
    async handle(request) {
      const { query } = request
      const owner = ownerOf(request)
      if ((await readCalendar(database, owner, query.calendar_id)) === undefined)
        throw refusals.calendarNotFound(query.calendar_id)
      const page = await readList(
        callerOf(request).teamId,
        listOlderEvents,
        query.calendar_id,
        {
          attendeeEmail: query.attendee_email || undefined,
          organizerEmail: query.organizer_email || undefined,
          updatedFrom: query.updated_at_gte,
          startsFrom: query.start_date_gte,
          startsBy: query.start_date_lte,
          when: query.status,
        },
        pageRequest(query.cursor && cursorIn(query.cursor), PAGE_SIZE),
      )
      return { data: page.rows.map(olderEvent), next: cursorsOf(page).cursor }
    },
  })

  route.get('/calendar_events/:uuid', {
    summary: 'An event',
    params: uuidParams,
    answer: eventSchema,
    refusals: [404],
    async handle(request) {
      return olderEvent(await eventOf(request, request.params.uuid))
    },
  })

  const exists = checkFirst(uuidParams, (request, { uuid }) => eventOf(request, uuid))

  route.post(BOT_PATH, {
    preValidation: exists,
    config: { permission: 'sending', createsBots: true, isIdempotent: true, changes: 'sometimes' },
    summary: 'Schedule a bot of an event, or of every event of its series',
    params: uuidParams,
    querystring: occurrencesQuery,
    body: scheduleBody,
    answer: eventsSchema,
    refusals: [404, 409],
    handle: async (request, reply) =>
      onceOutside(database, request, reply, async () => {
        const bot = newRequest({ ...ofEvent(request.body), bot_name: request.body.bot_name })
        await checkBot(bot, request)
        const target = targetOf(request, request.query.all_occurrences)
        const result = await withCalendarErrors(target, () =>
          calendars.scheduleBots(target, bot, callerOf(request).keyId),
        )
        return { status: 200, body: await answerOf(target, result) }
      }),
  })

  route.patch(BOT_PATH, {
    config: { changes: 'sometimes' },
    preValidation: exists,
    summary: 'Change the scheduled bot of an event, or of every event of its series',
    description: 'Absent and null fields keep their values.',
    params: uuidParams,
    querystring: occurrencesQuery,
    body: changeBody,
    answer: eventsSchema,
    refusals: [404, 409],
    async handle(request) {
      const body = ofEvent(request.body)
      await checkBot(newRequest({ ...body, bot_name: '' }), request)
      const target = targetOf(request, request.query.all_occurrences)
      const result = await withCalendarErrors(target, () =>
        calendars.changeBots(target, (before) => changedRequest(before, body)),
      )
      return answerOf(target, result)
    },
  })

  route.delete(BOT_PATH, {
    config: { changes: 'sometimes' },
    preValidation: exists,
    summary: 'Cancel the bot of an event, or of every event of its series',
    description: 'It is no error if no bot was scheduled. A bot that has started leaves its meeting.',
    params: uuidParams,
    querystring: occurrencesQuery,
    answer: eventsSchema,
    refusals: [404],
    async handle(request) {
      const target = targetOf(request, request.query.all_occurrences)
      const result = await withCalendarErrors(target, () => calendars.cancelBots(target))
      return eventsOf(target, result)
    },
  })

  async function eventOf(request: FastifyRequest, uuid: string) {
    const event = await readEvent(database, ownerOf(request), null, uuid)
    if (event === undefined) throw refusals.eventNotFound(uuid)
    return event
  }

  async function checkBot(asked: BotRequest, request: FastifyRequest): Promise<void> {
    checkRequest('older', asked, dependencies)
    await checkCredential(database, callerOf(request).teamId, asked)
    checkOwnKey(request, asked)
  }

  /** A single event that got no bot is an error; of a series all events are answered as they are now. */
  async function answerOf(target: BotTarget, result: BotsResult) {
    const [refused] = result.refused
    if (refused && !target.allOccurrences) {
      if (refused.code === 'NO_MEETING_URL') throw refusals.noMeetingUrl(refused.message)
      throw refusals.eventBotStatus(refused.eventId, refused.message)
    }
    return eventsOf(target, result)
  }

  async function eventsOf(owner: BotTarget, { eventIds, refused }: BotsResult) {
    const events = await readEvents(database, owner, [...eventIds, ...refused.map(({ eventId }) => eventId)])
    return events.map(olderEvent)
  }
}

function targetOf(request: FastifyRequest, allOccurrences: boolean): BotTarget {
  const { uuid } = request.params as { uuid: string }
  return { ...ownerOf(request), calendarId: null, seriesId: null, eventId: uuid, allOccurrences }
}

/** A cursor, or an address that has one in its query. */
function cursorIn(text: string): string {
  if (!URL.canParse(text, 'http://localhost') || !text.includes('cursor=')) return text
  return new URL(text, 'http://localhost').searchParams.get('cursor') ?? text
}

/** An event as the older generation answers it. Pure. */
function olderEvent(event: WholeEvent): OlderEvent {
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
