/** The request of a bot to a stored credential. Pure. */
import type { GrantRequest } from '../platform/ports.ts'
import type { BotRow } from '../store/rows/index.ts'
import { requestOf } from './request.ts'

/** The stored credential that the bot names by its id. */
export function credentialIdOf(bot: Pick<BotRow, 'request'>): string | null {
  return requestOf(bot).conf_config?.credential_id ?? null
}

/** Null if the bot names no stored credential, or if its platform has none. */
export function grantRequestOf(
  bot: Pick<BotRow, 'team_id' | 'meeting_platform' | 'meeting_url' | 'request'>,
): GrantRequest | null {
  const { conf_config: conf, sealed = [] } = requestOf(bot)
  if (bot.meeting_platform !== 'zoom' || !(conf?.credential_id ?? conf?.credential_user_id)) return null
  return {
    teamId: bot.team_id,
    credentialId: conf.credential_id ?? null,
    credentialUserId: conf.credential_user_id ?? null,
    wantsToken: !sealed.includes('obfToken') && !conf.obf_token_url,
    meetingUrl: bot.meeting_url,
  }
}
