/** Requests and answers of `/v2/bots`. */

import { agentFields, checkAgentFields } from '@standin/wire/agent.ts'
import {
  address,
  audioFrequency,
  botFields,
  botImageConfig,
  botName,
  callerData,
  entryMessage,
  imageAddress,
  meetingUrl,
  NOT_STORABLE,
  pictures,
  storable,
  timeoutFields,
  transcriptionFields,
  webSocketAddress,
  withoutDefaults,
} from '@standin/wire/bot-fields.ts'
import { WHO } from '@standin/wire/error-help.ts'
import { REASONS } from '@standin/wire/reasons.ts'
import { z } from 'zod'
import { time } from '../common.ts'
import { fields, shownConfConfig } from '../fields.ts'
import { usageSchema } from './usage.ts'

const MAX_ADDRESS_LENGTH = 2048
const MAX_SECRET_LENGTH = 4096

/** An address as the worker reads it, so that no accepted request makes an invalid job, and bounded. */
const bounded = (schema: z.ZodString) =>
  schema.max(MAX_ADDRESS_LENGTH).refine(storable, { error: NOT_STORABLE }).meta({ format: 'uri' })
const webAddress = bounded(address('https:', 'http:').min(1))
const webSocket = bounded(webSocketAddress)

/** Clients send blank text for what they leave out; it is read as null. */
export const blankAsNull = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (typeof value === 'string' && value.trim() === '' ? null : value), schema)

/** Visible ASCII, which is what a header can carry. */
const secret = blankAsNull(
  z
    .string()
    .max(MAX_SECRET_LENGTH)
    .regex(/^[!-~]+$/, { error: 'must not contain spaces or characters beyond ASCII' })
    .nullable(),
).optional()

export const timeoutConfig = z
  .strictObject({
    ...timeoutFields,
    max_recording_duration: z.int().min(7200).max(21_600).nullish().describe('Seconds of recording; null: four hours.'),
  })
  .meta({ id: 'TimeoutConfig', description: 'When the bot gives up or leaves by itself.' })

const streamingConfig = z
  .strictObject({
    input_url: webSocket.nullish().describe('The bot plays what it receives from here into the meeting.'),
    output_url: webSocket.nullish().describe("The bot sends the meeting's sound here, and who speaks."),
    audio_frequency: audioFrequency,
  })
  .meta({ id: 'StreamingConfig', description: 'Live audio over WebSocket, both ways.' })

/** In any case of letters; `default` is the operator's speech service. */
const TRANSCRIPTION_WORDS = ['default', 'local', 'deepgram', 'assemblyai', 'captions'] as const
const providerWord = z
  .string()
  .max(40)
  .transform((word) => word.toLowerCase())
  .pipe(z.enum(TRANSCRIPTION_WORDS))

const transcriptionConfig = z
  .strictObject({
    provider: providerWord
      .default('default')
      .describe(
        '`default` is the speech service of the operator, `local` an engine on its machines; `captions` are those of the meeting.',
      ),
    api_key: secret.describe("The caller's own key of the provider."),
    ...transcriptionFields,
  })
  .meta({ id: 'TranscriptionConfig', description: 'Who makes the transcript.' })

export const callbackConfig = z.strictObject({
  url: webAddress.describe('Gets the final webhook of this bot.'),
  secret: secret.describe('Sent verbatim in the header x-service-secret.'),
  method: z.enum(['POST', 'PUT']).default('POST').describe('Of the request to the address.'),
})

const confConfig = z
  .strictObject({
    credential_id: z.uuid().nullish().describe('A stored credential of `/v2/conf-credentials`.'),
    credential_user_id: z
      .string()
      .min(1)
      .max(256)
      .refine(storable, { error: NOT_STORABLE })
      .nullish()
      .describe('The same by the id of its Zoom user.'),
    obf_token: secret.describe('An on-behalf-of token of Zoom.'),
    obf_token_url: webAddress
      .nullish()
      .describe('Answers GET with an on-behalf-of token as plain text, when the bot joins.'),
    zak_token_url: webAddress
      .nullish()
      .describe('Answers GET with an access key, with which the bot joins as that user.'),
  })
  .meta({ id: 'ConfConfig', description: 'For meetings of Zoom that need an authorization.' })

const agentConfig = z
  .strictObject({
    ...agentFields,
    api_key: secret.describe('Your own key of the server; absent or null: that of the operator, for its own server.'),
    webhook_secret: secret.describe('Signs the calls of webhook tools, as webhooks are signed.'),
  })
  .superRefine(checkAgentFields)
  .meta({ id: 'AgentConfig', description: 'A server that listens to the meeting and speaks in it, without code.' })

/** Written into the chat; null or blank: nothing. */
export const chatTextOrNull = blankAsNull(entryMessage.refine(storable, { error: NOT_STORABLE }).nullable())

