/** The caller's secrets of a bot, sealed in one column of its row. This is the only place that opens them. */
import { type BotRequest, type BotSecrets, requestOf, secretsPlace, together } from '../../bots/request.ts'
import type { Seals } from '../../platform/ports.ts'
import type { BotRow } from '../rows/index.ts'

/** Null without any, so that nothing has to be opened. */
export function sealedSecrets(seals: Seals, botId: string, secrets: BotSecrets): Buffer | null {
  if (Object.keys(secrets).length === 0) return null
  return seals.seal(JSON.stringify(secrets), secretsPlace(botId))
}

/** Empty without any. Throws if the key that sealed them is gone. */
export function openSecrets(seals: Seals, { id, secrets }: Pick<BotRow, 'id' | 'secrets'>): BotSecrets {
  return secrets === null ? {} : (JSON.parse(seals.open(secrets, secretsPlace(id))) as BotSecrets)
}

export function openRequest(seals: Seals, bot: BotRow): BotRequest {
  const { bot_name, recording_mode, extra, deduplication_key } = bot
  return { bot_name, recording_mode, extra, deduplication_key, ...together(requestOf(bot), openSecrets(seals, bot)) }
}
