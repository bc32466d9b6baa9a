/** Counts and times an attempt of a webhook for `/metrics`. */
import type { Counted, Meters } from '../meters.ts'
import type { ClaimedDelivery } from '../store/webhooks/delivery-claims.ts'
import type { Attempted } from './attempt.ts'

/** `seconds`: from the commit of the message to the answer. `isOurs`: the result was stored. */
export function measureAttempt(
  meters: Meters,
  { attempts, is_replay: isReplay }: ClaimedDelivery,
  result: Attempted,
  { seconds, isOurs }: { seconds: number; isOurs: boolean },
): void {
  meters.count('webhook_attempts', { answer: answerOf(result) })
  if (!isOurs) {
    meters.count('lease_losses', { work: 'delivery', how: 'overtaken' })
    return
  }
  const { isDelivered, isGone, nextInSeconds } = result
  if (isDelivered) meters.count('webhooks_finished', { result: 'delivered' })
  else if (isGone || nextInSeconds === null) meters.count('webhooks_finished', { result: 'given_up' })
  if (isDelivered && !isReplay)
    meters.time('webhook_delivery', seconds, { attempt: attempts === 0 ? 'first' : 'later' })
}

function answerOf({ status, isTimeout }: Attempted): Counted['webhook_attempts']['answer'] {
  if (status === null) return isTimeout ? 'timeout' : 'unreachable'
  return CLASSES[Math.floor(status / 100) - 2] ?? 'other'
}

const CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const
