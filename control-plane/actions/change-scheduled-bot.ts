/** Changes of a scheduled bot before its time. */
import type { BotRequest, EventBot } from '../bots/request.ts'
import type { Seals } from '../ports.ts'
import type { BotRow } from '../rows/index.ts'
import { applyChanges } from '../store/bots/changes.ts'
import { sealedSecrets } from '../store/bots/secrets.ts'
import type { Tx } from '../store/database.ts'
import { createEndpoint } from '../store/webhooks/endpoints.ts'

/** Null removes it. */
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

/** Another configuration for a scheduled bot that the transaction has locked. */
export async function changeScheduledBot(
  tx: Tx,
  seals: Seals,
  bot: BotRow,
  changed: EventBot,
  now: Date,
): Promise<void> {
  const { request, secrets } = changed
  const patch = {
    bot_name: changed.name,
    recording_mode: changed.recordingMode,
    extra: changed.extra,
    request,
    secrets: sealedSecrets(seals, bot.id, secrets),
    deduplication_key: changed.deduplicationKey,
    is_exclusive: !request.allowMultipleBots,
    transcription_status: request.transcription === null ? 'not-applicable' : 'not-started',
  }
  const reason = 'The request for the bot of this calendar event was changed.'
  await applyChanges(tx, [
    {
      bot,
      change: { patch, steps: [{ at: now, attempt: null, kind: 'changed', reason }], messages: [], ledger: [] },
    },
  ])
  await replaceCallback(tx, seals, bot, request.callback, secrets.callbackSecret ?? null)
  await tx.deleteFrom('endpoints').where('bot_id', '=', bot.id).where('kind', '=', 'bot').execute()
  if (request.webhookUrl !== null)
    await createEndpoint(tx, seals, { teamId: bot.team_id, botId: bot.id, kind: 'bot', url: request.webhookUrl })
}
