/**
 * The job: the complete instructions of one bot. Field names are those of docs/api.md where it has them; unknown
 * fields are refused by name. This package imports no other part of the project: worker and control plane share it.
 */

import { z } from 'zod'
import { agentFields, checkAgentFields, problemOfAgent } from './agent.ts'
import {
  address,
  audioFrequency,
  botFields,
  botImageConfig,
  botName,
  CONTROL_CHARACTERS,
  callerData,
  entryMessage,
  mapFields,
  meetingUrl,
  pictures,
  timeoutFields,
  transcriptionFields,
  webSocketAddress,
} from './bot-fields.ts'
import { BOT_NAMES } from './bot-names.ts'
import { DEFAULT_BOT_NAME } from './codes.ts'
import { egressSchema } from './egress.ts'

export const MAX_BOT_IMAGE_BYTES = 5 * 1024 * 1024
/** Of a whole job as JSON: the largest picture, and much room beside it. */
export const MAX_JOB_BYTES = 16 * 1024 * 1024

const DAY_SECONDS = 86_400
const seconds = (fallback: number, meaning: string) =>
  z.int().min(1).max(DAY_SECONDS).default(fallback).describe(`Seconds. ${meaning}`)

/** Visible ASCII, which is what a header can carry. */
export const token = z
  .string()
  .min(1)
  .max(4096)
  .refine((text) => /^[!-~]*$/.test(text), { error: 'must not contain spaces or characters beyond ASCII' })

const IMAGE_DATA = /^data:image\/(?:png|jpeg|webp);base64,/

/** A greedy pattern over millions of characters can overflow the stack of the regular expression engine. */
function isImageData(text: string): boolean {
  const head = IMAGE_DATA.exec(text)?.[0]
  if (head === undefined) return false
  const data = text.slice(head.length).replace(/={1,2}$/, '')
  return data !== '' && !/[^A-Za-z0-9+/]/.test(data)
}

const picture = pictures(
  z
    .string()
    .refine((text) => text.length <= MAX_BOT_IMAGE_BYTES * 1.4, { error: 'must not be larger than 5 MiB', abort: true })
    .refine((text) => isImageData(text) || /^https:\/\//i.test(text), {
      error: 'must be an https:// address or a data: URL of a PNG, JPEG or WebP picture',
    })
    .refine((text) => text.startsWith('data:') || URL.canParse(text), { error: 'must be a valid address' }),
)

const { grace_period, ...limits } = timeoutFields

export const timeoutConfigSchema = z.strictObject({
  ...mapFields(limits, (field) =>
    z.int().min(1).max(DAY_SECONDS).default(field.parse(undefined)).describe(field.description!),
  ),
  grace_period,
  recording_timeout: seconds(14_400, 'Longest recording.'),
  bot_names: z
    .array(z.string().min(1).max(100))
    .max(200)
    .default(BOT_NAMES.anywhere)
    .describe(
      'Who is called so is taken for a bot, unless they speak, react, share or raise a hand; who writes or shows a camera is a person only with an unclear name, such as Notes. A name fits that holds one of these as whole words, in any case; names of products that people have too, such as Otter, are known besides.',
    ),
  storing_timeout: seconds(900, 'Longest time to store the files afterwards; then they stay on the machine.'),
  removed_too_early: z
    .int()
    .min(0)
    .max(DAY_SECONDS)
    .default(5)
    .describe('Seconds. A bot removed within this time of the start of recording ends with BOT_REMOVED_TOO_EARLY.'),
})

const folderStorage = z.strictObject({
  type: z.literal('folder'),
  path: z.string().min(1).max(4096).describe("Folder in which the recording's own folder is made."),
})

/** Keys of S3 for the files of one attempt only, which end after a while. */
export const storageKeysSchema = z.strictObject({
  access_key_id: z.string().min(1),
  secret_access_key: z.string().min(1),
  session_token: z.string().min(1),
  keys_end_at: z.iso.datetime(),
})
export type StorageKeys = z.infer<typeof storageKeysSchema>

