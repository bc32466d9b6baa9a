/** Recordings in S3 with a role: a real bot has keys for its own files only, and they are renewed while it records. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startMock } from '../../mock/index.ts'
import { FOUR_PEOPLE, speak } from '../end-to-end/meeting-script.ts'
import { type S3ServerOptions, startS3Server } from '../servers/s3-server.ts'
import type { Keys } from '../servers/sigv4.ts'
import { ServiceProcess } from './service-process.ts'

const LONG = { timeout: 150_000, interval: 200 }
const ROLE = 'arn:aws:iam::123456789012:role/bots'

async function setting(options: S3ServerOptions) {
  const s3 = await startS3Server(options)
  onTestFinished(() => s3.close())
  const mock = await startMock('meet')
  onTestFinished(() => mock.close())
  const service = await ServiceProcess.prepare({
    STANDIN_STORAGE: `s3://${s3.bucket}/all`,
    STANDIN_STORAGE_ROLE: ROLE,
    AWS_ENDPOINT_URL_S3: s3.endpoint,
    AWS_ACCESS_KEY_ID: s3.keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.keys.secretAccessKey,
    AWS_REGION: s3.region,
    STANDIN_RESUME_BOTS: 'off',
    STANDIN_MAP_HOSTS: mock.hosts.map((host) => `${host}=${mock.address}`).join(','),
  })
  onTestFinished(() => service.dispose())
  return { s3, mock, service }
}

test('a service whose provider has no STS does not start, and says which setting to mend', async () => {
  const { service } = await setting({})
  await expect(service.start()).rejects.toThrow('STANDIN_STORAGE_ROLE')
  expect(service.log).toContain('the provider has no STS (then unset STANDIN_STORAGE_ROLE)')
})

test('a bot stores its recording with its own keys, also when they end in the meeting', async () => {
  const keys: Keys[] = [{ accessKeyId: 'OPERATORKEY', secretAccessKey: 'secret-of-the-operator' }]
  const { s3, mock, service } = await setting({ keys, roles: { arn: ROLE, maxSeconds: 3600 } })
  const given = () => keys.slice(1)
  await service.start()
  const meeting = mock.open('waiting-room', { people: [...FOUR_PEOPLE] })
  const { body } = await service.call('POST', '/v2/bots', { meeting_url: meeting.url, bot_name: 'Notes' })
  const botId = body.data.bot_id
  const statusOf = async () => (await service.call('GET', `/v2/bots/${botId}`)).body.data
  await expect.poll(async () => (await statusOf()).status, LONG).toBe('in_waiting_room')
  meeting.admit()
  await expect.poll(async () => (await statusOf()).status, LONG).toBe('in_call_recording')
  const uploads = () => s3.requests.filter(({ key }) => key.startsWith(`all/${botId}/1/${botId}/`))
  await expect.poll(() => uploads().length, LONG).toBeGreaterThan(2)

  const before = given().length
  for (const each of given()) each.expiresAt = 0
  await expect.poll(() => uploads().some(({ status }) => status === 400), LONG).toBe(true)
  await speak(meeting, 'ann', 5)
  // New keys are asked for a minute after the old ones at the earliest.
  await expect.poll(() => given().length, LONG).toBeGreaterThan(before)
  const renewedAt = s3.requests.length
  await expect
    .poll(() => uploads().length > 0 && s3.requests.slice(renewedAt).some(({ status }) => status === 200), LONG)
    .toBe(true)
  // Arguments and variables of the bot's processes, and the files in its folder except the job.
  const readable = (file: string) => {
    try {
      return readFileSync(file, 'latin1')
    } catch {
      return ''
    }
  }
  const seen = globSync('/proc/[0-9]*').flatMap((process) => {
    const [variables, words] = [readable(`${process}/environ`), readable(`${process}/cmdline`)]
    return variables.includes(botId) || words.includes(botId) ? [variables, words] : []
  })
  const logs = globSync(join(service.folder, 'bots/**/*'))
    .filter((file) => !/\/job-[^/]+\.json$/.test(file))
    .map(readable)
  expect(seen.length).toBeGreaterThan(4)
  expect(logs.join('')).toContain('New keys of the storage')
  await delay(1_000)
  meeting.endForAll()
  await expect.poll(async () => (await statusOf()).status, LONG).toBe('completed')
  const data = await statusOf()
  expect((await fetch(data.video)).status).toBe(200)
  expect(data.duration_seconds).toBeGreaterThan(5)
  expect(s3.state.uploads.size).toBe(0)

  const objects = [...s3.state.objects.values()].map(({ body: bytes }) => bytes.toString('latin1'))
  const secrets = [...given().flatMap((each) => [each.secretAccessKey, each.sessionToken!]), 'secret-of-the-operator']
  for (const secret of secrets)
    for (const text of [service.log, service.output, ...logs, ...objects, ...seen])
      expect(text.includes(secret)).toBe(false)
}, 300_000)
