/** `/v2/bots` and single bots. */
import { z } from 'zod'
import { createBot } from '../../../bots/actions/create-bot.ts'
import { listBots } from '../../../store/bots/list.ts'
import { usageOfBot } from '../../../store/bots/usage.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { type App, callerOf } from '../../http/generation.ts'
import { once } from '../../http/idempotency.ts'
import { checkCredential, errorOfRefusal } from '../../new-bot.ts'
import { botParams, commaList, cursor, documented, limit, list, succeeded, success } from '../common.ts'
import { cursorsOf, indexPage, pageRequest } from '../cursor.ts'
import { botFilters, checkWithinDays, filterTime } from '../filters.ts'
import { generationSeenBy, spawnedBot } from './access.ts'
import { botDetails, botItem, botStatus, screenshotsAreMade } from './presenter.ts'
import { newBotOf } from './request.ts'
import {
  botDetailsSchema,
  botItemSchema,
  botStatusSchema,
  createBotBody,
  createdBot,
  FILTER_STATUSES,
  screenshotSchema,
} from './schema.ts'
import { shownUsage } from './usage.ts'

const listQuery = z.strictObject({
  ...botFilters,
  status: commaList(FILTER_STATUSES).optional(),
  participant_name: botFilters.bot_name.describe('A part of the name of a person who was there.'),
  created_after: filterTime.describe('Created then or later.'),
  created_before: filterTime.describe('Created then or earlier.'),
  ended_after: filterTime.describe('Ended then or later.'),
})

export function botRoutes(app: App, dependencies: ApiDependencies): void {
  const route = documented(app, 'Bots')
  const { database, readList, seals, links, clock, settings } = dependencies

  route.post('/bots', {
    config: { permission: 'sending', createsBots: true, isIdempotent: true },
    summary: 'Send a bot into a meeting',
    description:
      'The bot is queued and joins at once. With the header `Idempotency-Key` a repeated request gets the first answer and creates nothing.',
    body: createBotBody,
    example: ({ meetingLink }) => ({ meeting_url: meetingLink, bot_name: 'Notes for Ann' }),
    status: 201,
    answer: success(createdBot),
    refusals: [402, 404, 409],
    async handle(request, reply) {
      const bot = newBotOf(request.body, request, dependencies)
      await checkCredential(database, bot.teamId, bot.request, bot.meeting.platform)
      return once(database, request, reply, async (tx) => {
        const created = await createBot(tx, seals, bot)
        if ('refused' in created) throw errorOfRefusal(created.refused)
        return { status: 201, body: succeeded({ bot_id: created.botId }) }
      })
    },
  })

  route.get('/bots', {
    summary: 'List bots, newest first',
    description: 'Bots of the last 90 days.',
    querystring: listQuery,
    answer: list(botItemSchema),
    async handle(request) {
      const { query } = request
      const now = clock.now()
      checkWithinDays('created_after', query.created_after, now, false)
      checkWithinDays('created_before', query.created_before, now, false)
      const page = await readList(
        callerOf(request).teamId,
        listBots,
        callerOf(request).teamId,
        {
          generation: generationSeenBy(callerOf(request)),
          botName: query.bot_name,
          meetingUrl: query.meeting_url,
          botId: query.bot_id,
          participantName: query.participant_name,
          createdAfter: query.created_after,
          createdBefore: query.created_before,
          endedAfter: query.ended_after,
          extra: query.extra,
          platforms: query.meeting_platform,
          statuses: query.status,
        },
        pageRequest(query.cursor, query.limit),
      )
      return { success: true as const, data: page.bots.map(botItem), ...cursorsOf(page) }
    },
  })

  route.get('/bots/:bot_id', {
    summary: 'A bot with its results',
    description: 'Links work for 4 hours from the request.',
    params: botParams,
    answer: success(botDetailsSchema),
    refusals: [404],
    async handle(request) {
      const bot = await spawnedBot(dependencies, request, request.params.bot_id)
      const [addresses, sums] = await Promise.all([links.linksOf(bot.id), usageOfBot(database, bot.id)])
      const usage = sums && shownUsage(sums, settings.prices)
      return succeeded(botDetails(bot, addresses, links.publicUrl, usage))
    },
  })

  route.get('/bots/:bot_id/status', {
    summary: 'The status of a bot',
    params: botParams,
    answer: success(botStatusSchema),
    refusals: [404],
    async handle(request) {
      const bot = await spawnedBot(dependencies, request, request.params.bot_id)
      return succeeded(botStatus(bot))
    },
  })

  route.get('/bots/:bot_id/screenshots', {
    summary: 'Screenshots of a bot, oldest first',
    params: botParams,
    querystring: z.strictObject({ limit: limit(250, 50), cursor }),
    answer: list(screenshotSchema),
    refusals: [404],
    async handle(request) {
      const bot = await spawnedBot(dependencies, request, request.params.bot_id)
      const shots = screenshotsAreMade(bot) ? await links.screenshotsOf(bot.id) : []
      const page = indexPage(request.query.cursor, request.query.limit, shots.length)
      const data = shots
        .slice(page.from, page.to)
        .map(({ url }, index) => ({ screenshot_id: page.from + index + 1, url }))
      return { success: true as const, data, cursor: page.cursor, prev_cursor: page.prev_cursor }
    },
  })
}
