/** Bots with everything that is stored about them, for the jobs of the service. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NewBotRow } from '@standin/control-plane/store/rows/index.ts'
import { sql } from 'kysely'
import { beforeEach, expect } from 'vitest'
import type { DeletionTools } from '../../../../control-plane/files/jobs/deletion.ts'
import { ownKeys } from '../../../../control-plane/files/jobs/provider-deletion.ts'
import type { FileStore } from '../../../../control-plane/platform/ports.ts'
import { requestDeletion } from '../../../../control-plane/store/bots/deletions.ts'
import { insertMessages } from '../../../../control-plane/store/webhooks/messages.ts'
import { emptyDatabase } from '../../postgres.ts'
import { openWorld, quiet, seals, type WebhookWorld } from '../../world.ts'

export const MARKER = 'MARKER-OF-THE-MEETING'
const MARKED = { text: MARKER }
export const MARKED_JSON = JSON.stringify(MARKED)

/** Each test begins without a bot, and with a new team. */
export async function openJobWorld() {
  const world = await openWorld({ webhooks: true })
  const { database } = world
  const { root, files } = world.folder()
  const jobs = {
    ...world,
    root,
    files,
    team: '',
    deletionTools: (store: FileStore = files, provider: DeletionTools['provider'] = null): DeletionTools => ({
      ...{ database, files: store, log: quiet, provider, ownKeyOf: ownKeys(seals) },
    }),
    recordedBot: (values: Partial<NewBotRow> = {}) => recordedBot(world, root, jobs.team, values),
    requestDeletion: (bot: string) =>
      database.transaction().execute((tx) => requestDeletion(tx, bot, { reason: 'request', by: 'key 1' })),
    receipt: async (bot: string) => (await world.rows('deletions', { bot_id: bot }))[0]!,

    /** Every text, jsonb and bytea column of every table that holds the marker. */
    async placesOfMarker(): Promise<string[]> {
      const { rows } = await sql<{ table_name: string; column_name: string }>`
        select table_name, column_name from information_schema.columns
        where table_schema = 'public' and data_type in ('text', 'jsonb', 'bytea', 'character varying')`.execute(
        database,
      )
      expect(rows.length).toBeGreaterThan(40)
      const places: string[] = []
      for (const { table_name: table, column_name: column } of rows) {
        const found = await sql`
          select 1 from ${sql.table(table)}
          where position(convert_to(${MARKER}, 'utf8') in
            case when pg_typeof(${sql.ref(column)}) = 'bytea'::regtype then ${sql.ref(column)}::text::bytea
              else convert_to(${sql.ref(column)}::text, 'utf8') end) > 0 limit 1`.execute(database)
        if (found.rows.length > 0) places.push(`${table}.${column}`)
      }
      return places
    },
  }
  beforeEach(async () => {
    await emptyDatabase(database)
    jobs.team = await world.teamId()
  })
  return jobs
}

/** A request with a text of the caller in every field that can hold one. */
const REQUEST = {
  entry_message: MARKER,
  bot_image: `https://a.test/${MARKER}.png`,
  callback: { url: `https://a.test/${MARKER}`, method: 'POST' },
  webhook_url: `https://a.test/${MARKER}`,
  streaming: { input: `wss://a.test/${MARKER}`, output: null },
  transcription: { provider: 'Default', custom_params: { word: MARKER } },
  conf_config: { obf_token_url: `https://a.test/${MARKER}` },
  account_pool: MARKER,
  timeout_config: { silence_timeout: 700 },
}

/** A bot that recorded, with something said in every table that can hold it. */
async function recordedBot(world: WebhookWorld, root: string, team: string, values: Partial<NewBotRow>) {
  const { database, insert } = world
  const at = new Date()
  const bot = await world.addBot(team, {
    ...{ participants: [{ name: MARKER, id: 1 }], speakers: [{ name: MARKER, id: 1 }], report: MARKED },
    ...{ transcription_ids: [MARKER], transcription_status: 'done', secrets: Buffer.from('sealed') },
    ...{
      ended_at: at,
      attempt: 1,
      joined_attempt: 1,
      extra: { deep: [MARKED] },
      deduplication_key: `${MARKER} ${randomUUID()}`,
    },
    ...{ meeting_url: `https://zoom.us/j/1234567890?pwd=${MARKER}`, request: REQUEST, ...values },
  })
  const ofAttempt = { bot_id: bot, attempt: 1 }
  const event = { ...ofAttempt, journal_id: randomUUID(), at, event: MARKED_JSON }
  const types = ['chat_message', 'transcript', 'participant_joined']
  await insert('bot_events', ...types.map((type, seq) => ({ ...event, seq, type })))
  const launch = { ...ofAttempt, launcher: 'process', token_hash: Buffer.from(bot) }
  await insert('launches', { ...launch, log_tail: MARKER, evidence: MARKED_JSON })
  await insert('bot_steps', { bot_id: bot, at, kind: 'status', evidence: MARKED_JSON })
  const command = JSON.stringify({ type: 'send_chat_message', text: MARKER })
  await insert('bot_commands', { bot_id: bot, command, expires_at: at, answer: MARKED_JSON })
  await insert('retranscriptions', {
    ...{ bot_id: bot, provider: 'Default', has_own_key: false, custom_params: MARKED_JSON },
    ...{ earlier: '{}', last_error: MARKER, finished_at: at, webhook_url: `https://a.test/${MARKER}` },
  })
  await world.endpoint({ teamId: team, kind: 'callback', botId: bot, url: `https://a.test/${MARKER}` })
  const logged = { team_id: team, key_id: bot, request_id: 'r', method: 'GET', status: 400, ms: 1, left_out: 0, at }
  for (const [path, error] of [
    [`/v2/bots?extra=deep:${MARKER}`, null],
    ['/v2/bots', MARKER],
  ] as const)
    await insert('request_log', { ...logged, path, error_body: error })
  const message = { id: `msg_${bot}`, channel: 'callback', event: 'bot.completed', body: { data: { name: MARKER } } }
  const whose = { teamId: team, botId: bot, orderingKey: bot, isCompat: false }
  await database.transaction().execute((tx) => insertMessages(tx, [{ ...message, ...whose } as never]))
  const [delivery] = await world.rows('deliveries', { bot_id: bot })
  await insert('delivery_attempts', { delivery_id: delivery!.id, duration_ms: 1, answer: MARKER })

  const folder = join(root, bot, '1', bot)
  mkdirSync(join(folder, 'screenshots'), { recursive: true })
  const names = ['video.mp4', 'audio.m4a', 'transcription.json', 'screenshots/0002.png', 'screenshots/0001.png']
  for (const name of names) writeFileSync(join(folder, name), MARKER)
  // A file of an earlier attempt, which no table knows.
  mkdirSync(join(root, bot, '0'))
  writeFileSync(join(root, bot, '0', 'raw.tape'), MARKER)
  const stored = { ...ofAttempt, bytes: MARKER.length }
  await insert('artifacts', ...names.map((name) => ({ ...stored, name, location: join(folder, name) })))
  return bot
}
