/** The request of a bot to a stored credential. Pure. */
import type { GrantRequest } from '../ports.ts'
import type { BotRow } from '../rows/index.ts'
import { requestOf } from './row.ts'

/** Null where the bot names no stored credential, or where its platform has none. */
export function grantRequestOf(
  bot: Pick<BotRow, 'team_id' | 'meeting_platform' | 'meeting_url' | 'request'>,
): GrantRequest | null {
  const { conferencing } = requestOf(bot)
  if (conferencing === null || bot.meeting_platform !== 'zoom') return null
  const { credentialId, credentialUserId, hasObfToken, obfTokenUrl } = conferencing
  if (credentialId === null && credentialUserId === null) return null
  return {
    teamId: bot.team_id,
    credentialId,
    credentialUserId,
    wantsToken: !hasObfToken && obfTokenUrl === null,
    meetingUrl: bot.meeting_url,
  }
}
