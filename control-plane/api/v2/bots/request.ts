/** The request of a bot from the body of this generation. */
import { botFields } from '@standin/wire/bot-fields.ts'
import { transcriptionProvider } from '@standin/wire/job.ts'
import type { FastifyRequest } from 'fastify'
import type { NewBot } from '../../../bots/actions/create-bot.ts'
import type { BotRequest } from '../../../bots/request.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../http/errors.ts'
import { checkRequest, newBot } from '../../new-bot.ts'
import type { CreateBotBody } from './schema.ts'

type BotFields = Omit<CreateBotBody, 'meeting_url' | 'allow_multiple_bots'> & { allow_multiple_bots?: boolean }
type ChangedFields = { [Field in keyof BotFields]?: BotFields[Field] | undefined }

/** Rejects with 400 if an address must not be used or the link is no meeting. */
export function newBotOf(
  body: CreateBotBody,
  request: FastifyRequest,
  dependencies: Pick<ApiDependencies, 'client' | 'settings'>,
  joinAt: Date | null = null,
): NewBot {
  const asked = { generation: 'v2' as const, request: requestOfBody(body), meetingUrl: body.meeting_url, joinAt }
  return newBot(asked, request, dependencies)
}

/** The fields of a change, which stay as they are if the body leaves them out. Rejects with 400. */
export function changeOfBody(
  body: ChangedFields,
  dependencies: Pick<ApiDependencies, 'client' | 'settings'>,
): Partial<BotRequest> {
  for (const part of ['streaming', 'transcription', 'callback'] as const)
    if (body[`${part}_config`] && body[`${part}_enabled`] === undefined)
      throw refusals.validation(`body/${part}_config goes together with ${part}_enabled`)
  const change = requestOfBody(body)
  checkRequest('v2', change, dependencies)
  return change
}

/** Fields that a request has as its body has them. */
const AS_ASKED = [
  ...(Object.keys(botFields) as (keyof typeof botFields)[]),
  ...(['bot_name', 'extra', 'bot_image', 'bot_image_config', 'entry_message', 'agent'] as const),
  ...(['allow_multiple_bots', 'conf_config', 'account_pool'] as const),
] satisfies (keyof ChangedFields & keyof BotRequest)[]

export function requestOfBody(body: BotFields): BotRequest
export function requestOfBody(body: ChangedFields): Partial<BotRequest>
export function requestOfBody(body: ChangedFields): Partial<BotRequest> {
  const { timeout_config, streaming_config, transcription_config: speech } = body
  const request: Partial<BotRequest> = {
    ...Object.fromEntries(AS_ASKED.map((name) => [name, body[name]])),
    timeout_config: timeout_config && limitsOf(timeout_config),
    streaming: part(body.streaming_enabled, streaming_config && streamOf(streaming_config)),
    transcription: part(body.transcription_enabled, {
      provider: transcriptionProvider(speech?.provider ?? 'default') ?? 'Default',
      api_key: speech?.api_key,
      custom_params: speech?.custom_params,
      ...(speech?.mode && { mode: speech.mode }),
    }),
    callback: part(body.callback_enabled, body.callback_config),
  }
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined))
}

/** Undefined if the body does not say whether the part is on. */
function part<T>(isEnabled: boolean | undefined, config: T | null | undefined): T | null | undefined {
  if (isEnabled === undefined) return undefined
  return isEnabled ? (config ?? null) : null
}

function limitsOf({ max_recording_duration: longest, ...limits }: CreateBotBody['timeout_config']) {
  return { ...limits, ...(longest && { recording_timeout: longest }) }
}

function streamOf({ input_url, output_url, audio_frequency }: NonNullable<CreateBotBody['streaming_config']>) {
  return { input: input_url, output: output_url, audio_frequency }
}
