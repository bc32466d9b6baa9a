/** A token for a try of a bot that runs: each token serves one try. */
import { credentialIdOf, grantRequestOf } from '../bots/grant-request.ts'
import { isClosed, namedAttempt } from '../bots/row.ts'
import { GrantDelayed, GrantRefused, type JoinGrants } from '../platform/ports.ts'
import { readBot } from '../store/bots/bots.ts'
import type { Database } from '../store/database.ts'

/** As the control link answers it. */
export interface FreshTokenAnswer {
  token?: string
  code?: 'CONF_OBF_TOKEN_ERROR' | 'CONF_ACCESS_TOKEN_ERROR'
  message?: string
  can_retry: boolean
}

export interface FreshTokenSources {
  database: Database
  grants: JoinGrants
  /** A token of Microsoft Teams for a bot of the team. */
  teamsToken(teamId: string, credentialId: string | null): Promise<FreshTokenAnswer>
}

/** Rejects only if the database cannot be asked. */
export async function freshTokenOf(
  { database, grants, teamsToken }: FreshTokenSources,
  { botId, attempt }: { botId: string; attempt: number },
): Promise<FreshTokenAnswer> {
  const refused = (message: string, code: FreshTokenAnswer['code'] = 'CONF_OBF_TOKEN_ERROR') => ({
    code,
    message,
    can_retry: false,
  })
  const bot = await readBot(database, botId)
  if (bot === undefined || isClosed(bot) || namedAttempt(bot) !== attempt)
    return refused('The bot is not wanted any more.')
  if (bot.meeting_platform === 'teams') return teamsToken(bot.team_id, credentialIdOf(bot))
  const request = grantRequestOf(bot)
  if (request === null || !request.wantsToken) return refused('The bot names no stored credential.')
  try {
    const { obfToken } = await grants.fetch(request)
    return obfToken === null
      ? refused('The stored credential gives no on-behalf-of token any more.')
      : { token: obfToken, can_retry: false }
  } catch (error) {
    if (error instanceof GrantRefused) return refused(error.message, error.code as FreshTokenAnswer['code'])
    if (error instanceof GrantDelayed) return { ...refused(error.message), can_retry: true }
    throw error
  }
}
