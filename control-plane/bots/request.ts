/**
 * The request of a caller for a bot, in one shape for both generations: `bots.request`. It holds no secret; name, meeting link,
 * recording mode and `extra` are separate columns. Every field is present, defaults are filled in.
 */
export interface BotRequest {
  /** https addresses; one for most bots, up to five. */
  images: string[]
  /** How several images take turns; null where there is one at most. */
  imageRotation: { mode: 'auto' | 'bot_status'; seconds: number } | null
  /** Written into the chat after admission. */
  entryMessage: string | null
  timeouts: BotTimeouts
  streaming: {
    /** Sound from there is played into the meeting. */
    inputUrl: string | null
    /** The meeting's sound goes there. */
    outputUrl: string | null
    /** Samples a second. */
    audioFrequency: 16_000 | 24_000 | 32_000 | 48_000
  } | null
  transcription: {
    provider: TranscriptionProvider
    /** The caller's own key is in the sealed secrets. */
    hasOwnKey: boolean
    /** Given to the provider as they are. */
    customParams: Record<string, unknown> | null
  } | null
  /** Of this bot alone; its endpoint of kind `callback` does the sending. */
  callback: { url: string; method: 'POST' | 'PUT'; hasSecret: boolean } | null
  /** The older generation's `webhook_url`; its endpoint of kind `bot` does the sending. */
  webhookUrl: string | null
  /** For the platform with an SDK; null without such settings. */
  conferencing: ConferencingRequest | null
  allowMultipleBots: boolean
}

/** All in seconds. */
export interface BotTimeouts {
  waitingRoom: number
  noOneJoined: number
  silence: number
  /** Time at the start in which none of the other three fires. */
  grace: number
  /** Null: the service's longest recording, four hours. */
  maxRecording: number | null
}

export interface ConferencingRequest {
  credentialId: string | null
  /** User of a stored credential; the older generation's `conf_obf_token_user_id`. */
  credentialUserId: string | null
  obfTokenUrl: string | null
  /** The older generation's `conf_access_token_url`. */
  zakTokenUrl: string | null
  /** Whether these are among the sealed secrets. */
  hasObfToken: boolean
  hasSdkKeys: boolean
}

/** As the worker names them (`wire/job.ts`). */
export type TranscriptionProvider = 'Default' | 'deepgram' | 'assemblyai' | 'captions'

/** The JSON that is sealed in `bots.secrets`; absent keys were not given. The whole column is null without any. */
export interface BotSecrets {
  transcriptionApiKey?: string
  obfToken?: string
  sdkId?: string
  sdkPassword?: string
  callbackSecret?: string
}

/** The bot of a calendar event: everything but the meeting and the time, which are the event's. */
export interface EventBot {
  name: string
  recordingMode: string
  extra: unknown
  request: BotRequest
  secrets: BotSecrets
  /** Of the older generation. */
  deduplicationKey: string | null
}

export const DEFAULT_TIMEOUTS: BotTimeouts = {
  waitingRoom: 600,
  noOneJoined: 600,
  silence: 600,
  grace: 0,
  maxRecording: null,
}

/** Seconds of the longest recording where the caller names none. */
export const LONGEST_RECORDING_SECONDS = 14_400

/** Characters of `extra` in the address of a token; the worker refuses a job with more. */
const MAX_EXTRA_IN_ADDRESS = 6000

/** Place and sentence where `extra` is too long to be sent to the address of a token; else null. */
export function problemOfTokenExtra(extra: unknown): string | null {
  const length = extra === null || extra === undefined ? 0 : encodeURIComponent(JSON.stringify(extra)).length
  return length <= MAX_EXTRA_IN_ADDRESS
    ? null
    : `extra is sent within the address of the token and too long for it: ${length} characters, ${MAX_EXTRA_IN_ADDRESS} are possible`
}

/** A bot that asks for nothing beyond its meeting. */
export function plainRequest(): BotRequest {
  return {
    images: [],
    imageRotation: null,
    entryMessage: null,
    timeouts: { ...DEFAULT_TIMEOUTS },
    streaming: null,
    transcription: null,
    callback: null,
    webhookUrl: null,
    conferencing: null,
    allowMultipleBots: true,
  }
}

/** Where the secrets of a bot are sealed. */
export const secretsPlace = (botId: string) => ({ table: 'bots', column: 'secrets', row: botId })
