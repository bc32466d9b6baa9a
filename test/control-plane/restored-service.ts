/** A service whose database is put back to an older state while its bots run on. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLinkServer } from '@standin/control-plane/control-link/link-server.ts'
import pg from 'pg'
import { createBot } from '../../control-plane/actions/create-bot.ts'
import { openFileStore } from '../../control-plane/files/open-file-store.ts'
import { startLaunching } from '../../control-plane/launching/index.ts'
import { createSeals, newSealKey, parseSealKeys } from '../../control-plane/secrets/seals.ts'
import { readBot } from '../../control-plane/store/bots/bots.ts'
import { type Database, openDatabase } from '../../control-plane/store/database.ts'
import { createEndpoint } from '../../control-plane/store/webhooks/endpoints.ts'
import { freePort } from '../servers/free-port.ts'
import { startBotHost } from './launching/bot-host.ts'
import { needsOf } from './launching/known-needs.ts'
import { createSimulatedLauncher } from './launching/simulated.ts'
import type { Plan } from './launching/simulated-bot.ts'
import { openTestDatabase } from './postgres.ts'

const quiet = { info() {}, warn() {}, error() {} }
const seals = createSeals(parseSealKeys(newSealKey('test')))

interface Running {
  database: Database
  close(): Promise<void>
}

/** Call `close` at the end. */
export async function openRestoredService() {
  const first = await openTestDatabase(1)
  await first.database.destroy()
  const folder = mkdtempSync(join(tmpdir(), 'standin-restored-'))
  const { store: files } = await openFileStore(
    { type: 'folder', path: join(folder, 'recordings') },
    { secret: Buffer.alloc(32), publicUrl: 'http://127.0.0.1', now: Date.now },
  )
  const host = await startBotHost()
  // Bots know one address, which stays the same when the service behind it is replaced.
  const port = await freePort()
  const linkUrl = `ws://127.0.0.1:${port}/link`
  const copies: string[] = []
  let url = first.url
  let running: Running | null = null

  async function start(): Promise<Running> {
    const database = openDatabase({ url, role: 'test', connections: 12, onError: () => {} })
    const links = createLinkServer({ database, log: quiet })
    const server = createServer().on('upgrade', (request, socket, head) => links.handleUpgrade(request, socket, head))
    await once(server.listen(port, '127.0.0.1'), 'listening')
    const launching = startLaunching({
      database,
      needs: needsOf(),
      databaseUrl: null,
      launcher: createSimulatedLauncher(host.url),
      files,
      seals,
      grants: { fetch: () => Promise.reject(new Error('No bot names a credential')) },
      recover: async () => ({ files: [], problems: [] }),
      joinParts: async () => Promise.reject(new Error('No test joins parts here.')),
      resumesBots: false,
      log: quiet,
      linkUrl,
      reconciler: { passMs: 100, everyAttemptMs: 200, orphansMs: 300, orphanSeconds: 4, absentReadMs: 300 },
    })
    return {
      database,
      async close() {
        await launching.close()
        await links.close()
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
        await database.destroy()
      },
    }
  }

  /** The database as it is now, as a dump would hold it. The service is away meanwhile. */
  async function copy(): Promise<string> {
    const name = `copy_${process.pid}_${copies.length}`
    const client = new pg.Client({ connectionString: databaseOf(url, 'postgres') })
    await client.connect()
    try {
      await client.query(`create database ${name} template ${new URL(url).pathname.slice(1)}`)
    } finally {
      await client.end()
    }
    copies.push(name)
    return databaseOf(url, name)
  }

  running = await start()
  const { id: teamId } = await running.database
    .insertInto('teams')
    .values({ name: 'T' })
    .returning('id')
    .executeTakeFirstOrThrow()
  await createEndpoint(running.database, seals, { teamId, kind: 'team', url: 'http://127.0.0.1:1/' })

  return {
    host,
    get database() {
      return running!.database
    },
    async bot(plan: Plan, joinAt: Date | null = null): Promise<string> {
      const made = await createBot(running!.database, seals, {
        id: randomUUID(),
        teamId,
        apiKeyId: null,
        generation: 'v2',
        isCompat: false,
        meeting: { link: 'https://meet.google.com/abc-defg-hij', platform: 'meet', key: `meet:${randomUUID()}` },
        request: { bot_name: 'Bot', recording_mode: 'speaker_view', extra: { plan } },
        joinAt,
      })
      if ('refused' in made) throw new Error(`The bot was refused: ${made.refused.code}`)
      return made.botId
    },
    read: (id: string) => readBot(running!.database, id),
    /** The messages about a bot that receivers should get: the event with the id under which it is sent. */
    async messages(id: string): Promise<string[]> {
      const rows = await running!.database
        .selectFrom('messages')
        .select(['id', 'event'])
        .where('bot_id', '=', id)
        .orderBy('id')
        .execute()
      return rows.map((row) => `${row.event} ${row.id}`)
    },
    /** Numbers of the stored events of a bot, in order. */
    async stored(id: string): Promise<number[]> {
      const rows = await running!.database
        .selectFrom('bot_events')
        .select('seq')
        .where('bot_id', '=', id)
        .orderBy('seq')
        .execute()
      return rows.map(({ seq }) => Number(seq))
    },
    /** A backup, made between two runs of the service. */
    async backUp(): Promise<string> {
      await running!.close()
      const backup = await copy()
      running = await start()
      return backup
    },
    /** The service continues with the backup. */
    async restore(backup: string): Promise<void> {
      await running!.close()
      url = backup
      running = await start()
    },
    async close() {
      await running?.close()
      await host.close()
      const client = new pg.Client({ connectionString: databaseOf(url, 'postgres') })
      await client.connect()
      for (const name of copies) await client.query(`drop database if exists ${name} with (force)`)
      await client.end()
      await first.close().catch(() => {})
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function databaseOf(url: string, name: string): string {
  const parsed = new URL(url)
  parsed.pathname = `/${name}`
  return parsed.href
}
