/** Lists and single bots, as they are read. */
import { z } from 'zod'
import { ARTIFACT_NAMES, OLDER_LINK_SECONDS } from '../../../bots/messages/placeholders.ts'
import { artifactOfBot, artifactsOfBot } from '../../../store/bots/artifacts.ts'
import { noteAccess, readOlderBot } from '../../../store/bots/older-bots.ts'
import { type ExtraOrder, type ListPlace, listOlderBots, placeOfOlderBot } from '../../../store/bots/older-list.ts'
import type { BotRow } from '../../../store/rows/index.ts'
import { readTeam } from '../../../store/teams/teams.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../http/errors.ts'
import { type App, callerOf } from '../../http/generation.ts'
import { botId, documented, flag } from '../common.ts'
import { listSchema, meetingDataSchema, screenshotsSchema } from './answers.ts'
import { filterOf, limitOf, listQuerySchema, orderOf, readCursor, writeCursor } from './list-query.ts'
import { listItem, type MeetingFiles, meetingData } from './presenter.ts'

const PARTICIPANTS_FILE = 'participants.json'

export function readRoutes(app: App, dependencies: ApiDependencies): void {
  const route = documented(app, 'Bots')
  const { database, readList, links, clock } = dependencies

  route.get('/bots/bots_with_metadata', {
    summary: 'Bots of the team, newest first',
    querystring: listQuerySchema,
    answer: listSchema,
    async handle(request) {
      const { query } = request
      const { teamId } = callerOf(request)
      const order = orderOf(query)
      const limit = limitOf(query)
      const after = query.cursor ? await placeOf(query.cursor, order, teamId) : null
      const { bots, next } = await readList(teamId, listOlderBots, teamId, {
        filter: filterOf(query),
        order,
        after,
        limit,
      })
      const updates = bots.map((bot) => bot.updated_at.getTime())
      return {
        bots: bots.map(listItem),
        last_updated: new Date(updates.length > 0 ? Math.max(...updates) : clock.now()).toISOString(),
        next_cursor: next === null ? null : writeCursor(next, order),
      }
    },
  })

  async function placeOf(cursor: string, order: ExtraOrder | null, teamId: string): Promise<ListPlace> {
    const number = readCursor(cursor, order)
    const place = number === null ? undefined : await placeOfOlderBot(database, teamId, number, order)
    if (place === undefined) throw refusals.validation('querystring/cursor was not made by this list in this order')
    return place
  }

  route.get('/bots/meeting_data', {
    summary: 'Get the recording of a bot',
    querystring: z.strictObject({ bot_id: botId, include_transcripts: flag.default(true) }),
    answer: meetingDataSchema,
    refusals: [404],
    async handle(request) {
      const { teamId } = callerOf(request)
      const { bot_id: id, include_transcripts: withTranscripts } = request.query
      const bot = await olderBot(dependencies, teamId, id)
      const team = await readTeam(database, teamId)
      const [files, transcript] = await Promise.all([
        filesOf(bot),
        withTranscripts ? links.olderTranscript(bot.id) : null,
        noteAccess(database, bot.id),
      ])
      return meetingData(bot, { accountId: team!.number!, files, transcript })
    },
  })

  async function filesOf(bot: BotRow): Promise<MeetingFiles> {
    const [{ video, audio, diarization }, participants, stored] = await Promise.all([
      links.linksOf(bot.id, OLDER_LINK_SECONDS),
      links.sign(bot.id, PARTICIPANTS_FILE, OLDER_LINK_SECONDS),
      artifactOfBot(database, bot.id, ARTIFACT_NAMES.video),
    ])
    return { video, audio, diarization, participants, videoKey: stored?.key ?? null }
  }

  route.get('/bots/:bot_id/screenshots', {
    summary: 'Screenshots of a bot, oldest first',
    params: z.strictObject({ bot_id: botId }),
    answer: screenshotsSchema,
    refusals: [404],
    async handle(request) {
      const bot = await olderBot(dependencies, callerOf(request).teamId, request.params.bot_id)
      const [shots, stored] = await Promise.all([
        links.screenshotsOf(bot.id, OLDER_LINK_SECONDS),
        artifactsOfBot(database, bot.id),
      ])
      const dates = new Map(stored.map(({ name, stored_at }) => [name, stored_at]))
      return shots.map(({ name, url }) => ({ date: (dates.get(name) ?? bot.created_at).toISOString(), url }))
    },
  })
}

/** Bots of other teams and of the newer generation do not exist here. */
export async function olderBot(
  { database }: Pick<ApiDependencies, 'database'>,
  teamId: string,
  id: string | number,
): Promise<BotRow> {
  const bot = await readOlderBot(database, teamId, id)
  if (bot === undefined) throw refusals.botNotFound(String(id))
  return bot
}
