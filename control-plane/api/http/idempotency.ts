/** The header `Idempotency-Key` of POSTs that create something. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database, Tx } from '../../store/database.ts'
import {
  type Claim,
  claimKey,
  claimLongKey,
  type KeptAnswer,
  type KeyedRequest,
  keepAnswer,
  releaseLongKey,
} from '../../store/teams/idempotency.ts'
import { refusals } from './errors.ts'
import { callerOf } from './generation.ts'

type Answer<Body> = KeptAnswer & { body: Body }

/** Visible ASCII. The service makes internal keys by adding a space and a number, and no caller's key can equal one. */
const KEY = /^[!-~]{1,255}$/

/**
 * Does the work in one transaction, once for each `Idempotency-Key`: a repeat of the request gets the first answer. An
 * error of the work rolls everything back, so a refused request may be repeated. Without the header the work is only run,
 * and makes its own transaction if it needs one.
 */
export async function once<Body>(
  db: Database,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (db: Database | Tx) => Promise<Answer<Body>>,
): Promise<Body> {
  const keyed = keyedRequest(request)
  const answer = await inTransaction(db, keyed, reply, work)
  reply.code(answer.status)
  return answer.body
}

/** Runs work of several transactions once, as `once` does: each item is claimed under its own place. */
export async function onceInParts<Body>(
  db: Database,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (
    once: <Part>(place: number, item: (db: Database | Tx) => Promise<Answer<Part>>) => Promise<Answer<Part>>,
  ) => Promise<Answer<Body>>,
): Promise<Body> {
  const keyed = keyedRequest(request)
  const kept = keyed === null ? null : answerOf<Body>(await claimLongKey(db, keyed))
  if (kept !== null) {
    reply.header('idempotent-replayed', 'true').code(kept.status)
    return kept.body
  }
  const answer = await work((place, item) =>
    inTransaction(db, keyed && { ...keyed, key: `${keyed.key} ${place}` }, null, item),
  )
  if (keyed !== null) await keepAnswer(db, keyed, answer)
  reply.code(answer.status)
  return answer.body
}

/**
 * Runs work once that calls other services over the network and makes its own transactions, as `once` does. A refused request
 * releases its key, so that it may be repeated.
 */
export async function onceOutside<Body>(
  db: Database,
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<Answer<Body>>,
): Promise<Body> {
  return onceInParts(db, request, reply, async () => {
    try {
      return await work()
    } catch (error) {
      const keyed = keyedRequest(request)
      if (keyed !== null) await releaseLongKey(db, keyed)
      throw error
    }
  })
}

function inTransaction<Body>(
  db: Database,
  keyed: KeyedRequest | null,
  reply: FastifyReply | null,
  work: (db: Database | Tx) => Promise<Answer<Body>>,
): Promise<Answer<Body>> {
  if (keyed === null) return work(db)
  return db.transaction().execute(async (tx) => {
    const kept = answerOf<Body>(await claimKey(tx, keyed))
    if (kept !== null) {
      reply?.header('idempotent-replayed', 'true')
      return kept
    }
    const answer = await work(tx)
    await keepAnswer(tx, keyed, answer)
    return answer
  })
}

/** Null: the request has to be processed. A kept answer is one that the same work has made. */
function answerOf<Body>(claim: Claim): Answer<Body> | null {
  if (claim === 'new') return null
  if (claim === 'busy') throw refusals.idempotencyKeyBusy()
  if (claim === 'reused') throw refusals.idempotencyKeyReused()
  return claim.answer as Answer<Body>
}

function keyedRequest(request: FastifyRequest): KeyedRequest | null {
  const { method, url, config } = request.routeOptions
  if (!config.isIdempotent) throw new Error(`${method} ${url} is not declared as idempotent`)
  const key = request.headers['idempotency-key']
  if (key === undefined || request.bodyHash === null) return null
  if (typeof key !== 'string' || !KEY.test(key))
    throw refusals.validation('headers/idempotency-key must be 1 to 255 visible ASCII characters')
  return { teamId: callerOf(request).teamId, key, bodyHash: request.bodyHash }
}
