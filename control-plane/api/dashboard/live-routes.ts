/** Pictures, speakers and captions of bots for the live page, and requests for new pictures. */
import { z } from 'zod'
import { NO_PICTURE, noPictureOf } from '../../bots/live-picture.ts'
import { askForPictures, type LiveRow, readLiveView } from '../../store/bots/live-pictures.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { type App, callerOf } from '../http/generation.ts'
import { spawnedBot } from '../v2/bots/access.ts'
import { botParams, succeeded, success, time } from '../v2/common.ts'

/** Between two pictures of one bot, however many people have the page open. */
const REFRESH_SECONDS = 30
/** The same where a member asks for a fresh one. */
const FRESH_SECONDS = 5
const LINK_SECONDS = 15 * 60
const MAX_SHOWN_BYTES = 8 * 1024 * 1024

const liveSchema = z
  .object({
    bot_id: z.string(),
    picture: z
      .object({ url: z.string(), taken_at: time, age_seconds: z.number().min(0) })
      .nullable()
      .describe('The last one that is stored, however old it is.'),
    no_picture: z
      .enum(NO_PICTURE)
      .nullable()
      .describe('Why there is no newer picture; null if the last request succeeded.'),
    no_picture_message: z.string().nullable().describe('The answer of the bot.'),
    speaker: z.string().nullable().describe('Who speaks now.'),
    line: z
      .object({ speaker: z.string().nullable(), text: z.string(), at: time })
      .nullable()
      .describe('The last line of its captions.'),
  })
  .meta({ id: 'LiveView' })

export function liveRoutes(app: App, { database, readList, links, clock }: ApiDependencies): void {
  app.get('/live', { schema: { response: { 200: success(z.array(liveSchema)) } } }, async (request) => {
    const { teamId } = callerOf(request)
    const rows = await readList(teamId, readLiveView, teamId)
    return succeeded(await Promise.all(rows.map(shown)))
  })

  app.post(
    '/live/pictures',
    {
      config: { role: 'viewer', changes: 'never' },
      schema: { response: { 200: success(z.object({ asked: z.int() })) } },
    },
    async (request) => {
      const asked = await askForPictures(database, callerOf(request).teamId, { seconds: REFRESH_SECONDS })
      return succeeded({ asked: asked.length })
    },
  )

  app.post(
    '/live/pictures/:bot_id',
    {
      config: { role: 'member', changes: 'never' },
      schema: { params: botParams, response: { 200: success(z.object({ asked: z.int() })) } },
    },
    async (request) => {
      const bot = await spawnedBot({ database }, request, request.params.bot_id)
      const { teamId } = callerOf(request)
      const asked = await askForPictures(database, teamId, { seconds: FRESH_SECONDS, botId: bot.id })
      return succeeded({ asked: asked.length })
    },
  )

  async function shown(row: LiveRow): Promise<z.output<typeof liveSchema>> {
    const why = noPictureOf(row)
    const isTooLarge = row.picture !== null && row.picture.bytes > MAX_SHOWN_BYTES
    const url = row.picture === null || isTooLarge ? null : await links.linkTo(row.picture.key, LINK_SECONDS)
    const takenAt = row.picture && new Date(row.picture.at)
    return {
      bot_id: row.id,
      picture:
        url === null || takenAt === null
          ? null
          : {
              url,
              taken_at: takenAt.toISOString(),
              age_seconds: Math.max(0, Math.round((clock.now() - takenAt.getTime()) / 1000)),
            },
      no_picture: why ?? (row.picture !== null && url === null ? 'unusable' : null),
      no_picture_message: why === 'refused' ? (row.asked?.message ?? null) : null,
      speaker: row.speaker?.is_speaking ? row.speaker.name : null,
      line: row.line && { ...row.line, at: new Date(row.line.at).toISOString() },
    }
  }
}
