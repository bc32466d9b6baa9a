/**
 * Kinds of webhooks that endpoints of a team can receive; `events` of an endpoint names some of them. Imports nothing,
 * because the page of the dashboard shows them too.
 */
const KINDS = {
  'bot.status_change': 'usual',
  'bot.completed': 'usual',
  'bot.failed': 'usual',
  'bot.chat_message': 'usual',
  'bot.participant': 'live',
  'bot.speaker': 'live',
  'bot.transcript': 'live',
  'calendar.connection_created': 'usual',
  'calendar.connection_updated': 'usual',
  'calendar.connection_deleted': 'usual',
  'calendar.connection_error': 'usual',
  'calendar.events_synced': 'usual',
  'calendar.event_created': 'usual',
  'calendar.event_updated': 'usual',
  'calendar.event_cancelled': 'usual',
  'account.signed_out': 'usual',
} as const

export type WebhookEvent = keyof typeof KINDS
export const WEBHOOK_EVENTS = Object.keys(KINDS) as WebhookEvent[]

/** Sent while a meeting runs, and only to endpoints that name them. */
export type LiveWebhookEvent = {
  [Kind in WebhookEvent]: (typeof KINDS)[Kind] extends 'live' ? Kind : never
}[WebhookEvent]
export const isLiveWebhook = (event: WebhookEvent): event is LiveWebhookEvent => KINDS[event] === 'live'
