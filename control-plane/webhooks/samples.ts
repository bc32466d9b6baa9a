/** Bodies for the test of an endpoint: invented values in the shapes of real messages. */
import type { WebhookEvent } from '../bots/messages/index.ts'

const BOT = '00000000-0000-4000-8000-000000000000'
const AT = '2026-01-01T09:00:00.000Z'
const names = { bot_id: BOT, event_id: null }

const SAMPLES: Readonly<Record<WebhookEvent, Record<string, unknown>>> = {
  'bot.status_change': {
    data: { ...names, status: { code: 'joining_call', created_at: AT } },
    extra: { test: true },
  },
  'bot.completed': {
    data: {
      ...names,
      participants: [{ name: 'Ada Byron', id: 1 }],
      speakers: [{ name: 'Ada Byron', id: 1 }],
      duration_seconds: 60,
      joined_at: AT,
      exited_at: '2026-01-01T09:01:00.000Z',
      data_deleted: false,
      video: null,
      audio: null,
      diarization: null,
      raw_transcription: null,
      transcription: null,
      chat_messages: null,
      transcription_provider: null,
      transcription_ids: null,
      sent_at: AT,
    },
    extra: { test: true },
  },
  'bot.failed': {
    data: {
      ...names,
      error_code: 'BOT_NOT_ACCEPTED',
      error_message: 'The bot was not admitted to the meeting.',
      sent_at: AT,
    },
    extra: { test: true },
  },
  'bot.chat_message': {
    data: { ...names, message_id: 'test', sender_name: 'Ada Byron', sender_id: 1, text: 'Hello', sent_at: AT },
    extra: { test: true },
  },
}

/** Events without a sample get the sample of a status under their own name. */
export function sampleBody(event: string): Record<string, unknown> {
  return { event, ...(SAMPLES[event as WebhookEvent] ?? SAMPLES['bot.status_change']) }
}
