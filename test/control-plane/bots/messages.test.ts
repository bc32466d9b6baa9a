import { ERROR_CODES } from '@standin/wire/codes.ts'
import { describe, expect, test } from 'vitest'
import {
  messageId,
  messagesOfChat,
  messagesOfEnd,
  messagesOfRetranscription,
  messagesOfStatus,
} from '../../../control-plane/bots/messages/index.ts'
import { olderError } from '../../../control-plane/bots/messages/older.ts'
import { botRow } from './bot-row.ts'

const at = new Date('2026-11-20T09:00:12.084Z')
const link = ($link: string, hours: number) => ({ $link, seconds: hours * 3600 })
const olderLink = ($link: string) => ({ $link, seconds: 24 * 3600, otherwise: '' })
const bodies = (messages: { body: unknown }[]) => messages.map(({ body }) => body)
const older = { generation: 'older' } as const
const ids = { bot_id: botRow().id, event_id: null }

describe('ids', () => {
  test('are msg_ and 27 base62 characters', () => {
    for (let n = 0; n < 200; n++) expect(messageId(String(n))).toMatch(/^msg_[0-9A-Za-z]{27}$/)
  })

  test('are the same for the same source, and differ by bot, channel and source', () => {
    const idsOf = (bot = botRow(), source = 's') => messagesOfEnd(bot, source).map(({ id }) => id)
    expect(idsOf()).toEqual(idsOf())
    const all = [...idsOf(), ...idsOf(botRow({ id: '6b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11' })), ...idsOf(botRow(), 't')]
    expect(new Set(all).size).toBe(6)
  })
})

describe('a status', () => {
  test('of the newer generation', () => {
    const [message, ...more] = messagesOfStatus(botRow(), { code: 'joining_call', at, sourceId: 's' })
    expect(more).toEqual([])
    const { id: botId, team_id: teamId } = botRow()
    const whose = { botId, orderingKey: botId, teamId, isCompat: false }
    expect(message).toMatchObject({ channel: 'webhooks', event: 'bot.status_change', ...whose })
    expect(message!.body).toEqual({
      event: 'bot.status_change',
      data: { ...ids, status: { code: 'joining_call', created_at: '2026-11-20T09:00:12.084Z' } },
      extra: { order: '17' },
    })
  })

  test('of a recording has its start: seconds in the newer generation, milliseconds in the older', () => {
    const news = { code: 'in_call_recording', at, startTime: 1735689600.084, sourceId: 's' }
    expect(messagesOfStatus(botRow(), news)[0]!.body).toMatchObject({ data: { status: { start_time: 1735689600 } } })
    const status = { code: 'in_call_recording', created_at: '2026-11-20T09:00:12.084Z', start_time: 1735689600084 }
    const data = { bot_id: botRow().id, status }
    expect(bodies(messagesOfStatus(botRow(older), news))).toEqual([{ event: 'bot.status_change', data }])
  })

  test('of an error has its message, and its class in the older generation', () => {
    const news = { code: 'meeting_error', at, errorMessage: 'It broke.', sourceId: 's' }
    const bot = botRow({ ...older, error_code: 'CANNOT_JOIN_MEETING' })
    const statusOf = (of: typeof bot) =>
      (messagesOfStatus(of, news)[0]!.body as { data: { status: object } }).data.status
    expect(statusOf(botRow())).toMatchObject({ error_message: 'It broke.' })
    expect(statusOf(bot)).toMatchObject({ error_message: 'It broke.', error_type: 'CannotJoinMeeting' })
  })

  test.each(['queued', 'pickup_delayed', 'transcribing', 'completed', 'failed', 'recording_succeeded'])(
    '%s has no word in the older generation',
    (code) => {
      expect(messagesOfStatus(botRow(older), { code, at, sourceId: 's' })).toEqual([])
      expect(messagesOfStatus(botRow(), { code, at, sourceId: 's' }).length).toBe(1)
    },
  )
})

describe('a chat message', () => {
  const chat = { messageId: 'm1', senderName: 'Ada', senderId: null, text: 'Hello', isOwn: false, sourceId: 's' }

  test('of another participant is sent', () => {
    const event = 'bot.chat_message'
    const sender = { message_id: 'm1', sender_name: 'Ada', sender_id: null }
    const data = { ...ids, ...sender, text: 'Hello', sent_at: { $sentAt: true } }
    const body = { event, data, extra: { order: '17' } }
    expect(messagesOfChat(botRow(), chat)).toMatchObject([{ channel: 'webhooks', event, body }])
    expect(bodies(messagesOfChat(botRow(), chat))).toEqual([body])
  })

  test('of the bot itself is not, nor any in the older generation', () => {
    expect(messagesOfChat(botRow(), { ...chat, isOwn: true })).toEqual([])
    expect(messagesOfChat(botRow(older), chat)).toEqual([])
  })
})

