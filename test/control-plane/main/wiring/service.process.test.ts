/** The composition: which roles serve what, and how a start fails. In this process, on a separate database. */

import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { type ConfigOptions, ROLES, readServiceConfig } from '@standin/control-plane/main/config/config.ts'
import { readSecretFile } from '@standin/control-plane/main/wiring/data-folder.ts'
import { openFiles } from '@standin/control-plane/main/wiring/files.ts'
import { greeting } from '@standin/control-plane/main/wiring/greeting.ts'
import { PUBLIC_URL } from '@standin/control-plane/main/wiring/http-address.ts'
import { type Service, startService } from '@standin/control-plane/main/wiring/service.ts'
import { renewKeyCheck } from '@standin/control-plane/platform/secrets/key-check.ts'
import { createSeals, newSealKey, parseSealKeys } from '@standin/control-plane/platform/secrets/seals.ts'
import { readSetting, writeSetting } from '@standin/control-plane/store/settings.ts'
import { createKey, newKey } from '@standin/control-plane/store/teams/keys.ts'
import { createTeam } from '@standin/control-plane/store/teams/teams.ts'
import { listenForWakeUps } from '@standin/control-plane/store/wake-ups.ts'
import { sandboxObstacle } from '@standin/wire/process/chromium-sandbox.ts'
import { sql } from 'kysely'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { temporaryFolder } from '../../../fakes/at-end.ts'
import { freePort } from '../../../servers/free-port.ts'
import { startS3Server, variablesOf } from '../../../servers/s3-server.ts'
import { startReporting } from '../../api/reporting.ts'
import { openTestDatabase } from '../../postgres.ts'

const log = { info: () => {}, warn: () => {}, error: () => {} }
const secretKeys = newSealKey('k1')
const running: Service[] = []

const base = temporaryFolder()
const db = await openTestDatabase()

afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.close()))
})

function configOf(name: string, options: ConfigOptions = {}) {
  const environment = {
    ...{ DATABASE_URL: db.url, STANDIN_SECRET_KEYS: secretKeys, STANDIN_SPEECH: 'off' },
    // A bot outlives its service, and so it would outlive the test.
    STANDIN_BOT_COMMAND: '/bin/true',
  }
  return readServiceConfig({ data: join(base, name), port: '0', ...options }, environment, '/')
}

async function start(name: string, options: ConfigOptions = {}, environment: object = {}): Promise<Service> {
  const service = await startService(configOf(name, options), { PATH: process.env.PATH, ...environment }, log)
  running.push(service)
  return service
}

const statusOf = async (url: string, headers: Record<string, string> = {}) => (await fetch(url, { headers })).status

async function textOf(url: string): Promise<[status: number, text: string]> {
  const answer = await fetch(url)
  return [answer.status, await answer.text()]
}

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape.
type Answered = { data?: any; message?: string }

/** A team of a service, with a key. */
async function teamAt(service: Service, name: string) {
  const teamId = await createTeam(db.database, name)
  const { key } = await createKey(db.database, { teamId, name, permission: 'full', seal: null })
  const headers = { 'x-service-api-key': key, 'content-type': 'application/json' }
  const call = async (method: string, path: string, body?: object) => {
    const url = `${service.publicUrl}${path}`
    const answer = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return { status: answer.status, ...((await answer.json()) as Answered) }
  }
  return { teamId, headers, call }
}
const meeting = { bot_name: 'Notes', meeting_url: 'https://meet.google.com/abc-defg-hij' }
const tomorrow = () => ({ ...meeting, join_at: new Date(Date.now() + 86_400_000).toISOString() })

/** A server of S3, and a service whose recordings are there. */
async function withS3() {
  const s3 = await startS3Server()
  onTestFinished(() => s3.close())
  const variables = {
    ...{ DATABASE_URL: db.url, STANDIN_SECRET_KEYS: secretKeys, ...variablesOf(s3) },
  }
  const startAt = async (storage: string, roles: string, more: object = {}) => {
    const options = { data: join(base, storage.replace(/\W+/g, '-')), port: '0', roles, storage }
    const config = readServiceConfig(options, { ...variables, ...more }, '/')
    const service = await startService(config, { PATH: process.env.PATH }, log)
    running.push(service)
    return { ...service, config }
  }
  return { s3, startAt }
}

