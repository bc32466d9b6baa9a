/** What a change of a scheduled bot makes of it. */
import { type MeetingLink, readMeetingLink } from '../../../bots/meeting-link.ts'
import type { BotRequest, BotSecrets } from '../../../bots/request.ts'
import { requestOf } from '../../../bots/row.ts'
import type { BotPatch, BotRow } from '../../../store/tables.ts'
import { addressProblem } from '../../addresses.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../errors.ts'
import { type BotFields, requestOfBody } from '../bots/normalize.ts'
import { timeoutConfig } from '../bots/schema.ts'
import { joinTimeOf } from './join-time.ts'
import type { ChangeScheduledBody } from './schema.ts'

export interface Change {
  request: BotRequest
  secrets: BotSecrets
  patch: BotPatch
  isCallbackChanged: boolean
}

const SWITCHES = ['streaming', 'transcription', 'callback'] as const

/** Rejects with 400 what no bot may have; nothing here depends on the stored bot. */
export function checkChange(
  body: ChangeScheduledBody,
  { client, settings, clock }: Pick<ApiDependencies, 'client' | 'settings' | 'clock'>,
): { meeting: MeetingLink | null; joinAt: Date | null } {
  for (const part of SWITCHES)
    if (body[`${part}_config`] && body[`${part}_enabled`] === undefined)
      throw refusals.validation(`body/${part}_config goes together with ${part}_enabled`)
  const problem = addressProblem(client, requestOfBody(withDefaults(body)).request)
  if (problem !== null) throw refusals.validation(`body/${problem}`)
  const joinAt = body.join_at === undefined ? null : joinTimeOf(body.join_at, clock.now())
  if (body.meeting_url === undefined) return { meeting: null, joinAt }
  const meeting = readMeetingLink(body.meeting_url, settings.jitsiHosts)
  if (meeting === null) throw refusals.meetingPlatform()
  return { meeting, joinAt }
}

/** The bot with the fields of the change; those that are left out stay. */
export function changeOf(
  bot: BotRow,
  stored: BotSecrets,
  body: ChangeScheduledBody,
  { meeting, joinAt }: ReturnType<typeof checkChange>,
): Change {
  const given = requestOfBody(withDefaults(body))
  const before = requestOf(bot)
  const has = (field: keyof ChangeScheduledBody) => body[field] !== undefined
  const pick = <Part extends keyof BotRequest>(part: Part, field: keyof ChangeScheduledBody) =>
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
  const secret = <Name extends keyof BotSecrets>(name: Name, field: keyof ChangeScheduledBody) => {
    const value = has(field) ? given.secrets[name] : stored[name]
    return value === undefined ? {} : { [name]: value }
  }
  const secrets: BotSecrets = {
    ...stored,
    transcriptionApiKey: undefined,
    callbackSecret: undefined,
    obfToken: undefined,
    ...secret('transcriptionApiKey', 'transcription_enabled'),
    ...secret('callbackSecret', 'callback_enabled'),
    ...secret('obfToken', 'conf_config'),
  }
  const patch: BotPatch = {
    request,
    is_exclusive: !request.allowMultipleBots,
    transcription_status: request.transcription === null ? 'not-applicable' : 'not-started',
    ...(body.bot_name !== undefined && { bot_name: body.bot_name }),
    ...(body.recording_mode !== undefined && { recording_mode: body.recording_mode }),
    ...(body.extra !== undefined && { extra: body.extra }),
    ...(joinAt !== null && { join_at: joinAt, due_at: joinAt }),
    ...(meeting !== null && {
      meeting_url: meeting.url,
      meeting_key: meeting.key,
      meeting_platform: meeting.platform,
    }),
  }
  return { request, secrets, patch, isCallbackChanged: has('callback_enabled') }
}

function rotationOf(body: ChangeScheduledBody, before: BotRequest): BotRequest['imageRotation'] {
  const images = body.bot_image === undefined ? before.images : [body.bot_image ?? []].flat()
  if (images.length < 2) return null
  const mode = body.bot_image_config?.loop_mode ?? before.imageRotation?.mode ?? 'auto'
  return { mode, seconds: body.bot_image_config?.image_duration ?? before.imageRotation?.seconds ?? 30 }
}

/** A whole body, of which only the fields that were given are used. */
function withDefaults(body: ChangeScheduledBody): BotFields {
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
