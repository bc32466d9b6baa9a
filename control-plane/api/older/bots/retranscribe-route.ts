/** `POST /bots/retranscribe`. */
import { z } from 'zod'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../http/errors.ts'
import { type App, callerOf } from '../../http/generation.ts'
import { checkOwnKey, checkSpeech, speechAgain } from '../../new-bot.ts'
import { botId, documented } from '../common.ts'
import { orEmpty, webAddress } from '../fields.ts'
import { speechToTextSchema } from './create-schema.ts'
import { olderBot } from './read-routes.ts'
import { speechOf } from './request.ts'

const retranscribeSchema = z
  .strictObject({
    bot_uuid: botId,
    speech_to_text: speechToTextSchema.describe('Absent or null: as for the first transcript, else Default.'),
    webhook_url: orEmpty(webAddress).describe("Gets transcription_complete in place of the bot's address."),
  })
  .meta({ id: 'RetranscribeRequest' })

export function retranscribeRoute(app: App, dependencies: ApiDependencies): void {
  const route = documented(app, 'Bots')
  const { client, retranscribe, settings } = dependencies
  route.post('/bots/retranscribe', {
    summary: 'Make the transcript of a bot again',
    description: 'Answers before it is made; the event transcription_complete follows.',
    body: retranscribeSchema,
    status: 202,
    answer: z.null().describe('Accepted; without a body.'),
    refusals: [404, 409],
    async handle(request, reply) {
      const { bot_uuid: id, speech_to_text: speech, webhook_url: url } = request.body
      const problem = url ? client.problemOf(url) : null
      if (problem !== null) throw refusals.validation(`body/webhook_url: ${problem}`)
      const bot = await olderBot(dependencies, callerOf(request).teamId, id)
      const wanted = speechOf(speech)
      checkOwnKey(request, { transcription: wanted })
      checkSpeech('speech_to_text', speechAgain(bot, wanted), settings)
      if (retranscribe === undefined) throw refusals.unavailable('This installation has no worker for transcripts')
      const asked = await retranscribe(
        bot.id,
        wanted ? { provider: wanted.provider, apiKey: wanted.api_key, customParams: null } : null,
        url || null,
      )
      if (asked === 'no_audio') throw refusals.noAudio(bot.id)
      if (asked !== 'started') throw refusals.botStatus(bot.id, bot.status)
      return reply.send()
    },
  })
}
