/**
 * Requests to a provider of credentials, and what its refusals say. The text of an answer is never repeated whole: it may
 * hold what was sent.
 */
import { retryAfterMs } from '@standin/wire/time/retry-after.ts'
import { z } from 'zod'
import { type GuardedClient, type OutgoingAnswer, type OutgoingRequest, ProviderError } from '../platform/ports.ts'
import { MAX_ANSWER_BYTES } from './token-answer.ts'

const MAX_SHOWN = 200
/** A shorter text would hide ordinary words. */
const MIN_SECRET_LENGTH = 6

/** Visible ASCII, which is what a header and the job of a bot can carry. */
export const tokenSchema = z.string().regex(/^[!-~]{1,4096}$/)

export type Answered = OutgoingAnswer & { json: unknown }

/** `secrets`: what was sent and must not be repeated from a refusal. Rejects with `ProviderError`. */
export async function askProvider(
  client: Pick<GuardedClient, 'request'>,
  request: Omit<OutgoingRequest, 'maxBytes'>,
  secrets: readonly string[],
): Promise<Answered> {
  const answer = await client.request({ ...request, maxBytes: MAX_ANSWER_BYTES }).catch((error: Error) => {
    throw new ProviderError('unavailable', `${error.message}.`)
  })
  return { ...answer, json: jsonOf(answer, answer.status === 200 ? [] : secrets) }
}

function jsonOf({ body, isCut }: OutgoingAnswer, secrets: readonly string[]): unknown {
  if (isCut) return null
  let text = Buffer.from(body).toString('utf8')
  for (const secret of secrets) if (secret.length >= MIN_SECRET_LENGTH) text = text.replaceAll(secret, '[hidden]')
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Null: no temporary problem. An answer that should be a document and is none is a proxy's or a defect. */
export function passingProblem(
  provider: string,
  { status, headers, json }: Answered,
  said: string,
): ProviderError | null {
  if (status === 429)
    return new ProviderError('rate_limited', said, { retryAfterMs: retryAfterMs(headers['retry-after']) })
  if (status === 200) return new ProviderError('unavailable', `${provider} sent an answer that cannot be read.`)
  const isUnreadable = typeof json !== 'object' || json === null
  return status >= 500 || status === 408 || isUnreadable ? new ProviderError('unavailable', said) : null
}

/** Such as `Zoom answered 400: invalid_grant (Invalid Token!).` */
export function saidBy(
  provider: string,
  { status }: Answered,
  [word, sentence]: readonly (string | undefined)[],
): string {
  const shown = (value: string) => value.replace(/[^\P{C}]/gu, '?').slice(0, MAX_SHOWN)
  const words = [word && shown(word), sentence && `(${shown(sentence).replace(/\.$/, '')})`].filter(Boolean)
  return `${provider} answered ${status}${words.length === 0 ? '' : `: ${words.join(' ')}`}.`
}
