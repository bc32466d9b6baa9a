/** The parts of a bot's recording, if the bot was lost in its meeting and another attempt went back. */
import { z } from 'zod'
import { partsOf } from '../../bots/parts.ts'
import { readBotEvents } from '../../store/bots/bot-events.ts'
import { readResumedSteps } from '../../store/dashboard.ts'
import type { ApiDependencies } from '../dependencies.ts'
import type { App } from '../http/generation.ts'
import { spawnedBot } from '../v2/bots/access.ts'
import { botParams, succeeded, success } from '../v2/common.ts'

const MAX_GAPS = 500

const partsSchema = z
  .object({
    state: z
      .enum(['resuming', 'assembling'])
      .nullable()
      .describe('`resuming`: another attempt goes back into the meeting. `assembling`: the parts are being joined.'),
    parts: z.array(
      z.object({
        attempt: z.int(),
        begins: z.number().describe('Where it begins in the whole recording, seconds.'),
        seconds: z.number().nullable().describe('Null while the part is recorded, or if it is not known.'),
        reason: z.string().nullable().describe('Why it ended; null for an end that the bot reported.'),
      }),
    ),
    gaps: z.array(
      z.object({
        at: z.number().describe('Its place in the whole recording, seconds.'),
        seconds: z.number().describe('Of the meeting that are missing there.'),
        is_between_parts: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'RecordingParts' })

export function partRoutes(app: App, dependencies: ApiDependencies): void {
  app.get(
    '/bots/:bot_id/parts',
    { schema: { params: botParams, response: { 200: success(partsSchema) } } },
    async (request) => {
      const { database } = dependencies
      const bot = await spawnedBot(dependencies, request, request.params.bot_id)
      const [steps, events] = await Promise.all([
        readResumedSteps(database, bot.id),
        readBotEvents(database, bot, { types: ['recording_gap'], known: new Map(), limit: MAX_GAPS }),
      ])
      let end = 0
      const parts = partsOf(bot).map(({ attempt, seconds, reason }) => {
        const begins = end
        end += seconds ?? 0
        return { attempt, begins, seconds, reason }
      })
      const current = bot.joined_attempt
      if (parts.length > 0 && current !== null && parts.every(({ attempt }) => attempt !== current))
        parts.push({ attempt: current, begins: end, seconds: null, reason: null })
      const beginOf = new Map(parts.map(({ attempt, begins }) => [attempt, begins]))
      const between = steps.flatMap(({ attempt, missing_seconds }) => {
        const at = beginOf.get(attempt)
        return at === undefined ? [] : [{ at, seconds: missing_seconds, is_between_parts: true }]
      })
      const within = events.flatMap(({ attempt, event }) =>
        event.type === 'recording_gap'
          ? [{ at: event.offset + (beginOf.get(attempt) ?? 0), seconds: event.seconds, is_between_parts: false }]
          : [],
      )
      const isResuming = bot.resuming_since !== null && bot.phase !== 'closed'
      return succeeded({
        state: bot.phase === 'assembling' ? ('assembling' as const) : isResuming ? ('resuming' as const) : null,
        parts,
        gaps: [...between, ...within].sort((one, other) => one.at - other.at),
      })
    },
  )
}
