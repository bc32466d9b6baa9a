/** Answers of the older generation about bots. Strings of meeting data are never null: a missing file is `""`. */
import { RECORDING_MODES } from '@standin/wire/codes.ts'
import { z } from 'zod'

const time = z.iso.datetime()
const anyJson = z.unknown()
const object = z.record(z.string(), z.unknown())

export const createdBotSchema = z.object({ bot_id: z.uuid() }).meta({ id: 'JoinResponse' })
export const okSchema = z.object({ ok: z.literal(true) })

export const listItemSchema = z
  .object({
    id: z.int().describe('A running number beside the UUID.'),
    uuid: z.uuid(),
    bot_name: z.string(),
    meeting_url: z.string(),
    created_at: time,
    ended_at: time.nullable(),
    duration: z.int().nullable().describe('Seconds; null until the meeting ended.'),
    speakers: z.array(z.string()),
    extra: anyJson,
    access_count: z.int().nullable().describe('How often its meeting data was read.'),
    last_accessed_at: time.nullable(),
    session_id: z.string().nullable(),
  })
  .meta({ id: 'BotListItem' })

export const listSchema = z
  .object({
    bots: z.array(listItemSchema),
    last_updated: time,
    next_cursor: z.string().nullable().describe('`cursor` of the next page; null at the end.'),
  })
  .meta({ id: 'BotList' })

const nullableText = z.string().nullable()
const nullableInt = z.int().nullable()

const botRecordSchema = z
  .object({
    account_id: z.int(),
    bot_exited_at: time.nullable(),
    bot_joined_at: time.nullable(),
    created_at: time,
    ended_at: time.nullable(),
    bot_image: nullableText,
    bot_name: z.string(),
    bot_param_id: z.int(),
    deduplication_key: nullableText,
    diarization_fails: nullableInt,
    diarization_v2: z.boolean(),
    enter_message: nullableText,
    errors: nullableText.describe('The `error` of the event `failed`; null after success.'),
    event_id: nullableInt,
    extra: anyJson,
    id: z.int(),
    is_stopped: z.boolean(),
    meeting_url: z.string(),
    mp4_s3_path: z.string().describe('Key in the storage; `""` without a file.'),
    noone_joined_timeout: nullableInt,
    recording_mode: z.enum(RECORDING_MODES).nullable(),
    reserved: z.boolean(),
    scheduled_bot_id: nullableInt,
    session_id: nullableText,
    silence_timeout: nullableInt,
    speech_to_text_api_key: z.null().describe('Secrets are never answered.'),
    speech_to_text_provider: nullableText,
    streaming_audio_frequency: z.enum(['16khz', '24khz']).nullable(),
    streaming_input: nullableText,
    streaming_output: nullableText,
    transcription_custom_parameters: object,
    transcription_fails: nullableInt,
    transcription_payloads: z.null(),
    user_reported_error: z.null(),
    uuid: z.uuid(),
    waiting_room_timeout: nullableInt,
    webhook_url: z.string(),
    conf_access_token_url: nullableText,
    conf_obf_token: z.null(),
    conf_obf_token_url: nullableText,
    conf_obf_token_user_id: nullableText,
    conf_sdk_id: nullableText,
    conf_sdk_pwd: z.null(),
  })
  .meta({ id: 'BotRecord' })
export type BotRecord = z.output<typeof botRecordSchema>

const wordSchema = z.object({
  bot_id: z.int(),
  id: z.int(),
  text: z.string(),
  start_time: z.number(),
  end_time: z.number(),
  user_id: nullableInt,
})

const transcriptSchema = z
  .object({
    bot_id: z.int(),
    id: z.int(),
    speaker: z.string(),
    lang: nullableText,
    start_time: z.number().describe('Seconds from the start of the recording, like the other times.'),
    end_time: z.number().nullable(),
    user_id: nullableInt,
    words: z.array(wordSchema),
  })
  .meta({ id: 'Transcript' })
export type Transcript = z.output<typeof transcriptSchema>

export const meetingDataSchema = z
  .object({
    mp4: z.string().describe('A link that works for 24 hours.'),
    audio: z.string(),
    duration: z.int().describe('Seconds; 0 when unknown.'),
    meeting_participants_file: z.string(),
    speaker_diarization_file: z.string(),
    speaker_diarization_file_network: z.string(),
    bot_data: z.object({
      bot: botRecordSchema,
      event_uuid: z.uuid().nullable(),
      transcripts: z.array(transcriptSchema),
    }),
  })
  .meta({ id: 'MeetingData' })
export type MeetingData = z.output<typeof meetingDataSchema>

const DELETION_STATUSES = ['deleted', 'partiallyDeleted', 'alreadyDeleted', 'noDataFound'] as const
export const deletionSchema = z
  .object({ ok: z.boolean(), status: z.enum(DELETION_STATUSES) })
  .meta({ id: 'DeleteDataResponse' })

export const screenshotsSchema = z.array(z.object({ date: time, url: z.string() }))

export const webhookUrlSchema = z.object({ webhook_url: z.string().nullable() }).meta({ id: 'WebhookUrl' })
