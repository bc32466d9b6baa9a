import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createArtifactLinks } from '../../../control-plane/files/artifact-links.ts'
import { createFolderStore } from '../../../control-plane/files/folder-store.ts'
import { createLinkSigner } from '../../../control-plane/files/signed-links.ts'
import { auditLedger } from '../../../control-plane/jobs/audit.ts'
import { type DeletionTools, deleteDue } from '../../../control-plane/jobs/deletion.ts'
import { startJobs } from '../../../control-plane/jobs/index.ts'
import { createProviderDeletion, ownKeys } from '../../../control-plane/jobs/provider-deletion.ts'
import { requestRetentionDeletions } from '../../../control-plane/jobs/retention.ts'
import type { FileStore } from '../../../control-plane/ports.ts'
import { requestDeletion } from '../../../control-plane/store/bots/deletions.ts'
import { readBotForMessages } from '../../../control-plane/store/bots/messages.ts'
import { sealedSecrets } from '../../../control-plane/store/bots/secrets.ts'
import { openDatabase } from '../../../control-plane/store/database.ts'
import { endTurn, keepTurn, takeTurn } from '../../../control-plane/store/job-turns.ts'
import type { NewBotRow } from '../../../control-plane/store/tables.ts'
import { writeLedger } from '../../../control-plane/store/teams/ledger.ts'
import { finishAttempt } from '../../../control-plane/store/webhooks/deliveries.ts'
import { claimDeliveries } from '../../../control-plane/store/webhooks/delivery-claims.ts'
import { insertMessages } from '../../../control-plane/store/webhooks/messages.ts'
import { resendEnd, sendCallback } from '../../../control-plane/webhooks/replay.ts'
import { openWorld, quiet, seals, type World } from '../webhooks/world.ts'

let world: World
let root: string
let files: FileStore
let team: string
beforeAll(async () => {
  world = await openWorld()
  root = mkdtempSync(join(tmpdir(), 'standin-jobs-'))
  const signer = createLinkSigner({ secret: Buffer.alloc(32, 1), publicUrl: 'https://api.test', now: Date.now })
  files = createFolderStore(root, signer)
})
beforeEach(async () => {
  await sql`truncate teams, settings, deletions, audit, bot_events cascade`.execute(world.database)
  team = await world.team()
})
afterAll(async () => {
  rmSync(root, { recursive: true })
  await world.close()
})

const deletionTools = (store: FileStore, provider: DeletionTools['provider'] = null): DeletionTools => ({
  database: world.database,
  files: store,
  log: quiet,
  provider,
  ownKeyOf: ownKeys(seals),
})

const MARKER = 'MARKER-OF-THE-MEETING'
const json = JSON.stringify({ text: MARKER })

