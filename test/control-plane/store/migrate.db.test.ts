import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate, missingMigrations, NewerDatabase, OlderDatabase } from '../../../control-plane/store/migrate.ts'
import { addCalendar, addEvent } from '../api/calendars/fake.ts'
import { openTestDatabase, type TestDatabase } from '../postgres.ts'

const LATER = [
  '0110-requests',
  '0120-indexes',
  '0130-lists',
  '0140-audit-log',
  '0145-old-rows',
  '0148-people-of-teams',
  '0150-row-security',
  '0170-end-cause',
  '0180-connecting',
  '0185-sign-ins',
  '0186-request-log',
  '0188-invitations',
  '0190-reasons',
  '0200-accounts',
  '0207-teams-apps',
  '0212-followed-events',
  '0213-attempt-usage',
]
let world: TestDatabase
beforeAll(async () => {
  world = await openTestDatabase()
})
afterAll(() => world.close())

const anyDatabase = () => world.database as never

test('a second migration changes nothing', async () => {
  expect(await migrate(anyDatabase())).toEqual([])
  expect(await missingMigrations(anyDatabase())).toEqual([])
})

test('a database of a newer version is refused with the names of its unknown migrations', async () => {
  await sql`insert into kysely_migration (name, timestamp) values ('9999-future', now()::text)`.execute(world.database)
  const refused = migrate(anyDatabase())
  await expect(refused).rejects.toThrow(NewerDatabase)
  await expect(refused).rejects.toThrow(
    'belongs to a newer version of Standin: this version does not know its migration 9999-future',
  )
  await sql`delete from kysely_migration where name = '9999-future'`.execute(world.database)
  expect(await migrate(anyDatabase())).toEqual([])
})

const EARLIER = [
  '0001-first-tables',
  '0002-calendars',
  '0003-connections',
  '0010-performance',
  '0020-provider-deletions',
  '0030-job-offers',
  '0040-people',
  '0050-alerts',
  '0060-identities',
  '0070-resumed-bots',
  '0080-traces',
  '0090-live-pictures',
]
const names = async () => {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(world.database)
  return rows.map(({ name }) => name)
}
/** Removes what migrations after the tables added. */
const dropLater = async () => {
  await sql`drop index bots_by_transcript, bot_commands_leave, bots_older_of_team, deliveries_of_team,
    deliveries_given_up_of_team, deliveries_by_end, messages_by_age, sign_in_links_of_person`.execute(world.database)
  await sql`alter table bots drop column history_deleted_at, drop column end_cause,
    drop column reason, drop column denials, drop column account_id, drop column account_place`.execute(world.database)
  await sql`alter table connections drop column platform, drop column tenant_id`.execute(world.database)
  await sql`alter table sessions drop column consent_state`.execute(world.database)
  await sql`do $$ declare one record; begin
    for one in select tablename from pg_policies where policyname = 'of_team' loop
      execute format('drop policy of_team on %I', one.tablename);
      execute format('alter table %I disable row level security', one.tablename);
    end loop; end $$`.execute(world.database)
  await sql`drop function team_of_bot`.execute(world.database)
  await sql`drop operator == (uuid, uuid), !== (uuid, uuid)`.execute(world.database)
  await sql`drop table audit_log, sign_in_people, request_log, team_events, team_event_counts, event_inbox, attempt_usage, accounts`.execute(
    world.database,
  )
  await sql`alter table endpoints drop column live_types, drop column live_within_ms`.execute(world.database)
  await sql`alter table sign_in_links drop column sign_in, drop column is_invitation`.execute(world.database)
  await sql`alter table sessions drop column sign_in`.execute(world.database)
  await sql`drop function refuse_change_of_audit_log`.execute(world.database)
}
const setNames = async (wanted: readonly string[]) => {
  await sql`delete from kysely_migration`.execute(world.database)
  await sql`insert into kysely_migration (name, timestamp) select name, now()::text
    from unnest(${wanted}::text[]) name`.execute(world.database)
}

test('a database with all earlier migrations has the same tables, and is kept', async () => {
  const now = await names()
  await world.database.insertInto('settings').values({ name: 'kept', value: '1' }).execute()
  await dropLater()
  await setNames(EARLIER)
  const made = await Promise.all([migrate(anyDatabase()), migrate(anyDatabase())])
  expect(made.flat()).toEqual(LATER)
  expect(await names()).toEqual(now)
  expect(await missingMigrations(anyDatabase())).toEqual([])
  expect(await world.database.selectFrom('settings').where('name', '=', 'kept').selectAll().execute()).toHaveLength(1)
})

test('a database with some of the earlier migrations is refused with what to do, and stays as it is', async () => {
  const now = await names()
  await setNames(EARLIER.slice(0, -1))
  const refused = migrate(anyDatabase())
  await expect(refused).rejects.toThrow(OlderDatabase)
  await expect(refused).rejects.toThrow(
    'belongs to an older version of Standin and lacks its migration 0090-live-pictures. Start the last version that has it once',
  )
  expect(await names()).toEqual(EARLIER.slice(0, -1))
  await setNames(now)
})