const s3Storage = z.strictObject({
  type: z.literal('s3'),
  bucket: z.string().min(3).max(63),
  prefix: z.string().max(900).default('').describe('Put before the bot id in every key.'),
  endpoint: address('http:', 'https:').optional().describe('For S3-compatible servers; absent for AWS.'),
  region: z.string().min(1).optional().describe('Absent: AWS_REGION, the profile, or us-east-1.'),
  access_key_id: z.string().min(1).optional().describe('Absent: the usual AWS environment and instance role.'),
  secret_access_key: z.string().min(1).optional(),
  session_token: z.string().min(1).optional(),
  keys_end_at: z.iso
    .datetime()
    .optional()
    .describe('When the keys end; the control plane gives new ones over the control link. Absent: they last.'),
  force_path_style: z.boolean().optional().describe('Default: true if an endpoint is given.'),
  checksums: z
    .enum(['when_required', 'when_supported'])
    .default('when_required')
    .describe('Whether to send the newer checksum headers, which some S3-compatible servers refuse.'),
  spool_limit_mb: z
    .int()
    .min(64)
    .max(1_048_576)
    .default(2048)
    .describe('MiB of the recording that may wait on this machine while the server cannot be reached.'),
  tail_seconds: z
    .int()
    .min(0)
    .max(3600)
    .default(2)
    .describe(
      'How often what fills no part yet goes to the bucket, so that it survives the loss of the machine. 0: never.',
    ),
})

export const storageSchema = z
  .discriminatedUnion('type', [folderStorage, s3Storage])
  .refine(
    (storage) =>
      storage.type !== 's3' || (storage.access_key_id === undefined) === (storage.secret_access_key === undefined),
    { error: 'access_key_id and secret_access_key go together' },
  )

const streamingSchema = z.strictObject({
  input: webSocketAddress.nullish().describe('Sound that comes from there is spoken into the meeting.'),
  output: webSocketAddress.nullish().describe("The meeting's sound and who speaks go there."),
  audio_frequency: audioFrequency,
  set_up_timeout: seconds(60, 'How long the first connections are tried for.'),
  is_required: z
    .boolean()
    .default(true)
    .describe('Whether the bot fails with STREAMING_SETUP_FAILED then, or records without streaming.'),
})

export const TRANSCRIPTION_PROVIDERS = ['Default', 'local', 'deepgram', 'assemblyai', 'captions'] as const
export type TranscriptionProvider = (typeof TRANSCRIPTION_PROVIDERS)[number]

/** In any case of letters. */
export function transcriptionProvider(name: string): TranscriptionProvider | undefined {
  return TRANSCRIPTION_PROVIDERS.find((provider) => provider.toLowerCase() === name.toLowerCase())
}

const transcriptionSchema = z.strictObject({
  provider: z
    .enum(TRANSCRIPTION_PROVIDERS)
    .default('Default')
    .describe(
      "Default is the speech service that the operator named in STANDIN_TRANSCRIPTION_URL; local is an engine on the bot's own machine; captions are the platform's own.",
    ),
  ...transcriptionFields,
  api_key: token.nullish().describe("Of a keyed provider; absent: the operator's."),
  timeout: seconds(1800, 'Longest time to make the transcript, after the recording is stored.'),
})

const agentSchema = z
  .strictObject({
    ...agentFields,
    api_key: token.nullish().describe("Of the agent's server; absent: the operator's, for the operator's server."),
    webhook_secret: token.nullish().describe('Signs the calls of webhook tools, as webhooks are signed.'),
  })
  .superRefine(checkAgentFields)

/** Asked with GET for each try; answers with the bare token as plain text. */
const tokenUrl = address('https:', 'http:').refine((text) => text.length <= 2048, {
  error: 'must not exceed 2048 characters',
})
const OBF_TOKEN = 'On-behalf-of token of a user who has to be in the meeting.'

