/** The caller's secrets of a bot, sealed in one column of its row. This is the only place that opens them. */
import { type BotSecrets, secretsPlace } from '../../bots/request.ts'
import type { Seals } from '../../ports.ts'
import type { BotRow } from '../../rows/index.ts'

/** Null without any, so that nothing has to be opened. */
export function sealedSecrets(seals: Seals, botId: string, secrets: BotSecrets): Buffer | null {
  if (Object.values(secrets).every((value) => value === undefined)) return null
  return seals.seal(JSON.stringify(secrets), secretsPlace(botId))
}

/** Empty without any. Throws where the key that sealed them is gone. */
export function openSecrets(seals: Seals, { id, secrets }: Pick<BotRow, 'id' | 'secrets'>): BotSecrets {
  return secrets === null ? {} : (JSON.parse(seals.open(secrets, secretsPlace(id))) as BotSecrets)
}