describe('the end', () => {
  test('of a completed bot', () => {
    const messages = messagesOfEnd(botRow(), 's')
    expect(messages.map(({ channel, event }) => [channel, event])).toEqual([
      ['webhooks', 'bot.completed'],
      ['callback', 'bot.completed'],
    ])
    const body = {
      event: 'bot.completed',
      data: {
        ...ids,
        participants: [
          { name: 'Ada Byron', id: 1 },
          { name: 'Niko', id: 2, display_name: 'Niko (guest)' },
        ],
        speakers: [{ name: 'Ada Byron', id: 1 }],
        duration_seconds: 1804,
        joined_at: '2026-11-20T09:00:12.000Z',
        exited_at: '2026-11-20T09:30:40.000Z',
        data_deleted: false,
        video: link('video.mp4', 4),
        audio: link('audio.m4a', 4),
        diarization: link('diarization.jsonl', 4),
        raw_transcription: link('raw_transcription.json', 4),
        transcription: link('transcription.json', 4),
        chat_messages: link('chat_messages.json', 4),
        transcription_provider: null,
        transcription_ids: null,
        reason: null,
        reason_help: null,
        sent_at: { $sentAt: true },
      },
      extra: { order: '17' },
    }
    expect(bodies(messages)).toEqual([body, body])
  })

  test('of a failed bot', () => {
    const bot = botRow({
      status: 'failed',
      error_code: 'BOT_NOT_ACCEPTED',
      error_message: 'The bot was not admitted.',
      reason: 'captcha',
      event_id: '0f1c0a3a-40a9-4b4e-8a53-3f9f1d0f7a55',
      extra: null,
    })
    expect(messagesOfEnd(bot, 's').map(({ channel }) => channel)).toEqual(['webhooks', 'callback'])
    expect(messagesOfEnd(bot, 's')[0]!.body).toEqual({
      event: 'bot.failed',
      data: {
        bot_id: bot.id,
        event_id: bot.event_id,
        error_code: 'BOT_NOT_ACCEPTED',
        error_message: 'The bot was not admitted.',
        error_help: { cause: null, who: 'host', cure: expect.any(String), link: { $page: '/help/errors' } },
        reason: 'captcha',
        reason_help: {
          ...{ title: expect.any(String), host: expect.any(String), developer: expect.any(String) },
          ...{ setting: expect.any(String), link: { $page: '/help/hosts/captcha' }, evidence: [] },
        },
        sent_at: { $sentAt: true },
      },
      extra: null,
    })
  })

  test('of a completed bot of the older generation', () => {
    const bot = botRow({ ...older, transcription_status: 'done', extra: ['any', 'JSON'] })
    expect(messagesOfEnd(bot, 's').map(({ channel, event }) => [channel, event])).toEqual([['older', 'complete']])
    expect(messagesOfEnd(bot, 's')[0]!.body).toEqual({
      event: 'complete',
      data: {
        bot_id: bot.id,
        event_uuid: null,
        transcript: { $olderTranscript: true },
        speakers: ['Ada Byron'],
        mp4: olderLink('video.mp4'),
        audio: olderLink('audio.m4a'),
        event: 'complete',
        extra: ['any', 'JSON'],
      },
    })
  })

  test('without speech to text has no transcript, and of sound alone no video', () => {
    const [message] = messagesOfEnd(botRow({ ...older, recording_mode: 'audio_only', extra: null }), 's')
    expect(message!.body.data).not.toHaveProperty('transcript')
    expect(message!.body.data).toMatchObject({ mp4: '', extra: {} })
  })

  test('of a bot of the older generation that lacks its transcript alone brings the recording', () => {
    const failed = { status: 'failed', error_code: 'TRANSCRIPTION_FAILED', transcription_status: 'error' }
    const bot = botRow({ ...older, ...failed })
    const [complete] = messagesOfEnd({ ...bot, recording_started_at: new Date() }, 's')
    expect(complete!.body).toMatchObject({ event: 'complete', data: { mp4: olderLink('video.mp4') } })
    // Without a recording there is nothing to bring.
    expect(messagesOfEnd(bot, 's')[0]!.body).toMatchObject({ event: 'failed', data: { error: 'InternalError' } })
  })

  test('of a failed bot of the older generation names both codes', () => {
    const failed = { status: 'failed', error_code: 'LOGIN_REQUIRED', error_message: 'A login is needed.' }
    const bot = botRow({ ...older, ...failed })
    const both = { error: 'CannotJoinMeeting', message: 'A login is needed. [LOGIN_REQUIRED]' }
    const data = { bot_id: bot.id, event_uuid: null, ...both, extra: { order: '17' } }
    expect(bodies(messagesOfEnd(bot, 's'))).toEqual([{ event: 'failed', data }])
  })

  test('after another transcription', () => {
    expect(bodies(messagesOfRetranscription(botRow(older), 's'))).toEqual([
      { event: 'transcription_complete', data: { bot_id: botRow().id } },
    ])
    expect(messagesOfRetranscription(botRow(), 's')[0]!.event).toBe('bot.completed')
  })
})

test.each(ERROR_CODES)('%s has a word in the older generation', (code) => {
  expect(olderError(code)).toMatch(/^[A-Za-z_]+$/)
})
