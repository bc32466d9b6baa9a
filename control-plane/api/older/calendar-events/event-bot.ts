/** The bot of an event from the flat fields of this generation, and changes of it. Pure. */

import type { BotRequest, BotSecrets, EventBot } from '../../../bots/request.ts'
import { isRecord } from '../bots/create-schema.ts'
import { type NormalizedBot, normalizedBot } from '../bots/normalize.ts'
import type { EventBotBody } from './schema.ts'

export function newEventBot(body: EventBotBody & { bot_name: string }): EventBot {
  return {
    name: body.bot_name,
    recordingMode: body.recording_mode ?? 'speaker_view',
    extra: body.extra ?? null,
    ...normalized(body),
    deduplicationKey: body.deduplication_key || null,
  }
}

/** Absent, null and blank fields keep their values. */
export function changedEventBot(before: EventBot, body: EventBotBody): EventBot {
  const given = normalized(body)
  return {
    name: body.bot_name ?? before.name,
    recordingMode: body.recording_mode ?? before.recordingMode,
    extra: body.extra ?? before.extra,
    deduplicationKey: body.deduplication_key || before.deduplicationKey,
    request: changedRequest(before.request, given.request, body),
    secrets: changedSecrets(before.secrets, given.secrets, body),
  }
}

/** Addresses are checked with it before anything is stored. */
export function normalized(body: EventBotBody): NormalizedBot {
  const { enter_message, waiting_room_timeout, noone_joined_timeout, silence_timeout, ...others } = body
  return normalizedBot({
    ...others,
    entry_message: enter_message,
    automatic_leave: { waiting_room_timeout, noone_joined_timeout, silence_timeout },
    streaming: {
      audio_frequency: body.streaming_audio_frequency,
      input: body.streaming_input,
      output: body.streaming_output,
    },
  })
}

function changedRequest(before: BotRequest, given: BotRequest, body: EventBotBody): BotRequest {
  const isGiven = (value: number | null | undefined) => value !== null && value !== undefined
  const { timeouts } = before
  return {
    ...before,
    images: body.bot_image ? given.images : before.images,
    imageRotation: body.bot_image ? null : before.imageRotation,
    entryMessage: body.enter_message ? given.entryMessage : before.entryMessage,
    timeouts: {
      ...timeouts,
      waitingRoom: isGiven(body.waiting_room_timeout) ? given.timeouts.waitingRoom : timeouts.waitingRoom,
      noOneJoined: isGiven(body.noone_joined_timeout) ? given.timeouts.noOneJoined : timeouts.noOneJoined,
      silence: isGiven(body.silence_timeout) ? given.timeouts.silence : timeouts.silence,
    },
    streaming: changedStreaming(before.streaming, body),
    transcription: changedTranscription(before.transcription, given.transcription, body),
    webhookUrl: given.webhookUrl ?? before.webhookUrl,
    conferencing: changedConferencing(before.conferencing, given.conferencing),
  }
}

function changedStreaming(before: BotRequest['streaming'], body: EventBotBody): BotRequest['streaming'] {
  const inputUrl = body.streaming_input || (before?.inputUrl ?? null)
  const outputUrl = body.streaming_output || (before?.outputUrl ?? null)
  if (inputUrl === null && outputUrl === null) return null
  const frequency = { '16khz': 16_000, '24khz': 24_000 } as const
  const audioFrequency = body.streaming_audio_frequency
    ? frequency[body.streaming_audio_frequency]
    : (before?.audioFrequency ?? 24_000)
  return { inputUrl, outputUrl, audioFrequency }
}

/** Parameters alone replace those of the current provider. */
function changedTranscription(
  before: BotRequest['transcription'],
  given: BotRequest['transcription'],
  { transcription_custom_parameters: parameters }: EventBotBody,
): BotRequest['transcription'] {
  const customParams = isRecord(parameters) ? parameters : (before?.customParams ?? null)
  const transcription = given ?? before
  return transcription && { ...transcription, customParams }
}

function changedConferencing(
  before: BotRequest['conferencing'],
  given: BotRequest['conferencing'],
): BotRequest['conferencing'] {
  if (before === null || given === null) return given ?? before
  return {
    credentialId: given.credentialId ?? before.credentialId,
    credentialUserId: given.credentialUserId ?? before.credentialUserId,
    obfTokenUrl: given.obfTokenUrl ?? before.obfTokenUrl,
    zakTokenUrl: given.zakTokenUrl ?? before.zakTokenUrl,
    hasObfToken: given.hasObfToken || before.hasObfToken,
    hasSdkKeys: given.hasSdkKeys || before.hasSdkKeys,
  }
}

/** A new provider never gets the earlier provider's key. */
function changedSecrets(before: BotSecrets, given: BotSecrets, { speech_to_text: speech }: EventBotBody): BotSecrets {
  const { transcriptionApiKey, ...others } = before
  return { ...others, ...(!speech && transcriptionApiKey && { transcriptionApiKey }), ...given }
}
