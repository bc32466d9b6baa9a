/** Requests and answers of `/v2/bots`. */

import { ACCOUNT_USES } from '@standin/wire/account-session.ts'
import { WHO } from '@standin/wire/error-help.ts'
import {
  chatText,
  imageAddress,
  MAX_CALLER_DATA_DEPTH,
  MAX_CALLER_DATA_LENGTH,
  MAX_MEETING_TEXT_LENGTH,
  TRANSCRIPTION_MODES,
  webSocketAddress,
} from '@standin/wire/job.ts'
import { REASONS } from '@standin/wire/reasons.ts'
import { isBlank } from '@standin/wire/text/blank-text.ts'
import { z } from 'zod'
import { DEFAULT_TIMEOUTS } from '../../../bots/request.ts'
import { NOT_STORABLE, storable } from '../../http/validation.ts'
import { time } from '../common.ts'
import { fields, shownConfConfig } from '../fields.ts'
import { usageSchema } from './usage.ts'

const MAX_ADDRESS_LENGTH = 2048
const MAX_SECRET_LENGTH = 4096
const MAX_IMAGES = 5

/** Control characters and line separators, which would break the line that shows the name. */
const UNSHOWABLE = /[\p{Cc}\u2028\u2029]/u

export const botName = z
  .string()
  .min(1)
  .max(255)
  .refine((text) => !isBlank(text), { error: 'must not be only white space' })
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

const timeoutConfig = z
  .strictObject({
    waiting_room_timeout: seconds(120, 1800).default(600).describe('Seconds of waiting for admission.'),
    no_one_joined_timeout: seconds(120, 1800).default(600).describe('Seconds alone after joining.'),
    silence_timeout: seconds(300, 3600).default(600).describe('Seconds without sound once people were there.'),
    grace_period: seconds(0, 600).default(0).describe('Seconds at the start in which none of the three fires.'),
    max_recording_duration: seconds(7200, 21_600).nullish().describe('Seconds of recording; null: four hours.'),
    everyone_left_timeout: seconds(5, 3600)
      .default(DEFAULT_TIMEOUTS.everyone_left_timeout)
      .describe('Seconds alone, after others were there, before the bot leaves.'),
    only_bots_timeout: seconds(30, 21_600)
      .default(DEFAULT_TIMEOUTS.only_bots_timeout)
      .describe('Seconds with other bots only before the bot leaves.'),
  })
  .meta({ id: 'TimeoutConfig', description: 'When the bot gives up or leaves by itself.' })

const streamingConfig = z
  .strictObject({
    input_url: webSocket.nullish().describe('The bot plays what it receives from here into the meeting.'),
    output_url: webSocket.nullish().describe("The bot sends the meeting's sound here, and who speaks."),
    audio_frequency: z
      .union([z.literal(16_000), z.literal(24_000), z.literal(32_000), z.literal(48_000)])
      .default(24_000)
      .describe('Samples a second, in both directions.'),
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
    custom_params: callerData.nullish().describe('Given to the provider as they are.'),
    mode: z
      .enum(TRANSCRIPTION_MODES)
      .optional()
      .describe(
        'When the transcript is made: `after` the meeting, or `live` while it runs, word by word as events of the bot. ' +
          'Absent: `live` with `captions`, else `after`.',
      ),
  })
  .meta({ id: 'TranscriptionConfig', description: 'Who makes the transcript.' })

export const callbackConfig = z.strictObject({
  url: address('http:', 'https:').describe('Gets the final webhook of this bot.'),
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
    obf_token_url: address('https:', 'http:')
      .nullish()
      .describe('Answers GET with an on-behalf-of token as plain text, when the bot joins.'),
    zak_token_url: address('https:', 'http:')
      .nullish()
      .describe('Answers GET with an access key, with which the bot joins as that user.'),
  })
  .meta({ id: 'ConfConfig', description: 'For meetings of Zoom that need an authorization.' })

