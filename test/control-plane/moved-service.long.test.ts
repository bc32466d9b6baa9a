/** docs/operating.md: a service with a recording is moved by a copy of its data folder, and made again from a backup. */
import { execFile } from 'node:child_process'
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { newSealKey } from '../../control-plane/secrets/seals.ts'
import { startMock } from '../../mock/index.ts'
import { passes, WITHOUT_CAMERAS } from '../end-to-end/meeting-script.ts'
import { probe } from '../media/media-info.ts'
import { ServiceProcess } from './service-process.ts'
import { type Receiver, startReceiver } from './webhooks/receiver.ts'

const LONG = { timeout: 120_000, interval: 200 }
let mock: Awaited<ReturnType<typeof startMock>>
let receiver: Receiver
let first: ServiceProcess
let botId: string
let scheduledId: string
let endpoint: { id: string; secret: string }
let videoBytes: Buffer
const services: ServiceProcess[] = []

async function prepare(): Promise<ServiceProcess> {
  const service = await ServiceProcess.prepare({
    STANDIN_MAP_HOSTS: mock.hosts.map((host) => `${host}=${mock.address}`).join(','),
  })
  services.push(service)
  return service
}

const copy = (from: string, to: string) => promisify(execFile)('cp', ['-a', from, to])
const videoOf = async (service: ServiceProcess) => (await service.call('GET', `/v2/bots/${botId}`)).body.data.video

async function bytesOf(url: string): Promise<Buffer> {
  const answer = await fetch(url)
  expect(answer.status).toBe(200)
  return Buffer.from(await answer.arrayBuffer())
}

beforeAll(async () => {
  mock = await startMock('meet')
  receiver = await startReceiver()
  first = await prepare()
  await first.start()
  const made = await first.command('endpoints', 'create', receiver.url)
  endpoint = { id: made.endpoint_id!, secret: made.secret! }
  const meeting = mock.open('open', { people: [...WITHOUT_CAMERAS] })
  const sent = await first.call('POST', '/v2/bots', { meeting_url: meeting.url, bot_name: 'Moved' })
  botId = sent.body.data.bot_id
  const statusOf = async () => (await first.call('GET', `/v2/bots/${botId}`)).body.data?.status
  await vi.waitUntil(async () => (await statusOf()) === 'in_call_recording', LONG)
  await passes(4)
  meeting.endForAll()
  await vi.waitUntil(async () => (await statusOf()) === 'completed', LONG)
  videoBytes = await bytesOf(await videoOf(first))
  const scheduled = await first.call('POST', '/v2/bots/scheduled', {
    meeting_url: 'https://meet.google.com/abc-defg-hij',
    bot_name: 'Later',
    join_at: new Date(Date.now() + 86_400_000).toISOString(),
    transcription_enabled: true,
    transcription_config: { provider: 'deepgram', api_key: 'key-of-the-caller' },
  })
  expect(scheduled).toMatchObject({ status: 201 })
  scheduledId = scheduled.body.data.bot_id
}, 240_000)

afterAll(async () => {
  for (const service of services) await service.dispose()
  await receiver?.close()
  await mock?.close()
})

/** Checks it for callers, for people and for receivers of webhooks. */
async function expectEverything(service: ServiceProcess): Promise<void> {
  const video = await videoOf(service)
  expect(await bytesOf(video)).toEqual(videoBytes)
  const file = join(service.folder, 'downloaded.mp4')
  await writeFile(file, videoBytes)
  expect((await probe(file)).seconds).toBeGreaterThan(3)
  expect((await service.call('GET', `/v2/bots/scheduled/${scheduledId}`)).body.data).toMatchObject({
    bot_name: 'Later',
  })

  // Signed with the secret of the endpoint, which is sealed in the database.
  const before = receiver.received.length
  await service.command('endpoints', 'test', endpoint.id)
  await expect.poll(() => receiver.received.length, LONG).toBeGreaterThan(before)
  const { text, headers, body } = receiver.received.at(-1)!
  expect(new Webhook(endpoint.secret).verify(text, headers)).toEqual(body)
}

test('a stopped service is copied with its data folder, and the copy plays the recording', async () => {
  const moved = await prepare()
  expect(await first.end('SIGTERM')).toBe(0)
  await copy(first.folder, moved.folder)
  // The old place is away.
  await rename(first.folder, `${first.folder}-away`)
  await moved.start()
  await expectEverything(moved)
  expect(await moved.end('SIGTERM')).toBe(0)
  await rename(`${first.folder}-away`, first.folder)
  await first.start()
})

test('a backup of a service that runs becomes a service with everything', async () => {
  const file = join(dirname(first.folder), 'standin.backup')
  const link = (await first.command('people', 'link')).sign_in_link!
  const made = await first.command<{ rows: number; bytes: number }>('backup', file)
  expect(made).toMatchObject({ file, rows: expect.any(Number), bytes: (await stat(file)).size })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  await expect(first.command('backup', file)).rejects.toMatchObject({ code: 2 })
  // Rows since the backup are not in it.
  await first.command('teams', 'create', 'Later team')
  await expect(first.command('restore', file)).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('The database is not empty'),
  })

  const restored = await prepare()
  await mkdir(restored.folder, { mode: 0o701 })
  const refusal = restored.command('restore', file)
  await expect(refusal).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('secret keys') })
  await writeFile(join(restored.folder, 'secret-keys'), newSealKey('k1'))
  await expect(restored.command('restore', file)).rejects.toMatchObject({
    stderr: expect.stringContaining('does not hold the key that this database was made with'),
  })
  for (const name of ['secret-keys', 'api-key', 'recordings']) await copy(join(first.folder, name), restored.folder)
  expect(await restored.command('restore', file)).toEqual({ rows: made.rows })
  await restored.start()
  expect(restored.output).not.toContain('shown this once')
  await expectEverything(restored)

  const signedIn = await fetch(`${restored.url}/dashboard/api/sign-in-link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: restored.url },
    body: JSON.stringify({ token: new URL(link).hash.slice(1) }),
  })
  expect([signedIn.status, signedIn.headers.get('set-cookie')]).toEqual([200, expect.stringContaining('HttpOnly')])
  expect((await restored.command<{ name: string }[]>('teams', 'list')).map(({ name }) => name)).toEqual(['First team'])
  // Every sealed value opens: all of them are sealed again with a new key.
  const keys = join(restored.folder, 'secret-keys')
  await restored.end('SIGTERM')
  await writeFile(keys, `${newSealKey('k2')},${(await readFile(keys, 'utf8')).trim()}`)
  await restored.start()
  expect(await restored.command('secrets', 'rotate')).toMatchObject({})
})
