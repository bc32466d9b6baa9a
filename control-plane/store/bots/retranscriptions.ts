/** Transcripts that are to be made again: stored, claimed under a lease, and closed. */
import { sql } from 'kysely'
import type { Retranscription } from '../../bots/retranscription.ts'
import type { Seals } from '../../platform/ports.ts'
import type { Database, Tx } from '../database.ts'
import { type Claim, RowLease } from '../row-lease.ts'
import { jsonText } from './bots.ts'

export const retranscriptionLease = new RowLease('retranscriptions')

const secretPlace = (id: string) => ({ table: 'retranscriptions', column: 'secret', row: id })

export async function addRetranscription(
  tx: Tx,
  seals: Seals,
  botId: string,
  task: Retranscription,
  asked: { apiKey: string | null; customParams: Record<string, unknown> | null; webhookUrl: string | null },
): Promise<void> {
  await tx
    .insertInto('retranscriptions')
    .values({
      id: task.id,
      bot_id: botId,
      provider: task.provider,
      has_own_key: task.hasOwnKey,
      secret: asked.apiKey === null ? null : seals.seal(asked.apiKey, secretPlace(task.id)),
      custom_params: asked.customParams === null ? null : jsonText(asked.customParams),
      webhook_url: asked.webhookUrl,
      earlier: jsonText(task.earlier),
    })
    .execute()
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

/** The next one that is due and not claimed; null if there is none. */
export async function claimRetranscription(db: Database, claim: Claim): Promise<ClaimedRetranscription | null> {
  const { rows } = await sql<Claimed>`
    update retranscriptions set ${retranscriptionLease.acquired(claim)}, tries = tries + 1
    where id = (
      select id from retranscriptions
      where finished_at is null and due_at <= now() and ${retranscriptionLease.isFree}
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

/** The caller's key at the provider; null: the operator's. Throws if the key that sealed it is gone. */
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

/** Resolves with whether the lease was still the owner's. `error`: why there is no new transcript. */
export async function closeRetranscription(tx: Tx, id: string, owner: string, error: string | null): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('retranscriptions')
    .set({
      finished_at: sql<Date>`now()`,
      lease_owner: null,
      lease_until: null,
      secret: null,
      last_error: error,
    })
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .where('finished_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
