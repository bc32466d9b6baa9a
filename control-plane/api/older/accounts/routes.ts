/** The account's webhook address, and short notes on what is sent there. */
import { z } from 'zod'
import { readAccountUrl, setAccountUrl } from '../../../store/webhooks/endpoints.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../http/errors.ts'
import { type App, callerOf } from '../../http/generation.ts'
import { webhookUrlSchema } from '../bots/answers.ts'
import { documented } from '../common.ts'
import { orEmpty, webAddress } from '../fields.ts'

const setUrlSchema = z.strictObject({
  webhook_url: orEmpty(webAddress).describe('`""` or null removes the address.'),
})

const BOT_EVENTS = ['bot.status_change', 'complete', 'failed', 'transcription_complete']
const CALENDAR_EVENTS = ['calendar.sync_events']
const notesSchema = z.object({ description: z.string(), events: z.array(z.string()) })

export function accountRoutes(app: App, { database, seals, client }: ApiDependencies): void {
  const route = documented(app, 'Account')
  route.get('/accounts/webhook_url', {
    summary: "The account's webhook address",
    answer: webhookUrlSchema,
    handle: async (request) => ({ webhook_url: await readAccountUrl(database, callerOf(request).teamId) }),
  })

  route.post('/accounts/webhook_url', {
    config: { changes: 'sometimes' },
    summary: "Set the account's webhook address",
    description: 'It receives the events of every bot of this generation without its own address.',
    body: setUrlSchema,
    answer: webhookUrlSchema,
    async handle(request) {
      const url = request.body.webhook_url || null
      const problem = url === null ? null : client.problemOf(url)
      if (problem !== null) throw refusals.validation(`body/webhook_url: ${problem}`)
      await setAccountUrl(database, seals, callerOf(request).teamId, url)
      return { webhook_url: url }
    },
  })

  for (const [path, events] of [
    ['/bots/webhooks', [...BOT_EVENTS, ...CALENDAR_EVENTS]],
    ['/bots/webhooks/bot', BOT_EVENTS],
    ['/bots/webhooks/calendar', CALENDAR_EVENTS],
  ] as const) {
    route.get(path, {
      summary: 'What webhooks carry',
      answer: notesSchema,
      handle: async () => ({
        description:
          'Events are sent with POST as JSON of the form {event, data} to the webhook_url of the bot, or to that of the account.',
        events: [...events],
      }),
    })
  }
}
