/** Bots that join at a given time: `/v2/bots/scheduled`. */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { withBot } from '../../../bots/actions/change-bot.ts'
import { changeScheduledBot } from '../../../bots/actions/change-scheduled-bot.ts'
import { createBot } from '../../../bots/actions/create-bot.ts'
import { askToLeave } from '../../../bots/actions/stop-bot.ts'
import { logChange } from '../../../store/audit-log.ts'
import { readBot } from '../../../store/bots/bots.ts'
import { listScheduledBots } from '../../../store/bots/list.ts'
import { openRequest } from '../../../store/bots/secrets.ts'
import type { BotRow } from '../../../store/rows/index.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../http/errors.ts'
import { type App, callerOf, checkFirst } from '../../http/generation.ts'
import { once } from '../../http/idempotency.ts'
import { checkCredential, checkOwnKey, checkPage, checkZoomApp, errorOfRefusal, meetingOf } from '../../new-bot.ts'
import { generationSeenBy, isOf } from '../bots/access.ts'
import { changeOfBody, newBotOf } from '../bots/request.ts'
import { createdBot } from '../bots/schema.ts'
import { botParams, commaList, documented, done, limit, list, message, succeeded, success } from '../common.ts'
import { cursorsOf, pageRequest } from '../cursor.ts'
import { botFilters, checkWithinDays, filterTime } from '../filters.ts'
import { isChangeable, joinTimeOf } from './join-time.ts'
import { scheduledDetails, scheduledItem } from './presenter.ts'
import {
  changeScheduledBody,
  SCHEDULE_STATUSES,
  scheduleBotBody,
  scheduledDetailsSchema,
  scheduledItemSchema,
} from './schema.ts'

const listQuery = z.strictObject({
  ...botFilters,
  limit: limit(100, 50),
  status: commaList(SCHEDULE_STATUSES).optional(),
  scheduled_after: filterTime.describe('Joins then or later.'),
  scheduled_before: filterTime.describe('Joins then or earlier.'),
})

const TOO_LATE = 'A scheduled bot can be changed while its old and its new join time are at least 4 minutes ahead'

