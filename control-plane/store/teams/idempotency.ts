/** Answers that are given again to a repeated request, by its `Idempotency-Key`. Kept for 24 hours (`jobs`). */
import { sql } from 'kysely'
import { jsonText } from '../bots/bots.ts'
import type { Database, Tx } from '../database.ts'

export interface KeyedRequest {
  teamId: string
  key: string
  /** Of method, address and body. */
  bodyHash: Buffer
}

export interface KeptAnswer {
  status: number
  body: unknown
}

/** `new`: it is this one that has to be processed. */
export type Claim = 'new' | 'reused' | 'busy' | { answer: KeptAnswer }

/** After this time a request without an answer counts as lost with its process. */
const LOST_AFTER = "interval '2 minutes'"

/** For so long an answer is given again. */
const keptFor = sql`interval '24 hours'`

/** Claims the key for the rest of the transaction, in which `keepAnswer` follows. */
export async function claimKey(tx: Tx, request: KeyedRequest): Promise<Claim> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`${request.teamId} ${request.key}`}, 0)) as locked`.execute(tx)
  if (!rows[0]!.locked) return 'busy'
  return claimOf(await readKey(tx, request), request)
}

/** Stores what was answered. In the transaction of what the request did. */
export async function keepAnswer(db: Database | Tx, request: KeyedRequest, answer: KeptAnswer): Promise<void> {
  await sql`
    insert into idempotency_keys (team_id, key, body_hash, status, answer)
    values (${request.teamId}, ${request.key}, ${request.bodyHash}, ${answer.status}, ${jsonText(answer.body)}::jsonb)
    on conflict (team_id, key) do update
      set body_hash = excluded.body_hash, status = excluded.status, answer = excluded.answer, created_at = now()`.execute(
    db,
  )
}

/**
 * Claims the key beyond one transaction, for a request that is processed in several. `keepAnswer` ends the claim; a claim
 * whose process crashed is taken over after two minutes.
 */
export async function claimLongKey(db: Database, request: KeyedRequest): Promise<Claim> {
  const { numAffectedRows } = await sql`
    insert into idempotency_keys (team_id, key, body_hash) values (${request.teamId}, ${request.key}, ${request.bodyHash})
    on conflict (team_id, key) do update set created_at = now(), body_hash = excluded.body_hash, status = null, answer = null
      where idempotency_keys.created_at < now() - ${keptFor}
        or (idempotency_keys.status is null and idempotency_keys.created_at < now() - ${sql.raw(LOST_AFTER)}
          and idempotency_keys.body_hash = excluded.body_hash)`.execute(db)
  if (numAffectedRows === 1n) return 'new'
  const row = await readKey(db, request)
  // Its answer became a day old in this moment.
  return row === undefined ? 'busy' : claimOf(row, request)
}

/** Ends a claim without an answer. */
export async function releaseLongKey(db: Database, { teamId, key, bodyHash }: KeyedRequest): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('team_id', '=', teamId)
    .where('key', '=', key)
    .where('body_hash', '=', bodyHash)
    .where('status', 'is', null)
    .execute()
}

/** Removes keys that are no longer answered. Returns how many. */
export async function removeOldIdempotencyKeys(db: Database): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from idempotency_keys where created_at < now() - ${keptFor}`.execute(db)
  return Number(numAffectedRows ?? 0)
}

interface KeyRow {
  body_hash: Buffer
  status: number | null
  answer: unknown
}

function readKey(db: Database | Tx, { teamId, key }: KeyedRequest): Promise<KeyRow | undefined> {
  return db
    .selectFrom('idempotency_keys')
    .select(['body_hash', 'status', 'answer'])
    .where('team_id', '=', teamId)
    .where('key', '=', key)
    .where(sql<boolean>`created_at > now() - ${keptFor}`)
    .executeTakeFirst()
}

function claimOf(row: KeyRow | undefined, { bodyHash }: KeyedRequest): Claim {
  if (row === undefined) return 'new'
  if (!row.body_hash.equals(bodyHash)) return 'reused'
  return row.status === null ? 'busy' : { answer: { status: row.status, body: row.answer } }
}