/** The status that an upgrade is refused with. */
function upgradeOf(url: string): Promise<number | 'open'> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace(/^http/, 'ws'))
    socket.once('open', () => {
      socket.terminate()
      resolve('open')
    })
    socket.once('unexpected-response', (_request, answer) => {
      resolve(answer.statusCode!)
      socket.terminate()
    })
    socket.once('error', reject)
  })
}

test('all roles: the API asks for a key, bots need a token, a second start has the same key', async () => {
  const first = await start('all')
  expect(first.firstKey).toMatch(/^standin_/)
  const headers = { 'x-service-api-key': first.firstKey! }
  expect(await statusOf(`${first.publicUrl}/v2/bots`)).toBe(401)
  expect(await statusOf(`${first.publicUrl}/v2/bots`, headers)).toBe(200)
  expect(await statusOf(`${first.publicUrl}/readyz`)).toBe(200)
  expect(await upgradeOf(`${first.publicUrl}/link`)).toBe(401)
  expect(await upgradeOf(`${first.publicUrl}/other`)).toBe(404)
  await first.close()
  await first.close()

  // For commands of the shell, which may not know the port.
  expect(await readSetting(db.database, PUBLIC_URL)).toBe(first.publicUrl)

  const second = await start('all')
  expect(second.firstKey).toBeNull()
  expect(await statusOf(`${second.publicUrl}/v2/bots`, headers)).toBe(200)
})

test('a request that offers HTTP/2 is answered as usual, and a client that resets a refused WebSocket does no harm', async () => {
  const { publicUrl } = await start('upgrades')
  const send = (...lines: string[]) =>
    new Promise<{ text: string; socket: Socket }>((resolve, reject) => {
      const socket = connect(Number(new URL(publicUrl).port), '127.0.0.1')
      socket.once('data', (data) => resolve({ text: String(data), socket }))
      socket.once('error', reject)
      socket.write([...lines, '', ''].join('\r\n'))
    })
  const offer = ['connection: Upgrade, HTTP2-Settings, close', 'upgrade: h2c', 'http2-settings: AAMAAABkAAQAAP__']
  expect((await send('GET /healthz HTTP/1.1', 'host: x', ...offer)).text).toMatch(/^HTTP\/1\.1 200 /)
  const { text, socket } = await send('GET /v2/bots HTTP/1.1', 'host: x', 'connection: upgrade', 'upgrade: websocket')
  expect(text).toMatch(/^HTTP\/1\.1 404 /)
  socket.resetAndDestroy()
  expect(await statusOf(`${publicUrl}/healthz`)).toBe(200)
})

test('the stream of a team has events that another process stores, and ends with its process', async () => {
  const api = await start('followed', { roles: 'api' })
  const { teamId, headers } = await teamAt(api, 'Followers')
  const { body } = await fetch(`${api.publicUrl}/v2/events/stream`, { headers })
  let text = ''
  const ended = (async () => {
    for await (const piece of body!.pipeThrough(new TextDecoderStream())) text += piece
  })()
  const bot = { id: randomUUID(), team_id: teamId, generation: 'v2', bot_name: 'Bot', recording_mode: 'audio_only' }
  const meeting = { meeting_url: 'https://meet.google.com/abc-defg-hij', meeting_key: 'm', meeting_platform: 'meet' }
  await db.database
    .insertInto('bots')
    .values({ ...bot, ...meeting, phase: 'running', status: 'in_call_recording', request: '{}' })
    .execute()
  const { report } = await startReporting(db.database, bot.id)
  await report({ type: 'notice', level: 'info', message: 'Hello' })
  await expect.poll(() => text, { timeout: 20_000 }).toContain('"message": "Hello"')
  await api.close()
  await ended
})

test('requests of callers pass row security, also those for lists; work of the service does not', async () => {
  const service = await start('row security')
  const { publicUrl } = service
  const { call } = await teamAt(service, 'Rows')
  const later = tomorrow()
  const { data } = await call('POST', '/v2/bots/scheduled', later)
  const path = `/v2/bots/scheduled/${data.bot_id}`
  expect((await call('GET', path)).status).toBe(200)
  await sql`create policy closed on bots as restrictive using (false)`.execute(db.database)
  try {
    expect((await call('GET', path)).status).toBe(404)
    expect((await call('GET', '/v2/bots/scheduled')).data).toEqual([])
    expect((await call('POST', '/v2/bots/scheduled', later)).status).toBe(500)
    expect(await statusOf(`${publicUrl}/readyz`)).toBe(200)
    expect((await textOf(`${publicUrl}/metrics`))[1]).toMatch(/standin_bots\{.*phase="scheduled".*\} 1/)
  } finally {
    await sql`drop policy closed on bots`.execute(db.database)
  }
  expect((await call('GET', '/v2/bots/scheduled')).data).toHaveLength(1)
})

