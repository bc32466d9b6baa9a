/** Errors of a speech service: one plain sentence without its key, and whether a retry can help. */
import { setTimeout as delay } from 'node:timers/promises'
import { backoff } from '@standin/wire/time/backoff.ts'
import { z } from 'zod'
import { BodyTooLong } from '../../../packages/core/bounded-body.ts'

/** Far more than the words of the longest recording; what is longer is no transcript. */
export const MAX_ANSWER_BYTES = 50_000_000

/** Hertz. Speech services recommend it; a higher rate costs more and does not improve the transcript. */
export const LIVE_SAMPLE_RATE = 16_000

export class ProviderError extends Error {
  readonly isTransient: boolean
  readonly retryAfterMs: number | null

  constructor(message: string, options: { isTransient: boolean; retryAfterMs?: number | null; cause?: unknown }) {
    super(message, { cause: options.cause })
    this.name = 'ProviderError'
    this.isTransient = options.isTransient
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}

const TRIES = 3
const MAX_RETRY_MS = 60_000

/** Tries `work` again after transient failures, with longer and longer waits. Rejects with the last failure. */
export async function tried<T>(
  work: () => Promise<T>,
  { signal, retryMs }: { signal: AbortSignal; retryMs: number },
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ProviderError) || !error.isTransient || attempt === TRIES) throw error
      const waitMs = backoff({ first: retryMs, max: MAX_RETRY_MS, factor: 3, jitter: 0.3 }, attempt)
      await delay(Math.min(error.retryAfterMs ?? waitMs, MAX_RETRY_MS), undefined, { signal })
    }
  }
}

/** Overload and failures of the service itself pass; what is wrong with the request does not. */
export function isTransientStatus(status: number): boolean {
  return status === 408 || status === 429 || status >= 500
}

/** Whisper servers that leave silence out fail like this if nothing is left. */
export function isSilence(text: string): boolean {
  return text.includes('No clip timestamps found')
}

/** Shortens a provider's answer to one line for a sentence, without the key that the service may repeat. */
export function excerpt(text: string, key: string | null): string {
  return withoutKey(text, key).replace(/\s+/g, ' ').trim().slice(0, 200)
}

export function withoutKey(text: string, key: string | null): string {
  return key === null || key === '' ? text : text.replaceAll(key, '[key]')
}

/** Whether a request failed because its answer was longer than allowed; another try would not be shorter. */
export function isTooLong(error: unknown): boolean {
  let inner = error
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause
  return inner instanceof BodyTooLong
}

/** The root cause of a failed request, such as `connect ECONNREFUSED 127.0.0.1:9`. */
export function causeOf(error: unknown): string {
  let inner = error
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause
  const text = inner instanceof Error ? inner.message || inner.name : String(inner)
  return text === '' ? 'no answer' : text
}

/** Status with which a WebSocket was refused, in the words of the `ws` package; null for any other failure. */
export function refusedStatus(error: unknown): number | null {
  const status = /^Unexpected server response: (\d{3})$/.exec(causeOf(error))?.[1]
  return status === undefined ? null : Number(status)
}

/** A field of a foreign answer: null if it is absent or of another kind. */
export function lenient<T extends z.ZodType>(schema: T) {
  return z.nullable(schema).default(null).catch(null)
}
