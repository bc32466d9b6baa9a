/**
 * Which bots a caller of the newer generation may see. Those of other teams do not exist, and those of the older generation
 * exist for people of the dashboard only.
 */
import type { FastifyRequest } from 'fastify'
import { readBot } from '../../../store/bots/bots.ts'
import type { BotRow } from '../../../store/rows/index.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { type ApiError, refusals } from '../../http/errors.ts'
import { type Caller, callerOf } from '../../http/generation.ts'

/** A bot of the team, scheduled ones included. */
export function isOf(caller: Caller): (bot: BotRow) => boolean {
  const generation = generationSeenBy(caller)
  return (bot) => bot.team_id === caller.teamId && (generation === 'any' || bot.generation === generation)
}

/** A program uses the generation that it was written for; a person sees the bots of both. */
export function generationSeenBy({ session }: Caller): 'v2' | 'any' {
  return session === null ? 'v2' : 'any'
}

/** The bot, if it is no longer only scheduled; otherwise rejects with 404. */
export async function spawnedBot(
  dependencies: Pick<ApiDependencies, 'database'>,
  request: FastifyRequest,
  botId: string,
): Promise<BotRow> {
  const bot = await anyBot(dependencies, request, botId)
  if (isOnlyPlanned(bot)) throw refusals.botNotFound(botId)
  return bot
}

/** The bot, scheduled ones included; rejects with 404. */
export async function anyBot(
  { database }: Pick<ApiDependencies, 'database'>,
  request: FastifyRequest,
  botId: string,
): Promise<BotRow> {
  const bot = await readBot(database, botId)
  if (bot === undefined || !isOf(callerOf(request))(bot)) throw refusals.botNotFound(botId)
  return bot
}

/** It waits for its join time, or was cancelled before. A bot that was refused at its join time is a failed bot. */
function isOnlyPlanned(bot: Pick<BotRow, 'is_scheduled' | 'queued_at' | 'schedule_status'>): boolean {
  return bot.is_scheduled && bot.queued_at === null && bot.schedule_status !== 'failed'
}

/** For what the store answers. */
export function asErrorOf(botId: string, refused: 'not_found' | { refused: string }): ApiError {
  return refused === 'not_found' ? refusals.botNotFound(botId) : refusals.botStatus(botId, refused.refused)
}
