/** The bot that a caller wants for an event, in one shape for both generations. */
import { type EventBot, plainRequest } from '../bots/request.ts'
import type { StoredBot } from '../store/calendars/intents.ts'

export function storedBotOf({ secrets, ...bot }: EventBot): StoredBot {
  return { bot: { ...bot }, secrets }
}

/** Fields that an older row lacks have their defaults. */
export function eventBotOf({ bot, secrets }: StoredBot): EventBot {
  const { name, recordingMode, extra, request, deduplicationKey } = bot as Partial<Omit<EventBot, 'secrets'>>
  const plain = plainRequest()
  return {
    name: name ?? 'Bot',
    recordingMode: recordingMode ?? 'speaker_view',
    extra: extra ?? null,
    request: { ...plain, ...request, timeouts: { ...plain.timeouts, ...request?.timeouts } },
    secrets,
    deduplicationKey: deduplicationKey ?? null,
  }
}
