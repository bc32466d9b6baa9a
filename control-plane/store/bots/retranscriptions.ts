/** Transcripts that are to be made again: asked for, claimed under a lease, ended with the change of their bot. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { BotChange } from '../../bots/change.ts'
import {
  earlierEnd,
  type NewTranscript,
  type Retranscription,
  retranscriptionBegun,
  retranscriptionDone,
  retranscriptionDropped,
  retranscriptionFailed,
} from '../../bots/retranscription.ts'
import { requestOf } from '../../bots/row.ts'
import type { Seals } from '../../ports.ts'
import type { BotRow } from '../../rows/index.ts'
import { nowOf } from '../clock.ts'
import type { Database, Tx } from '../database.ts'
import { sendTo } from '../webhooks/deliveries.ts'
import { createEndpoint } from '../webhooks/endpoints.ts'
import { artifactOfBot } from './artifacts.ts'
import { jsonText, lockBot } from './bots.ts'
import { applyChange } from './changes.ts'
import { addRecoveredFiles, type RecoveredFile } from './recovered-files.ts'
import { openSecrets } from './secrets.ts'

export const AUDIO_FILE = 'audio.m4a'

export interface WantedTranscript {
  /** As the worker names it, in any case of letters. */
  provider: string
  apiKey: string | null
  customParams: Record<string, unknown> | null
}

export type RetranscriptionAsked = 'started' | 'no_audio' | 'not_ended' | 'not_found'

const PROVIDERS = ['Default', 'deepgram', 'assemblyai', 'captions']
const secretPlace = (id: string) => ({ table: 'retranscriptions', column: 'secret', row: id })

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
    const known = PROVIDERS.find((name) => name.toLowerCase() === provider.toLowerCase())
    if (known === undefined) throw new Error(`${provider} is no provider of transcripts`)
    const task: Retranscription = { id, provider: known, hasOwnKey: apiKey !== null, earlier: earlierEnd(bot) }
    await tx
      .insertInto('retranscriptions')
      .values({
        id,
        bot_id: botId,
        provider: known,
        has_own_key: task.hasOwnKey,
        secret: apiKey === null ? null : seals.seal(apiKey, secretPlace(id)),
        custom_params: customParams === null ? null : jsonText(customParams),
        webhook_url: webhookUrl,
        earlier: jsonText(task.earlier),
      })
      .execute()
    await apply(tx, bot, retranscriptionBegun(bot, task, await nowOf(tx)))
    return 'started'
  })
}

/** Captions exist only during the meeting, so the operator's provider takes their place. */
function ownTranscript(bot: BotRow, seals: Seals): WantedTranscript {
  const { transcription } = requestOf(bot)
  if (transcription === null || transcription.provider === 'captions')
    return { provider: 'Default', apiKey: null, customParams: null }
  const { provider, hasOwnKey, customParams } = transcription
  const apiKey = hasOwnKey ? (openSecrets(seals, bot).transcriptionApiKey ?? null) : null
  return { provider, apiKey, customParams }
}

export interface ClaimedRetranscription extends Retranscription {
  botId: string
  /** Opened by `openApiKey`. */
  secret: Buffer | null
  customParams: Record<string, unknown> | null
  webhookUrl: string | null
  /** Counts this try. */
  tries: number
}

/** The next one that is due and not claimed; null where there is none. */
export async function claimRetranscription(
  db: Database,
  owner: string,
  leaseSeconds: number,
): Promise<ClaimedRetranscription | null> {
  const { rows } = await sql<Claimed>`
    update retranscriptions set lease_owner = ${owner}, tries = tries + 1,
      lease_until = now() + make_interval(secs => ${leaseSeconds})
    where id = (
      select id from retranscriptions
      where finished_at is null and due_at <= now() and (lease_until is null or lease_until < now())
      order by due_at limit 1 for update skip locked
    ) returning *`.execute(db)
  const row = rows[0]
  if (row === undefined) return null
  return {
    id: row.id,
    botId: row.bot_id,
    provider: row.provider,
    hasOwnKey: row.has_own_key,
    secret: row.secret,
    customParams: row.custom_params,
    webhookUrl: row.webhook_url,
    earlier: row.earlier,
    tries: row.tries,
  }
}

/** The caller's key at the provider; null: the operator's. Throws where the key that sealed it is gone. */
export function openApiKey(seals: Seals, { id, secret }: ClaimedRetranscription): string | null {
  return secret === null ? null : seals.open(secret, secretPlace(id))
}

interface Claimed {
  id: string
  bot_id: string
  provider: string
  has_own_key: boolean
  secret: Buffer | null
  custom_params: Record<string, unknown> | null
  webhook_url: string | null
  earlier: Retranscription['earlier']
  tries: number
}

export async function keepRetranscription(
  db: Database,
  id: string,
  owner: string,
  leaseSeconds: number,
): Promise<void> {
  await sql`
    update retranscriptions set lease_until = now() + make_interval(secs => ${leaseSeconds})
    where id = ${id}::uuid and lease_owner = ${owner} and finished_at is null`.execute(db)
}

/** Tried again later. */
export async function postponeRetranscription(
  db: Database,
  id: string,
  owner: string,
  seconds: number,
  error: string,
): Promise<void> {
  await sql`
    update retranscriptions set due_at = now() + make_interval(secs => ${seconds}), lease_owner = null,
      lease_until = null, last_error = ${error}
    where id = ${id}::uuid and lease_owner = ${owner} and finished_at is null`.execute(db)
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
    if (bot === undefined || !(await close(tx, task.id, owner, result))) return 'not_ours'
    const now = await nowOf(tx)
    if (bot.data_deleted_at !== null) {
      await apply(tx, bot, retranscriptionDropped(bot, task, now))
      return 'data_deleted'
    }
    if ('failure' in result) {
      await applyAndTell(tx, seals, bot, retranscriptionFailed(bot, task, result.failure, now), task.webhookUrl)
      return 'ended'
    }
    await addRecoveredFiles(tx, bot.id, result.attempt, result.files)
    await applyAndTell(tx, seals, bot, retranscriptionDone(bot, task, result, now), task.webhookUrl)
    return 'ended'
  })
}

async function close(tx: Tx, id: string, owner: string, result: RetranscriptionResult): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('retranscriptions')
    .set({
      finished_at: sql<Date>`now()`,
      lease_owner: null,
      lease_until: null,
      secret: null,
      last_error: 'failure' in result ? result.failure : null,
    })
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .where('finished_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** The older generation's messages go to the address that the request named, where it named one. */
async function applyAndTell(
  tx: Tx,
  seals: Seals,
  bot: BotRow,
  change: BotChange,
  webhookUrl: string | null,
): Promise<void> {
  const isElsewhere = (channel: string) => webhookUrl !== null && channel === 'older'
  const elsewhere = change.messages.filter(({ channel }) => isElsewhere(channel))
  await apply(tx, bot, { ...change, messages: change.messages.filter(({ channel }) => !isElsewhere(channel)) })
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

async function apply(tx: Tx, bot: BotRow, change: BotChange): Promise<void> {
  if (!(await applyChange(tx, bot, change))) throw new Error(`The row of bot ${bot.id} changed under its lock`)
}
