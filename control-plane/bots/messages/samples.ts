/** Bodies with invented values in the shapes of real messages: for the test of an endpoint, and as examples of the API. */
import { helpOf } from '@standin/wire/error-help.ts'
import { reasonHelpOf } from '../error-help.ts'
import type { WebhookEvent } from './kinds.ts'

const BOT = '00000000-0000-4000-8000-000000000000'
const AT = '2026-01-01T09:00:00.000Z'
const names = { bot_id: BOT, event_id: null }
const CALENDAR = { calendar_id: BOT, calendar_platform: 'google' }
const CONNECTION = { ...CALENDAR, account_email: 'ada@example.com', status: 'active', created_at: AT }
const SERIES = { event_type: 'one_off', series_id: BOT }
const INSTANCE = {
  event_id: BOT,
  start: AT,
  end: '2026-01-01T09:30:00.000Z',
  title: 'Test',
  status: 'confirmed',
  is_all_day: false,
  is_exception: false,
  bot_scheduled: false,
  meeting_url: null,
  meeting_platform: null,
}

const DENIED = {
  reason: 'denied_by_person',
  report: { reason_evidence: [{ seen: 'The bot asked to join.', at: AT }] },
}

const ADA = { id: 1, name: 'Ada Byron', platform_id: 'p-1' }
const eventOf = (seq: number, type: string, data: Record<string, unknown>) => ({
  ...{ id: `${BOT}:${seq}`, at: AT, attempt: 1, type, data },
})

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
      reason: null,
      reason_help: null,
      sent_at: AT,
    },
    extra: { test: true },
  },
  'bot.failed': {
    data: {
      ...names,
      error_code: 'BOT_NOT_ACCEPTED',
      error_message: 'The bot was not admitted to the meeting.',
      error_help: {
        cause: null,
        ...helpOf('BOT_NOT_ACCEPTED'),
        link: 'https://standin.example/help/errors',
      },
      ...reasonHelpOf(DENIED, (path) => `https://standin.example${path}`),
      sent_at: AT,
    },
    extra: { test: true },
  },
  'bot.chat_message': {
    data: { ...names, message_id: 'test', sender_name: 'Ada Byron', sender_id: 1, text: 'Hello', sent_at: AT },
    extra: { test: true },
  },
  'bot.participant': {
    data: {
      ...names,
      events: [eventOf(1, 'participant_joined', { participant: ADA, offset: 1.5 })],
      sent_at: AT,
    },
    extra: { test: true },
  },
  'bot.speaker': {
    data: {
      ...names,
      events: [
        eventOf(2, 'speaker', {
          participant: ADA,
          is_speaking: true,
          timestamp: 1_767_258_000,
          offset: 2,
          source: 'csrc',
          confidence: 1,
        }),
      ],
      sent_at: AT,
    },
    extra: { test: true },
  },
  'bot.transcript': {
    data: {
      ...names,
      events: [
        eventOf(3, 'transcript', { text: 'Hello', is_final: true, speaker: ADA, start: 2, end: 2.6, language: 'en' }),
      ],
      sent_at: AT,
    },
    extra: { test: true },
  },
  'calendar.connection_created': { data: CONNECTION },
  'calendar.connection_updated': { data: { ...CONNECTION, updated_at: AT } },
  'calendar.connection_deleted': { data: { ...CALENDAR, deleted_at: AT } },
  'calendar.connection_error': {
    data: { ...CALENDAR, status: 'revoked', error: 'The provider refused the refresh token.' },
  },
  'calendar.events_synced': {
    data: { calendar_id: BOT, events: [{ ...SERIES, series_bot_scheduled: false, instances: [INSTANCE] }] },
  },
  'calendar.event_created': {
    data: { calendar_id: BOT, ...SERIES, series_bot_scheduled: false, instances: [INSTANCE] },
  },
  'calendar.event_updated': {
    data: {
      calendar_id: BOT,
      ...SERIES,
      series_bot_scheduled: false,
      is_exception: false,
      affected_instances: [INSTANCE],
    },
  },
  'calendar.event_cancelled': {
    data: { calendar_id: BOT, ...SERIES, cancelled_instances: [{ ...INSTANCE, status: 'cancelled' }] },
  },
  'account.signed_out': {
    data: {
      ...{ account_id: BOT, platform: 'meet', label: 'Notes', pool: 'default' },
      ...{ state_reason: 'Sign in', state_at: AT },
    },
  },
}

/** Events without a sample get the sample of a status under their own name. */
export function sampleBody(event: string): Record<string, unknown> {
  return { event, ...(SAMPLES[event as WebhookEvent] ?? SAMPLES['bot.status_change']) }
}
