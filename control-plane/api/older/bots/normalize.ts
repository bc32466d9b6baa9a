/** A body of `POST /bots` as the request and the secrets that the service keeps. Pure. */
import { type BotRequest, type BotSecrets, DEFAULT_TIMEOUTS, plainRequest } from '../../../bots/request.ts'
import { type CreateBotBody, isRecord, providerOf } from './create-schema.ts'

/** Bounds of the newer generation, in seconds. */
const WAITING: Bounds = [120, 1800]
const SILENCE: Bounds = [300, 1800]
type Bounds = readonly [min: number, max: number]

export interface NormalizedBot {
  request: BotRequest
  secrets: BotSecrets
}

/** Fields that events of calendars have too. */
export type AskedBody = Omit<CreateBotBody, 'meeting_url' | 'bot_name' | 'start_time'>

export function normalizedBot(body: AskedBody): NormalizedBot {
  const { automatic_leave: leave, streaming, speech_to_text: speech } = body
  const transcription = speechOf(speech, body.transcription_custom_parameters)
  const keyed = given(body.conf_sdk_id) !== null
  const secrets: BotSecrets = {
    ...(transcription?.apiKey != null && { transcriptionApiKey: transcription.apiKey }),
    ...(body.conf_obf_token && { obfToken: body.conf_obf_token }),
    ...(keyed && { sdkId: body.conf_sdk_id!, sdkPassword: body.conf_sdk_pwd! }),
  }
  const [inputUrl, outputUrl] = [given(streaming?.input), given(streaming?.output)]
  const request: BotRequest = {
    ...plainRequest(),
    images: body.bot_image ? [body.bot_image] : [],
    entryMessage: body.entry_message ?? null,
    timeouts: {
      ...DEFAULT_TIMEOUTS,
      waitingRoom: within(WAITING, leave?.waiting_room_timeout, DEFAULT_TIMEOUTS.waitingRoom),
      noOneJoined: within(WAITING, leave?.noone_joined_timeout, DEFAULT_TIMEOUTS.noOneJoined),
      silence: within(SILENCE, leave?.silence_timeout, DEFAULT_TIMEOUTS.silence),
    },
    streaming:
      inputUrl === null && outputUrl === null
        ? null
        : { inputUrl, outputUrl, audioFrequency: streaming?.audio_frequency === '16khz' ? 16_000 : 24_000 },
    transcription: transcription?.settings ?? null,
    webhookUrl: given(body.webhook_url),
    conferencing: conferencingOf(body, keyed),
    // The duplicate check of this generation works by its own key.
    allowMultipleBots: true,
  }
  return { request, secrets }
}

/** The request in `speech_to_text`, with the key apart. */
export function speechOf(
  speech: CreateBotBody['speech_to_text'],
  customParameters?: unknown,
): { settings: NonNullable<BotRequest['transcription']>; apiKey: string | null } | null {
  if (speech === null || speech === undefined) return null
  const { provider: name, api_key: key } = typeof speech === 'string' ? { provider: speech, api_key: null } : speech
  const provider = providerOf(name)
  if (provider === null) throw new Error('The provider was not validated')
  // The operator's service and captions have no key of the caller.
  const apiKey = provider === 'Default' || provider === 'captions' ? null : given(key)
  const customParams = isRecord(customParameters) ? customParameters : null
  return { settings: { provider, hasOwnKey: apiKey !== null, customParams }, apiKey }
}

function conferencingOf(body: AskedBody, hasSdkKeys: boolean): BotRequest['conferencing'] {
  const hasObfToken = given(body.conf_obf_token) !== null
  const obfTokenUrl = given(body.conf_obf_token_url)
  const credentialUserId = given(body.conf_obf_token_user_id)
  const zakTokenUrl = given(body.conf_access_token_url)
  if (!hasSdkKeys && !hasObfToken && obfTokenUrl === null && credentialUserId === null && zakTokenUrl === null)
    return null
  return { credentialId: null, credentialUserId, obfTokenUrl, zakTokenUrl, hasObfToken, hasSdkKeys }
}

function within([min, max]: Bounds, seconds: number | null | undefined, fallback: number): number {
  return seconds === null || seconds === undefined ? fallback : Math.min(max, Math.max(min, seconds))
}

function given(value: string | null | undefined): string | null {
  return value ? value : null
}
