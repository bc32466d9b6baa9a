/** Changes of a scheduled bot before its time. */
import type { BotRequest } from '../bots/request.ts'
import type { Seals } from '../ports.ts'
import type { Tx } from './database.ts'
import { createEndpoint } from './endpoints.ts'
import type { BotRow } from './tables.ts'

/** Null: the bot has none any more. */
export async function replaceSecrets(tx: Tx, botId: string, sealed: Buffer | null): Promise<void> {
  await tx.updateTable('bots').set({ secrets: sealed }).where('id', '=', botId).execute()
}

/** Another callback, or none, for a bot to which nothing was sent yet. */
export async function replaceCallback(
  tx: Tx,
  seals: Seals,
  bot: Pick<BotRow, 'id' | 'team_id'>,
  callback: BotRequest['callback'],
  secret: string | null,
): Promise<void> {
  await tx.deleteFrom('endpoints').where('bot_id', '=', bot.id).where('kind', '=', 'callback').execute()
  if (callback === null) return
  await createEndpoint(tx, seals, {
    teamId: bot.team_id,
    botId: bot.id,
    kind: 'callback',
    url: callback.url,
    method: callback.method,
    secret,
  })
}
