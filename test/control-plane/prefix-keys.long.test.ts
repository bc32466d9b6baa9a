/** Recordings in S3 with a role: a real bot has keys for its own files only, and they are renewed while it records. */
import { globSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startMock } from '../../packages/mock/index.ts'
import { FOUR_PEOPLE, LOOK, speak } from '../end-to-end/meeting-script.ts'
import { probe } from '../media/media-info.ts'
import { heardShare, soundOf } from '../media/meeting-recording.ts'
import { type S3ServerOptions, startS3Server, variablesOf } from '../servers/s3-server.ts'
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
    ...variablesOf(s3),
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

/** A service with a role, and a bot that records. */
async function recordingBot() {
  const keys: Keys[] = [{ accessKeyId: 'OPERATORKEY', secretAccessKey: 'secret-of-the-operator' }]
  const { s3, mock, service } = await setting({ keys, roles: { arn: ROLE, maxSeconds: 3600 } })
  await service.start()
  const meeting = mock.open('waiting-room', { people: [...FOUR_PEOPLE] })
  const { body } = await service.call('POST', '/v2/bots', { meeting_url: meeting.url, bot_name: 'Notes' })
  const botId: string = body.data.bot_id
  const facts = async () => (await service.call('GET', `/v2/bots/${botId}`)).body.data
  const reaches = (status: string) => expect.poll(async () => (await facts()).status, LONG).toBe(status)
  await reaches('in_waiting_room')
  meeting.admit()
  await reaches('in_call_recording')
  const uploads = () => s3.requests.filter(({ key }) => key.startsWith(`all/${botId}/1/${botId}/`))
  await expect.poll(() => uploads().length, LONG).toBeGreaterThan(2)
  return {
    ...{ s3, service, meeting, botId, facts, reaches, uploads },
    folder: join(service.folder, 'bots', `standin-${botId}-1`),
    given: () => keys.slice(1),
    async videoOf({ video, duration_seconds: seconds }: { video: string; duration_seconds: number }) {
      const file = join(service.folder, 'downloaded.mp4')
      await writeFile(file, Buffer.from(await (await fetch(video)).arrayBuffer()))
      expect((await probe(file)).seconds).toBeCloseTo(seconds, -0.5)
      return heardShare(await soundOf(file), LOOK.ann!, 0, seconds)
    },
  }
}

const readable = (file: string) => {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

test('keys that end in the meeting while the service is away are renewed when it is back, and no part is lost', async () => {
  const { s3, service, meeting, botId, facts, reaches, uploads, folder, given, videoOf } = await recordingBot()
  const before = given().length
  const hasKeys = () => before < given().length
  await service.end('SIGKILL')
  for (const each of given()) each.expiresAt = 0
  await expect.poll(() => uploads().some(({ status }) => status === 400), LONG).toBe(true)
  await speak(meeting, 'ann', 8)
  expect(hasKeys()).toBe(false)
  await service.start()
  // New keys are asked for a minute after the old ones at the earliest.
  await expect.poll(hasKeys, LONG).toBe(true)
  const stored = () => uploads().filter(({ status }) => status === 200).length
  const until = stored()
  await expect.poll(stored, LONG).toBeGreaterThan(until)

  // Arguments and variables of the bot's processes, and the files in its folder except the job.
  const processes = globSync('/proc/[0-9]*').flatMap((process) => {
    const [variables, words] = [readable(`${process}/environ`), readable(`${process}/cmdline`)]
    return variables.includes(botId) || words.includes(botId) ? [variables, words] : []
  })
  expect(processes.length).toBeGreaterThan(4)
  const files = globSync(join(folder, '**/*')).filter((file) => !/\/job-[^/]+\.json$/.test(file))
  const texts = files.map(readable)
  expect(texts.join('')).toContain('New keys of the storage')
  meeting.endForAll()
  await reaches('completed')
  // The share that was said while the keys were over.
  const data = await facts()
  expect(await videoOf(data)).toBeGreaterThan(4 / data.duration_seconds)
  expect(s3.state.uploads.size).toBe(0)

  const objects = [...s3.state.objects.values()].map(({ body }) => body.toString('latin1'))
  const secrets = [...given().flatMap((each) => [each.secretAccessKey, each.sessionToken!]), 'secret-of-the-operator']
  for (const text of [service.log, service.output, ...texts, ...objects, ...processes])
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
}, 300_000)

test('the recording of a bot that is killed is finished by the service', async () => {
  const { s3, meeting, facts, reaches, folder, videoOf } = await recordingBot()
  await speak(meeting, 'ann', 5)
  process.kill(Number(readFileSync(join(folder, 'bot'), 'utf8').split(' ')[0]), 'SIGKILL')
  await reaches('failed')
  const data = await facts()
  expect(data.error_code).toBe('FORCE_KILLED')
  expect(await videoOf(data)).toBeGreaterThan(0.2)
  expect(s3.state.uploads.size).toBe(0)
})
