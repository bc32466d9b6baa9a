/** Events of the older generation and the bots that callers request for them. */

import { botName } from '@standin/wire/bot-fields.ts'
import { RECORDING_MODES } from '@standin/wire/codes.ts'
import { z } from 'zod'
import { readInstant } from '../../../platform/instant.ts'
import {
  checkSdkKeys,
  conferencingFields,
  customParametersSchema,
  speechToTextSchema,
  timeout,
} from '../bots/create-schema.ts'
import { flag } from '../common.ts'
import { callerJson, entryMessage, imageAddress, orEmpty, text, webAddress, webSocketAddress } from '../fields.ts'

const MAX_EMAIL_LENGTH = 320
const MAX_CURSOR_LENGTH = 4096

/** With seconds; a time without a zone is read as UTC. */
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/i
const instant = z
  .string()
  .max(40)
  .transform((value) => {
    const [, zone] = TIME.exec(value) ?? []
    return zone !== undefined || !value.includes('T') ? value : `${value}Z`
  })
  .refine((value) => readInstant(value) !== null, {
    error: 'must be a time such as 2026-11-21T10:00:00Z',
  })
  .transform((value) => new Date(value))

const email = text(MAX_EMAIL_LENGTH)

export const listEventsQuery = z.strictObject({
  calendar_id: z
    .string()
    .max(40)
    .transform((value) => value.toLowerCase())
    .pipe(z.uuid()),
  attendee_email: email.optional().describe('Events with this attendee.'),
  organizer_email: email.optional().describe('Events of this organizer.'),
  cursor: text(MAX_CURSOR_LENGTH).optional().describe('`next` of the page before.'),
  updated_at_gte: instant.optional().describe('Events that were updated then or later.'),
  start_date_gte: instant.optional().describe('Events that start then or later.'),
  start_date_lte: instant.optional().describe('Events that start then or earlier.'),
  status: z.enum(['upcoming', 'past', 'all']).default('upcoming').describe('Judged by the start.'),
})

export const occurrencesQuery = z.strictObject({
  all_occurrences: flag
    .default(false)
    .describe('`true`: every event of the series, also those that enter the 30 days later.'),
})

const botFields = {
  bot_image: orEmpty(imageAddress),
  deduplication_key: text(255).nullish(),
  enter_message: entryMessage.optional().describe('Written into the chat after the bot was admitted.'),
  extra: callerJson.optional().describe('Any JSON; returned with the bot and in its webhooks.'),
  noone_joined_timeout: timeout.describe('Seconds, 120 to 1800; default 600.'),
  recording_mode: z.enum(RECORDING_MODES).nullish().describe('Default speaker_view.'),
  silence_timeout: timeout.describe('Seconds, 300 to 1800; default 600.'),
  speech_to_text: speechToTextSchema,
  streaming_audio_frequency: z.enum(['16khz', '24khz']).nullish().describe('Default 24khz.'),
  streaming_input: orEmpty(webSocketAddress),
  streaming_output: orEmpty(webSocketAddress),
  transcription_custom_parameters: customParametersSchema,
  waiting_room_timeout: timeout.describe('Seconds, 120 to 1800; default 600.'),
  webhook_url: orEmpty(webAddress),
  ...conferencingFields,
}

export const scheduleBody = z
  .strictObject({ bot_name: botName, ...botFields })
  .superRefine(checkSdkKeys)
  .meta({ id: 'ScheduleEventBot' })
export const changeBody = z
  .strictObject({ bot_name: botName.nullish(), ...botFields })
  .superRefine(checkSdkKeys)
  .meta({ id: 'ChangeEventBot', description: 'Absent and null fields keep their values.' })
export type EventBotBody = z.output<typeof changeBody>

const nullableText = z.string().nullable()
const object = z.record(z.string(), z.unknown())

const botParamSchema = z
  .object({
    bot_image: nullableText,
    bot_name: z.string(),
    deduplication_key: nullableText,
    enter_message: nullableText,
    extra: z.unknown(),
    noone_joined_timeout: z.int().nullable(),
    recording_mode: z.enum(RECORDING_MODES).nullable(),
    speech_to_text_api_key: z.null().describe('Secrets are never answered.'),
    speech_to_text_provider: nullableText,
    streaming_audio_frequency: z.enum(['16khz', '24khz']).nullable(),
    streaming_input: nullableText,
    streaming_output: nullableText,
    transcription_custom_parameters: object,
    waiting_room_timeout: z.int().nullable(),
    webhook_url: z.string(),
    conf_access_token_url: nullableText,
    conf_obf_token: z.null(),
    conf_obf_token_url: nullableText,
    conf_obf_token_user_id: nullableText,
    conf_sdk_id: z.null(),
    conf_sdk_pwd: z.null(),
  })
  .meta({ id: 'BotParam' })
export type BotParam = z.output<typeof botParamSchema>

export const eventSchema = z
  .object({
    uuid: z.uuid(),
    calendar_uuid: z.uuid(),
    name: z.string(),
    meeting_url: z.string().describe('`""` where the event has none.'),
    start_time: z.iso.datetime(),
    end_time: z.iso.datetime(),
    last_updated_at: z.iso.datetime(),
    is_organizer: z.boolean(),
    is_recurring: z.boolean(),
    deleted: z.boolean(),
    provider_id: z.string(),
    recurring_event_id: nullableText,
    attendees: z.array(z.object({ email: z.string(), name: nullableText })),
    bot_param: botParamSchema.nullable().describe('Null if no bot is scheduled.'),
    raw: object.describe('The event as the provider sent it.'),
  })
  .meta({ id: 'OlderEvent' })
export type OlderEvent = z.output<typeof eventSchema>

export const eventsSchema = z.array(eventSchema)
export const eventListSchema = z
  .object({ data: eventsSchema, next: z.string().nullable().describe('`cursor` of the next page; null at the end.') })
  .meta({ id: 'OlderEventList' })
