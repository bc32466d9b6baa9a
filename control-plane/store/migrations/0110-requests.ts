/** Requests of bots are stored in the worker's own fields (`wire/job.ts`); before, they had other names and groups. */
import { type Kysely, sql } from 'kysely'

const JOB_FIELDS = `
create function pg_temp.job_fields(r jsonb) returns jsonb language sql immutable as $$
  select jsonb_build_object(
    'bot_image', case jsonb_array_length(coalesce(r->'images', '[]')) when 0 then null when 1 then r->'images'->0 else r->'images' end,
    'bot_image_config', case jsonb_typeof(r->'imageRotation') when 'object' then jsonb_build_object(
      'loop_mode', r->'imageRotation'->'mode', 'image_duration', r->'imageRotation'->'seconds') end,
    'entry_message', r->'entryMessage',
    'timeout_config', jsonb_strip_nulls(jsonb_build_object(
      'waiting_room_timeout', r->'timeouts'->'waitingRoom', 'no_one_joined_timeout', r->'timeouts'->'noOneJoined',
      'silence_timeout', r->'timeouts'->'silence', 'grace_period', r->'timeouts'->'grace',
      'recording_timeout', r->'timeouts'->'maxRecording')),
    'streaming', case jsonb_typeof(r->'streaming') when 'object' then jsonb_build_object(
      'input', r->'streaming'->'inputUrl', 'output', r->'streaming'->'outputUrl',
      'audio_frequency', r->'streaming'->'audioFrequency') end,
    'transcription', case jsonb_typeof(r->'transcription') when 'object' then jsonb_build_object(
      'provider', r->'transcription'->'provider', 'custom_params', r->'transcription'->'customParams') end,
    'callback', case jsonb_typeof(r->'callback') when 'object' then jsonb_build_object(
      'url', r->'callback'->'url', 'method', r->'callback'->'method') end,
    'webhook_url', r->'webhookUrl',
    'conf_config', case jsonb_typeof(r->'conferencing') when 'object' then jsonb_build_object(
      'credential_id', r->'conferencing'->'credentialId', 'credential_user_id', r->'conferencing'->'credentialUserId',
      'obf_token_url', r->'conferencing'->'obfTokenUrl', 'zak_token_url', r->'conferencing'->'zakTokenUrl') end,
    'allow_multiple_bots', coalesce(r->'allowMultipleBots', 'true'),
    'sealed',
      case when r->'transcription'->'hasOwnKey' = 'true' then '["transcriptionApiKey"]'::jsonb else '[]' end
      || case when r->'conferencing'->'hasObfToken' = 'true' then '["obfToken"]'::jsonb else '[]' end
      || case when r->'conferencing'->'hasSdkKeys' = 'true' then '["sdkId", "sdkPassword"]'::jsonb else '[]' end
      || case when r->'callback'->'hasSecret' = 'true' then '["callbackSecret"]'::jsonb else '[]' end)
$$`

const ofEvents = (table: string) => `
update ${table} set bot = pg_temp.job_fields(coalesce(bot->'request', '{}')) || jsonb_build_object(
  'bot_name', coalesce(bot->'name', '"Bot"'), 'recording_mode', coalesce(bot->'recordingMode', '"speaker_view"'),
  'extra', bot->'extra', 'deduplication_key', bot->'deduplicationKey')
where bot is not null`

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of [
    JOB_FIELDS,
    `update bots set request = pg_temp.job_fields(request) || jsonb_build_object('allow_multiple_bots', not is_exclusive)`,
    ofEvents('calendar_intents'),
    ofEvents('calendar_series_intents'),
    'drop function pg_temp.job_fields(jsonb)',
  ])
    await sql.raw(statement).execute(database)
}
