/** A browser keeps the values that the answer of a provider has to match, sealed, for ten minutes. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ZodType } from 'zod'
import type { ApiDependencies } from '../dependencies.ts'
import { cookieOf, setCookie } from '../http/sessions.ts'

/** From the click to the answer of the provider. */
const ATTEMPT_MINUTES = 10
const MAX_COOKIE_LENGTH = 4000

export interface AttemptCookie<T> {
  /** Null removes it: an attempt is over with its first answer. */
  set(reply: FastifyReply, attempt: T | null): void
  /** Null: this browser began nothing, or too long ago. */
  read(request: FastifyRequest): T | null
}

export function attemptCookie<T extends object>(
  { seals, clock, settings }: Pick<ApiDependencies, 'seals' | 'clock' | 'settings'>,
  name: 'oidc' | 'consent',
  schema: ZodType<T>,
): AttemptCookie<T> {
  const isSecure = settings.publicUrl.startsWith('https:')
  /** Not a row: the browser keeps the value. */
  const place = { table: 'cookies', column: `${name}_attempt`, row: '1' }
  return {
    set(reply, attempt) {
      const until = clock.now() + ATTEMPT_MINUTES * 60_000
      const value = attempt && seals.seal(JSON.stringify({ ...attempt, until }), place).toString('base64url')
      setCookie(reply, `standin_${name}`, { value, maxAge: ATTEMPT_MINUTES * 60, secure: isSecure })
    },
    read(request) {
      const value = cookieOf(request, `standin_${name}`, isSecure)
      if (value === undefined || value === '' || value.length > MAX_COOKIE_LENGTH) return null
      try {
        const { until, ...attempt } = JSON.parse(seals.open(Buffer.from(value, 'base64url'), place))
        return until > clock.now() ? schema.parse(attempt) : null
      } catch {
        return null
      }
    },
  }
}

/** The address that is left contains codes of the provider, so it is sent to no other host and kept nowhere. */
export function go(reply: FastifyReply, address: string): FastifyReply {
  return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(address, 303)
}
