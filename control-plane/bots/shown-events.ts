/** Events of bots as callers see them: in lists, streams and webhooks. */

import type { BotEvent } from '@standin/wire/events.ts'
import { isLiveWebhook, type LiveWebhookEvent, WEBHOOK_EVENTS } from './messages/kinds.ts'

/** As it is stored. */
export interface StoredEvent {
  botId: string
  journalId: string
  seq: number
  attempt: number
  at: Date
  event: BotEvent
}

/** The event types of a bot that are useful to a caller and hold nothing internal, such as the places of files. */
export const EVENT_TYPES = [
  'status_change',
  'join_denied',
  'participant_joined',
  'participant_changed',
  'participant_left',
  'speaker',
  'chat_message',
  'chat_message_changed',
  'reaction',
  'hand_raised',
  'screen_share',
  'transcript',
  'recording_gap',
  'notice',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** `id` stays the same, however the event is sent. */
export function shownEvent({ journalId, seq, at, attempt, event: { type, ...data } }: StoredEvent) {
  return { id: `${journalId}:${seq}`, at: at.toISOString(), attempt, type: type as EventType, data }
}

/** The same as JSON, with further fields before. `text`: the JSON of the event without its type. */
export function shownText(
  { journalId, seq, at, attempt }: Pick<StoredEvent, 'journalId' | 'seq' | 'at' | 'attempt'>,
  type: string,
  text: string,
  before: object = {},
): string {
  const shown = JSON.stringify({ ...before, id: `${journalId}:${seq}`, at: at.toISOString(), attempt, type })
  return `${shown.slice(0, -1)},"data":${text}}`
}

/** Webhooks that endpoints get only if they ask for them by name: each carries several events. */
const LIVE_WEBHOOKS = {
  'bot.participant': [
    'participant_joined',
    'participant_changed',
    'participant_left',
    'hand_raised',
    'screen_share',
    'reaction',
  ],
  'bot.speaker': ['speaker'],
  'bot.transcript': ['transcript'],
} as const satisfies Record<LiveWebhookEvent, readonly EventType[]>
const LIVE_NAMES = WEBHOOK_EVENTS.filter(isLiveWebhook)

/** Those that an endpoint with these `events` gets; null: none. */
export function liveTypesOf(events: readonly string[] | null): EventType[] | null {
  const types = LIVE_NAMES.filter((name) => events?.includes(name)).flatMap((name) => [...LIVE_WEBHOOKS[name]])
  return types.length > 0 ? types : null
}

export const liveWebhookOf = ({ event: { type } }: StoredEvent): LiveWebhookEvent | undefined =>
  LIVE_NAMES.find((name) => (LIVE_WEBHOOKS[name] as readonly string[]).includes(type))
