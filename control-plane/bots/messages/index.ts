/** Webhook messages of a bot, for every channel that fits its generation. */
import { createHash } from 'node:crypto'
import type { BotRow } from '../../store/rows/index.ts'
import type { Channel, OutgoingMessage } from '../change.ts'
import { chatBody, completedBody, failedBody, statusBody } from './newer.ts'
import { olderCompleteBody, olderFailedBody, olderStatusBody, olderTranscriptionBody } from './older.ts'

/** A status as receivers of `bot.status_change` see it. */
export interface StatusNews {
  code: string
  at: Date
  /** Unix seconds with a fraction; with `in_call_recording`. */
  startTime?: number
  /** With `recording_failed` and `meeting_error`. */
  errorMessage?: string
  /** The cause, such as journal and sequence number: the same source gives the same message. */
  sourceId: string
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const ID_LENGTH = 27

/** `msg_` and 27 base62 characters of the SHA-256 of the cause of the message. */
export function messageId(source: string): string {
  let rest = BigInt(`0x${createHash('sha256').update(source).digest('hex')}`)
  let text = ''
  for (let place = 0; place < ID_LENGTH; place++) {
    text += BASE62[Number(rest % 62n)]
    rest /= 62n
  }
  return `msg_${text}`
}

/** Statuses that the older generation knows; the others have no message there. */
const OLDER_STATUSES = new Set([
  'joining_call',
  'in_waiting_room',
  'in_call_not_recording',
  'in_call_recording',
  'recording_paused',
  'recording_resumed',
  'call_ended',
  'bot_rejected',
  'bot_removed',
  'waiting_room_timeout',
  'invalid_meeting_url',
  'meeting_error',
  'api_request_stop',
])

/** Messages about one status. Empty if the bot's generation has no word for it. */
export function messagesOfStatus(bot: BotRow, status: StatusNews): OutgoingMessage[] {
  const of = messageMaker(bot, status.sourceId)
  if (bot.generation === 'v2') return [of('webhooks', 'bot.status_change', statusBody(bot, status))]
  if (!OLDER_STATUSES.has(status.code)) return []
  return [of('older', 'bot.status_change', olderStatusBody(bot, status))]
}

/** A chat message as the worker reports it. */
export interface ChatNews {
  messageId: string
  senderName: string
  senderId: number | null
  text: string
  /** The bot's own messages are not sent. */
  isOwn: boolean
  sourceId: string
}

/** Messages about a participant's chat message. The older generation has no such event. */
export function messagesOfChat(bot: BotRow, chat: ChatNews): OutgoingMessage[] {
  if (bot.generation !== 'v2' || chat.isOwn) return []
  return [messageMaker(bot, chat.sourceId)('webhooks', 'bot.chat_message', chatBody(bot, chat))]
}

/** The final messages. `bot` is completed or failed. */
export function messagesOfEnd(bot: BotRow, sourceId: string): OutgoingMessage[] {
  const of = messageMaker(bot, sourceId)
  const isCompleted = bot.status === 'completed'
  if (bot.generation === 'v2') {
    const event = isCompleted ? 'bot.completed' : 'bot.failed'
    const body = isCompleted ? completedBody(bot) : failedBody(bot)
    return [of('webhooks', event, body), of('callback', event, body)]
  }
  return [
    isCompleted || lacksTranscriptOnly(bot)
      ? of('older', 'complete', olderCompleteBody(bot))
      : of('older', 'failed', olderFailedBody(bot)),
  ]
}

/** The older generation's `failed` is for bots that could not join or record; this bot has a recording. */
function lacksTranscriptOnly(bot: BotRow): boolean {
  return bot.error_code === 'TRANSCRIPTION_FAILED' && bot.recording_started_at !== null
}

/** After `retranscribe`: the older generation has a separate event, the newer one repeats the final event. */
export function messagesOfRetranscription(bot: BotRow, sourceId: string): OutgoingMessage[] {
  if (bot.generation === 'v2') return messagesOfEnd(bot, sourceId)
  return [messageMaker(bot, sourceId)('older', 'transcription_complete', olderTranscriptionBody(bot))]
}

function messageMaker(bot: BotRow, sourceId: string) {
  return (channel: Channel, event: string, body: Record<string, unknown>): OutgoingMessage => ({
    id: messageId([bot.id, sourceId, channel, event].join('\n')),
    channel,
    event,
    body,
    teamId: bot.team_id,
    botId: bot.id,
    orderingKey: bot.id,
    isCompat: bot.is_compat,
  })
}
