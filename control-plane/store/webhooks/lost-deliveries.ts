/** Deliveries that can never be built, because a secret that belongs to them does not open any more. */
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { ClaimedDelivery } from './delivery-claims.ts'

/**
 * Seconds in which a key may still come: other processes get theirs at other moments. Then the line continues without
 * it.
 */
const LOST_AFTER_SECONDS = 3600

/**
 * Ends the delivery with the reason in its attempts, if it is older than an hour; it can be replayed once the key is
 * there again. It is no failure of the endpoint. False if it is younger, or the claim was lost.
 */
export async function failLostDelivery(
  db: Database,
  delivery: Pick<ClaimedDelivery, 'id' | 'is_replay'>,
  claim: string,
  reason: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with ended as (
      update deliveries set state = 'failed', attempts = attempts + 1, claim = null, lease_until = null, finished_at = now()
      where id = ${delivery.id} and claim = ${claim}::uuid and state = 'sending'
        and created_at < now() - make_interval(secs => ${LOST_AFTER_SECONDS})
      returning id
    )
    insert into delivery_attempts (delivery_id, duration_ms, error, is_replay)
    select id, 0, ${reason}, ${delivery.is_replay} from ended`.execute(db)
  return numAffectedRows === 1n
}