test('roles run apart, each with its own data folder', async () => {
  const api = await start('api', { roles: 'api' })
  const links = await start('links', { roles: 'links' })
  const rest = await start('rest', { roles: 'launcher,dispatcher,jobs' })
  expect(await statusOf(`${api.publicUrl}/v2/bots`)).toBe(401)
  expect(await upgradeOf(`${links.publicUrl}/link`)).toBe(401)
  for (const { publicUrl } of [links, rest]) {
    expect(await textOf(`${publicUrl}/v2/bots`)).toEqual([404, 'This process does not have the role api\n'])
  }
})

test('a process without the dispatcher notifies that of another one of its webhooks', async () => {
  const api = await start('writes webhooks', { roles: 'api' })
  await start('sends webhooks', { roles: 'dispatcher' })
  let hints = 0
  const onHint = () => void hints++
  const listening = listenForWakeUps(db.url, 'deliveries', onHint, () => {})
  const listeners = async () => {
    const { rows } = await sql`select from pg_stat_activity where query = 'listen standin_deliveries'
      and datname = current_database()`.execute(db.database)
    return rows.length
  }
  await expect.poll(listeners).toBe(2)
  await expect.poll(() => hints).toBe(1)
  expect((await (await teamAt(api, 'Webhooks')).call('POST', '/v2/bots', meeting)).status).toBe(201)
  await expect.poll(() => hints).toBeGreaterThan(1)
  await listening.close()
})

test('the API of a process without keys of speech services refuses providers that no launcher can use', async () => {
  await start('launcher', { roles: 'launcher' }, { STANDIN_DEEPGRAM_KEY: 'secret-of-deepgram' })
  const values = () => db.database.selectFrom('settings').select('value').where('name', 'like', 'capacity:%').execute()
  await expect.poll(async () => (await values()).length).toBe(1)
  expect(JSON.stringify(await values())).not.toContain('secret-of-deepgram')
  const { call } = await teamAt(await start('api apart', { roles: 'api' }), 'Speech')
  const ask = async (transcription_config: object) => {
    const bot = { ...tomorrow(), transcription_enabled: true, transcription_config }
    const { status, message } = await call('POST', '/v2/bots/scheduled', bot)
    return [status, message]
  }
  expect(await ask({ provider: 'deepgram' })).toEqual([201, undefined])
  expect(await ask({ provider: 'captions' })).toEqual([201, undefined])
  expect(await ask({ provider: 'assemblyai' })).toEqual([400, expect.stringContaining('STANDIN_ASSEMBLYAI_KEY')])
  expect(await ask({})).toEqual([400, expect.stringContaining('STANDIN_TRANSCRIPTION_URL')])
})

test.each([undefined, ...ROLES, 'links,launcher,dispatcher,jobs', 'api,links'])(
  'with the roles %s the probes answer as in every process',
  async (roles) => {
    const { publicUrl } = await start(`probes of ${roles}`, { roles }, { STANDIN_ALLOW_ROOT: '1' })
    const answerOf = async (path: string, method = 'GET') => {
      const answer = await fetch(`${publicUrl}${path}`, { method })
      return [answer.status, answer.headers.get('content-type'), await answer.text()]
    }
    const json = 'application/json; charset=utf-8'
    const checks = { database: 'ok', migrations: 'ok', keyring: 'ok', recordings: 'ok' }
    const isWeak = (roles ?? 'launcher').includes('launcher') && (await sandboxObstacle()) !== null
    const weak = 'Bots run as root or without the sandbox of Chromium; "standin service doctor" says why'
    const ready = JSON.stringify({ status: 'ready', checks, warnings: isWeak ? { bots: weak } : {} })
    expect(await answerOf('/healthz')).toEqual([200, json, '{"status":"ok"}'])
    expect(await answerOf('/healthz/?from=balancer')).toEqual([200, json, '{"status":"ok"}'])
    expect(await answerOf('/healthz', 'HEAD')).toEqual([200, json, ''])
    expect(await answerOf('/readyz')).toEqual([200, json, ready])
    expect(await answerOf('/metrics')).toEqual([
      200,
      expect.stringContaining('text/plain; version=0.0.4'),
      expect.stringMatching(/^process_cpu_seconds_total [\d.e-]+$/m),
    ])
  },
)

