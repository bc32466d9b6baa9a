/** The pages that a bot shows in its meeting. */
import { outputMedia, type PageTarget, pagesOf, pageTarget } from '@standin/wire/bot-fields.ts'
import type { BotCommand } from '@standin/wire/commands.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../http/errors.ts'
import type { checkFirst } from '../../http/generation.ts'
import { checkPage } from '../../new-bot.ts'
import { spawnedBot } from '../bots/access.ts'
import { botParams, type documented, done, message } from '../common.ts'

/** A page may load for half a minute, and its screen be shared for a quarter of one. */
const PAGE_TIMEOUT_MS = 60_000

interface PageParts {
  exists: ReturnType<typeof checkFirst>
  /** Statuses of a bot that is in its meeting. */
  allowed: string[]
  /** Resolves when the bot has done it; rejects with the error for the caller. */
  runWell(
    request: FastifyRequest,
    botId: string,
    command: BotCommand,
    allowed: string[],
    waitMs?: number,
  ): Promise<unknown>
}

export function pageRoutes(
  route: ReturnType<typeof documented>,
  dependencies: ApiDependencies,
  { exists, allowed, runWell }: PageParts,
): void {
  const { client, settings } = dependencies
  route.post('/bots/:bot_id/output-media', {
    preValidation: exists,
    summary: 'Show a page in the meeting',
    description:
      'The page takes the place of the picture of the bot, or is its shared screen, and takes the place of a page before it there; its sound is the voice of the bot, and its microphone hears the meeting. Answers when it is shown.',
    params: botParams,
    body: outputMedia,
    example: () => ({ camera: { kind: 'webpage', url: 'https://example.com/captions' } }),
    answer: message,
    refusals: [404, 409],
    handlerTimeout: 3 * PAGE_TIMEOUT_MS,
    async handle(request) {
      const { bot_id: botId } = request.params
      const pages = pagesOf(request.body)
      for (const [target, url] of pages) {
        const problem = client.problemOf(url)
        if (problem !== null) throw refusals.validation(`body/${target}/url: ${problem}`)
      }
      const { meeting_platform: platform } = await spawnedBot(dependencies, request, botId)
      checkPage(platform, { output_media: request.body })
      const waitMs = settings.commandTimeoutMs ?? PAGE_TIMEOUT_MS
      for (const [target, url] of pages)
        await runWell(request, botId, { type: 'show_page', url, ...onTarget(target) }, allowed, waitMs)
      return done('The page is shown.')
    },
  })

  route.delete('/bots/:bot_id/output-media', {
    preValidation: exists,
    summary: 'Stop the page that a bot shows',
    description: 'The bot has its own picture again, or shares no screen any more, and the page is silent.',
    params: botParams,
    querystring: z.strictObject({ target: pageTarget.default('camera') }),
    answer: message,
    refusals: [404, 409],
    async handle(request) {
      const { bot_id: botId } = request.params
      await runWell(request, botId, { type: 'stop_page', ...onTarget(request.query.target) }, allowed)
      return done('The bot shows no page.')
    },
  })
}

/** Bots of an earlier version know the camera alone. */
const onTarget = (target: PageTarget) => (target === 'camera' ? {} : { target })
