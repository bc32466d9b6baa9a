/** Jobs that are given once to the container that has the token of their attempt. */
import { sql } from 'kysely'
import type { Database } from '../database.ts'

export interface NewOffer {
  /** The row of the sealed job's place. */
  id: string
  botId: string
  attempt: number
  /** SHA-256. */
  tokenHash: Buffer
  sealedJob: Buffer
  seconds: number
}

/**
 * Replaces an earlier offer of the attempt, whose token then stops working. Expired offers of other attempts are
 * removed.
 */
export async function putOffer(db: Database, offer: NewOffer): Promise<void> {
  const { id, botId, attempt, tokenHash, sealedJob, seconds } = offer
  await sql`
    with old as (delete from job_offers where expires_at < now() - interval '1 hour')
    insert into job_offers (id, bot_id, attempt, token_hash, job, expires_at)
    values (${id}, ${botId}, ${attempt}, ${tokenHash}, ${sealedJob}, now() + make_interval(secs => ${seconds}))
    on conflict (bot_id, attempt) do update set id = excluded.id, token_hash = excluded.token_hash,
      job = excluded.job, expires_at = excluded.expires_at, taken_at = null`.execute(db)
}

/** `unknown`: there is no offer of this attempt. `refused`: another token. `over`: taken already, or too late. */
export type Taken = { id: string; sealedJob: Buffer } | 'unknown' | 'refused' | 'over'

/** Two that ask at the same time get the job once. */
export async function takeOffer(db: Database, botId: string, attempt: number, tokenHash: Buffer): Promise<Taken> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ id: string; job: Buffer | null; is_ours: boolean; is_over: boolean }>`
      select id, job, token_hash = ${tokenHash} as is_ours, expires_at <= now() as is_over from job_offers
      where bot_id = ${botId} and attempt = ${attempt} for update`.execute(tx)
    const offer = rows[0]
    if (offer === undefined) return 'unknown'
    if (!offer.is_ours) return 'refused'
    if (offer.job === null || offer.is_over) return 'over'
    await sql`update job_offers set job = null, taken_at = now() where id = ${offer.id}`.execute(tx)
    return { id: offer.id, sealedJob: offer.job }
  })
}

export async function withdrawOffer(db: Database, botId: string, attempt: number): Promise<void> {
  await sql`delete from job_offers where bot_id = ${botId} and attempt = ${attempt}`.execute(db)
}
