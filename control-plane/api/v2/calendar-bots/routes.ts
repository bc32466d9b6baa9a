/** Bots of calendar events. They follow their event: its time, its link, its end. */
import type { FastifyRequest } from 'fastify'
import type { BotsResult, BotTarget } from '../../../calendars/operations.ts'
import { withCalendarErrors } from '../../calendar-problems.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../http/errors.ts'
import { type App, callerOf } from '../../http/generation.ts'
import { onceOutside } from '../../http/idempotency.ts'
import { EXAMPLE_ID } from '../../http/openapi.ts'
import { checkCredential, checkOwnKey, checkRequest } from '../../new-bot.ts'
import { changeOfBody, requestOfBody } from '../bots/request.ts'
import { checkCalendarFirst, ownerOf } from '../calendars/access.ts'
import { calendarParams } from '../calendars/schema.ts'
import { documented } from '../common.ts'
import { calendarBotsAnswer, cancelBody, changeBody, scheduleBody, type Target } from './schema.ts'

/** Clients send it for "no series". */
const NO_ID = '00000000-0000-0000-0000-000000000000'
const PATH = '/calendars/:calendar_id/bots'

export function calendarBotRoutes(app: App, dependencies: ApiDependencies): void {
  const route = documented(app, 'Bots of calendar events')
  const { database, calendars } = dependencies
  const exists = checkCalendarFirst(dependencies)

  route.post(PATH, {
    preValidation: exists,
    config: { permission: 'sending', createsBots: true, isIdempotent: true, changes: 'sometimes' },
    summary: 'Schedule bots of an event or of a whole series',
    description:
      'The answer is 201 also if some events get no bot: each of these is in `errors` with its code. Nothing is reserved until the event starts; daily cap and tokens are checked then.',
    params: calendarParams,
    body: scheduleBody,
    example: () => ({ event_id: EXAMPLE_ID, bot_name: 'Notes for Ann' }),
    status: 201,
    answer: calendarBotsAnswer,
    refusals: [404, 409],
    handle: async (request, reply) =>
      onceOutside(database, request, reply, async () => {
        const { body } = request
        const { keyId, teamId } = callerOf(request)
        const bot = requestOfBody(body)
        checkRequest('v2', bot, dependencies)
        await checkCredential(database, teamId, bot)
        checkOwnKey(request, bot)
        const target = targetOf(request, body)
        const result = await withCalendarErrors(target, () => calendars.scheduleBots(target, bot, keyId))
        return { status: 201, body: answerOf(result) }
      }),
  })

  route.patch(PATH, {
    config: { changes: 'sometimes' },
    preValidation: exists,
    summary: 'Change the bots of an event or of a whole series',
    description: 'Possible until four minutes before the start. Fields that are left out stay.',
    params: calendarParams,
    body: changeBody,
    example: () => ({ event_id: EXAMPLE_ID, bot_name: 'Notes for Bob' }),
    answer: calendarBotsAnswer,
    refusals: [404, 409],
    async handle(request) {
      const { body } = request
      const change = changeOfBody(body, dependencies)
      await checkCredential(database, callerOf(request).teamId, change)
      checkOwnKey(request, change)
      const target = targetOf(request, body)
      const result = await withCalendarErrors(target, () =>
        calendars.changeBots(target, (before) => ({ ...before, ...change })),
      )
      refuseSingle(target, result)
      return answerOf(result)
    },
  })

  route.delete(PATH, {
    config: { changes: 'sometimes' },
    preValidation: exists,
    summary: 'Cancel the bots of an event or of a whole series',
    description: 'Bots that have started leave their meetings. A single event of a series stays without a bot.',
    params: calendarParams,
    body: cancelBody,
    example: () => ({ event_id: EXAMPLE_ID }),
    answer: calendarBotsAnswer,
    refusals: [404, 409],
    async handle(request) {
      const target = targetOf(request, request.body)
      const result = await withCalendarErrors(target, () => calendars.cancelBots(target))
      refuseSingle(target, result)
      return answerOf(result)
    },
  })
}

/** Rejects with 400 if nothing is named. */
function targetOf(request: FastifyRequest, body: Target): BotTarget & { calendarId: string } {
  const { calendar_id: calendarId } = request.params as { calendar_id: string }
  const seriesId = body.series_id && body.series_id !== NO_ID ? body.series_id : null
  const eventId = body.event_id ?? null
  if (seriesId === null && eventId === null)
    throw refusals.validation('body needs event_id, or series_id with all_occurrences')
  if (eventId === null && !body.all_occurrences)
    throw refusals.validation('body/event_id is needed without all_occurrences')
  return { ...ownerOf(request), calendarId, seriesId, eventId, allOccurrences: body.all_occurrences }
}

/** A single event that is refused for its state alone is a 409. */
function refuseSingle({ allOccurrences, eventId }: BotTarget, { refused }: BotsResult): void {
  const [only] = refused
  if (allOccurrences || only?.code !== 'BOT_STATUS') return
  throw refusals.eventBotStatus(eventId ?? only.eventId, only.message)
}

function answerOf({ eventIds, refused }: BotsResult) {
  return {
    success: true as const,
    data: eventIds.map((event_id) => ({ event_id })),
    errors: refused.map(({ eventId, code, message }) => ({ event_id: eventId, code, message, details: null })),
  }
}
