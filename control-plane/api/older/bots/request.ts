/** The request of a bot from the bodies of this generation: of `POST /bots`, and the flat ones of calendar events. Pure. */
import { transcriptionProvider } from '@standin/wire/job.ts'
import type { BotRequest } from '../../../bots/request.ts'
import type { EventBotBody } from '../calendar-events/schema.ts'
import { type CreateBotBody, isRecord } from './create-schema.ts'

/** Bounds of the newer generation, in seconds. */
const WAITING: Bounds = [120, 1800]
const SILENCE: Bounds = [300, 1800]
type Bounds = readonly [min: number, max: number]

const FREQUENCIES = { '16khz': 16_000, '24khz': 24_000 } as const

type AskedBody = { bot_name?: string | null } & Omit<CreateBotBody, 'meeting_url' | 'bot_name' | 'start_time'>

export function newRequest(body: AskedBody & { bot_name: string }): BotRequest {
  return changedRequest({ bot_name: body.bot_name, recording_mode: 'speaker_view', extra: null }, body)
}

/** Absent, null and blank fields keep their values. */
export function changedRequest(before: BotRequest, body: AskedBody): BotRequest {
  const { automatic_leave: leave, conf_sdk_id, conf_sdk_pwd } = body
  return {
    ...before,
    bot_name: body.bot_name ?? before.bot_name,
    recording_mode: body.recording_mode ?? before.recording_mode,
    extra: body.extra ?? before.extra,
    deduplication_key: body.deduplication_key || before.deduplication_key,
    webhook_url: body.webhook_url || before.webhook_url,
    entry_message: body.entry_message ?? before.entry_message,
    ...(body.bot_image && { bot_image: body.bot_image, bot_image_config: null }),
    timeout_config: {
      ...before.timeout_config,
      ...within(WAITING, 'waiting_room_timeout', leave?.waiting_room_timeout),
      ...within(WAITING, 'no_one_joined_timeout', leave?.noone_joined_timeout),
      ...within(SILENCE, 'silence_timeout', leave?.silence_timeout),
    },
    streaming: streamingOf(before.streaming, body.streaming),
    transcription: transcriptionOf(before.transcription, body),
    conf_config: conferencingOf(before.conf_config, body),
    ...(conf_sdk_id && { conf_sdk_id, conf_sdk_pwd }),
  }
}

/** The flat fields of an event in the shape of `POST /bots`. */
export function ofEvent(body: EventBotBody): AskedBody {
  const { enter_message, waiting_room_timeout, noone_joined_timeout, silence_timeout, ...others } = body
  return {
    ...others,
    entry_message: enter_message,
    automatic_leave: { waiting_room_timeout, noone_joined_timeout, silence_timeout },
    streaming: {
      audio_frequency: body.streaming_audio_frequency,
      input: body.streaming_input,
      output: body.streaming_output,
    },
  }
}

/** The provider with its key; undefined if the body names none. */
export function speechOf(speech: CreateBotBody['speech_to_text']) {
  if (speech === null || speech === undefined) return undefined
  const { provider: name, api_key: key } = typeof speech === 'string' ? { provider: speech, api_key: null } : speech
  const provider = transcriptionProvider(name)
  if (provider === undefined) throw new Error('The provider was not validated')
  // The operator's service and captions have no key of the caller.
  return { provider, api_key: provider === 'Default' || provider === 'captions' ? null : key || null }
}

/** A new provider never gets the earlier provider's key; parameters alone replace those of the current provider. */
function transcriptionOf(before: BotRequest['transcription'], body: AskedBody): BotRequest['transcription'] {
  const { speech_to_text: speech, transcription_custom_parameters: parameters } = body
  const transcription = speechOf(speech) ?? before
  return transcription && { ...transcription, custom_params: isRecord(parameters) ? parameters : before?.custom_params }
}

function streamingOf(before: BotRequest['streaming'], given: CreateBotBody['streaming']): BotRequest['streaming'] {
  const input = given?.input || before?.input
  const output = given?.output || before?.output
  const frequency = given?.audio_frequency ? FREQUENCIES[given.audio_frequency] : before?.audio_frequency
  return input || output ? { input, output, audio_frequency: frequency ?? 24_000 } : null
}

function conferencingOf(before: BotRequest['conf_config'], body: AskedBody): BotRequest['conf_config'] {
  const fields = {
    credential_user_id: body.conf_obf_token_user_id,
    obf_token: body.conf_obf_token,
    obf_token_url: body.conf_obf_token_url,
    zak_token_url: body.conf_access_token_url,
  }
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value))
  if (Object.keys(given).length === 0 && !body.conf_sdk_id) return before
  return { ...before, ...given }
}

function within<Name extends string>([min, max]: Bounds, name: Name, seconds: number | null | undefined) {
  return seconds === null || seconds === undefined ? {} : { [name]: Math.min(max, Math.max(min, seconds)) }
}
