/** Changes of a scheduled bot before its time. */

import type { Seals } from '../../platform/ports.ts'
import { applyChanges } from '../../store/bots/changes.ts'
import { sealedSecrets } from '../../store/bots/secrets.ts'
import type { Tx } from '../../store/database.ts'
import type { BotPatch, BotRow } from '../../store/rows/index.ts'
import { type BotRequest, columnsOf } from '../request.ts'
import { addEndpoints } from './create-bot.ts'

/** The whole request in place of the earlier one, for a bot that the transaction has locked and to which nothing was sent yet. */
export async function changeScheduledBot(
  tx: Tx,
  seals: Seals,
  bot: BotRow,
  { request, reason, patch }: { request: BotRequest; reason: string; patch?: BotPatch },
  now: Date,
): Promise<void> {
  const { columns, secrets } = columnsOf(request)
  const change = {
    patch: { ...columns, ...patch, secrets: sealedSecrets(seals, bot.id, secrets) },
    steps: [{ at: now, attempt: null, kind: 'changed' as const, reason }],
    messages: [],
    ledger: [],
  }
  await applyChanges(tx, [{ bot, change }])
  await tx.deleteFrom('endpoints').where('bot_id', '=', bot.id).where('kind', 'in', ['callback', 'bot']).execute()
  await addEndpoints(tx, seals, { id: bot.id, teamId: bot.team_id, request })
}