const confConfigSchema = z.strictObject({
  credential_id: z.uuid().nullish().describe('A stored credential; the launcher of the worker resolves it.'),
  credential_user_id: z.string().min(1).max(256).nullish().describe('Likewise, by the user it belongs to.'),
  obf_token: token.nullish().describe(OBF_TOKEN),
  obf_token_url: tokenUrl.nullish(),
  zak_token_url: tokenUrl.nullish().describe('Gives the access key (ZAK) of the user as whom the bot joins.'),
})

const SET_TOGETHER = 'SET_CONF_ID_AND_PWD_TOGETHER: conf_sdk_id and conf_sdk_pwd go together'
/** Pairs are checked even where other fields are wrong, so that all problems are reported together. */
const isObject = (payload: { value: unknown }) => typeof payload.value === 'object' && payload.value !== null

export const jobSchema = z
  .strictObject({
    bot_id: z.uuid().describe('Also the name of the folder that holds the recording.'),
    meeting_url: meetingUrl,
    not_before: z.iso
      .datetime({ offset: true, error: 'must be an instant with its offset, such as 2026-11-21T10:00:00+01:00' })
      .nullish()
      .describe(
        'When the bot asks to join: an instant with its offset, such as 2026-11-21T10:00:00+01:00, at most 24 hours ahead. Everything else is prepared before; the link is opened half a minute ahead. An instant in the past means at once.',
      ),
    wait_for_welcome_seconds: z
      .int()
      .min(0)
      .max(3600)
      .default(0)
      .describe(
        'How long the bot waits, from its start on, for the welcome of its control plane before it asks to join; then it continues without it.',
      ),
    traceparent: z
      .string()
      .regex(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/)
      .nullish()
      .describe('The trace that the bot belongs to (W3C Trace Context). The bot names it in each line of its log.'),
    bot_name: botName.default(DEFAULT_BOT_NAME),
    ...botFields,
    bot_image: picture.describe(`${picture.description} A data: URL may have the picture itself.`).nullish(),
    bot_image_config: botImageConfig.nullish(),
    entry_message: entryMessage.nullish(),
    timeout_config: timeoutConfigSchema.prefault({}),
    streaming: streamingSchema.nullish(),
    continues: z
      .strictObject({
        has_seen_others: z.boolean().describe('Others were in the meeting with it.'),
        is_paused: z.boolean().describe('The recording was paused; it is paused again as soon as it has begun.'),
        is_agent_off: z
          .boolean()
          .optional()
          .describe('Its agent was switched off; it stays off until it is switched on.'),
      })
      .nullish()
      .describe('The bot replaces one of the same id that crashed in this meeting, and continues there.'),
    transcription: transcriptionSchema.nullish(),
    agent: agentSchema.nullish(),
    voice_api_key: token.nullish().describe("Of the operator's service of speech, STANDIN_VOICE_URL."),
    conf_config: confConfigSchema.nullish(),
    conf_sdk_id: token.nullish().describe("Client id of the app with which the bot uses Zoom's Meeting SDK."),
    conf_sdk_pwd: token.nullish().describe('Client secret of the same app.'),
    conf_obf_token: token.nullish().describe(OBF_TOKEN),
    conf_obf_token_url: tokenUrl.nullish(),
    conf_obf_token_user_id: z
      .string()
      .min(1)
      .max(256)
      .nullish()
      .describe('User of a stored connection; the launcher of the worker resolves it.'),
    conf_fresh_tokens: z
      .boolean()
      .nullish()
      .describe(
        'Whether the control plane gives a fresh on-behalf-of token for each further try, over the control link. The first one is conf_obf_token.',
      ),
    conf_access_token: token
      .nullish()
      .describe('Access key (ZAK) of the user as whom the bot joins. It serves until it expires.'),
    conf_access_token_url: tokenUrl.nullish().describe('Gives the access key (ZAK) of the user as whom the bot joins.'),
    teams_token: token
      .nullish()
      .describe('By which a registered bot identifies itself to Microsoft Teams. It lasts about an hour.'),
    teams_fresh_tokens: z
      .boolean()
      .nullish()
      .describe(
        'Whether the control plane gives a token of the registered bot for each try to join Microsoft Teams, over the control link.',
      ),
    denials: z
      .int()
      .min(0)
      .default(0)
      .describe('Requests to join that were denied in earlier attempts of this bot; after two it does not ask again.'),
    browser_state: z
      .string()
      .min(1)
      .max(4096)
      .refine((text) => !CONTROL_CHARACTERS.test(text), { error: 'must not contain control characters' })
      .nullish()
      .describe(
        "Stored session of the bot's account: the folder of a Chromium profile, the file of a storage state (JSON), or s3://bucket/key of such a file or of a profile as .tar.gz.",
      ),
    keeps_browser_state: z
      .boolean()
      .default(false)
      .describe(
        'Whether the cookies that the meeting refreshed are written into the file of `browser_state`. Profiles and S3 are only read.',
      ),
    words: z
      .looseObject({ version: z.string().max(20) })
      .nullish()
      .describe(
        'The words with which the bot reads pages (docs/platforms.md#words-and-selectors). Absent: those of the program.',
      ),
    egress: egressSchema
      .nullish()
      .describe('The proxy of the browser. Uploads, the control link and speech services do not use it.'),
    storage: storageSchema.default({ type: 'folder', path: 'recordings' }),
    control_plane: z.strictObject({ url: webSocketAddress, token }).nullish(),
    extra: callerData.nullish().describe('Free-form data of the caller, given back in the final report.'),
  })
  .refine((job) => !job.conf_sdk_id || job.conf_sdk_pwd, {
    path: ['conf_sdk_pwd'],
    error: SET_TOGETHER,
    when: isObject,
  })
  .refine((job) => !job.conf_sdk_pwd || job.conf_sdk_id, { path: ['conf_sdk_id'], error: SET_TOGETHER, when: isObject })

  .superRefine((job, context) => {
    const problem = problemOfAgent(job)
    if (problem !== null) context.addIssue({ code: 'custom', path: problem.path.split('.'), message: problem.message })
  })

