/** `POST /bots`. */
import type { FastifyRequest } from 'fastify'
import { createBot, type NewBot } from '../../../bots/actions/create-bot.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { ApiError, refusals } from '../../http/errors.ts'
import type { App } from '../../http/generation.ts'
import { once } from '../../http/idempotency.ts'
import { checkCredential, errorOfRefusal, newBot } from '../../new-bot.ts'
import { documented } from '../common.ts'
import { createdBotSchema } from './answers.ts'
import { type CreateBotBody, createBotSchema, MAX_DAYS_AHEAD, startOf } from './create-schema.ts'
import { newRequest } from './request.ts'

const DAY_MS = 24 * 3600 * 1000

export function createRoute(app: App, dependencies: ApiDependencies): void {
  const route = documented(app, 'Bots')
  const { database, seals } = dependencies
  route.post('/bots', {
    config: { permission: 'sending', createsBots: true, isIdempotent: true },
    summary: 'Send a bot into a meeting',
    description: 'With the header `Idempotency-Key` a repeated request gets the first answer and creates nothing.',
    body: createBotSchema,
    answer: createdBotSchema,
    refusals: [402, 409],
    async handle(request, reply) {
      const bot = newBotOf(request.body, request, dependencies)
      await checkCredential(database, bot.teamId, bot.request, bot.meeting.platform)
      return once(database, request, reply, async (tx) => {
        const created = await createBot(tx, seals, bot)
        if (!('refused' in created)) return { status: 200, body: { bot_id: created.botId } }
        if (created.refused.code === 'BOT_ALREADY_EXISTS') throw duplicate(created.refused.why)
        throw errorOfRefusal(created.refused)
      })
    },
  })
}

function newBotOf(
  body: CreateBotBody,
  request: FastifyRequest,
  dependencies: Pick<ApiDependencies, 'client' | 'settings' | 'clock'>,
): NewBot {
  const asked = {
    generation: 'older' as const,
    request: { ...newRequest(body), allow_multiple_bots: false },
    meetingUrl: body.meeting_url,
    joinAt: joinTime(body.start_time ?? null, dependencies.clock.now()),
  }
  return newBot(asked, request, dependencies)
}

/** Null: at once. */
function joinTime(startTime: number | null, now: number): Date | null {
  if (startTime === null) return null
  const start = startOf(startTime)
  if (start.getTime() <= now) return null
  if (!(start.getTime() <= now + MAX_DAYS_AHEAD * DAY_MS))
    throw refusals.validation(`body/start_time must be at most ${MAX_DAYS_AHEAD} days ahead`)
  return start
}

function duplicate(why: 'recent' | 'deduplication_key'): ApiError {
  const sentence =
    why === 'recent'
      ? 'A bot with this deduplication_key was created for this meeting within the last 5 minutes; another key allows a second bot'
      : 'A bot with this deduplication_key has not ended yet; another key allows a second bot'
  return new ApiError(409, 'FST_ERR_BOT_ALREADY_EXISTS', sentence)
}
