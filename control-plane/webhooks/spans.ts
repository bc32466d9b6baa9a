/** An attempt of a webhook as a span. Its address is a caller's, and is left out. */
import type { ClaimedDelivery } from '../store/webhooks/delivery-claims.ts'
import { type NewSpan, type Span, traceOf } from '../traces.ts'
import type { Attempted } from './attempt.ts'

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
