/** A caller can ask for everything that the worker can do: each field of a job comes from /v2, or is left out for a stated reason. */

import { requestOfBody } from '@standin/control-plane/api/v2/bots/request.ts'
import { createBotBody } from '@standin/control-plane/api/v2/bots/schema.ts'
import { jobSchema } from '@standin/wire/job.ts'
import { expect, test } from 'vitest'
import type { ZodType } from 'zod'
import { columnsOf } from '../../../control-plane/bots/request.ts'
import { jobOf } from '../../../control-plane/launching/due/job.ts'
import { botRow } from './bot-row.ts'

/** Fields of the job that no caller sets, and who decides them instead. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  bot_id: 'made by the service',
  meeting_url: 'a column of its own: `meeting_url`',
  not_before: '`join_at` of a scheduled bot',
  wait_for_welcome_seconds: 'decided by the launcher',
  traceparent: 'the trace of the request',
  continues: 'a bot that replaces a crashed one',
  denials: 'counted by the service over the attempts of a bot',
  control_plane: 'made for each attempt',
  storage: 'the storage of the installation: a caller who could name another place could read or overwrite other files',
  browser_state: 'a file of the machine or of the storage of the installation, which a caller must not name',
  keeps_browser_state: 'likewise',
  conf_sdk_id: 'a stored credential that `conf_config` names',
  conf_sdk_pwd: 'likewise',
  conf_obf_token: '`conf_config.obf_token`',
  conf_obf_token_url: '`conf_config.obf_token_url`',
  conf_obf_token_user_id: '`conf_config.credential_user_id`',
  conf_fresh_tokens: 'decided by the launcher',
  conf_access_token: 'a stored credential',
  conf_access_token_url: '`conf_config.zak_token_url`',
  teams_token: 'a stored credential of a registered bot',
  teams_fresh_tokens: 'decided by the launcher',
  words: 'the words of the operator',
  voice_api_key: 'the key of the operator, `STANDIN_VOICE_KEY`',
  egress: 'the network of the operator, who decides by team and platform',
  conf_config: 'resolved by the launcher into the fields `conf_…` of the job',
  'streaming.set_up_timeout':
    'a receiver that is away costs its stream, not the recording, so no bot waits longer for it',
  'streaming.is_required': 'likewise',
  'transcription.timeout': 'a limit of the operator: the worker holds a place on its machine meanwhile',
  'timeout_config.bot_names': 'a list that belongs to the program, not to a meeting',
  'timeout_config.storing_timeout': 'a limit of the operator, as that of the transcript',
  'timeout_config.removed_too_early': 'the line between two end codes, which has to be the same for all bots',
}

/** Every field of `/v2` with a value that is not its default. */
const ASKED = {
  bot_name: 'Notes',
  meeting_url: 'https://meet.google.com/abc-defg-hij',
  bot_image: ['https://example.com/a.png', 'https://example.com/b.png'],
  bot_image_config: { loop_mode: 'bot_status', image_duration: 20 },
  recording_mode: 'gallery_view',
  frame_rate: 30,
  separate_tracks: true,
  recording_consent: 'refuse',
  account: 'always',
  output_media: {
    camera: { kind: 'webpage', url: 'https://example.com/page' },
    screen: { kind: 'webpage', url: 'https://example.com/screen' },
  },
  entry_message: 'Hello',
  timeout_config: {
    ...{ waiting_room_timeout: 700, no_one_joined_timeout: 701, silence_timeout: 702, grace_period: 7 },
    ...{ max_recording_duration: 7300, everyone_left_timeout: 31, only_bots_timeout: 303 },
  },
  extra: { order: '17' },
  streaming_enabled: true,
  streaming_config: {
    ...{ input_url: 'wss://example.com/in', output_url: 'wss://example.com/out', audio_frequency: 48_000 },
  },
  transcription_enabled: true,
  transcription_config: {
    provider: 'deepgram',
    api_key: 'k',
    custom_params: { language: 'de' },
    mode: 'live_and_after',
  },
}

/** An agent speaks at the default rate of streams. */
const WITH_AGENT = {
  ...{ ...ASKED, streaming_config: { output_url: 'wss://example.com/out' } },
  agent: {
    ...{
      provider: 'elevenlabs',
      agent_id: 'a',
      url: 'wss://example.com/agent',
      model: 'm',
      voice: 'v',
      address: 'always',
    },
    ...{ instructions: 'Be kind.', greeting: 'Hello', wake_phrases: ['you'], mute_words: ['hush'] },
    limits: { spoken_seconds: 7, session_seconds: 8 },
    tools: [{ type: 'leave' }, { type: 'webhook', name: 'find', description: 'Finds.', url: 'https://example.com/' }],
    ...{ api_key: 'k', webhook_secret: 's' },
  },
}

test('each field of a job is set by a field of /v2, or left out for a reason that still holds', () => {
  const notAsked = unasked(ASKED).filter((field) => unasked(WITH_AGENT).includes(field))
  expect(notAsked).toEqual([])
})

function unasked(body: object): string[] {
  const { columns, secrets } = columnsOf(requestOfBody(createBotBody.parse(body)))
  const job = jobOf({
    bot: botRow({ ...columns, meeting_url: ASKED.meeting_url }),
    ...{ secrets, grant: null, waitForWelcomeSeconds: 1 },
    storage: { type: 'folder', path: 'recordings' },
    link: { url: 'wss://example.com/link', token: 't' },
  })
  const plain = jobSchema.parse({ bot_id: job.bot_id, meeting_url: ASKED.meeting_url })
  const asked = valuesOf(jobSchema, job)
  const usual = valuesOf(jobSchema, plain)
  const notAsked = [...asked].filter(([field, value]) => JSON.stringify(value) === JSON.stringify(usual.get(field)))
  for (const field of Object.keys(LEFT_OUT)) expect([...asked.keys()], 'no longer a field of the job').toContain(field)
  return notAsked.map(([field]) => field).filter((field) => LEFT_OUT[field] === undefined)
}

/** The value of each field; those of an object one by one, if the whole object is not left out. */
function valuesOf(schema: ZodType, value: unknown, prefix = ''): Map<string, unknown> {
  const shape = shapeOf(schema)
  if (shape === null) return new Map([[prefix, value]])
  const fields = value as Record<string, unknown> | null | undefined
  return new Map(
    Object.entries(shape).flatMap(([name, inner]) => {
      const field = prefix === '' ? name : `${prefix}.${name}`
      return LEFT_OUT[field] === undefined ? [...valuesOf(inner, fields?.[name], field)] : [[field, fields?.[name]]]
    }),
  )
}

/** The fields of an object, however optional it is; null for everything else. */
function shapeOf(schema: ZodType): Record<string, ZodType> | null {
  const inner = schema as ZodType & { shape?: Record<string, ZodType>; unwrap?: () => ZodType; in?: ZodType }
  if (inner.shape !== undefined) return inner.shape
  return inner.unwrap === undefined || 'element' in inner ? null : shapeOf(inner.unwrap())
}
