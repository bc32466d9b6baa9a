/** The body of `POST /bots`. Every optional field also takes null. */

import { botName, MAX_MEETING_TEXT_LENGTH } from '@standin/wire/bot-fields.ts'
import { RECORDING_MODES } from '@standin/wire/codes.ts'
import { TRANSCRIPTION_PROVIDERS, transcriptionProvider } from '@standin/wire/job.ts'
import { z } from 'zod'
import {
  callerJson,
  entryMessage,
  imageAddress,
  orEmpty,
  secret,
  text,
  webAddress,
  webSocketAddress,
} from '../fields.ts'

/** Values from here on are milliseconds, smaller ones seconds since 1970. */
const FIRST_MILLISECONDS = 1e11
/** Bots are scheduled at most this far ahead. */
export const MAX_DAYS_AHEAD = 90

const KEYED_PROVIDERS: readonly string[] = ['deepgram', 'assemblyai']

const SPEECH_KEYS = ['provider', 'api_key']

/** `{provider, api_key}`, or the provider alone if it needs no key. */
export const speechToTextSchema = z
  .union([text(64), z.looseObject({ provider: text(64), api_key: orEmpty(secret) })])
  .superRefine((value, context) => {
    const { provider, api_key: key, ...rest } = typeof value === 'string' ? { provider: value, api_key: null } : value
    const unknown = Object.keys(rest).filter((name) => !SPEECH_KEYS.includes(name))
    if (unknown.length > 0)
      context.addIssue({ code: 'unrecognized_keys', keys: unknown, path: [], input: Object(value) })
    const known = transcriptionProvider(provider)
    const path = typeof value === 'string' ? [] : ['provider']
    if (known === undefined)
      context.addIssue({ code: 'custom', path, message: `must be one of ${TRANSCRIPTION_PROVIDERS.join(', ')}` })
    else if (KEYED_PROVIDERS.includes(known) && !key)
      context.addIssue({ code: 'custom', path: ['api_key'], message: `is required for the provider ${known}` })
  })
  .nullish()
  .describe('Absent or null: no transcript is made. api_key is required for deepgram and assemblyai.')

export const customParametersSchema = callerJson
  .refine((value) => value === null || value === undefined || isRecord(value), { error: 'must be an object' })
  .optional()
  .describe('An object; passed to the provider as it is.')

const SET_TOGETHER = 'SET_CONF_ID_AND_PWD_TOGETHER: conf_sdk_id and conf_sdk_pwd go together'

/** For the platform with an SDK. */
export const conferencingFields = {
  conf_sdk_id: orEmpty(secret).describe('Together with conf_sdk_pwd.'),
  conf_sdk_pwd: orEmpty(secret),
  conf_access_token_url: orEmpty(webAddress).describe('Answers GET with an access token as plain text.'),
  conf_obf_token: orEmpty(secret).describe('Used first; then conf_obf_token_url, then conf_obf_token_user_id.'),
  conf_obf_token_url: orEmpty(webAddress),
  conf_obf_token_user_id: text(256).nullish(),
}

export function checkSdkKeys(
  {
    conf_sdk_id: id,
    conf_sdk_pwd: password,
  }: { conf_sdk_id?: string | null | undefined; conf_sdk_pwd?: string | null | undefined },
  context: z.core.$RefinementCtx,
): void {
  if (Boolean(id) !== Boolean(password))
    context.addIssue({ code: 'custom', path: [id ? 'conf_sdk_pwd' : 'conf_sdk_id'], message: SET_TOGETHER })
}

/** Out of bounds is moved to the next bound, as the interface promises. */
export const timeout = z.int().min(0).nullish()

export const createBotSchema = z
  .strictObject({
    meeting_url: text(MAX_MEETING_TEXT_LENGTH).trim().min(1).describe('Link of a meeting on a supported platform.'),
    bot_name: botName.describe('Shown in the meeting.'),
    reserved: z.boolean().nullish().describe('Ignored; kept for older clients.'),
    recording_mode: z.enum(RECORDING_MODES).nullish().describe('Default speaker_view.'),
    bot_image: orEmpty(imageAddress).describe("https address of the bot's picture: JPEG, PNG or WebP."),
    entry_message: entryMessage.optional().describe('Written into the chat after the bot was admitted.'),
    speech_to_text: speechToTextSchema,
    transcription_custom_parameters: customParametersSchema,
    automatic_leave: z
      .strictObject({
        waiting_room_timeout: timeout.describe('Seconds, 120 to 1800; default 600.'),
        noone_joined_timeout: timeout.describe('Seconds, 120 to 1800; default 600.'),
        silence_timeout: timeout.describe('Seconds, 300 to 1800; default 600.'),
      })
      .nullish()
      .describe('Values out of bounds are moved to the nearest bound.'),
    webhook_url: orEmpty(webAddress).describe("Replaces the account's address for the events of this bot."),
    deduplication_key: text(255)
      .nullish()
      .describe('A second bot for the same meeting and key within 5 minutes is refused.'),
    streaming: z
      .strictObject({
        audio_frequency: z.enum(['16khz', '24khz']).nullish().describe('Default 24khz.'),
        input: orEmpty(webSocketAddress).describe('Sound from there is played into the meeting.'),
        output: orEmpty(webSocketAddress).describe("The meeting's sound and the speakers go there."),
      })
      .nullish(),
    extra: callerJson.optional().describe('Any JSON; returned with the bot and in its webhooks.'),
    start_time: z
      .int()
      .min(0)
      .nullish()
      .describe(
        'When the bot joins: seconds since 1970, or milliseconds from 10^11 on. At most 90 days ahead; absent or in the past: at once.',
      ),
    ...conferencingFields,
  })
  .superRefine(checkSdkKeys)
  .meta({ id: 'JoinRequest' })
export type CreateBotBody = z.infer<typeof createBotSchema>

/** The instant of `start_time`. */
export function startOf(startTime: number): Date {
  return new Date(startTime >= FIRST_MILLISECONDS ? startTime : startTime * 1000)
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