/** A bot that recorded, with something said in every table that can hold it. */
async function recordedBot(values: Partial<NewBotRow> = {}): Promise<string> {
  const { database } = world
  const bot = await world.bot(team, {
    participants: JSON.stringify([{ name: MARKER, id: 1 }]),
    speakers: JSON.stringify([{ name: MARKER, id: 1 }]),
    report: json,
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
        event: json,
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
      evidence: json,
    })
    .execute()
  await database.insertInto('bot_steps').values({ bot_id: bot, at, kind: 'status', evidence: json }).execute()
  await database
    .insertInto('bot_commands')
    .values({
      bot_id: bot,
      command: JSON.stringify({ type: 'send_chat_message', text: MARKER }),
      expires_at: at,
      answer: json,
    })
    .execute()
  await database
    .insertInto('retranscriptions')
    .values({
      bot_id: bot,
      provider: 'Default',
      has_own_key: false,
      custom_params: json,
      earlier: '{}',
      last_error: MARKER,
      finished_at: at,
    })
    .execute()
  await world.endpoint({ teamId: team, kind: 'callback', botId: bot, url: 'https://a.test' })
  const message = {
    id: `msg_${bot}`,
    channel: 'callback',
    event: 'bot.completed',
    body: { data: { name: MARKER } },
    teamId: team,
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
async function placesOfMarker(): Promise<string[]> {
  const { rows } = await sql<{ table_name: string; column_name: string }>`
    select table_name, column_name from information_schema.columns
    where table_schema = 'public' and data_type in ('text', 'jsonb', 'bytea', 'character varying')`.execute(
    world.database,
  )
  expect(rows.length).toBeGreaterThan(40)
  const places: string[] = []
  for (const { table_name: table, column_name: column } of rows) {
    const found = await sql`
      select 1 from ${sql.table(table)}
      where position(convert_to(${MARKER}, 'utf8') in
        case when pg_typeof(${sql.ref(column)}) = 'bytea'::regtype then ${sql.ref(column)}::text::bytea
          else convert_to(${sql.ref(column)}::text, 'utf8') end) > 0 limit 1`.execute(world.database)
    if (found.rows.length > 0) places.push(`${table}.${column}`)
  }
  return places
}

const request = (bot: string) =>
  world.database.transaction().execute((tx) => requestDeletion(tx, bot, { reason: 'request', by: 'key 1' }))
const receipt = (bot: string) =>
  world.database.selectFrom('deletions').selectAll().where('bot_id', '=', bot).executeTakeFirstOrThrow()

describe('deletion', () => {
  test('leaves no byte of what a bot recorded', async () => {
    const bot = await recordedBot()
    expect((await placesOfMarker()).sort()).toEqual([
      'bot_commands.answer',
      'bot_commands.command',
      'bot_events.event',
      'bot_steps.evidence',
      'bots.participants',
      'bots.report',
      'bots.speakers',
      'bots.transcription_ids',
      'delivery_attempts.answer',
      'launches.evidence',
      'launches.log_tail',
      'messages.body',
      'retranscriptions.custom_params',
      'retranscriptions.last_error',
    ])
    expect(await request(bot)).toBe('requested')
    expect(await deleteDue(deletionTools(files))).toEqual({ deleted: 1, failed: 0 })
    expect(await placesOfMarker()).toEqual([])
    expect(await files.list(bot)).toEqual([])
    expect(await receipt(bot)).toMatchObject({
      reason: 'request',
      requested_by: 'key 1',
      files: 6,
      bytes: 6 * MARKER.length,
      verified_at: expect.any(Date),
      swept_at: null,
      last_error: null,
    })
    const row = await world.database.selectFrom('bots').selectAll().where('id', '=', bot).executeTakeFirstOrThrow()
    expect(row).toMatchObject({ secrets: null, bot_name: 'Bot', status: 'completed' })
    expect(await world.states()).toEqual({ dropped: 1 })
  })

  test('makes links null before the files are gone', async () => {
    const bot = await recordedBot()
    const links = createArtifactLinks(world.database, files)
    expect(await links.linksOf(bot)).toMatchObject({
      video: expect.stringContaining(`/files/${bot}/1/${bot}/video.mp4?`),
      audio: expect.any(String),
      transcription: expect.any(String),
      diarization: null,
      chat_messages: null,
      raw_transcription: null,
    })
    expect((await links.screenshotsOf(bot)).map(({ name }) => name)).toEqual([
      'screenshots/0001.png',
      'screenshots/0002.png',
    ])
    await request(bot)
    expect(new Set(Object.values(await links.linksOf(bot)))).toEqual(new Set([null]))
    expect(await links.sign(bot, 'video.mp4', 60)).toBeNull()
    expect(await links.olderTranscript(bot)).toEqual([])
    expect(await links.screenshotsOf(bot)).toEqual([])
  })

  test('is refused for a bot that is active, and done once', async () => {
    expect(await request(await recordedBot({ phase: 'running', status: 'in_call_recording' }))).toBe('active')
    expect(await request(randomUUID())).toBe('not_found')
    const bot = await recordedBot()
    expect(await request(bot)).toBe('requested')
    expect(await request(bot)).toBe('already_deleted')
    expect((await world.database.selectFrom('deletions').selectAll().execute()).length).toBe(1)
  })

  test('that fails is tried again and holds up no other', async () => {
    const bots = [await recordedBot(), await recordedBot()]
    for (const bot of bots) await request(bot)
    const broken: FileStore = {
      ...files,
      deletePrefix: async (prefix) => {
        if (prefix === bots[0]) throw new Error('The disk is away')
        return files.deletePrefix(prefix)
      },
    }
    expect(await deleteDue(deletionTools(broken))).toEqual({ deleted: 1, failed: 1 })
    expect(await receipt(bots[0]!)).toMatchObject({ verified_at: null, tries: 1, last_error: 'The disk is away' })
    expect(await deleteDue(deletionTools(files))).toEqual({ deleted: 0, failed: 0 })
    await world.database
      .updateTable('deletions')
      .set({ next_try_at: new Date() })
      .where('bot_id', '=', bots[0]!)
      .execute()
    expect(await deleteDue(deletionTools(files))).toEqual({ deleted: 1, failed: 0 })
    expect(await placesOfMarker()).toEqual([])
  })

  test('that has failed for hours waits for its next try, and others are done', async () => {
    const ids = await Promise.all(Array.from({ length: 51 }, () => world.bot(team)))
    for (const id of ids) await request(id)
    const last = ids.at(-1)!
    const broken: FileStore = {
      ...files,
      deletePrefix: async (prefix) => {
        if (prefix !== last) throw new Error('The disk is away')
        return files.deletePrefix(prefix)
      },
    }
    await sql`update deletions set tries = 12, requested_at = now() - interval '2 days',
      next_try_at = now() - interval '1 second' where bot_id <> ${last}`.execute(world.database)
    // The batch had no success, so the storage is not asked any more.
    expect(await deleteDue(deletionTools(broken))).toEqual({ deleted: 0, failed: 50 })
    const next = (await receipt(ids[0]!)).next_try_at.getTime() - Date.now()
    expect(next).toBeGreaterThan(2.8 * 3600_000)
    expect(next).toBeLessThan(2.9 * 3600_000)
    expect(await deleteDue(deletionTools(broken))).toEqual({ deleted: 1, failed: 0 })
  })

  test('leaves no webhook with an empty body: one that is being sent is not tried again', async () => {
    const bot = await recordedBot()
    const rules = { limit: 9, leaseSeconds: 60, perEndpoint: 9, perTeam: 9, busyEndpoints: {}, busyTeams: {} }
    const claim = randomUUID()
    const [sending] = await claimDeliveries(world.database, { ...rules, claim })
    await request(bot)
    await deleteDue(deletionTools(files))
    const timedOut = { durationMs: 1, status: null, error: 'Timeout', answer: null, isDelivered: false }
    const end = { nextInSeconds: 1, isGone: false }
    expect(await finishAttempt(world.database, sending!, claim, { ...timedOut, ...end })).toBe(false)
    expect(await world.states()).toEqual({ dropped: 1 })
  })

  test('is followed by no message with what it deletes', async () => {
    const bot = await recordedBot()
    const again = () => Promise.all([resendEnd(world.database, bot), sendCallback(world.database, seals, bot, null)])
    await world.database.deleteFrom('delivery_attempts').execute()
    await request(bot)
    await sql`update messages set body = '{}'`.execute(world.database)
    expect(await again()).toEqual(['sent', 'sent'])
    expect(await placesOfMarker()).not.toContain('messages.body')
  })

  test('that is asked for while a message is made blanks the message', async () => {
    const bot = await recordedBot()
    const asked = Promise.withResolvers<unknown>()
    await world.database.transaction().execute(async (tx) => {
      await readBotForMessages(tx, bot)
      let isAsked = false
      asked.resolve(request(bot).then(() => (isAsked = true)))
      const waiting = () => sql<{ count: number }>`select count(*) as count from pg_locks where not granted`.execute(tx)
      await expect.poll(async () => (await waiting()).rows[0]!.count, { timeout: 20_000 }).toBeGreaterThan(0)
      expect(isAsked).toBe(false)
    })
    await asked.promise
  })

  test('is not complete where files are left', async () => {
    const bot = await recordedBot()
    await request(bot)
    const lying: FileStore = { ...files, deletePrefix: async () => ({ files: 6, bytes: 1 }) }
    expect(await deleteDue(deletionTools(lying))).toEqual({ deleted: 0, failed: 1 })
    expect(await receipt(bot)).toMatchObject({ verified_at: null, last_error: '6 files are left after the deletion' })
  })

  test('deletes late files a day later', async () => {
    const bot = await recordedBot()
    await request(bot)
    await deleteDue(deletionTools(files))
    await files.write(`${bot}/1/late.mp4`, new Uint8Array(Buffer.from(MARKER)), 'video/mp4')
    await world.database
      .insertInto('bot_events')
      .values({
        bot_id: bot,
        journal_id: randomUUID(),
        seq: 1,
        attempt: 1,
        type: 'chat_message',
        at: new Date(),
        event: json,
      })
      .execute()
    expect(await deleteDue(deletionTools(files))).toEqual({ deleted: 0, failed: 0 })
    const { verified_at, next_try_at } = await receipt(bot)
    expect(next_try_at.getTime() - verified_at!.getTime()).toBe(24 * 3600_000)
    await world.database.updateTable('deletions').set({ next_try_at: new Date() }).execute()
    expect(await deleteDue(deletionTools(files))).toEqual({ deleted: 1, failed: 0 })
    expect(await files.list(bot)).toEqual([])
    expect(await placesOfMarker()).toEqual([])
    expect(await receipt(bot)).toMatchObject({ files: 7, swept_at: expect.any(Date) })
    expect(await deleteDue(deletionTools(files))).toEqual({ deleted: 0, failed: 0 })
  })
})

describe('transcripts at the speech provider', () => {
  /** Answers as AssemblyAI does: what is not of the key's account is not found. */
  async function openProvider(kept: Record<string, string>, status: number | null = null) {
    const asked: string[] = []
    const server = createServer((request, response) => {
      const id = request.url!.split('/').at(-1)!
      const key = String(request.headers.authorization)
      asked.push(`${request.method} ${request.url} ${key}`)
      const isTheirs = kept[id] === key
      if (isTheirs && status === null) delete kept[id]
      response.statusCode = status ?? (isTheirs ? 200 : 404)
      response.end('{}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const environment = {
      STANDIN_ASSEMBLYAI_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      STANDIN_ASSEMBLYAI_KEY: 'operators-key',
    }
    return { asked, kept, provider: createProviderDeletion({ client: world.client, environment }) }
  }
  const askAlso = (bot: string, fromProvider: boolean) =>
    world.database
      .transaction()
      .execute((tx) => requestDeletion(tx, bot, { reason: 'request', by: 'key 1', fromProvider }))
  const withIds = async (...ids: string[]) => {
    const id = randomUUID()
    const secrets = sealedSecrets(seals, id, { transcriptionApiKey: 'own-key' })
    return recordedBot({ id, transcription_ids: JSON.stringify(ids), secrets })
  }
  const idsOf = async (bot: string) =>
    world.database
      .selectFrom('bots')
      .select(['transcription_ids', 'secrets'])
      .where('id', '=', bot)
      .executeTakeFirstOrThrow()

  test('are deleted with the key that made them, and the receipt counts them', async () => {
    const there = await openProvider({ one: 'own-key', two: 'operators-key' })
    const bot = await withIds('one', 'two', 'gone')
    await askAlso(bot, true)
    expect(await deleteDue(deletionTools(files, there.provider))).toEqual({ deleted: 1, failed: 0 })
    expect(there.kept).toEqual({})
    expect(there.asked[0]).toBe('DELETE /v2/transcript/one own-key')
    expect(await receipt(bot)).toMatchObject({
      provider_deleted: 2,
      provider_missing: 1,
      verified_at: expect.any(Date),
    })
    expect(await idsOf(bot)).toEqual({ transcription_ids: [], secrets: null })
  })

  test('stay where the caller wants that', async () => {
    const there = await openProvider({ one: 'own-key' })
    const bot = await withIds('one')
    await askAlso(bot, false)
    await deleteDue(deletionTools(files, there.provider))
    expect(there.asked).toEqual([])
    expect(await receipt(bot)).toMatchObject({ provider_deleted: null, verified_at: expect.any(Date) })
    expect(await idsOf(bot)).toEqual({ transcription_ids: [], secrets: null })
  })

  test('are tried again where the provider is down, and the files here are deleted meanwhile', async () => {
    const away = await openProvider({ one: 'own-key' }, 503)
    const bot = await withIds('one')
    await askAlso(bot, true)
    expect(await deleteDue(deletionTools(files, away.provider))).toEqual({ deleted: 0, failed: 1 })
    expect(await files.list(bot)).toEqual([])
    expect(await receipt(bot)).toMatchObject({ verified_at: null, last_error: expect.stringContaining('503') })
    expect((await idsOf(bot)).transcription_ids).toEqual(['one'])
    await world.database.updateTable('deletions').set({ next_try_at: new Date() }).execute()
    const back = await openProvider({ one: 'own-key' })
    expect(await deleteDue(deletionTools(files, back.provider))).toEqual({ deleted: 1, failed: 0 })
    expect(await receipt(bot)).toMatchObject({ provider_deleted: 1, provider_missing: 0, last_error: null })
  })

  test('are given up after days, and the receipt says that none was deleted', async () => {
    const away = await openProvider({ one: 'own-key' }, 401)
    const bot = await withIds('one')
    await askAlso(bot, true)
    await world.database.updateTable('deletions').set({ tries: 24 }).execute()
    expect(await deleteDue(deletionTools(files, away.provider))).toEqual({ deleted: 1, failed: 0 })
    expect(await receipt(bot)).toMatchObject({ provider_deleted: 0, provider_missing: 0 })
    expect(await idsOf(bot)).toEqual({ transcription_ids: [], secrets: null })
  })
})

test('retention deletes what a team keeps no longer', async () => {
  const ended = (days: number) => ({ ended_at: new Date(Date.now() - days * 24 * 3600_000) })
  const [old, young] = [await recordedBot(ended(4)), await recordedBot(ended(2))]
  expect(await requestRetentionDeletions(world.database, quiet)).toBe(0)
  await world.database.updateTable('teams').set({ retention_days: 3 }).execute()
  expect(await requestRetentionDeletions(world.database, quiet)).toBe(1)
  expect(await requestRetentionDeletions(world.database, quiet)).toBe(0)
  await deleteDue(deletionTools(files))
  expect(await files.list(old)).toEqual([])
  expect((await files.list(young)).length).toBe(6)
  expect(await receipt(old)).toMatchObject({ reason: 'retention' })
})

test('the audit finds sums that differ and reserves that stay, and says nothing where all is well', async () => {
  const { database } = world
  await database.updateTable('teams').set({ balance: 0 }).execute()
  const bot = await world.bot(team)
  const entry = (kind: 'reserve' | 'release' | 'charge' | 'grant', amount: number) => ({
    teamId: team,
    botId: bot,
    kind,
    meter: null,
    amount,
    source: `${kind}:${amount}`,
  })
  const write = (...entries: ReturnType<typeof entry>[]) =>
    database.transaction().execute((tx) => writeLedger(tx, entries))
  await write(entry('grant', 100), entry('reserve', 30), entry('charge', 20))
  const errors: object[] = []
  const log = { ...quiet, error: (fields: object) => void errors.push(fields) }
  expect(await auditLedger(database, log)).toEqual({ differences: [], openReserves: [{ botId: bot, amount: 30 }] })
  await write(entry('release', 30))
  errors.length = 0
  expect(await auditLedger(database, log)).toEqual({ differences: [], openReserves: [] })
  expect(errors).toEqual([])
  await database.updateTable('teams').set({ spent: 21, balance: 79 }).execute()
  expect((await auditLedger(database, log)).differences).toEqual([
    {
      teamId: team,
      stored: { reserved: 0, spent: 21, balance: 79 },
      computed: { reserved: 0, spent: 20, balance: 80 },
    },
  ])
  expect(errors.length).toBe(1)
  const lines = await database.selectFrom('audit').selectAll().orderBy('id').execute()
  expect(lines.at(-1)).toMatchObject({ what: `ledger difference of team ${team}`, after: { spent: 20 } })
})

test('the audit has more time than other statements', async () => {
  const { database } = world
  const slow = openDatabase({ url: world.url, role: 'test', connections: 1, statementTimeoutMs: 200 })
  await sql`alter table ledger rename to all_entries`.execute(database)
  await sql`create view ledger as select all_entries.* from pg_sleep(0.5), all_entries`.execute(database)
  try {
    expect(await auditLedger(slow, quiet)).toEqual({ differences: [], openReserves: [] })
    await expect(sql`select pg_sleep(0.5)`.execute(slow)).rejects.toThrow('statement timeout')
  } finally {
    await sql`drop view ledger`.execute(database)
    await sql`alter table all_entries rename to ledger`.execute(database)
    await slow.destroy()
  }
})

test('the older generation’s transcript is read from the stored one', async () => {
  const bot = await recordedBot()
  const word = { word: 'Good', start: 0.6, end: 0.9, confidence: null }
  const utterance = { text: 'Good', speaker: 'Ana', user_id: 1, start: 0.6, end: 1.4, channel: 0, words: [word] }
  const document = { bot_id: bot, provider: 'Default', result: { languages: [], utterances: [utterance] } }
  const bytes = new Uint8Array(Buffer.from(JSON.stringify(document)))
  await files.write(`${bot}/1/${bot}/transcription.json`, bytes, 'application/json')
  expect(await createArtifactLinks(world.database, files).olderTranscript(bot)).toEqual([
    {
      speaker: 'Ana',
      offset: 0.6,
      start_time: 0.6,
      end_time: 1.4,
      words: [{ start: 0.6, end: 0.9, word: 'Good' }],
    },
  ])
})

describe('turns', () => {
  const rules = { everySeconds: 60, leaseSeconds: 60 }

  test('of one job go to one of many processes', async () => {
    const taken = await Promise.all(
      Array.from({ length: 8 }, (_, n) => takeTurn(world.database, 'x', String(n), rules)),
    )
    expect(taken.filter((one) => one).length).toBe(1)
    const owner = String(taken.indexOf(true))
    await endTurn(world.database, 'x', owner)
    expect(await takeTurn(world.database, 'x', 'other', rules)).toBe(false)
    expect(await takeTurn(world.database, 'x', 'other', { ...rules, everySeconds: 0 })).toBe(true)
    expect(await keepTurn(world.database, 'x', owner, 60)).toBe(false)
    expect(await keepTurn(world.database, 'x', 'other', 60)).toBe(true)
  })

  test('of a crashed process pass to another one after the lease', async () => {
    expect(await takeTurn(world.database, 'y', 'dead', { everySeconds: 0, leaseSeconds: 60 })).toBe(true)
    expect(await takeTurn(world.database, 'y', 'next', { everySeconds: 0, leaseSeconds: 60 })).toBe(false)
    await keepTurn(world.database, 'y', 'dead', -1)
    expect(await takeTurn(world.database, 'y', 'next', { everySeconds: 0, leaseSeconds: 60 })).toBe(true)
  })
})

test('the jobs run by themselves and when asked', async () => {
  const bot = await recordedBot()
  await request(bot)
  const oldKey = { team_id: team, body_hash: Buffer.from('x') }
  await world.database
    .insertInto('idempotency_keys')
    .values([
      { ...oldKey, key: 'old', created_at: new Date(Date.now() - 25 * 3600_000) },
      { ...oldKey, key: 'young' },
    ])
    .execute()
  const jobs = startJobs({ ...deletionTools(files), lookEverySeconds: { deletions: 0.1 } })
  await expect.poll(async () => (await receipt(bot)).verified_at, { timeout: 20_000 }).toEqual(expect.any(Date))
  expect(await jobs.run('audit')).toEqual({ differences: [], openReserves: [] })
  await world.database.updateTable('teams').set({ retention_days: 3 }).execute()
  const old = await recordedBot({ ended_at: new Date(Date.now() - 4 * 24 * 3600_000) })
  expect(await jobs.run('retention')).toMatchObject({ requested: 1, failed: 0 })
  await expect.poll(async () => (await receipt(old)).verified_at, { timeout: 20_000 }).toEqual(expect.any(Date))
  const keys = () => world.database.selectFrom('idempotency_keys').select('key').execute()
  await expect.poll(keys, { timeout: 20_000 }).toEqual([{ key: 'young' }])
  await jobs.close()
})
