/** Limits the rate of failed sign-ins. */
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { refusals } from '../http/errors.ts'
import { countUse } from '../http/rate-limits.ts'

/** Failed tries of one address, and of one e-mail address. */
const TRIES_PER_MINUTE = 10

/** Runs `signIn`, which resolves with null if it fails. Rejects with 429 if one of `keys` failed too often. */
export type WhileAllowed = <T>(keys: readonly string[], signIn: () => Promise<T | null>) => Promise<T | null>

export function createSignInTries(): { whileAllowed: WhileAllowed } {
  const tries = new RateLimiterMemory({ points: TRIES_PER_MINUTE, duration: 60 })
  return {
    /** A try counts from its beginning, so that many at once are slowed down too; one that succeeds is given back. */
    async whileAllowed(keys, signIn) {
      for (const key of keys) {
        const { count, reset } = await countUse(tries, key)
        if (count > TRIES_PER_MINUTE) throw refusals.tooManySignIns(reset)
      }
      const signedIn = await signIn()
      if (signedIn !== null) for (const key of keys) await tries.reward(key, 1)
      return signedIn
    },
  }
}
