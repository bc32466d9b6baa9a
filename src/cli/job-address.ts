/**
 * Downloads the job from an address, which returns it once for a one-time token, so that the container's description
 * contains no secret.
 */

import { MAX_JOB_BYTES } from '@standin/wire/job.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { systemClock } from '@standin/wire/time/deadline.ts'
import { fetchPublic, mayPass, UnexpectedStatus } from '../../packages/core/network/safe-fetch.ts'
import type { Clock } from '../../packages/core/ports.ts'
import { InvalidJob } from '../job/config.ts'

/** One try. */
const TRY_MS = 10_000
/** All tries together; a control plane that is restarted is back by then. */
export const JOB_FETCH_MS = 60_000
const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = 8_000

export interface JobAddress {
  url: string
  token: string | undefined
  /** The option or variable that named the address. */
  from: string
  /** The operator allows private addresses, also without TLS. */
  trustsPrivate: boolean
}

/** The job's text. Throws InvalidJob with a sentence that names the host, never the token. */
export async function downloadJob(
  { url, token, from, trustsPrivate }: JobAddress,
  { clock = systemClock, fetch = fetchPublic }: { clock?: Clock; fetch?: typeof fetchPublic } = {},
): Promise<string> {
  const refused = (message: string, path = from) => new InvalidJob([{ path, message }])
  if (!URL.canParse(url) || !['https:', 'http:'].includes(new URL(url).protocol))
    throw refused('must be an address that starts with https://')
  if (token === undefined) throw refused('is missing; it is the one-time token for the job', 'STANDIN_JOB_TOKEN')
  if (!/^[!-~]{1,4096}$/.test(token))
    throw refused('must not contain spaces or characters beyond ASCII', 'STANDIN_JOB_TOKEN')
  const limits = {
    maxBytes: MAX_JOB_BYTES,
    timeoutMs: TRY_MS,
    accept: 'application/json',
    headers: { authorization: `Bearer ${token}` },
  }
  const startedAt = clock.now()
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, MAX_DELAY_MS)) {
    try {
      return Buffer.from(await fetch(url, limits, trustsPrivate)).toString('utf8')
    } catch (error) {
      const message = messageOf(error)
      if (!mayPass(error)) throw refused(explained(error, message))
      if (clock.now() + delayMs - startedAt > JOB_FETCH_MS)
        throw refused(`the job could not be fetched within ${JOB_FETCH_MS / 1000} s: ${message}`)
    }
    await clock.sleep(delayMs)
  }
}

function explained(error: unknown, message: string): string {
  const status = error instanceof UnexpectedStatus ? error.status : 0
  if (status === 401 || status === 403) return `${message}: it refuses the token in STANDIN_JOB_TOKEN`
  if (status === 404) return `${message}: it has no job at this address`
  if (status === 410) return `${message}: the job was used already; its token is good for one bot`
  if (status >= 300 && status < 400) return `${message}: a redirect is not followed with a token`
  return message
}