const imageConfig = z
  .strictObject({
    loop_mode: z
      .enum(['auto', 'bot_status'])
      .default('auto')
      .describe(
        '`auto`: the next one after some time. `bot_status`: the first until it records, the second meanwhile, the third in a pause.',
      ),
    image_duration: z.int().min(10).max(120).default(30).describe('Seconds of each picture with `auto`.'),
  })
  .meta({ id: 'BotImageConfig', description: 'How several pictures take turns.' })

/** Written into the chat; null or blank: nothing. */
export const chatTextOrNull = blankAsNull(chatText.refine(storable, { error: NOT_STORABLE }).nullable())

/** Every field of a new bot; creation and change give them their defaults. */
export const botFields = {
  bot_name: botName.describe('The name under which people in the meeting see the bot.'),
  meeting_url: meetingUrl,
  bot_image: z
    .union([image, z.array(image).min(1).max(MAX_IMAGES)])
    .nullable()
    .describe('Shown as the camera of the bot: the address of a PNG, JPEG or WebP, or up to five that take turns.'),
  bot_image_config: imageConfig.nullable(),
  allow_multiple_bots: z
    .boolean()
    .describe('`false`: refused with 409 if a bot was sent to this meeting within the last 5 minutes.'),
  recording_mode: fields.recording_mode,
  frame_rate: z.literal([25, 30]).describe('Pictures a second of the video.'),
  separate_tracks: z
    .boolean()
    .describe(
      "A file of each person's voice alone, in `audio/` of the bot's files, where the platform sends voices apart.",
    ),
  recording_consent: z
    .enum(['accept', 'refuse'])
    .describe('The answer if the meeting asks the bot whether it agrees to be recorded itself.'),
  entry_message: chatTextOrNull.describe('The bot writes it into the chat once it is in the meeting.'),
  timeout_config: timeoutConfig,
  conf_config: confConfig.nullable(),
  account: z
    .enum(ACCOUNT_USES)
    .describe(
      'Whether the bot joins with an account of the team: `if_required` as a guest first, and signed in if the platform refuses guests. People see the name of the account then.',
    ),
  account_pool: blankAsNull(z.string().trim().max(100).refine(storable, { error: NOT_STORABLE }).nullable()).describe(
    'Only an account of this pool; null: of any.',
  ),
  extra: callerData.nullable().describe('Your own object, repeated in answers and webhooks.'),
  streaming_enabled: z.boolean().describe('Whether live audio is streamed, as `streaming_config` says.'),
  streaming_config: streamingConfig.nullable(),
  transcription_enabled: z.boolean().describe('Whether a transcript is made.'),
  transcription_config: transcriptionConfig.nullable(),
  callback_enabled: z.boolean().describe('Whether the final webhook goes to `callback_config` too.'),
  callback_config: callbackConfig.nullable().describe('An address for this bot alone.'),
}

export const creationFields = {
  ...botFields,
  bot_image: botFields.bot_image.default(null),
  bot_image_config: botFields.bot_image_config.default(null),
  allow_multiple_bots: botFields.allow_multiple_bots.default(true),
  recording_mode: botFields.recording_mode.default('speaker_view'),
  frame_rate: botFields.frame_rate.default(25),
  separate_tracks: botFields.separate_tracks.default(false),
  recording_consent: botFields.recording_consent.default('accept'),
  entry_message: botFields.entry_message.default(null),
  timeout_config: botFields.timeout_config.prefault({}),
  conf_config: botFields.conf_config.default(null),
  account: botFields.account.default('never'),
  account_pool: botFields.account_pool.default(null),
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
    callback_config: z
      .object({
        url: z.string().describe('Gets the final webhook of this bot.'),
        method: z.enum(['POST', 'PUT']).describe('Of the request to the address.'),
        secret: z.null().describe('Never answered.'),
      })
      .nullable()
      .describe('The secret is never answered.'),
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