/** Every field of a new bot, with its default. */
export const creationFields = {
  bot_name: botName,
  meeting_url: meetingUrl.meta({ examples: ['https://meet.google.com/abc-defg-hij'] }),
  ...botFields,
  bot_image: pictures(bounded(imageAddress)).nullable().default(null),
  bot_image_config: botImageConfig.meta({ id: 'BotImageConfig' }).nullable().default(null),
  allow_multiple_bots: z
    .boolean()
    .default(true)
    .describe('`false`: refused with 409 if a bot was sent to this meeting within the last 5 minutes.'),
  entry_message: chatTextOrNull.default(null).describe(entryMessage.description!),
  timeout_config: timeoutConfig.prefault({}),
  agent: agentConfig.nullable().default(null),
  conf_config: confConfig.nullable().default(null),
  account_pool: blankAsNull(z.string().trim().max(100).refine(storable, { error: NOT_STORABLE }).nullable())
    .default(null)
    .describe('Only an account of this pool; null: of any.'),
  extra: callerData.nullable().default(null).describe('Your own object, repeated in answers and webhooks.'),
  streaming_enabled: z.boolean().default(false).describe('Whether live audio is streamed, as `streaming_config` says.'),
  streaming_config: streamingConfig.nullable().default(null),
  transcription_enabled: z.boolean().default(false).describe('Whether a transcript is made.'),
  transcription_config: transcriptionConfig.nullable().default(null),
  callback_enabled: z.boolean().default(false).describe('Whether the final webhook goes to `callback_config` too.'),
  callback_config: callbackConfig.nullable().default(null).describe('An address for this bot alone.'),
}

/** The same fields for a change: those that are left out stay as they are. */
export const changeFields = withoutDefaults(creationFields)

interface Paired {
  streaming_enabled?: boolean | undefined
  streaming_config?:
    | { input_url?: string | null | undefined; output_url?: string | null | undefined }
    | null
    | undefined
  callback_enabled?: boolean | undefined
  callback_config?: unknown
}

/** A part that is switched on needs its configuration. */
export function checkPairs(body: Paired, context: z.core.$RefinementCtx): void {
  const { streaming_config: streaming } = body
  if (body.streaming_enabled && !streaming)
    context.addIssue({ code: 'custom', path: ['streaming_config'], message: 'is needed with streaming_enabled' })
  if (body.streaming_enabled && streaming && !streaming.input_url && !streaming.output_url)
    context.addIssue({
      code: 'custom',
      path: ['streaming_config'],
      message: 'needs input_url or output_url, or both',
    })
  if (body.callback_enabled && !body.callback_config)
    context.addIssue({ code: 'custom', path: ['callback_config'], message: 'is needed with callback_enabled' })
}

export const createBotBody = z
  .strictObject(creationFields)
  .superRefine(checkPairs)
  .meta({ id: 'CreateBot', description: 'A bot that joins at once.' })
export type CreateBotBody = z.output<typeof createBotBody>

export const createdBot = z.object({ bot_id: fields.bot_id })

export const person = z.object({
  name: z.string().describe('As the meeting shows it.'),
  id: z
    .int()
    .nullable()
    .describe('The number of the person within this meeting; null if the platform gives a name only.'),
  display_name: z.string().optional().describe('The full name, if the platform shows another one.'),
  profile_picture: z.string().optional().describe('Address of a picture.'),
})

const tokens = z
  .object({
    recording: z.number().describe('1 for each hour of recording.'),
    transcription: z.number().describe("0.25 for each hour with the operator's speech service."),
    byok_transcription: z.number().describe('0.05 for each hour with your own key of a provider.'),
    streaming_input: z.number().describe('0.1 for each hour that was played into the meeting.'),
    streaming_output: z.number().describe('0.1 for each hour that was streamed out.'),
    total: z.number().describe('The sum.'),
  })
  .meta({ id: 'Tokens', description: 'One token is an hour of recording. Four decimals.' })
export type Tokens = z.output<typeof tokens>

/** The words of `status`. */
const SHOWN_STATUSES = [
  'queued',
  'joining_call',
  'in_waiting_room',
  'in_call_not_recording',
  'in_call_recording',
  'recording_paused',
  'recording_resumed',
  'transcribing',
  'completed',
  'failed',
] as const
const shownStatus = z.enum(SHOWN_STATUSES).describe('The state of the bot; `completed` and `failed` are final.')

export const link = z.string().nullable().describe('A link that works for 4 hours.')
/** Also in the webhook of a bot that failed. */
export const errorHelp = z
  .object({
    cause: z
      .string()
      .nullable()
      .describe('Says more than the error code, such as DNS_FAILED. Null: nothing more is known.'),
    who: z.enum(WHO).describe('Who can change it: the caller, people in the meeting, its platform, or the operator.'),
    cure: z.string().describe('What helps.'),
    link: z.string().describe('Page about all codes.'),
  })
  .meta({
    id: 'ErrorHelp',
    description: 'Who can change that the bot failed, and what helps. Null if it has not failed.',
  })

