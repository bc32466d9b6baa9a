/** The bot that a caller wants for an event, in one shape for both generations. */
import type { BotRequest, BotSecrets } from '../bots/request.ts'

/** Everything but the meeting and the time, which are the event's. */
export interface EventBot {
  name: string
  recordingMode: string
  extra: unknown
  request: BotRequest
  secrets: BotSecrets
  /** Of the older generation. */
  deduplicationKey: string | null
}
