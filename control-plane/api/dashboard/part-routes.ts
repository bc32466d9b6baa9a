/** Parts of a bot's recording, and what the list of bots shows of it. */
import { timeoutConfigSchema } from '@standin/wire/job.ts'
import { z } from 'zod'
import { failureOf } from '../../bots/error-help.ts'
import { partsOf } from '../../bots/parts.ts'
import { readEvents } from '../../store/bots/bot-events.ts'
import { readPreviews, readResumedSteps } from '../../store/dashboard.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { type App, callerOf } from '../http/generation.ts'
import { spawnedBot } from '../v2/bots/access.ts'
import { botParams, succeeded, success, time, uuid } from '../v2/common.ts'

const MAX_GAPS = 500
const MAX_PREVIEWS = 250
const LINK_SECONDS = 15 * 60
const DEFAULT_WAIT_SECONDS = timeoutConfigSchema.parse({}).waiting_room_timeout

const partsSchema = z
  .object({
    waiting_room_seconds: z.number().describe('How long the bot waits for its admission.'),
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

const previewSchema = z
  .object({
    bot_id: z.string(),
    people: z.int().describe('Whom the bot met.'),
    picture: z
      .object({ url: z.string(), taken_at: time })
      .nullable()
      .describe('The poster of the recording; without one, the last screenshot.'),
    failure: z
      .object({
        why: z.string().describe('In one sentence.'),
        part: z.string().nullable().describe('Such as `network`.'),
      })
      .nullable()
      .describe('Null where `error_code` says no less.'),
  })
  .meta({ id: 'BotPreview' })

export function partRoutes(app: App, dependencies: ApiDependencies): void {
  app.get(
    '/bots/:bot_id/parts',
    { schema: { params: botParams, response: { 200: success(partsSchema) } } },
    async (request) => {
      const { database, readList } = dependencies
      const bot = await spawnedBot(dependencies, request, request.params.bot_id)
      const [steps, { events }] = await Promise.all([
        readResumedSteps(database, bot.id),
        readList(bot.team_id, readEvents, [bot.id], { types: ['recording_gap'], known: new Map(), limit: MAX_GAPS }),
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
      const { timeout_config: limits } = bot.request as { timeout_config?: { waiting_room_timeout?: number } | null }
      return succeeded({
        waiting_room_seconds: limits?.waiting_room_timeout ?? DEFAULT_WAIT_SECONDS,
        state: bot.phase === 'assembling' ? ('assembling' as const) : isResuming ? ('resuming' as const) : null,
        parts,
        gaps: [...between, ...within].sort((one, other) => one.at - other.at),
      })
    },
  )

  app.get(
    '/previews',
    {
      schema: {
        querystring: z.strictObject({
          bots: z
            .string()
            .transform((text) => text.split(','))
            .pipe(z.array(uuid).max(MAX_PREVIEWS)),
        }),
        response: { 200: success(z.array(previewSchema)) },
      },
    },
    async (request) => {
      const { readList, links } = dependencies
      const { teamId } = callerOf(request)
      const rows = await readList(teamId, readPreviews, teamId, request.query.bots)
      const shown = rows.map(async ({ picture, end_cause, reason, ...row }) => {
        const url = picture === null ? null : await links.linkTo(picture.key, LINK_SECONDS)
        return {
          ...row,
          failure: failureOf({ end_cause, reason }),
          picture: picture === null || url === null ? null : { url, taken_at: picture.at.toISOString() },
        }
      })
      return succeeded(await Promise.all(shown))
    },
  )
}
