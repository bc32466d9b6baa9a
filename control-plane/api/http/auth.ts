/** Authentication: the key of a request, its permission and its rate limit, before the body is read. */
import type { IncomingHttpHeaders } from 'node:http'
import { inTurn } from '@standin/wire/time/in-turn.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import {
  findKeyHolder,
  hashOfKey,
  isWellFormedKey,
  type KeyHolder,
  type KeyProblem,
  looksLikeKey,
  noteKeyUse,
} from '../../store/teams/keys.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { refusals } from './errors.ts'
import type { Caller, Generation } from './generation.ts'
import { countUse, type RateLimits } from './rate-limits.ts'
import { hasSessionCookie, mayAct, neededRole, sessionOf } from './sessions.ts'

/** A revoked key stops working within this time; a burst of requests queries the database once. */
const GOOD_KEY_MS = 1000
const MAX_KNOWN_KEYS = 10_000
/** Wrong keys from one address; enough for a fleet that was deployed with an old key, too few to search for one. */
const WRONG_KEYS_PER_MINUTE = 300

/** From one address; the people of a whole company may share it. */
const OPEN_REQUESTS_PER_MINUTE = 600

/** Keys that wait to be looked up, from addresses that sent too many wrong ones. */
const MAX_SUSPECTS = 20

const KEY_IN_QUERY = /(?:^|&)(?:[a-z0-9-]*api[-_]?key|key|token)=/i

/**
 * The key in the generation's own header, or as `Authorization: Bearer`. Another scheme is none of ours. A proxy may add a
 * bearer token of its own, so a token that is no key counts only where nothing else says who calls.
 */
function keyOf(headers: IncomingHttpHeaders, keyHeaders: readonly string[], hasSession: boolean): string | undefined {
  // Pages that let a person try the API send an empty header for an empty field.
  const own = keyHeaders.map((name) => headers[name]).find((value) => value !== undefined && value !== '')
  const token = keyHeaders.length > 0 ? /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] : undefined
  const isForeign = token !== undefined && !isWellFormedKey(token) && (own !== undefined || hasSession)
  const bearer = isForeign ? undefined : token
  if (own !== undefined && bearer !== undefined && own !== bearer) throw refusals.twoKeys()
  return own === undefined ? bearer : String(own)
}

export interface Authentication {
  /** Rejects with an `ApiError`; sets `request.caller`. */
  check(generation: Generation, request: FastifyRequest, reply: FastifyReply): Promise<void>
}

export function createAuthentication(
  { keyDatabase, log, settings }: Pick<ApiDependencies, 'keyDatabase' | 'log' | 'settings'>,
  rateLimits: RateLimits,
): Authentication {
  // Keys that were good stay in the map, so that wrong keys from the same address cannot lock them out.
  const known = new Map<string, { holder: KeyHolder; until: number }>()
  const wrongKeys = new RateLimiterMemory({ points: WRONG_KEYS_PER_MINUTE, duration: 60 })
  const openRequests = new RateLimiterMemory({ points: OPEN_REQUESTS_PER_MINUTE, duration: 60 })
  const oneByOne = inTurn(1)
  const isSecure = settings.publicUrl.startsWith('https:')
  let suspects = 0

  async function holderOf(key: string, address: string): Promise<KeyHolder> {
    if (!isWellFormedKey(key)) throw refusals.wrongKey('unknown')
    const hash = hashOfKey(key).toString('base64')
    const found = known.get(hash)
    if (found && found.until > performance.now()) return found.holder
    const retryAfter = found === undefined ? await waitOf(address) : null
    const holder = retryAfter === null ? await lookUp(key) : await lookUpLater(key, retryAfter)
    if (typeof holder === 'string') {
      known.delete(hash)
      await wrongKeys.penalty(address, 1)
      throw retryAfter === null ? refusals.wrongKey(holder) : refusals.tooManyBadKeys(retryAfter)
    }
    if (known.size >= MAX_KNOWN_KEYS) known.clear()
    known.set(hash, { holder, until: performance.now() + GOOD_KEY_MS })
    noteKeyUse(keyDatabase, holder.keyId).catch((error: unknown) =>
      log.warn({ error: String(error) }, 'Last use of an API key could not be noted'),
    )
    return holder
  }

  async function callerWith(key: string | undefined, address: string): Promise<Caller> {
    if (key === undefined || key === '') throw refusals.missingKey()
    return { ...(await holderOf(key, address)), session: null }
  }

  async function personOf(request: FastifyRequest): Promise<Caller> {
    const session = await sessionOf(keyDatabase, request, isSecure)
    if (session === null) throw refusals.missingKey()
    const role = request.routeOptions.config.role ?? neededRole(request.method)
    if (!mayAct(session, role)) throw refusals.roleTooLow(role)
    const { teamId, requestsPerSecond, byokTranscription } = session
    return { keyId: null, teamId, permission: 'full', requestsPerSecond, byokTranscription, session }
  }

  /** Seconds; null if the address has not sent too many wrong keys. */
  async function waitOf(address: string): Promise<number | null> {
    const tried = await wrongKeys.get(address)
    return tried !== null && tried.remainingPoints <= 0 ? Math.max(1, Math.ceil(tried.msBeforeNext / 1000)) : null
  }

  /** A good key that this process has not seen works from such an address too; wrong ones burden the database little. */
  async function lookUpLater(key: string, retryAfter: number): Promise<KeyHolder | KeyProblem> {
    if (suspects >= MAX_SUSPECTS) throw refusals.tooManyBadKeys(retryAfter)
    suspects += 1
    return oneByOne(() => lookUp(key)).finally(() => {
      suspects -= 1
    })
  }

  async function lookUp(key: string): Promise<KeyHolder | KeyProblem> {
    try {
      return await findKeyHolder(keyDatabase, key)
    } catch (error) {
      // The key may be valid: clients give up after 401, and try again after 503.
      log.error({ error: String(error) }, 'API key could not be checked')
      throw refusals.unavailable('The API key could not be checked right now')
    }
  }

  return {
    async check({ keyHeaders, acceptsSessions = false }, request, reply) {
      const { isOpen = false, permission = 'full' } = request.routeOptions.config
      const [, query = ''] = request.url.split('?', 2)
      if (looksLikeKey(request.url) || KEY_IN_QUERY.test(query)) throw refusals.keyInUrl()
      if (isOpen) {
        const { count, reset } = await countUse(openRequests, request.ip)
        if (count > OPEN_REQUESTS_PER_MINUTE) throw refusals.tooManyWithoutKey(reset)
        return
      }
      const key = keyOf(request.headers, keyHeaders, acceptsSessions && hasSessionCookie(request, isSecure))
      const caller = acceptsSessions && key === undefined ? await personOf(request) : await callerWith(key, request.ip)
      request.caller = caller
      await rateLimits.check(caller, request.method, reply)
      if (permission === 'full' && caller.permission !== 'full') throw refusals.forbidden()
    },
  }
}