test('a log that loses lines is a warning and a metric, and the process stays ready', async () => {
  const sink = { lost: 3, problem: 'The log cannot be written (ENOSPC): 2 lines wait, 3 are lost' }
  for (const roles of ['api', 'links']) {
    const config = configOf(`log of ${roles}`, { roles })
    const service = await startService(config, { PATH: process.env.PATH }, log, sink)
    running.push(service)
    const [status, text] = await textOf(`${service.publicUrl}/readyz`)
    expect([status, JSON.parse(text)]).toEqual([200, expect.objectContaining({ warnings: { log: sink.problem } })])
    expect((await textOf(`${service.publicUrl}/metrics`))[1]).toMatch(/^standin_log_lines_lost_total 3$/m)
  }
})

test.each(['api', 'links,launcher'])(
  'as %s it is not ready while the folder of recordings is missing',
  async (roles) => {
    const recordings = join(base, `recordings of ${roles}`)
    const { publicUrl } = await start(`storage of ${roles}`, { roles, storage: `folder:${recordings}` })
    expect(await statusOf(`${publicUrl}/readyz`)).toBe(200)
    await rm(recordings, { recursive: true })
    expect(await textOf(`${publicUrl}/readyz`)).toEqual([
      503,
      expect.stringContaining('The folder of recordings cannot be used (ENOENT)'),
    ])
    await mkdir(recordings)
    expect(await statusOf(`${publicUrl}/readyz`)).toBe(200)
  },
)

test('a bucket that does not exist ends the start as a mistake; S3 that is away does not, and is named until it is back', async () => {
  const { s3, startAt } = await withS3()
  const startWith = (bucket: string) => startAt(`s3://${bucket}`, 'dispatcher')
  await expect(startWith('nobucket')).rejects.toMatchObject({
    name: 'InvalidConfig',
    problems: [{ place: 'STANDIN_STORAGE', message: 'bucket nobucket does not exist', cure: expect.any(String) }],
  })
  await s3.goDown()
  const { publicUrl } = await startWith(s3.bucket)
  const away = `STANDIN_STORAGE: bucket ${s3.bucket} cannot be used (ECONNREFUSED)`
  expect(await textOf(`${publicUrl}/readyz`)).toEqual([503, expect.stringContaining(`"recordings":"${away}"`)])
  await s3.comeBack()
  await expect.poll(() => statusOf(`${publicUrl}/readyz`), { timeout: 30_000, interval: 250 }).toBe(200)
})

test('with STANDIN_FILES=service the browser gets recordings in S3 from the service, and / leads to the dashboard', async () => {
  const { s3, startAt } = await withS3()
  const { publicUrl, config } = await startAt(`s3://${s3.bucket}/all`, 'api', { STANDIN_FILES: 'service' })
  const seals = createSeals(parseSealKeys(secretKeys))
  const { store, close } = await openFiles(config, { database: db.database, seals }, publicUrl)
  await store.write('bot/1/bot/video.mp4', Buffer.from('0123456789'), 'video/mp4')
  const link = await store.sign('bot/1/bot/video.mp4', 60)
  close()
  expect(link).toContain(`${publicUrl}/files/bot/1/bot/video.mp4?`)
  const part = await fetch(link, { headers: { range: 'bytes=3-5' } })
  expect([part.status, part.headers.get('content-type'), await part.text()]).toEqual([206, 'video/mp4', '345'])

  const front = await fetch(`${publicUrl}/`, { redirect: 'manual' })
  expect([front.status, new URL(front.headers.get('location')!, front.url).pathname]).toEqual([302, '/dashboard'])
})

