/** From the fields of a request to the service's own shape of a bot. */
import type { BotRequest, BotSecrets, ConferencingRequest, TranscriptionProvider } from '../../../bots/request.ts'
import type { CreateBotBody } from './schema.ts'

/** Words of this generation, and the provider that each one names. */
const PROVIDERS: Readonly<Record<string, TranscriptionProvider>> = {
  default: 'Default',
  deepgram: 'deepgram',
  assemblyai: 'assemblyai',
  captions: 'captions',
}

export type BotFields = Omit<CreateBotBody, 'bot_name' | 'meeting_url' | 'recording_mode' | 'extra'>

export function requestOfBody(body: BotFields): { request: BotRequest; secrets: BotSecrets } {
  const images = body.bot_image === null ? [] : [body.bot_image].flat()
  const timeouts = body.timeout_config
  return {
    request: {
      images,
      imageRotation:
        images.length > 1
          ? {
              mode: body.bot_image_config?.loop_mode ?? 'auto',
              seconds: body.bot_image_config?.image_duration ?? 30,
            }
          : null,
      entryMessage: body.entry_message,
      timeouts: {
        waitingRoom: timeouts.waiting_room_timeout,
        noOneJoined: timeouts.no_one_joined_timeout,
        silence: timeouts.silence_timeout,
        grace: timeouts.grace_period,
        maxRecording: timeouts.max_recording_duration ?? null,
      },
      streaming: streamingOf(body),
      transcription: transcriptionOf(body),
      callback: callbackOf(body),
      webhookUrl: null,
      conferencing: conferencingOf(body),
      allowMultipleBots: body.allow_multiple_bots,
    },
    secrets: secretsOf(body),
  }
}

function streamingOf({ streaming_enabled, streaming_config: given }: BotFields): BotRequest['streaming'] {
  if (!streaming_enabled || given === null) return null
  return {
    inputUrl: given.input_url ?? null,
    outputUrl: given.output_url ?? null,
    audioFrequency: given.audio_frequency,
  }
}

function transcriptionOf({ transcription_enabled, transcription_config: given }: BotFields) {
  if (!transcription_enabled) return null
  return {
    provider: PROVIDERS[given?.provider ?? 'default'] ?? 'Default',
    hasOwnKey: Boolean(given?.api_key),
    customParams: given?.custom_params ?? null,
  }
}

function callbackOf({ callback_enabled, callback_config: given }: BotFields): BotRequest['callback'] {
  if (!callback_enabled || given === null) return null
  return { url: given.url, method: given.method, hasSecret: Boolean(given.secret) }
}

function conferencingOf({ conf_config: given }: BotFields): ConferencingRequest | null {
  if (given === null) return null
  return {
    credentialId: given.credential_id ?? null,
    credentialUserId: given.credential_user_id ?? null,
    obfTokenUrl: given.obf_token_url ?? null,
    zakTokenUrl: given.zak_token_url ?? null,
    hasObfToken: Boolean(given.obf_token),
    hasSdkKeys: false,
  }
}

function secretsOf(body: BotFields): BotSecrets {
  const transcriptionApiKey = body.transcription_enabled ? body.transcription_config?.api_key : null
  const callbackSecret = body.callback_enabled ? body.callback_config?.secret : null
  const obfToken = body.conf_config?.obf_token
  return {
    ...(transcriptionApiKey && { transcriptionApiKey }),
    ...(callbackSecret && { callbackSecret }),
    ...(obfToken && { obfToken }),
  }
}
