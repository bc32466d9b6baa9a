/**
 * The service with the Kubernetes launcher: whole bots in pods of the worker's image on a real cluster, in the mock meeting.
 * The service runs outside of the cluster; bots reach it and the meeting over the network of the one node, this machine.
 */
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startOwnPostgres } from '../../control-plane/store/own-postgres.ts'
import { startMock } from '../../packages/mock/index.ts'
import type { MockMeeting } from '../../packages/mock/types.ts'
import { FOUR_PEOPLE, speak } from '../end-to-end/meeting-script.ts'
import { startS3Server, variablesOf } from '../servers/s3-server.ts'
import { openRealCluster, type RealCluster, realConfig } from './launching/launchers/kubernetes/real-cluster.ts'
import { ServiceProcess } from './service-process.ts'
import { type Receiver, startReceiver } from './webhooks/receiver.ts'

const LONG = { timeout: 170_000, interval: 200 }
/** On the node already. Built by `docker build -f docker/Dockerfile -t standin .` */
const IMAGE = process.env.STANDIN_TEST_IMAGE ?? 'standin'
const config = realConfig()
const ifCluster = test.skipIf(config === null)

let mock: Awaited<ReturnType<typeof startMock>>
let receiver: Receiver
let cluster: RealCluster

beforeAll(async () => {
  if (config === null) return
  mock = await startMock('meet')
  receiver = await startReceiver()
  cluster = await openRealCluster(config)
})

afterAll(async () => {
  await receiver?.close()
  await mock?.close()
  await cluster?.close()
})

async function openService(environment: Record<string, string> = {}) {
  const s3 = await startS3Server()
  onTestFinished(() => s3.close())
  const service = await ServiceProcess.prepare({
    KUBECONFIG: process.env.KUBECONFIG!,
    STANDIN_LAUNCHER: 'kubernetes',
    STANDIN_BOT_IMAGE: IMAGE,
    STANDIN_BOT_NAMESPACE: cluster.namespace,
    STANDIN_BOT_PULL: 'never',
    STANDIN_BOT_NETWORK: 'host',
    STANDIN_BOT_NEEDS: 'speaker_view=0.1:1024',
    STANDIN_MAP_HOSTS: mock.hosts.map((host) => `${host}=${mock.address}`).join(','),
    STANDIN_WEBHOOK_DELAYS: '0.2,0.5,1',
    STANDIN_STORAGE: `s3://${s3.bucket}`,
    ...variablesOf(s3),
    ...environment,
  })
  onTestFinished(async () => {
    const [setting] = await rows<{ value: string }>(
      service,
      `select value from settings where name = 'installation_id'`,
    )
    await service.dispose()
    await cluster.cleanUp(setting!.value)
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

const podsOf = async (botId: string) => {
  const labelSelector = `standin.bot=${botId}`
  return (await cluster.admin.core.listNamespacedPod({ namespace: cluster.namespace, labelSelector })).items
}

ifCluster('one call starts a pod, which records, and a webhook brings the video; Job and pod go', async () => {
  const service = await openService()
  const meeting = mock.open('waiting-room', { people: [...FOUR_PEOPLE] })
  const botId = await createBot(service, meeting)
  await admit(service, meeting, botId)

  const [pod] = await podsOf(botId)
  const token = pod!.spec!.containers[0]!.env!.find(({ name }) => name === 'STANDIN_JOB_TOKEN')!.value
  const again = await fetch(`${service.url}/job/${botId}/1`, { headers: { authorization: `Bearer ${token}` } })
  expect(again.status).toBe(410)
  expect(JSON.stringify(pod!.spec)).not.toContain(meeting.url)

  await speak(meeting, 'ann', 5)
  meeting.endForAll()
  await expect.poll(() => endsOf(botId), LONG).toHaveLength(1)
  const [end] = endsOf(botId)
  expect(end!.body).toMatchObject({ event: 'bot.completed', data: { video: expect.any(String) } })
  expect((await fetch(end!.body.data.video)).status).toBe(200)
  await expect.poll(() => podsOf(botId), LONG).toEqual([])
  const launches = await rows(service, 'select exit_code, is_out_of_memory, log_tail from launches')
  expect(launches).toEqual([{ exit_code: 0, is_out_of_memory: false, log_tail: expect.stringContaining('"') }])
})

ifCluster('a pod that is removed from outside has time to finish, and the bot says why it ended', async () => {
  const service = await openService({ STANDIN_RESUME_BOTS: 'off' })
  const meeting = mock.open('waiting-room', { people: [...FOUR_PEOPLE] })
  const botId = await createBot(service, meeting)
  await admit(service, meeting, botId)
  await service.end('SIGKILL')
  await speak(meeting, 'ann', 5)
  const [pod] = await podsOf(botId)
  await cluster.admin.core.deleteNamespacedPod({ name: pod!.metadata!.name!, namespace: cluster.namespace })
  await service.start()

  await expect.poll(() => endsOf(botId), LONG).toHaveLength(1)
  const { body } = await service.call('GET', `/v2/bots/${botId}`)
  expect((await fetch(body.data.video)).status).toBe(200)
  await expect.poll(() => podsOf(botId), LONG).toEqual([])
  const launches = await rows(service, 'select exit_code, reason from launches')
  expect(launches).toEqual([
    { exit_code: 4, reason: expect.stringContaining('a person or another program removed its pod') },
  ])
})

ifCluster.each([
  ['with time to finish', undefined],
  ['by force', 0],
])(
  'a pod that is removed in the meeting %s is replaced, and both parts are one recording',
  async (_, seconds) => {
    const service = await openService()
    const meeting = mock.open('waiting-room', { people: [...FOUR_PEOPLE] })
    const botId = await createBot(service, meeting)
    await admit(service, meeting, botId)
    await speak(meeting, 'ann', 5)
    const [pod] = await podsOf(botId)
    const name = pod!.metadata!.name!
    await cluster.admin.core.deleteNamespacedPod({
      name,
      namespace: cluster.namespace,
      ...(seconds !== undefined && { gracePeriodSeconds: seconds }),
    })

    const timelineOf = async () => JSON.stringify((await service.call('GET', `/v2/bots/${botId}/timeline`)).body)
    await expect.poll(timelineOf, LONG).toContain('Attempt 2: The bot waited in the waiting room.')
    meeting.admit()
    await expect.poll(timelineOf, LONG).toContain('records again')
    await speak(meeting, 'ben', 5)
    meeting.endForAll()

    await expect.poll(() => endsOf(botId), LONG).toHaveLength(1)
    expect(endsOf(botId)[0]!.body).toMatchObject({ event: 'bot.completed', data: { video: expect.any(String) } })
    expect((await fetch(endsOf(botId)[0]!.body.data.video)).status).toBe(200)
    expect(await rows(service, 'select attempt, exit_code from launches order by attempt')).toEqual([
      { attempt: 1, exit_code: seconds === 0 ? null : 4 },
      { attempt: 2, exit_code: 0 },
    ])
    await expect.poll(() => podsOf(botId), LONG).toEqual([])
  },
  300_000,
)

ifCluster('too little memory is reported as the reason, with any exit code', async () => {
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