export const reasonFields = {
  reason: z
    .enum(REASONS)
    .nullable()
    .describe('Why the meeting did not let the bot in, or sent it out. Null: the error code says it all.'),
  reason_help: z
    .object({
      title: z.string().describe('The reason in a few words.'),
      host: z.string().describe('For the host of the meeting.'),
      developer: z.string().describe('For the caller of the API.'),
      setting: z.string().describe('What changes it.'),
      link: z.string().describe('A public page about the reason, for the host.'),
      evidence: z
        .array(
          z.object({
            seen: z.string().describe('The words of the page, or what the bot did.'),
            at: time.describe('When it was seen.'),
          }),
        )
        .describe('Pages that the bot saw, and its steps, oldest first; empty once the data of the bot was deleted.'),
    })
    .meta({ id: 'ReasonHelp', description: 'Help for host and caller with the reason. Null without a reason.' })
    .nullable(),
}

/** `callback_config` in answers. */
export const shownCallback = z.object({
  url: z.string().describe('Gets the final webhook of this bot.'),
  method: z.enum(['POST', 'PUT']).describe('Of the request to the address.'),
  secret: z.null().describe('Never answered.'),
})

export const botDetailsSchema = z
  .object({
    bot_id: fields.bot_id,
    bot_name: fields.bot_name,
    meeting_url: fields.meeting_url,
    meeting_platform: fields.meeting_platform,
    recording_mode: fields.recording_mode,
    status: shownStatus,
    created_at: fields.created_at,
    joined_at: fields.joined_at,
    exited_at: fields.exited_at,
    duration_seconds: z.number().nullable().describe('Length of the recording without pauses; null until it is known.'),
    participants: z.array(person).describe('All who were in the meeting.'),
    speakers: z.array(person).describe('Those of them who spoke.'),
    artifacts_deleted: z.boolean().describe('Whether what the bot recorded was deleted, on request or after its time.'),
    video: link,
    audio: link,
    diarization: link.describe('Who spoke when. A link that works for 4 hours.'),
    raw_transcription: link.describe('The answer of the speech provider. A link that works for 4 hours.'),
    transcription: link,
    chat_messages: link,
    transcription_ids: z.array(z.string()).nullable().describe('Under which the speech provider keeps the transcript.'),
    transcription_provider: z.string().nullable().describe('Who made the transcript, or is to make it.'),
    error_code: fields.error_code,
    error_message: fields.error_message,
    error_help: errorHelp.nullable(),
    ...reasonFields,
    tokens: tokens.nullable(),
    usage: usageSchema.nullable().describe('Null until the bot has reported for the first time.'),
    extra: fields.extra,
    conf_config: shownConfConfig,
    account_id: z.uuid().nullable().describe('The account with which the bot joined last; null: as a guest.'),
    meet_login_credential_id: z.uuid().nullable().describe('`account_id`, if the meeting is of Google Meet.'),
    callback_config: shownCallback.nullable().describe('The secret is never answered.'),
  })
  .meta({ id: 'Bot', description: 'A bot with its results.' })
export type BotDetails = z.output<typeof botDetailsSchema>

export const botItemSchema = z
  .object({
    bot_id: fields.bot_id,
    bot_name: fields.bot_name,
    meeting_url: fields.meeting_url,
    meeting_platform: fields.meeting_platform,
    extra: fields.extra,
    duration: z.number().nullable().describe('Seconds; null until the meeting ended.'),
    created_at: fields.created_at,
    ended_at: time.nullable().describe('When the bot became `completed` or `failed`.'),
    joined_at: fields.joined_at,
    exited_at: fields.exited_at,
    status: shownStatus,
    error_code: fields.error_code,
    error_message: fields.error_message,
    tokens: tokens.nullable(),
  })
  .meta({ id: 'BotItem', description: 'A bot in a list.' })
export type BotItem = z.output<typeof botItemSchema>

/** Further words for the filter: webhooks send them, and no bot has one as its status. */
export const FILTER_STATUSES = [
  ...SHOWN_STATUSES,
  'pickup_delayed',
  'in_waiting_for_host',
  'call_ended',
  'recording_succeeded',
  'recording_failed',
  'api_request_stop',
  'bot_rejected',
  'bot_removed',
  'bot_removed_too_early',
  'waiting_room_timeout',
  'invalid_meeting_url',
  'meeting_error',
] as const

export const botStatusSchema = z
  .object({
    bot_id: fields.bot_id,
    status: shownStatus,
    transcription_status: z
      .enum(['not-applicable', 'not-started', 'queued', 'processing', 'done', 'error'])
      .describe('`not-applicable`: no transcript was asked for.'),
    updated_at: fields.updated_at,
  })
  .meta({ id: 'BotStatus', description: 'The status alone.' })

export const screenshotSchema = z
  .object({
    screenshot_id: z.int().min(1).describe('Counted from 1, oldest first.'),
    url: z.string().describe('A link that works for 4 hours.'),
  })
  .meta({ id: 'Screenshot', description: 'A picture of what the bot saw.' })

export const retranscription = z
  .strictObject({
    transcription: transcriptionConfig
      .extend({ region: z.string().min(1).max(40).nullish().describe('Accepted for compatibility; not read.') })
      .nullish()
      .describe('Who makes the transcript; absent: as for the first one, else the default provider.'),
  })
  .nullish()
export type BotStatus = z.output<typeof botStatusSchema>
