/**
 * The request of a bot, in the worker's own fields (`packages/wire/job.ts`), whichever generation it came from. A field that
 * is left out has the worker's default.
 */
import type { BotFields } from '@standin/wire/bot-fields.ts'
import { type Job, type TimeoutConfig, timeoutConfigSchema } from '@standin/wire/job.ts'
import type { BotRow } from '../store/rows/index.ts'

type JobFields = Pick<
  Job,
  | Exclude<keyof BotFields, 'recording_mode'>
  | 'bot_image'
  | 'bot_image_config'
  | 'entry_message'
  | 'agent'
  | 'conf_config'
>
type SdkKeys = Pick<Job, 'conf_sdk_id' | 'conf_sdk_pwd'>
type Streaming = NonNullable<Job['streaming']>
type Transcription = NonNullable<Job['transcription']>

export interface BotRequest extends Partial<JobFields & SdkKeys> {
  bot_name: string
  recording_mode: string
  /** Any JSON of the older generation; a job takes an object. */
  extra: unknown
  timeout_config?: Partial<TimeoutConfig>
  streaming?: Pick<Streaming, 'input' | 'output' | 'audio_frequency'> | null
  transcription?:
    | (Pick<Transcription, 'provider' | 'api_key' | 'mode'> & { custom_params?: Record<string, unknown> | null })
    | null
  /** Of this bot alone; its endpoint of kind `callback` does the sending. */
  callback?: { url: string; method: 'POST' | 'PUT'; secret?: string | null } | null
  /** The older generation's; its endpoint of kind `bot` does the sending. */
  webhook_url?: string | null
  /** Only an account of this pool; null: of any. */
  account_pool?: string | null
  /** Of the older generation. */
  deduplication_key?: string | null
  /** False: refused if the team has sent a bot to the meeting within the last five minutes. */
  allow_multiple_bots?: boolean
}

/** The secrets of a request as they are sealed; absent ones were not given. */
export interface BotSecrets {
  transcriptionApiKey?: string
  agentApiKey?: string
  agentWebhookSecret?: string
  obfToken?: string
  sdkId?: string
  sdkPassword?: string
  callbackSecret?: string
}

/** A request without its secrets, and which these are. */
export type StoredRequest<Fields = BotRequest> = Omit<Fields, keyof SdkKeys> & { sealed?: (keyof BotSecrets)[] }

/** The fields of `bots.request`; the others are separate columns. */
export type RequestOfRow = StoredRequest<
  Omit<BotRequest, 'bot_name' | 'recording_mode' | 'extra' | 'deduplication_key'>
>

export function requestOf(bot: Pick<BotRow, 'request'>): RequestOfRow {
  return (bot.request ?? {}) as RequestOfRow
}

/** The secrets apart from the other fields: these are stored as they are, those are sealed. */
export function apart(request: BotRequest): { request: StoredRequest; secrets: BotSecrets } {
  const {
    conf_sdk_id: sdkId,
    conf_sdk_pwd: sdkPassword,
    transcription,
    agent,
    callback,
    conf_config,
    ...others
  } = request
  const secrets = Object.fromEntries(
    Object.entries({
      transcriptionApiKey: transcription?.api_key,
      agentApiKey: agent?.api_key,
      agentWebhookSecret: agent?.webhook_secret,
      obfToken: conf_config?.obf_token,
      sdkId,
      sdkPassword,
      callbackSecret: callback?.secret,
    }).filter(([, value]) => value),
  ) as BotSecrets
  const stored = {
    ...others,
    transcription: transcription && { ...transcription, api_key: undefined },
    agent: agent && { ...agent, api_key: undefined, webhook_secret: undefined },
    callback: callback && { ...callback, secret: undefined },
    conf_config: conf_config && { ...conf_config, obf_token: undefined },
    sealed: Object.keys(secrets) as (keyof BotSecrets)[],
  }
  return { request: stored, secrets }
}

/** The request with its secrets in their fields. */
export function together<Fields extends RequestOfRow>(stored: Fields, secrets: BotSecrets) {
  const { sealed: _sealed, transcription, agent, callback, conf_config, ...others } = stored
  const { transcriptionApiKey, agentApiKey, agentWebhookSecret, callbackSecret, obfToken, sdkId, sdkPassword } = secrets
  return {
    ...others,
    transcription: transcription && { ...transcription, api_key: transcriptionApiKey },
    agent: agent && { ...agent, api_key: agentApiKey, webhook_secret: agentWebhookSecret },
    callback: callback && { ...callback, secret: callbackSecret },
    conf_config: conf_config && { ...conf_config, obf_token: obfToken },
    conf_sdk_id: sdkId,
    conf_sdk_pwd: sdkPassword,
  }
}

/** Limits of a request that names none; the longest recording is four hours. */
export const DEFAULT_TIMEOUTS = timeoutConfigSchema.parse({})

export function timeoutsOf(bot: Pick<BotRow, 'request'>): TimeoutConfig {
  return { ...DEFAULT_TIMEOUTS, ...requestOf(bot).timeout_config }
}

/** The columns of a bot's row that its request decides. */
export function columnsOf(asked: BotRequest) {
  const { request, secrets } = apart(asked)
  const { bot_name, recording_mode, extra, deduplication_key, ...others } = request
  return {
    columns: {
      bot_name,
      recording_mode,
      extra,
      deduplication_key: deduplication_key ?? null,
      is_exclusive: others.allow_multiple_bots === false,
      transcription_status: others.transcription ? 'not-started' : 'not-applicable',
      request: others satisfies RequestOfRow,
    },
    secrets,
  }
}

/** Characters of `extra` in the address of a token; the worker refuses a job with more. */
const MAX_EXTRA_IN_ADDRESS = 6000

/** Place and sentence if `extra` is too long to be sent to the address of a token; else null. */
export function problemOfTokenExtra(extra: unknown): string | null {
  const length = extra === null || extra === undefined ? 0 : encodeURIComponent(JSON.stringify(extra)).length
  return length <= MAX_EXTRA_IN_ADDRESS
    ? null
    : `extra is sent within the address of the token and too long for it: ${length} characters, ${MAX_EXTRA_IN_ADDRESS} are possible`
}

const NEEDS_APP =
  'an on-behalf-of token or an access key works only with an app of Zoom: name a stored credential, or the operator sets STANDIN_ZOOM_CLIENT_ID and STANDIN_ZOOM_CLIENT_SECRET'

/**
 * A sentence if the bot has a token of Zoom, but no app that the token could be used with, and the operator has none either;
 * else null.
 */
export function problemOfZoomToken(
  platform: string | undefined,
  { conf_config: conf, conf_sdk_id: sdkId }: Partial<BotRequest>,
): string | null {
  if (platform !== 'zoom' || sdkId || conf?.credential_id || conf?.credential_user_id) return null
  return conf?.obf_token || conf?.obf_token_url || conf?.zak_token_url ? NEEDS_APP : null
}

/** Where the secrets of a bot are sealed. */
export const secretsPlace = (botId: string) => ({ table: 'bots', column: 'secrets', row: botId })
