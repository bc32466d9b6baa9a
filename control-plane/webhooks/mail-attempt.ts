/** One mail to one address. */
import { spread } from '@standin/base/backoff.ts'
import { type AlertMail, MailRefused } from '../ports.ts'
import { addressOf } from '../store/alerts/rules.ts'
import type { ClaimedDelivery } from '../store/webhooks/delivery-claims.ts'
import type { Attempted } from './attempt.ts'

/** Seconds between attempts: mail servers that defer a sender want minutes. Together about seven hours. */
export const MAIL_DELAYS: readonly number[] = [30, 120, 600, 1800, 7200, 14_400]
const JITTER = 0.2

/** Never rejects: an error becomes the result. A server's final refusal of the mail is not tried again. */
export async function attemptMail(
  delivery: Pick<ClaimedDelivery, 'id' | 'message_id' | 'url' | 'attempts' | 'body'>,
  mail: AlertMail,
  { delays, random }: { delays: readonly number[]; random: () => number },
): Promise<Attempted> {
  const started = performance.now()
  const outcome = await send(delivery, mail)
  const { isFinal, ...rest } = outcome
  const delay = rest.isDelivered || isFinal ? undefined : delays[delivery.attempts]
  return {
    ...rest,
    durationMs: performance.now() - started,
    nextInSeconds: delay === undefined ? null : spread(delay, JITTER, random),
    isGone: false,
    isTimeout: false,
  }
}

async function send(
  { id, message_id: message, url, body }: Pick<ClaimedDelivery, 'id' | 'message_id' | 'url' | 'body'>,
  mail: AlertMail,
) {
  try {
    // The same id in every attempt: a mail that was accepted, and is sent again, can be recognized as a repeat.
    const { status, answer } = await mail({ to: addressOf(url), id: `${message}.${id}`, body })
    return { isDelivered: true, isFinal: true, status, error: null, answer }
  } catch (error) {
    const refusal = error instanceof MailRefused ? error : null
    return {
      isDelivered: false,
      isFinal: refusal?.isFinal ?? false,
      status: refusal?.status ?? null,
      error: refusal?.message ?? 'The mail could not be made',
      answer: null,
    }
  }
}
