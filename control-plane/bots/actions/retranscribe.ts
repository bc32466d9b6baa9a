/** Makes the transcript of a closed bot's recording again: the request for it, and its end. */
import { randomUUID } from 'node:crypto'
import { transcriptionProvider } from '@standin/wire/job.ts'
import type { Seals } from '../../platform/ports.ts'
import { logChange } from '../../store/audit-log.ts'
import { artifactOfBot } from '../../store/bots/artifacts.ts'
import { lockBot } from '../../store/bots/bots.ts'
import { applyChanges } from '../../store/bots/changes.ts'
import { addRecoveredFiles, type RecoveredFile } from '../../store/bots/recovered-files.ts'
import {
  addRetranscription,
  type ClaimedRetranscription,
  closeRetranscription,
} from '../../store/bots/retranscriptions.ts'
import { openSecrets } from '../../store/bots/secrets.ts'
import { nowOf } from '../../store/clock.ts'
import type { Database, Tx } from '../../store/database.ts'
import type { BotRow } from '../../store/rows/index.ts'
import { createEndpoint } from '../../store/webhooks/endpoints.ts'
import { sendTo } from '../../store/webhooks/messages.ts'
import type { BotChange } from '../change.ts'
import { requestOf } from '../request.ts'
import {
  earlierEnd,
  type NewTranscript,
  type Retranscription,
  retranscriptionBegun,
  retranscriptionDone,
  retranscriptionDropped,
  retranscriptionFailed,
} from '../retranscription.ts'

export const AUDIO_FILE = 'audio.m4a'

export interface WantedTranscript {
  /** As the worker names it, in any case of letters. */
  provider: string
  apiKey: string | null
  customParams: Record<string, unknown> | null
}

export type RetranscriptionAsked = 'started' | 'no_audio' | 'not_ended' | 'not_found'

/** `wanted` null: as for the first transcript, else the operator's provider. `webhookUrl`: of the older generation. */
export async function requestRetranscription(
  db: Database,
  seals: Seals,
  botId: string,
  wanted: WantedTranscript | null,
  webhookUrl: string | null = null,
): Promise<RetranscriptionAsked> {
  return db.transaction().execute(async (tx) => {
    const bot = await lockBot(tx, botId)
    if (bot === undefined) return 'not_found'
    if (bot.phase !== 'closed' || bot.status === 'transcribing') return 'not_ended'
    if ((await artifactOfBot(tx, botId, AUDIO_FILE)) === undefined) return 'no_audio'
    const { provider, apiKey, customParams } = wanted ?? ownTranscript(bot, seals)
    const id = randomUUID()
    const known = transcriptionProvider(provider)
    if (known === undefined) throw new Error(`${provider} is no provider of transcripts`)
    const task: Retranscription = { id, provider: known, hasOwnKey: apiKey !== null, earlier: earlierEnd(bot) }
    await addRetranscription(tx, seals, botId, task, { apiKey, customParams, webhookUrl })
    await applyChanges(tx, [{ bot, change: retranscriptionBegun(bot, task, await nowOf(tx)) }])
    await logChange(tx, { teamId: bot.team_id, action: 'bot.retranscribe', target: botId })
    return 'started'
  })
}

/** Captions exist only during the meeting, so the operator's provider takes their place. */
function ownTranscript(bot: BotRow, seals: Seals): WantedTranscript {
  const { transcription } = requestOf(bot)
  if (!transcription || transcription.provider === 'captions')
    return { provider: 'Default', apiKey: null, customParams: null }
  const apiKey = openSecrets(seals, bot).transcriptionApiKey ?? null
  return { provider: transcription.provider, apiKey, customParams: transcription.custom_params ?? null }
}

export type RetranscriptionResult =
  | (NewTranscript & { attempt: number; files: readonly RecoveredFile[] })
  /** One sentence. */
  | { failure: string }

export type RetranscriptionEnd = 'ended' | 'data_deleted' | 'not_ours'

/** Ends it, with the bot's files, status, tokens and messages. Only for the holder of the lease. */
export async function finishRetranscription(
  db: Database,
  seals: Seals,
  owner: string,
  task: ClaimedRetranscription,
  result: RetranscriptionResult,
): Promise<RetranscriptionEnd> {
  return db.transaction().execute(async (tx) => {
    const bot = await lockBot(tx, task.botId)
    if (
      bot === undefined ||
      !(await closeRetranscription(tx, task.id, owner, 'failure' in result ? result.failure : null))
    )
      return 'not_ours'
    const now = await nowOf(tx)
    if (bot.data_deleted_at !== null) {
      await applyChanges(tx, [{ bot, change: retranscriptionDropped(bot, task, now) }])
      return 'data_deleted'
    }
    if ('failure' in result) {
      await applyAndSend(tx, seals, bot, retranscriptionFailed(bot, task, result.failure, now), task.webhookUrl)
      return 'ended'
    }
    await addRecoveredFiles(tx, bot.id, result.attempt, result.files)
    await applyAndSend(tx, seals, bot, retranscriptionDone(bot, task, result, now), task.webhookUrl)
    return 'ended'
  })
}

/** The older generation's messages go to the address that the request named, if it named one. */
async function applyAndSend(
  tx: Tx,
  seals: Seals,
  bot: BotRow,
  change: BotChange,
  webhookUrl: string | null,
): Promise<void> {
  const isElsewhere = (channel: string) => webhookUrl !== null && channel === 'older'
  const elsewhere = change.messages.filter(({ channel }) => isElsewhere(channel))
  await applyChanges(tx, [
    { bot, change: { ...change, messages: change.messages.filter(({ channel }) => !isElsewhere(channel)) } },
  ])
  if (webhookUrl === null || elsewhere.length === 0) return
  // An empty list of events: only these messages go there.
  const { id } = await createEndpoint(tx, seals, {
    teamId: bot.team_id,
    botId: bot.id,
    kind: 'bot',
    url: webhookUrl,
    events: [],
  })
  for (const { id: messageId, event, body, isCompat } of elsewhere)
    await sendTo(tx, id, { id: messageId, event, body, botId: bot.id, isCompat })
}