export function scheduledRoutes(app: App, dependencies: ApiDependencies): void {
  const route = documented(app, 'Scheduled bots')
  const { database, readList, seals, clock } = dependencies
  const exists = checkFirst(botParams, (request, { bot_id: botId }) => scheduledBot(dependencies, request, botId))

  route.post('/bots/scheduled', {
    config: { permission: 'sending', createsBots: true, isIdempotent: true },
    summary: 'Schedule a bot',
    description:
      'Nothing is reserved until the join time; daily cap, tokens and duplicates are checked then. The bot keeps this id.',
    body: scheduleBotBody,
    example: ({ meetingLink, tomorrow }) => ({
      ...{ meeting_url: meetingLink, bot_name: 'Notes for Ann', join_at: tomorrow },
    }),
    status: 201,
    answer: success(createdBot),
    refusals: [404, 409],
    handle: async (request, reply) =>
      // A repeat gets the first answer, also after its join time.
      once(database, request, reply, async (tx) => {
        const joinAt = joinTimeOf(request.body.join_at, clock.now())
        const bot = newBotOf(request.body, request, dependencies, joinAt)
        await checkCredential(tx, bot.teamId, bot.request, bot.meeting.platform)
        const created = await createBot(tx, seals, bot)
        if ('refused' in created) throw errorOfRefusal(created.refused)
        return { status: 201, body: succeeded({ bot_id: created.botId }) }
      }),
  })

  route.get('/bots/scheduled', {
    summary: 'List scheduled bots, earliest join time first',
    querystring: listQuery,
    answer: list(scheduledItemSchema),
    async handle(request) {
      const { query } = request
      checkWithinDays('scheduled_after', query.scheduled_after, clock.now(), true)
      checkWithinDays('scheduled_before', query.scheduled_before, clock.now(), true)
      const page = await readList(
        callerOf(request).teamId,
        listScheduledBots,
        callerOf(request).teamId,
        {
          generation: generationSeenBy(callerOf(request)),
          botName: query.bot_name,
          meetingUrl: query.meeting_url,
          botId: query.bot_id,
          extra: query.extra,
          platforms: query.meeting_platform,
          statuses: query.status,
          scheduledAfter: query.scheduled_after,
          scheduledBefore: query.scheduled_before,
        },
        pageRequest(query.cursor, query.limit),
      )
      return { success: true as const, data: page.bots.map(scheduledItem), ...cursorsOf(page) }
    },
  })

  route.get('/bots/scheduled/:bot_id', {
    summary: 'A scheduled bot',
    params: botParams,
    answer: success(scheduledDetailsSchema),
    refusals: [404],
    async handle(request) {
      const bot = await scheduledBot(dependencies, request, request.params.bot_id)
      return succeeded(scheduledDetails(bot))
    },
  })

  route.patch('/bots/scheduled/:bot_id', {
    preValidation: exists,
    summary: 'Change a scheduled bot',
    description: `${TOO_LATE}.`,
    params: botParams,
    body: changeScheduledBody,
    example: ({ tomorrow }) => ({ join_at: tomorrow }),
    answer: message,
    refusals: [404, 409],
    async handle(request) {
      const { bot_id: botId } = request.params
      const { body } = request
      const given = changeOfBody(body, dependencies)
      const joinAt = body.join_at && joinTimeOf(body.join_at, clock.now())
      const meeting = body.meeting_url === undefined ? null : meetingOf(body.meeting_url, dependencies)
      await checkCredential(database, callerOf(request).teamId, given, meeting?.platform)
      checkOwnKey(request, given)
      const isMeant = (bot: BotRow) => isOf(callerOf(request))(bot) && bot.is_scheduled
      const changed = await withBot(database, botId, isMeant, async (tx, bot, now) => {
        if (bot.schedule_status !== 'scheduled') throw refusals.botStatus(botId, bot.schedule_status ?? bot.status)
        if (!isChangeable(bot.join_at, now.getTime()) || !isChangeable(joinAt ?? bot.join_at, now.getTime()))
          throw refusals.botStatus(botId, 'scheduled', TOO_LATE)
        const asked = { ...openRequest(seals, bot), ...given }
        checkZoomApp('v2', meeting?.platform ?? bot.meeting_platform, asked, dependencies)
        checkPage(meeting?.platform ?? bot.meeting_platform, asked)
        const change = {
          request: asked,
          reason: `Changed by a request: ${Object.keys(body).join(', ') || 'nothing'}.`,
          patch: {
            ...(joinAt && { join_at: joinAt, due_at: joinAt }),
            ...(meeting && { meeting_url: meeting.link, meeting_key: meeting.key, meeting_platform: meeting.platform }),
          },
        }
        await changeScheduledBot(tx, seals, bot, change, now)
        await logChange(tx, { teamId: bot.team_id, action: 'bot.change', target: botId })
      })
      if (changed === 'not_found') throw refusals.scheduledBotNotFound(botId)
      return done('Scheduled bot updated successfully.')
    },
  })

  route.delete('/bots/scheduled/:bot_id', {
    summary: 'Cancel a scheduled bot',
    description: 'A bot that has started already is asked to leave.',
    params: botParams,
    answer: message,
    refusals: [404, 409],
    async handle(request) {
      const bot = await scheduledBot(dependencies, request, request.params.bot_id)
      const asked = await askToLeave(database, bot.id)
      if (asked === 'not_found') throw refusals.scheduledBotNotFound(bot.id)
      if (asked !== 'asked') {
        const isPlan = bot.schedule_status === 'cancelled' || bot.schedule_status === 'failed'
        throw refusals.botStatus(bot.id, isPlan ? bot.schedule_status! : asked.refused)
      }
      return done('Scheduled bot deleted successfully.')
    },
  })
}

async function scheduledBot({ database }: ApiDependencies, request: FastifyRequest, botId: string): Promise<BotRow> {
  const bot = await readBot(database, botId)
  if (bot === undefined || !isOf(callerOf(request))(bot) || !bot.is_scheduled)
    throw refusals.scheduledBotNotFound(botId)
  return bot
}