test.each(['api', 'links'])(
  'as %s it is not ready without its migrations, or with keys that are not those of the database',
  async (roles) => {
    const { publicUrl } = await start(`readiness of ${roles}`, { roles })
    const { database } = db
    const readiness = () => textOf(`${publicUrl}/readyz`)
    expect(await statusOf(`${publicUrl}/readyz`)).toBe(200)

    const last = await sql<{ name: string; timestamp: string }>`
    delete from kysely_migration where name = (select max(name) from kysely_migration) returning *`.execute(database)
    const { name, timestamp } = last.rows[0]!
    try {
      expect(await readiness()).toEqual([503, expect.stringContaining(`The database lacks the migrations ${name}`)])
    } finally {
      await sql`insert into kysely_migration (name, timestamp) values (${name}, ${timestamp})`.execute(database)
    }
    expect(await statusOf(`${publicUrl}/readyz`)).toBe(200)

    const check = await readSetting(database, 'secret_key_check')
    await renewKeyCheck(database, createSeals(parseSealKeys(newSealKey('k2'))))
    try {
      expect(await readiness()).toEqual([503, expect.stringContaining('STANDIN_SECRET_KEYS does not hold the key')])
    } finally {
      await writeSetting(database, 'secret_key_check', check)
    }
    expect(await statusOf(`${publicUrl}/readyz`)).toBe(200)
  },
)

test('a port that is taken is named with its cure, and nothing is made before', async () => {
  const port = await freePort()
  const other = createServer().listen(port, '127.0.0.1')
  try {
    await expect(start('port', { port: String(port) })).rejects.toThrow(`Port ${port} of 127.0.0.1 is taken`)
    expect(existsSync(configOf('port', {}).dataFolder)).toBe(false)
  } finally {
    await new Promise((resolve) => other.close(resolve))
  }
  await start('port', { port: String(port) })
})

test('behind a trusted proxy wrong keys count for the caller, not for the proxy', async () => {
  const { publicUrl } = await start('proxy', { roles: 'api', trustedProxies: '127.0.0.0/8' })
  const tryFrom = (address: string) =>
    statusOf(`${publicUrl}/v2/bots`, { 'x-service-api-key': newKey(), 'x-forwarded-for': address })
  const statuses = new Set<number>()
  for (let tried = 0; tried < 400 && !statuses.has(429); tried += 20) {
    const found = await Promise.all(Array.from({ length: 20 }, (_, place) => tryFrom(`203.0.113.7:${tried + place}`)))
    for (const status of found) statuses.add(status)
  }
  expect(statuses).toEqual(new Set([401, 429]))
  expect(await tryFrom('203.0.113.8')).toBe(401)
})

test('the greeting shows a new key once, and a curl line that can be pasted', async () => {
  const config = configOf("it's here")
  const greeted = {
    publicUrl: 'http://127.0.0.1:8080',
    firstKey: 'standin_abc',
    signInLink: null,
    weakness: null,
    transcribes: false,
    environment: { PATH: '/nowhere:/there/node_modules/.bin' },
  }
  const text = greeting(greeted, config).join('\n')
  expect(text).toContain('standin_abc')
  expect(text).toContain(`$(cat '${base}/it'\\''s here/api-key')`)
  const weakness = { fault: 'bots run as root', cure: 'Make a user' }
  const later = greeting({ ...greeted, firstKey: null, weakness }, config).join('\n')
  expect(later).toContain('Warning:  Bots run as root. Make a user.')
  expect(later).toMatch(/make one: \/\S+\/bin\/standin service keys create/)
  expect(text).toContain('"transcription_enabled": true, "transcription_config": {"provider": "captions"}}')
  expect(greeting({ ...greeted, transcribes: true }, config).join('\n')).toContain('"transcription_enabled": true}')
  expect(later).toContain(join(base, "it's here", 'api-key'))
  const inContainer = greeting({ ...greeted, environment: { container: 'docker', PATH: '/' } }, config).join('\n')
  expect(inContainer).toContain(`$(docker exec ${hostname()} cat '`)
  expect(await readSecretFile(join(base, 'nothing'))).toBeNull()
})

test('without the demo the curl line has a placeholder', () => {
  const config = configOf('demo', { demo: false })
  const greeted = {
    publicUrl: 'http://127.0.0.1:8080',
    firstKey: null,
    signInLink: null,
    weakness: null,
    transcribes: false,
    environment: { PATH: '/nowhere:/there/node_modules/.bin' },
  }
  const text = greeting(greeted, config).join('\n')
  expect(text).toContain('https://meet.google.com/abc-defg-hij')
  expect(text).not.toContain('mock meeting')
})
