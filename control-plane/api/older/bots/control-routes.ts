/** Leaving, and the deletion of data. */
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { z } from 'zod'
import { askToLeave } from '../../../bots/actions/stop-bot.ts'
import { artifactsOfBot } from '../../../store/bots/artifacts.ts'
import { requestDeletion } from '../../../store/bots/deletions.ts'
import { deletionOf } from '../../../store/bots/older-bots.ts'
import type { BotRow } from '../../../store/rows/index.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../http/errors.ts'
import { type App, callerOf, nameOfCaller } from '../../http/generation.ts'
import { countUse } from '../../http/rate-limits.ts'
import { botId, documented } from '../common.ts'
import { deletionSchema, okSchema } from './answers.ts'
import { olderBot } from './read-routes.ts'

const DELETIONS_PER_MINUTE = 5

export function controlRoutes(app: App, dependencies: ApiDependencies): void {
  const route = documented(app, 'Bots')
  const { database } = dependencies
  const deletions = new RateLimiterMemory({ points: DELETIONS_PER_MINUTE, duration: 60 })
  const params = z.strictObject({ bot_id: botId })

  route.delete('/bots/:bot_id', {
    summary: 'Remove a bot from its meeting',
    description: 'The recording so far is delivered. A bot that has not started yet is cancelled.',
    params,
    answer: okSchema,
    refusals: [404, 409],
    async handle(request) {
      const bot = await olderBot(dependencies, callerOf(request).teamId, request.params.bot_id)
      const answer = await askToLeave(database, bot.id)
      if (typeof answer === 'object') throw refusals.botStatus(bot.id, answer.refused)
      return { ok: true as const }
    },
  })

  route.post('/bots/:bot_id/delete_data', {
    config: { changes: 'sometimes' },
    summary: "Delete a bot's recording, transcript and logs",
    description: 'The record of the bot stays. At most 5 requests a minute with one key.',
    params,
    answer: deletionSchema,
    refusals: [404, 409],
    async handle(request) {
      const caller = callerOf(request)
      const by = nameOfCaller(caller)
      const { count, reset } = await countUse(deletions, by)
      if (count > DELETIONS_PER_MINUTE) throw refusals.tooManyDeletions(DELETIONS_PER_MINUTE, reset)
      const bot = await olderBot(dependencies, caller.teamId, request.params.bot_id)
      return deleteData(bot, by)
    },
  })

  async function deleteData(bot: BotRow, by: string): Promise<z.output<typeof deletionSchema>> {
    const hadData = (await artifactsOfBot(database, bot.id)).length > 0
    const answer = await database
      .transaction()
      .execute((tx) => requestDeletion(tx, bot.id, { reason: 'request', by, fromProvider: true }))
    if (answer === 'not_found') throw refusals.botNotFound(bot.id)
    if (answer === 'active') throw refusals.botStatus(bot.id, bot.status)
    if (answer === 'requested') return { ok: true, status: hadData ? 'deleted' : 'noDataFound' }
    const isIncomplete = (await deletionOf(database, bot.id))?.hasFailed ?? false
    return isIncomplete ? { ok: false, status: 'partiallyDeleted' } : { ok: true, status: 'alreadyDeleted' }
  }
}
