/** Bots with everything that is stored about them, for the jobs of the service. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NewBotRow } from '@standin/control-plane/rows/index.ts'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { createFolderStore } from '../../../control-plane/files/folder-store.ts'
import { createLinkSigner } from '../../../control-plane/files/signed-links.ts'
import type { DeletionTools } from '../../../control-plane/jobs/deletion.ts'
import { ownKeys } from '../../../control-plane/jobs/provider-deletion.ts'
import type { FileStore } from '../../../control-plane/ports.ts'
import { requestDeletion } from '../../../control-plane/store/bots/deletions.ts'
import { insertMessages } from '../../../control-plane/store/webhooks/messages.ts'
import { emptyDatabase } from '../postgres.ts'
import { openWorld, quiet, seals, type World } from '../webhooks/world.ts'

export const MARKER = 'MARKER-OF-THE-MEETING'
export const MARKED_JSON = JSON.stringify({ text: MARKER })

export class JobWorld {
  readonly webhooks: World
  readonly root: string
  readonly files: FileStore
  /** Of this test. */
  team = ''

  private constructor(webhooks: World) {
    this.webhooks = webhooks
    this.root = mkdtempSync(join(tmpdir(), 'standin-jobs-'))
    const signer = createLinkSigner({ secret: Buffer.alloc(32, 1), publicUrl: 'https://api.test', now: Date.now })
    this.files = createFolderStore(this.root, signer)
  }

  get database() {
    return this.webhooks.database
  }

  static async open(): Promise<JobWorld> {
    return new JobWorld(await openWorld())
  }

  /** Before each test: no bot, and a new team. */
  async begin(): Promise<void> {
    await emptyDatabase(this.database)
    this.team = await this.webhooks.team()
  }

  async close(): Promise<void> {
    rmSync(this.root, { recursive: true })
    await this.webhooks.close()
  }

  deletionTools(files = this.files, provider: DeletionTools['provider'] = null): DeletionTools {
    return { database: this.database, files, log: quiet, provider, ownKeyOf: ownKeys(seals) }
  }

  /** A bot that recorded, with something said in every table that can hold it. */
  async recordedBot(values: Partial<NewBotRow> = {}): Promise<string> {
    const { webhooks, root, database } = this
    const bot = await webhooks.bot(this.team, {
      participants: JSON.stringify([{ name: MARKER, id: 1 }]),
      speakers: JSON.stringify([{ name: MARKER, id: 1 }]),
      report: MARKED_JSON,
      transcription_ids: JSON.stringify([MARKER]),
      transcription_status: 'done',
      secrets: Buffer.from('sealed'),
      ended_at: new Date(),
      attempt: 1,
      joined_attempt: 1,
      ...values,
    })
    const journal = randomUUID()
    const at = new Date()
    await database
      .insertInto('bot_events')
      .values(
        ['chat_message', 'transcript', 'participant_joined'].map((type, seq) => ({
          bot_id: bot,
          journal_id: journal,
          seq,
          attempt: 1,
          type,
          at,
          event: MARKED_JSON,
        })),
      )
      .execute()
    await database
      .insertInto('launches')
      .values({
        bot_id: bot,
        attempt: 1,
        launcher: 'process',
        token_hash: Buffer.from(bot),
        log_tail: MARKER,
        evidence: MARKED_JSON,
      })
      .execute()
    await database.insertInto('bot_steps').values({ bot_id: bot, at, kind: 'status', evidence: MARKED_JSON }).execute()
    await database
      .insertInto('bot_commands')
      .values({
        bot_id: bot,
        command: JSON.stringify({ type: 'send_chat_message', text: MARKER }),
        expires_at: at,
        answer: MARKED_JSON,
      })
      .execute()
    await database
      .insertInto('retranscriptions')
      .values({
        bot_id: bot,
        provider: 'Default',
        has_own_key: false,
        custom_params: MARKED_JSON,
        earlier: '{}',
        last_error: MARKER,
        finished_at: at,
      })
      .execute()
    await webhooks.endpoint({ teamId: this.team, kind: 'callback', botId: bot, url: 'https://a.test' })
    const message = {
      id: `msg_${bot}`,
      channel: 'callback',
      event: 'bot.completed',
      body: { data: { name: MARKER } },
      teamId: this.team,
      botId: bot,
      orderingKey: bot,
      isCompat: false,
    } as const
    await database.transaction().execute((tx) => insertMessages(tx, [message]))
    const delivery = await database
      .selectFrom('deliveries')
      .select('id')
      .where('bot_id', '=', bot)
      .executeTakeFirstOrThrow()
    await database
      .insertInto('delivery_attempts')
      .values({ delivery_id: delivery.id, duration_ms: 1, answer: MARKER })
      .execute()

    const folder = join(root, bot, '1', bot)
    mkdirSync(join(folder, 'screenshots'), { recursive: true })
    const names = ['video.mp4', 'audio.m4a', 'transcription.json', 'screenshots/0002.png', 'screenshots/0001.png']
    for (const name of names) writeFileSync(join(folder, name), MARKER)
    // A file of an earlier attempt, which no table knows.
    mkdirSync(join(root, bot, '0'))
    writeFileSync(join(root, bot, '0', 'raw.tape'), MARKER)
    await database
      .insertInto('artifacts')
      .values(
        names.map((name) => ({ bot_id: bot, attempt: 1, name, location: join(folder, name), bytes: MARKER.length })),
      )
      .execute()
    return bot
  }

  /** Every text, jsonb and bytea column of every table that holds the marker. */
  async placesOfMarker(): Promise<string[]> {
    const { rows } = await sql<{ table_name: string; column_name: string }>`
      select table_name, column_name from information_schema.columns
      where table_schema = 'public' and data_type in ('text', 'jsonb', 'bytea', 'character varying')`.execute(
      this.database,
    )
    expect(rows.length).toBeGreaterThan(40)
    const places: string[] = []
    for (const { table_name: table, column_name: column } of rows) {
      const found = await sql`
        select 1 from ${sql.table(table)}
        where position(convert_to(${MARKER}, 'utf8') in
          case when pg_typeof(${sql.ref(column)}) = 'bytea'::regtype then ${sql.ref(column)}::text::bytea
            else convert_to(${sql.ref(column)}::text, 'utf8') end) > 0 limit 1`.execute(this.database)
      if (found.rows.length > 0) places.push(`${table}.${column}`)
    }
    return places
  }

  requestDeletion(bot: string) {
    return this.database.transaction().execute((tx) => requestDeletion(tx, bot, { reason: 'request', by: 'key 1' }))
  }

  receipt(bot: string) {
    return this.database.selectFrom('deletions').selectAll().where('bot_id', '=', bot).executeTakeFirstOrThrow()
  }
}
