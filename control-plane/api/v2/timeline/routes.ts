/** The timeline of a bot: each step with reason and evidence. */
import { z } from 'zod'
import { readTimeline } from '../../../store/bots/timeline.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import type { App } from '../../http/generation.ts'
import { anyBot } from '../bots/access.ts'
import { botParams, documented, succeeded, success } from '../common.ts'
import { timelineOf, timelineText } from './presenter.ts'
import { timelineStepSchema } from './schema.ts'

export function timelineRoutes(app: App, dependencies: ApiDependencies): void {
  const route = documented(app, 'Bots')
  route.get('/bots/:bot_id/timeline', {
    summary: 'Get the timeline of a bot',
    description: 'With `format=text`, or where the caller accepts text only, one sentence a line.',
    params: botParams,
    querystring: z.strictObject({
      format: z.enum(['json', 'text']).optional().describe('`text`: one sentence a line.'),
    }),
    answer: {
      description: 'The steps in the order of time.',
      content: {
        'application/json': { schema: success(z.array(timelineStepSchema)) },
        'text/plain': { schema: z.string() },
      },
    },
    refusals: [404],
    async handle(request, reply) {
      const bot = await anyBot(dependencies, request, request.params.bot_id)
      const steps = timelineOf(await readTimeline(dependencies.database, bot.id))
      const wantsText = request.query.format === 'text' || request.headers.accept === 'text/plain'
      if (wantsText && request.query.format !== 'json')
        return reply.type('text/plain; charset=utf-8').send(timelineText(steps))
      return succeeded(steps)
    },
  })
}
