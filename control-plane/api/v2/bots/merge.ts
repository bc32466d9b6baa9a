/** A change of some fields of a bot that has not started: those that are left out stay. */
import type { BotRequest, BotSecrets } from '../../../bots/request.ts'
import { addressProblem } from '../../addresses.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../http/errors.ts'
import { type BotFields, requestOfBody } from './normalize.ts'
import { timeoutConfig } from './schema.ts'

/** Fields of a change; absent ones stay as they are. */
export type ChangedFields = { [Field in keyof BotFields]?: BotFields[Field] | undefined }

export interface Merged {
  request: BotRequest
  secrets: BotSecrets
  isCallbackChanged: boolean
}

const SWITCHES = ['streaming', 'transcription', 'callback'] as const

/** Rejects with 400 values that are invalid for every bot; nothing here depends on the stored bot. */
export function checkFields(body: ChangedFields, client: ApiDependencies['client']): void {
  for (const part of SWITCHES)
    if (body[`${part}_config`] && body[`${part}_enabled`] === undefined)
      throw refusals.validation(`body/${part}_config goes together with ${part}_enabled`)
  const problem = addressProblem(client, requestOfBody(withDefaults(body)).request)
  if (problem !== null) throw refusals.validation(`body/${problem}`)
}

export function merged(before: BotRequest, stored: BotSecrets, body: ChangedFields): Merged {
  const given = requestOfBody(withDefaults(body))
  const has = (field: keyof ChangedFields) => body[field] !== undefined
  const pick = <Part extends keyof BotRequest>(part: Part, field: keyof ChangedFields) =>
    has(field) ? given.request[part] : before[part]
  const request: BotRequest = {
    ...before,
    images: pick('images', 'bot_image'),
    imageRotation: has('bot_image') || has('bot_image_config') ? rotationOf(body, before) : before.imageRotation,
    entryMessage: pick('entryMessage', 'entry_message'),
    timeouts: pick('timeouts', 'timeout_config'),
    streaming: pick('streaming', 'streaming_enabled'),
    transcription: pick('transcription', 'transcription_enabled'),
    callback: pick('callback', 'callback_enabled'),
    conferencing: pick('conferencing', 'conf_config'),
    allowMultipleBots: pick('allowMultipleBots', 'allow_multiple_bots'),
  }
  const secret = <Name extends keyof BotSecrets>(name: Name, field: keyof ChangedFields) => {
    const value = has(field) ? given.secrets[name] : stored[name]
    return value === undefined ? {} : { [name]: value }
  }
  const { transcriptionApiKey, callbackSecret, obfToken, ...others } = stored
  const secrets: BotSecrets = {
    ...others,
    ...secret('transcriptionApiKey', 'transcription_enabled'),
    ...secret('callbackSecret', 'callback_enabled'),
    ...secret('obfToken', 'conf_config'),
  }
  return { request, secrets, isCallbackChanged: has('callback_enabled') }
}

function rotationOf(body: ChangedFields, before: BotRequest): BotRequest['imageRotation'] {
  const images = body.bot_image === undefined ? before.images : [body.bot_image ?? []].flat()
  if (images.length < 2) return null
  const mode = body.bot_image_config?.loop_mode ?? before.imageRotation?.mode ?? 'auto'
  return { mode, seconds: body.bot_image_config?.image_duration ?? before.imageRotation?.seconds ?? 30 }
}

/** A whole body, of which only the fields that were given are used. */
function withDefaults(body: ChangedFields): BotFields {
  return {
    bot_image: body.bot_image ?? null,
    bot_image_config: body.bot_image_config ?? null,
    allow_multiple_bots: body.allow_multiple_bots ?? true,
    entry_message: body.entry_message ?? null,
    timeout_config: body.timeout_config ?? timeoutConfig.parse({}),
    conf_config: body.conf_config ?? null,
    streaming_enabled: body.streaming_enabled ?? false,
    streaming_config: body.streaming_config ?? null,
    transcription_enabled: body.transcription_enabled ?? false,
    transcription_config: body.transcription_config ?? null,
    callback_enabled: body.callback_enabled ?? false,
    callback_config: body.callback_config ?? null,
  }
}
