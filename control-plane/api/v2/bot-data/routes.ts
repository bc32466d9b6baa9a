/** Data of an ended bot: deletion, and resending its final webhook. */
import { z } from 'zod'
import { NEWER_LINK_SECONDS } from '../../../bots/messages/placeholders.ts'
import { artifactsOfBot } from '../../../store/bots/artifacts.ts'
import { requestDeletion } from '../../../store/bots/deletions.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../http/errors.ts'
import { type App, callerOf, checkFirst, nameOfCaller } from '../../http/generation.ts'
import { checkSpeech, speechAgain } from '../../new-bot.ts'
import { spawnedBot } from '../bots/access.ts'
import { callbackConfig, retranscription } from '../bots/schema.ts'
import { botParams, documented, done, flag, message, succeeded, success, time } from '../common.ts'

const callbackBody = callbackConfig
  .extend({
    url: callbackConfig.shape.url.optional().describe('Gets the final webhook; absent: the stored configuration.'),
    method: callbackConfig.shape.method.unwrap().optional().describe('Default POST.'),
  })
  .superRefine(({ url, secret, method }, context) => {
    if (url === undefined && (secret || method))
      context.addIssue({ code: 'custom', path: ['url'], message: 'is needed with secret and method' })
  })
  .nullish()

const fileSchema = z
  .object({
    name: z.string().describe('With its folder, such as `audio/003-ada-lovelace.ogg`.'),
    bytes: z.int().describe('Its size.'),
    stored_at: time.describe('When the service learned of it.'),
    url: z
      .string()
      .nullable()
      .describe('A link that works for 4 hours; null if the file is not in the storage of this service.'),
  })
  .meta({ id: 'BotFile', description: 'A file of a bot.' })

export function botDataRoutes(app: App, dependencies: ApiDependencies): void {
  const route = documented(app, 'Bot data')
  const { database, links, webhooks, client, retranscribe, settings } = dependencies
  const exists = checkFirst(botParams, (request, { bot_id: botId }) => spawnedBot(dependencies, request, botId))

  route.get('/bots/:bot_id/files', {
    params: botParams,
    answer: success(z.array(fileSchema)),
    refusals: [404],
    summary: 'List the files of a bot',
    description:
      "Everything that is stored of it, such as `video.mp4`, `report.html` and each person's voice in `audio/`.",
    async handle(request) {
      const bot = await spawnedBot(dependencies, request, request.params.bot_id)
      const files = await artifactsOfBot(database, bot.id)
      const shown = files.map(async ({ name, bytes, stored_at: at, key }) => ({
        ...{ name, bytes, stored_at: at.toISOString() },
        url: await links.linkTo(key, NEWER_LINK_SECONDS),
      }))
      return succeeded(await Promise.all(shown))
    },
  })

  route.delete('/bots/:bot_id/delete-data', {
    config: { changes: 'sometimes' },
    params: botParams,
    answer: message,
    refusals: [404, 409],
    summary: 'Delete what a bot recorded',
    description:
      'Removes video, audio, transcripts, chat, screenshots and stored webhooks. The record of the bot stays. With `delete_from_provider` transcripts that the speech provider keeps are deleted there too, with the key that made them. May be repeated.',
    querystring: z.strictObject({
      delete_from_provider: flag
        .default(true)
        .describe('Whether transcripts that the speech provider keeps are deleted too.'),
    }),
    async handle(request) {
      const bot = await spawnedBot(dependencies, request, request.params.bot_id)
      const by = nameOfCaller(callerOf(request))
      const fromProvider = request.query.delete_from_provider
      const asked = await database
        .transaction()
        .execute((tx) => requestDeletion(tx, bot.id, { reason: 'request', by, fromProvider }))
      if (asked === 'not_found') throw refusals.botNotFound(bot.id)
      if (asked === 'active') throw refusals.botStatus(bot.id, bot.status)
      return done('Bot data deleted successfully.')
    },
  })

  route.post('/bots/:bot_id/resend-webhook', {
    params: botParams,
    answer: message,
    refusals: [404, 409],
    summary: 'Send the final webhook again',
    description: 'To every endpoint that wants the event, with freshly signed links.',
    body: z.unknown().optional(),
    example: () => ({}),
    async handle(request) {
      const bot = await spawnedBot(dependencies, request, request.params.bot_id)
      const sent = await webhooks.resendEnd(bot.id)
      if (sent === 'no_receiver')
        return done('No endpoint of the team takes this webhook, so it was not sent. Add an endpoint first.')
      if (sent !== 'sent') throw refusals.botStatus(bot.id, bot.status)
      return done('Webhook resent successfully.')
    },
  })

  route.post('/bots/:bot_id/retry-callback', {
    preValidation: exists,
    params: botParams,
    answer: message,
    refusals: [404, 409],
    summary: 'Send the callback again',
    description: 'The body replaces the stored configuration for this one delivery.',
    body: callbackBody,
    example: () => ({ url: 'https://example.com/hook' }),
    async handle(request) {
      const { bot_id: botId } = request.params
      const { url, secret, method } = request.body ?? {}
      const target = url === undefined ? null : { url, secret, method: method ?? ('POST' as const) }
      const problem = target && client.problemOf(target.url)
      if (problem) throw refusals.validation(`body/url: ${problem}`)
      const sent = await webhooks.sendCallback(botId, target)
      if (sent === 'not_configured') throw refusals.callbackNotConfigured(botId)
      if (sent !== 'sent') throw refusals.botStatus(botId, (await spawnedBot(dependencies, request, botId)).status)
      return done('Callback sent successfully.')
    },
  })

  route.post('/bots/:bot_id/retranscribe', {
    preValidation: exists,
    params: botParams,
    answer: message,
    refusals: [404, 409],
    summary: 'Make the transcript again',
    description: "Without a body, with the bot's own configuration or the default provider.",
    body: retranscription,
    example: () => ({ transcription: { provider: 'default' } }),
    async handle(request) {
      const { bot_id: botId } = request.params
      const bot = await spawnedBot(dependencies, request, botId)
      const given = request.body?.transcription
      if (given?.api_key && !callerOf(request).byokTranscription) throw refusals.byokTranscription()
      checkSpeech('transcription', speechAgain(bot, given), settings)
      if (retranscribe === undefined) throw refusals.unavailable('This installation has no worker for transcripts')
      const asked = await retranscribe(botId, given ? transcriptionOf(given) : null)
      if (asked === 'no_audio') throw refusals.noAudio(botId)
      if (asked !== 'started') throw refusals.botStatus(botId, bot.status)
      return done('Retranscription started successfully.')
    },
  })
}

function transcriptionOf(given: NonNullable<NonNullable<z.output<typeof retranscription>>['transcription']>) {
  return {
    provider: given.provider,
    apiKey: given.api_key ?? null,
    customParams: given.custom_params ?? null,
  }
}