export type Job = z.infer<typeof jobSchema>
export type TimeoutConfig = z.infer<typeof timeoutConfigSchema>

/** The bot's pictures, in the order in which they take turns. */
export function imagesOf({ bot_image: images }: Partial<Pick<Job, 'bot_image'>>): string[] {
  return [images ?? []].flat()
}

/** One thing that is wrong with a foreign document, and where. */
export interface Problem {
  /** Such as `timeout_config.silence_timeout`; empty for the document itself. */
  path: string
  message: string
}

/** Only a document that was made on purpose has more problems; the rest is counted. */
export const MAX_PROBLEMS = 50
const MAX_PATH_LENGTH = 300
const MAX_NAME_LENGTH = 100
const MAX_MESSAGE_LENGTH = 500

/**
 * The problems of a foreign document together: each unknown field is a separate problem with its own path. Bounded, and
 * without control characters, because names of fields are repeated and go to a terminal.
 */
export function problemsOf(error: z.ZodError): Problem[] {
  const problems: Problem[] = []
  let count = 0
  const note = (path: readonly PropertyKey[], message: string) => {
    if (++count > MAX_PROBLEMS) return
    const names = path.map((name) => shown(String(name), MAX_NAME_LENGTH))
    problems.push({ path: shown(names.join('.'), MAX_PATH_LENGTH), message: shown(message, MAX_MESSAGE_LENGTH) })
  }
  for (const issue of error.issues) {
    if (issue.code === 'unrecognized_keys') for (const key of issue.keys) note([...issue.path, key], 'unknown field')
    else note(issue.path, isMissing(issue) ? 'is missing' : issue.message)
  }
  if (count > MAX_PROBLEMS) problems.push({ path: '', message: `${count - MAX_PROBLEMS} more problems are not listed` })
  return problems
}

function isMissing(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'invalid_type' && issue.message.endsWith('received undefined')
}

function shown(text: string, maxLength: number): string {
  const cut = text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`
  return cut.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '?')
}
