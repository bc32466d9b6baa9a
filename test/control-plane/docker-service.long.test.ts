/** The service with the Docker launcher: whole bots in containers of the worker's image, in the mock meeting. */
import Docker from 'dockerode'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startOwnPostgres } from '../../control-plane/store/own-postgres.ts'
import { startMock } from '../../packages/mock/index.ts'
import type { MockMeeting } from '../../packages/mock/types.ts'
import { FOUR_PEOPLE, speak } from '../end-to-end/meeting-script.ts'
import { startS3Server, variablesOf } from '../servers/s3-server.ts'
import { ServiceProcess } from './service-process.ts'
import { type Receiver, startReceiver } from './webhooks/receiver.ts'

const LONG = { timeout: 150_000, interval: 200 }
/** Built by `docker build -f docker/Dockerfile -t standin .` */
const IMAGE = process.env.STANDIN_TEST_IMAGE ?? 'standin'
const HOST = process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock'
const docker = new Docker({ socketPath: HOST.replace(/^unix:\/\//, '') })
const hasImage = await docker
  .getImage(IMAGE)
  .inspect()
  .then(
    () => true,
    () => false,
  )
const ifImage = test.skipIf(!hasImage)

let mock: Awaited<ReturnType<typeof startMock>>
let receiver: Receiver

beforeAll(async () => {
  mock = await startMock('meet')
  receiver = await startReceiver()
})

afterAll(async () => {
  await receiver?.close()
  await mock?.close()
})

async function openService(environment: Record<string, string> = {}) {
  const service = await ServiceProcess.prepare({
    DOCKER_HOST: HOST,
    STANDIN_LAUNCHER: 'docker',
    STANDIN_BOT_IMAGE: IMAGE,
    STANDIN_RESUME_BOTS: 'off',
    // The mock meetings and the service listen on the loopback address alone.
    STANDIN_BOT_NETWORK: 'host',
    STANDIN_MAP_HOSTS: mock.hosts.map((host) => `${host}=${mock.address}`).join(','),
    STANDIN_WEBHOOK_DELAYS: '0.2,0.5,1',
    ...environment,
  })
  onTestFinished(async () => {
    const botIds = await rows<{ bot_id: string }>(service, 'select bot_id from launches')
    await service.dispose()
    const left = await docker.listContainers({ all: true, filters: { label: ['standin.installation'] } })
    for (const { Id, Labels } of left)
      if (botIds.some(({ bot_id }) => bot_id === Labels['standin.bot']))
        await docker.getContainer(Id).remove({ force: true, v: true })
  })
  await service.start()
  await service.command('endpoints', 'create', receiver.url)
  return service
}

async function rows<T>(service: ServiceProcess, query: string): Promise<T[]> {
  const { url } = await startOwnPostgres({ folder: service.folder })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(query)).rows as T[]
  } finally {
    await client.end()
  }
}

async function createBot(service: ServiceProcess, meeting: MockMeeting): Promise<string> {
  const { status, body } = await service.call('POST', '/v2/bots', { meeting_url: meeting.url, bot_name: 'Notes' })
  expect(status).toBe(201)
  return body.data.bot_id
}

const statusOf = async (service: ServiceProcess, botId: string) =>
  (await service.call('GET', `/v2/bots/${botId}`)).body.data?.status

const endsOf = (botId: string) =>
  receiver.received.filter(({ body }) => body.data.bot_id === botId && /^bot\.(completed|failed)$/.test(body.event))

async function admit(service: ServiceProcess, meeting: MockMeeting, botId: string): Promise<void> {
  await expect.poll(() => statusOf(service, botId), LONG).toBe('in_waiting_room')
  meeting.admit()
  await expect.poll(() => statusOf(service, botId), LONG).toBe('in_call_recording')
}

const containersOf = (botId: string) =>
  docker.listContainers({ all: true, filters: { label: [`standin.bot=${botId}`] } })

ifImage('one call starts a container, which records, and a webhook brings the video; the container goes', async () => {
  const service = await openService()
  const meeting = mock.open('waiting-room', { people: [...FOUR_PEOPLE] })
  const botId = await createBot(service, meeting)
  await admit(service, meeting, botId)

  const [container] = await containersOf(botId)
  const { Name, Config, HostConfig } = await docker.getContainer(container!.Id).inspect()
  expect(Name).toBe(`/standin-${botId}-1`)
  const token = Config.Env.find((variable) => variable.startsWith('STANDIN_JOB_TOKEN='))!.split('=')[1]
  const again = await fetch(`${service.url}/job/${botId}/1`, { headers: { authorization: `Bearer ${token}` } })
  expect(again.status).toBe(410)
  expect(JSON.stringify([Config, HostConfig])).not.toContain(meeting.url)

  await speak(meeting, 'ann', 5)
  meeting.endForAll()
  await expect.poll(() => endsOf(botId), LONG).toHaveLength(1)
  const [end] = endsOf(botId)
  expect(end!.body).toMatchObject({ event: 'bot.completed', data: { video: expect.any(String) } })
  expect((await fetch(end!.body.data.video)).status).toBe(200)
  await expect.poll(() => containersOf(botId), LONG).toEqual([])
  const launches = await rows(service, 'select exit_code, is_out_of_memory, log_tail from launches')
  expect(launches).toEqual([{ exit_code: 0, is_out_of_memory: false, log_tail: expect.stringContaining('"') }])
})

ifImage(
  'a container that is killed in the meeting is replaced, and both parts are one recording of one bot',
  async () => {
    const service = await openService({ STANDIN_RESUME_BOTS: 'on' })
    const meeting = mock.open('waiting-room', { people: [...FOUR_PEOPLE] })
    const botId = await createBot(service, meeting)
    await admit(service, meeting, botId)
    await speak(meeting, 'ann', 5)
    await docker.getContainer(`standin-${botId}-1`).kill()

    const timelineOf = async () => JSON.stringify((await service.call('GET', `/v2/bots/${botId}/timeline`)).body)
    await expect.poll(timelineOf, LONG).toContain('Attempt 2: The bot waited in the waiting room.')
    meeting.admit()
    await expect.poll(timelineOf, LONG).toContain('records again')
    expect(await statusOf(service, botId)).toBe('in_call_recording')
    await speak(meeting, 'ben', 5)
    meeting.endForAll()

    await expect.poll(() => endsOf(botId), LONG).toHaveLength(1)
    expect(endsOf(botId)[0]!.body).toMatchObject({ event: 'bot.completed', data: { video: expect.any(String) } })
    expect((await fetch(endsOf(botId)[0]!.body.data.video)).status).toBe(200)
    expect(await rows(service, 'select attempt, exit_code, signal from launches order by attempt')).toEqual([
      { attempt: 1, exit_code: null, signal: 'SIGKILL' },
      { attempt: 2, exit_code: 0, signal: null },
    ])
    expect(
      await rows(service, "select attempt from artifacts where name = 'video.mp4' order by attempt"),
    ).toContainEqual({ attempt: 0 })
    await expect.poll(() => containersOf(botId), LONG).toEqual([])
  },
  300_000,
)

ifImage(
  'a restarted service finds its container; a killed container is reported as killed, and its recording is recovered',
  async () => {
    const service = await openService()
    const meeting = mock.open('waiting-room', { people: [...FOUR_PEOPLE] })
    const botId = await createBot(service, meeting)
    await admit(service, meeting, botId)
    await service.end('SIGKILL')
    await speak(meeting, 'ann', 6)
    await service.start()
    expect(await statusOf(service, botId)).toBe('in_call_recording')
    expect(await containersOf(botId)).toHaveLength(1)
    await docker.getContainer(`standin-${botId}-1`).kill()

    await expect.poll(() => endsOf(botId), LONG).toHaveLength(1)
    expect(endsOf(botId)[0]!.body).toMatchObject({ event: 'bot.failed', data: { error_code: 'FORCE_KILLED' } })
    const { body } = await service.call('GET', `/v2/bots/${botId}`)
    expect((await fetch(body.data.video)).status).toBe(200)
    await expect.poll(() => containersOf(botId), LONG).toEqual([])
  },
)

ifImage(
  'a bot with recordings in S3 that crashes while the service is down loses neither its last events nor its recording',
  async () => {
    const s3 = await startS3Server()
    onTestFinished(() => s3.close())
    const service = await openService({
      STANDIN_STORAGE: `s3://${s3.bucket}`,
      ...variablesOf(s3),
    })
    const meeting = mock.open('waiting-room', { people: [...FOUR_PEOPLE] })
    const botId = await createBot(service, meeting)
    await admit(service, meeting, botId)
    await service.end('SIGKILL')
    meeting.say('ben', 'Where is everybody?')
    await speak(meeting, 'ann', 6)
    await docker.getContainer(`standin-${botId}-1`).kill()
    await service.start()

    await expect.poll(() => endsOf(botId), LONG).toHaveLength(1)
    expect(endsOf(botId)[0]!.body).toMatchObject({ event: 'bot.failed', data: { error_code: 'FORCE_KILLED' } })
    const { body } = await service.call('GET', `/v2/bots/${botId}`)
    expect((await fetch(body.data.video)).status).toBe(200)
    const said = await rows(service, `select 1 from bot_events where event::text like '%Where is everybody?%'`)
    expect(said).toHaveLength(1)
    await expect.poll(() => containersOf(botId), LONG).toEqual([])
  },
)

ifImage('too little memory is reported as the reason, with any exit code', async () => {
  const service = await openService({ STANDIN_BOT_MEMORY: '256' })
  const meeting = mock.open('waiting-room', { people: [...FOUR_PEOPLE] })
  const botId = await createBot(service, meeting)
  await expect
    .poll(
      () => rows(service, `select is_out_of_memory from launches where bot_id = '${botId}' and ended_at is not null`),
      LONG,
    )
    .toContainEqual({ is_out_of_memory: true })
})
