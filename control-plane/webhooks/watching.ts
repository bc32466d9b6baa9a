/** An attempt of a webhook for `/metrics`, and as a span. */
import type { Counted, Meters } from '../platform/meters.ts'
import { type NewSpan, type Span, traceOf } from '../platform/traces.ts'
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

/** The address is a caller's, and is left out. */
export function spanOf(delivery: ClaimedDelivery): NewSpan {
  const { bot_id: id, traceparent } = delivery
  return {
    parent: id === null ? null : traceOf({ id, traceparent }),
    kind: 'client',
    attributes: {
      'standin.bot.id': id,
      'standin.team.id': delivery.team_id,
      'standin.message.id': delivery.message_id,
      'standin.endpoint.id': delivery.endpoint_id,
      'standin.event': delivery.event,
      'standin.attempts_before': delivery.attempts,
      'standin.is_replay': delivery.is_replay,
    },
  }
}

export function outcomeOf({ status, isDelivered, isTimeout }: Attempted): NonNullable<Parameters<Span['end']>[0]> {
  const failure = status === null ? (isTimeout ? 'timeout' : 'unreachable') : `answered ${status}`
  return { attributes: { 'http.response.status_code': status }, error: isDelivered ? null : failure }
}
