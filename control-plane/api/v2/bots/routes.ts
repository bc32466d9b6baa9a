/** `/v2/bots` and single bots. */
import { createBot, type NewBot } from '../../../store/admission.ts'
import { readBot } from '../../../store/bots.ts'
import type { BotRow } from '../../../store/tables.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../errors.ts'
import { type App, callerOf } from '../../generation.ts'
import { errorOfRefusal } from '../../refused-bots.ts'
import { botParams, errors, success } from '../common.ts'
import { newBotOf } from './new-bot.ts'
import { botDetails } from './presenter.ts'
import { botDetailsSchema, createBotBody, createdBot } from './schema.ts'

export function botRoutes(app: App, dependencies: ApiDependencies): void {
  const { database, seals, links } = dependencies

  app.post(
    '/bots',
    {
      config: { permission: 'sending' },
      schema: {
        summary: 'Send a bot into a meeting',
        tags: ['Bots'],
        body: createBotBody,
        response: { 201: success(createdBot), ...errors(402, 409) },
      },
    },
    async (request, reply) => {
      const bot: NewBot = newBotOf(request.body, request, dependencies)
      const created = await createBot(database, seals, bot)
      if ('refused' in created) throw errorOfRefusal(created.refused)
      reply.code(201)
      return { success: true as const, data: { bot_id: created.botId } }
    },
  )

  app.get(
    '/bots/:bot_id',
    {
      schema: {
        summary: 'A bot with its results',
        tags: ['Bots'],
        params: botParams,
        response: { 200: success(botDetailsSchema), ...errors(404) },
      },
    },
    async (request) => {
      const bot = await botOfTeam(dependencies, request.params.bot_id, callerOf(request).teamId)
      const details = botDetails(bot, await links.linksOf(bot.id))
      return { success: true as const, data: details as never }
    },
  )
}

/** Bots of the newer generation that are not merely scheduled; those of other teams do not exist. */
export async function botOfTeam({ database }: ApiDependencies, botId: string, teamId: string): Promise<BotRow> {
  const bot = await readBot(database, botId)
  if (bot === undefined || bot.team_id !== teamId || bot.generation !== 'v2' || isOnlyScheduled(bot))
    throw refusals.botNotFound(botId)
  return bot
}

/** Not spawned: it waits for its time, or was cancelled or refused before. */
export function isOnlyScheduled(bot: Pick<BotRow, 'is_scheduled' | 'queued_at'>): boolean {
  return bot.is_scheduled && bot.queued_at === null
}
