/** Requests and answers of `/v2/bots`. */
import { RECORDING_MODES } from '@standin/wire/codes.ts'
import { WHO } from '@standin/wire/error-help.ts'
import {
  chatText,
  imageAddress,
  MAX_CALLER_DATA_DEPTH,
  MAX_CALLER_DATA_LENGTH,
  MAX_MEETING_TEXT_LENGTH,
  webSocketAddress,
} from '@standin/wire/job.ts'
import { z } from 'zod'
import { time } from '../common.ts'

const MAX_ADDRESS_LENGTH = 2048
const MAX_SECRET_LENGTH = 4096
const MAX_IMAGES = 5

/** Control characters and line separators, which would break the line that shows the name. */
const UNSHOWABLE = /[\p{Cc}\u2028\u2029]/u

/** Texts that PostgreSQL and UTF-8 can hold. */
export const storable = (text: string) => !text.includes('\0') && text.isWellFormed()

export const NOT_STORABLE = 'must not contain NUL or half of a surrogate pair'

export const botName = z
  .string()
  .min(1)
  .max(255)
  .refine((text) => text.trim() !== '', { error: 'must not be only white space' })
  .refine((text) => !UNSHOWABLE.test(text), { error: 'must not contain control characters or line separators' })
  .refine((text) => text.isWellFormed(), { error: NOT_STORABLE })

