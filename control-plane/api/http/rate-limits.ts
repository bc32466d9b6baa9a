/** Requests a second of a team. Reading is free, and its answers say too how many of them are left. */
import type { FastifyReply } from 'fastify'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { KeyHolder } from '../../store/teams/keys.ts'
import { refusals } from './errors.ts'

const COUNTED = new Set(['POST', 'PATCH', 'PUT', 'DELETE'])
const WINDOW_SECONDS = 1

/** Counts a use of the key: how many there were in the window, and the whole seconds until it is over. */
export async function countUse(counter: RateLimiterMemory, key: string) {
  const used = await counter.consume(key).catch((refused: unknown) => refused)
  if (!(used instanceof RateLimiterRes)) throw used
  return usesIn(used)
}

async function usesOf(counter: RateLimiterMemory, key: string) {
  return usesIn((await counter.get(key)) ?? new RateLimiterRes(0, 0, 0))
}

const usesIn = ({ consumedPoints, msBeforeNext }: RateLimiterRes) => ({
  count: consumedPoints,
  reset: Math.max(1, Math.ceil(msBeforeNext / 1000)),
})

export interface RateLimits {
  /** Sets the headers of the answer; rejects with 429 if the team's limit is used up. */
  check(holder: Pick<KeyHolder, 'teamId' | 'requestsPerSecond'>, method: string, reply: FastifyReply): Promise<void>
}

/**
 * Counts in the memory of this process: a limit that protects one process needs no coordination, and a row in
 * PostgreSQL for each request would cost more than the request. With n processes a team has n times its limit.
 */
export function createRateLimits(): RateLimits {
  const counter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: WINDOW_SECONDS })
  return {
    async check({ teamId, requestsPerSecond: limit }, method, reply) {
      if (limit === null) return
      const { count, reset } = COUNTED.has(method) ? await countUse(counter, teamId) : await usesOf(counter, teamId)
      reply.headers({
        'x-ratelimit-limit': limit,
        'x-ratelimit-remaining': Math.max(0, limit - count),
        'x-ratelimit-reset': reset,
      })
      if (count > limit && COUNTED.has(method)) throw refusals.tooManyRequests(limit, reset)
    },
  }
}