test('requests of the earlier form get the names of the job, those of bots and of calendar events', async () => {
  const { rows: teams } = await sql<{ id: string }>`insert into teams (name) values ('Old') returning id`.execute(
    world.database,
  )
  const team = teams[0]!.id
  const old = {
    images: ['https://example.com/1.png', 'https://example.com/2.png'],
    imageRotation: { mode: 'bot_status', seconds: 45 },
    entryMessage: 'Hello',
    timeouts: { waitingRoom: 120, noOneJoined: 130, silence: 300, grace: 5, maxRecording: 7200 },
    streaming: { inputUrl: null, outputUrl: 'wss://example.com/out', audioFrequency: 16000 },
    transcription: { provider: 'deepgram', hasOwnKey: true, customParams: { language: 'de', prompt: null } },
    callback: { url: 'https://example.com/cb', method: 'PUT', hasSecret: true },
    webhookUrl: 'https://example.com/hook',
    conferencing: {
      ...{ credentialId: null, credentialUserId: 'ann', obfTokenUrl: null, zakTokenUrl: 'https://example.com/zak' },
      ...{ hasObfToken: true, hasSdkKeys: true },
    },
    allowMultipleBots: false,
  }
  const plain = {
    ...{ images: [], imageRotation: null, entryMessage: null, streaming: null, transcription: null, callback: null },
    ...{ webhookUrl: null, conferencing: null, allowMultipleBots: true },
    timeouts: { waitingRoom: 600, noOneJoined: 600, silence: 600, grace: 0, maxRecording: null },
  }
  const fields = {
    bot_image: ['https://example.com/1.png', 'https://example.com/2.png'],
    bot_image_config: { loop_mode: 'bot_status', image_duration: 45 },
    entry_message: 'Hello',
    timeout_config: {
      ...{ waiting_room_timeout: 120, no_one_joined_timeout: 130, silence_timeout: 300 },
      ...{ grace_period: 5, recording_timeout: 7200 },
    },
    streaming: { input: null, output: 'wss://example.com/out', audio_frequency: 16000 },
    transcription: { provider: 'deepgram', custom_params: { language: 'de', prompt: null } },
    callback: { url: 'https://example.com/cb', method: 'PUT' },
    webhook_url: 'https://example.com/hook',
    conf_config: {
      ...{ credential_id: null, credential_user_id: 'ann', obf_token_url: null },
      zak_token_url: 'https://example.com/zak',
    },
    allow_multiple_bots: false,
    sealed: ['transcriptionApiKey', 'obfToken', 'sdkId', 'sdkPassword', 'callbackSecret'],
  }
  const nothing = {
    ...{ bot_image: null, bot_image_config: null, entry_message: null, streaming: null, transcription: null },
    ...{ callback: null, webhook_url: null, conf_config: null, allow_multiple_bots: true, sealed: [] },
    timeout_config: {
      ...{ waiting_room_timeout: 600, no_one_joined_timeout: 600, silence_timeout: 600, grace_period: 0 },
    },
  }
  const addBot = async (request: object, isExclusive: boolean) => {
    const { rows } = await sql<{ id: string }>`
      insert into bots (id, team_id, generation, phase, status, bot_name, meeting_url, meeting_key, meeting_platform,
        recording_mode, request, is_exclusive)
      values (gen_random_uuid(), ${team}, 'v2', 'closed', 'completed', 'Bot', 'x', 'x', 'meet', 'speaker_view',
        ${JSON.stringify(request)}::jsonb, ${isExclusive}) returning id`.execute(world.database)
    return rows[0]!.id
  }
  const bots = [await addBot(old, true), await addBot(plain, false), await addBot({}, false)]
  const bot = { name: 'Notes', recordingMode: 'audio_only', extra: { a: 1 }, request: old, deduplicationKey: 'k' }
  const calendar = (await addCalendar(world.database, { teamId: team })).id
  const { id: event, series_id: series } = await addEvent(world.database, calendar)
  await sql`insert into calendar_intents (calendar_id, event_id, state, bot)
    values (${calendar}, ${event}, 'wanted', ${JSON.stringify(bot)}::jsonb)`.execute(world.database)
  await sql`insert into calendar_series_intents (calendar_id, series_id, bot)
    values (${calendar}, ${series}, ${JSON.stringify({ ...bot, extra: null, request: plain })}::jsonb)`.execute(
    world.database,
  )

  await dropLater()
  await sql`delete from kysely_migration where name > '0100-tables'`.execute(world.database)
  expect(await migrate(anyDatabase())).toEqual(LATER)

  const stored = await world.database.selectFrom('bots').select(['id', 'request']).where('id', 'in', bots).execute()
  expect(bots.map((id) => stored.find((one) => one.id === id)!.request)).toEqual([
    fields,
    nothing,
    { ...nothing, timeout_config: {} },
  ])
  const columns = { bot_name: 'Notes', recording_mode: 'audio_only', deduplication_key: 'k' }
  const ofEvent = await world.database.selectFrom('calendar_intents').select('bot').execute()
  expect(ofEvent).toEqual([{ bot: { ...fields, ...columns, extra: { a: 1 } } }])
  const ofSeries = await world.database.selectFrom('calendar_series_intents').select('bot').execute()
  expect(ofSeries).toEqual([{ bot: { ...nothing, ...columns, extra: null } }])
})
