/** docs/operating.md: a service with a recording is moved by a copy of its data folder. */
import { execFile } from 'node:child_process'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startMock } from '../../packages/mock/index.ts'
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
})
