/** The webhooks of the team as they are sent, for programs that no endpoint reaches. */
import { z } from 'zod'
import { isLiveWebhook, WEBHOOK_EVENTS } from '../../bots/messages/kinds.ts'
import { listSentMessages, MESSAGE_ID } from '../../store/webhooks/sent-messages.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { type App, callerOf } from '../http/generation.ts'
import { commaList, cursor, documented, limit, list, requestTime, time } from './common.ts'
import { cursorsOf, pageRequest } from './cursor.ts'

/** Live webhooks are made for one endpoint each. */
const KINDS = WEBHOOK_EVENTS.filter((event) => !isLiveWebhook(event))

const sentWebhookSchema = z
  .object({
    webhook_id: z.string().describe('As in the header `webhook-id`.'),
    created_at: time.describe('When the webhook was made.'),
    body: z
      .looseObject({ event: z.enum(KINDS).describe('The name of the event.') })
      .describe('As it is sent to endpoints, with new links. The bodies are below under Webhooks.'),
  })
  .meta({ id: 'SentWebhook', description: 'A webhook of the team.' })

export function sentWebhookRoutes(app: App, { readList, webhooks }: ApiDependencies): void {
  const route = documented(app, 'Webhooks')
  route.get('/webhooks', {
    summary: 'List webhooks of the team, newest first',
    description:
      'Also those that no endpoint wants, so a program on a machine without a public address can fetch them: ' +
      '`standin bots listen` passes them on to it. Live webhooks are not listed.',
    querystring: z.strictObject({
      event: commaList(KINDS).optional(),
      created_after: requestTime.optional().describe('Inclusive.'),
      limit: limit(100, 50),
      cursor,
    }),
    answer: list(sentWebhookSchema),
    async handle(request) {
      const { teamId } = callerOf(request)
      const { event: kinds = KINDS, created_after: after, limit: most, cursor: from } = request.query
      const page = await readList(
        teamId,
        listSentMessages,
        { teamId, kinds, after },
        pageRequest(from, most, MESSAGE_ID),
      )
      const data = page.rows.map(async (message) => ({
        webhook_id: message.id,
        created_at: message.message_created_at,
        body: (await webhooks.sentBody(message)) as { event: (typeof KINDS)[number] },
      }))
      return { success: true as const, data: await Promise.all(data), ...cursorsOf(page) }
    },
  })
}