const address = (...protocols: string[]) =>
  z
    .string()
    .min(1)
    .max(MAX_ADDRESS_LENGTH)
    .refine(storable, { error: NOT_STORABLE, abort: true })
    .refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
      error: `must be an address that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    })
    .meta({ format: 'uri' })

/** As the worker reads them, so that no accepted request makes an invalid job. */
const image = imageAddress.max(MAX_ADDRESS_LENGTH).refine(storable, { error: NOT_STORABLE }).meta({ format: 'uri' })
const webSocket = webSocketAddress
  .max(MAX_ADDRESS_LENGTH)
  .refine(storable, { error: NOT_STORABLE })
  .meta({ format: 'uri' })

/** Whether it leads to a supported platform is checked after the shape of the whole request. */
const meetingUrl = z
  .string()
  .max(MAX_MEETING_TEXT_LENGTH)
  .trim()
  .min(1)
  .refine(storable, { error: NOT_STORABLE })
  .describe('Link of a meeting on a supported platform, alone, wrapped by a mail program, or in an invitation.')
  .meta({ examples: ['https://meet.google.com/abc-defg-hij'] })

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

/** An object of the caller that is carried along, so it is bounded. */
export const callerData = z.record(z.string(), z.unknown()).superRefine((data, context) => {
  const problem = problemOfCallerData(data)
  if (problem !== null) context.addIssue({ code: 'custom', message: problem })
})

/** The problem of data that cannot be carried along; null without one. */
export function problemOfCallerData(data: unknown): string | null {
  const deep = `must not be nested deeper than ${MAX_CALLER_DATA_DEPTH} levels`
  const walk = (value: unknown, levels: number): string | null => {
    if (typeof value === 'string') return storable(value) ? null : NOT_STORABLE
    if (typeof value !== 'object' || value === null) return null
    if (levels === 0) return deep
    for (const [key, inner] of Object.entries(value)) {
      const problem = storable(key) ? walk(inner, levels - 1) : NOT_STORABLE
      if (problem !== null) return problem
    }
    return null
  }
  const problem = walk(data, MAX_CALLER_DATA_DEPTH)
  if (problem !== null) return problem
  if (JSON.stringify(data).length <= MAX_CALLER_DATA_LENGTH) return null
  return `must not be longer than ${MAX_CALLER_DATA_LENGTH} characters of JSON`
}

const seconds = (min: number, max: number) => z.int().min(min).max(max)

const timeoutConfig = z.strictObject({
  waiting_room_timeout: seconds(120, 1800).default(600).describe('Seconds of waiting for admission.'),
  no_one_joined_timeout: seconds(120, 1800).default(600).describe('Seconds alone after joining.'),
  silence_timeout: seconds(300, 3600).default(600).describe('Seconds without sound once people were there.'),
  grace_period: seconds(0, 600).default(0).describe('Seconds at the start in which none of the three fires.'),
  max_recording_duration: seconds(7200, 21_600).nullish().describe('Seconds; null: four hours.'),
})

const streamingConfig = z
  .strictObject({
    input_url: webSocket.nullish(),
    output_url: webSocket.nullish(),
    audio_frequency: z
      .union([z.literal(16_000), z.literal(24_000), z.literal(32_000), z.literal(48_000)])
      .default(24_000),
  })
  .describe('Live audio over WebSocket, both ways.')

/** In any case of letters; `default` is the operator's speech service. */
const TRANSCRIPTION_WORDS = ['default', 'deepgram', 'assemblyai', 'captions'] as const
const providerWord = z
  .string()
  .max(40)
  .transform((word) => word.toLowerCase())
  .pipe(z.enum(TRANSCRIPTION_WORDS))

const transcriptionConfig = z.strictObject({
  provider: providerWord.default('default'),
  api_key: secret.describe("The caller's own key of the provider."),
  custom_params: callerData.nullish().describe('Given to the provider as they are.'),
})

export const callbackConfig = z.strictObject({
  url: address('http:', 'https:'),
  secret: secret.describe('Sent verbatim in the header x-service-secret.'),
  method: z.enum(['POST', 'PUT']).default('POST'),
})

const confConfig = z.strictObject({
  credential_id: z.uuid().nullish(),
  credential_user_id: z.string().min(1).max(256).refine(storable, { error: NOT_STORABLE }).nullish(),
  obf_token: secret,
  obf_token_url: address('https:').nullish(),
  zak_token_url: address('https:').nullish(),
})

const imageConfig = z.strictObject({
  loop_mode: z.enum(['auto', 'bot_status']).default('auto'),
  image_duration: z.int().min(10).max(120).default(30),
})

/** Written into the chat; null or blank: nothing. */
export const chatTextOrNull = blankAsNull(chatText.refine(storable, { error: NOT_STORABLE }).nullable())

/** Every field of a new bot; creation and change give them their defaults. */
export const botFields = {
  bot_name: botName,
  meeting_url: meetingUrl,
  bot_image: z.union([image, z.array(image).min(1).max(MAX_IMAGES)]).nullable(),
  bot_image_config: imageConfig.nullable(),
  allow_multiple_bots: z.boolean(),
  recording_mode: z.enum(RECORDING_MODES),
  entry_message: chatTextOrNull,
  timeout_config: timeoutConfig,
  conf_config: confConfig.nullable(),
  extra: callerData.nullable(),
  streaming_enabled: z.boolean(),
  streaming_config: streamingConfig.nullable(),
  transcription_enabled: z.boolean(),
  transcription_config: transcriptionConfig.nullable(),
  callback_enabled: z.boolean(),
  callback_config: callbackConfig.nullable(),
}

export const creationFields = {
  ...botFields,
  bot_image: botFields.bot_image.default(null),
  bot_image_config: botFields.bot_image_config.default(null),
  allow_multiple_bots: botFields.allow_multiple_bots.default(true),
  recording_mode: botFields.recording_mode.default('speaker_view'),
  entry_message: botFields.entry_message.default(null),
  timeout_config: botFields.timeout_config.prefault({}),
  conf_config: botFields.conf_config.default(null),
  extra: botFields.extra.default(null),
  streaming_enabled: botFields.streaming_enabled.default(false),
  streaming_config: botFields.streaming_config.default(null),
  transcription_enabled: botFields.transcription_enabled.default(false),
  transcription_config: botFields.transcription_config.default(null),
  callback_enabled: botFields.callback_enabled.default(false),
  callback_config: botFields.callback_config.default(null),
}

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

export const createBotBody = z.strictObject(creationFields).superRefine(checkPairs).meta({ id: 'CreateBot' })
export type CreateBotBody = z.output<typeof createBotBody>

export const createdBot = z.object({ bot_id: z.uuid() })

const person = z.object({
  name: z.string(),
  id: z.int().nullable(),
  display_name: z.string().optional(),
  profile_picture: z.string().optional(),
})

const tokens = z
  .object({
    recording: z.number(),
    transcription: z.number(),
    byok_transcription: z.number(),
    streaming_input: z.number(),
    streaming_output: z.number(),
    total: z.number(),
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
const shownStatus = z.enum(SHOWN_STATUSES)

const link = z.string().nullable().describe('A link that works for 4 hours.')
const freeForm = z.record(z.string(), z.unknown()).nullable()
/** Without its token, which is never answered. */
export const shownConfConfig = z
  .object({
    credential_id: z.uuid().nullable(),
    credential_user_id: z.string().nullable(),
    obf_token_url: z.string().nullable(),
    zak_token_url: z.string().nullable(),
  })
  .nullable()

export const shownPlatform = z.enum(['meet', 'teams', 'zoom', 'jitsi'])

/** Also in the webhook of a bot that failed. */
const errorHelp = z
  .object({
    cause: z
      .string()
      .nullable()
      .describe('Says more than the error code, such as DNS_FAILED. Null: nothing more is known.'),
    who: z.enum(WHO).describe('Who can change it: the caller, people in the meeting, its platform, or the operator.'),
    cure: z.string().describe('What helps.'),
    link: z.string().describe('Page about all codes.'),
  })
  .meta({ id: 'ErrorHelp' })

export const botDetailsSchema = z
  .object({
    bot_id: z.uuid(),
    bot_name: z.string(),
    meeting_url: z.string(),
    meeting_platform: shownPlatform,
    recording_mode: z.enum(RECORDING_MODES),
    status: shownStatus,
    created_at: time,
    joined_at: time.nullable(),
    exited_at: time.nullable(),
    duration_seconds: z.number().nullable(),
    participants: z.array(person),
    speakers: z.array(person),
    artifacts_deleted: z.boolean(),
    video: link,
    audio: link,
    diarization: link,
    raw_transcription: link,
    transcription: link,
    chat_messages: link,
    transcription_ids: z.array(z.string()).nullable(),
    transcription_provider: z.string().nullable(),
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
    error_help: errorHelp.nullable(),
    tokens: tokens.nullable(),
    extra: freeForm,
    conf_config: shownConfConfig,
    meet_login_credential_id: z.null(),
    callback_config: z
      .object({ url: z.string(), method: z.enum(['POST', 'PUT']), secret: z.null() })
      .nullable()
      .describe('The secret is never answered.'),
  })
  .meta({ id: 'Bot' })
export type BotDetails = z.output<typeof botDetailsSchema>

export const botItemSchema = z
  .object({
    bot_id: z.uuid(),
    bot_name: z.string(),
    meeting_url: z.string(),
    meeting_platform: shownPlatform,
    extra: freeForm,
    duration: z.number().nullable().describe('Seconds; null until the meeting ended.'),
    created_at: time,
    ended_at: time.nullable(),
    joined_at: time.nullable(),
    exited_at: time.nullable(),
    status: shownStatus,
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
    tokens: tokens.nullable(),
  })
  .meta({ id: 'BotItem' })
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
    bot_id: z.uuid(),
    status: shownStatus,
    transcription_status: z.enum(['not-applicable', 'not-started', 'queued', 'processing', 'done', 'error']),
    updated_at: time,
  })
  .meta({ id: 'BotStatus' })

export const screenshotSchema = z.object({ screenshot_id: z.int().min(1), url: z.string() }).meta({ id: 'Screenshot' })

export const retranscription = z
  .strictObject({
    transcription: transcriptionConfig.extend({ region: z.string().min(1).max(40).nullish() }).nullish(),
  })
  .nullish()
export type BotStatus = z.output<typeof botStatusSchema>
