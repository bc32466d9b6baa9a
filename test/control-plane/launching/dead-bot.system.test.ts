/** A real bot crashes in its meeting, and its caller still gets its recording. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startMock } from '../../../mock/index.ts'
import { LOOK, speak, WITHOUT_CAMERAS } from '../../end-to-end/meeting-script.ts'
import { probe } from '../../media/media-info.ts'
import { heardShare, soundOf } from '../../media/meeting-recording.ts'
import { ServiceProcess } from '../service-process.ts'
import { type Receiver, startReceiver } from '../webhooks/receiver.ts'

const LONG = { timeout: 120_000, interval: 200 }

let mock: Awaited<ReturnType<typeof startMock>>
let service: ServiceProcess
let receiver: Receiver

beforeAll(async () => {
  mock = await startMock('meet')
  service = await ServiceProcess.prepare({
    STANDIN_MAP_HOSTS: mock.hosts.map((host) => `${host}=${mock.address}`).join(','),
    STANDIN_RESUME_BOTS: 'off',
  })
  receiver = await startReceiver()
  await service.start()
  await service.command('endpoints', 'create', receiver.url)
})

afterAll(async () => {
  await service?.dispose()
  await receiver?.close()
  await mock?.close()
})

const bot = async (id: string) => (await service.call('GET', `/v2/bots/${id}`)).body.data
const endsOf = (id: string) =>
  receiver.received.filter(({ body }) => body.data.bot_id === id && /^bot\.(completed|failed)$/.test(body.event))

test('a bot that is killed while it records fails with the code of its death, and its recording plays', async () => {
  const meeting = mock.open('waiting-room', { people: WITHOUT_CAMERAS })
  const { body } = await service.call('POST', '/v2/bots', { meeting_url: meeting.url, bot_name: 'Notes' })
  const id = body.data.bot_id as string
  await expect.poll(async () => (await bot(id)).status, LONG).toBe('in_waiting_room')
  meeting.admit()
  await expect.poll(async () => (await bot(id)).status, LONG).toBe('in_call_recording')
  await speak(meeting, 'ann', 5)
  const folder = join(service.folder, 'bots', `standin-${id}-1`)
  process.kill(Number((await readFile(join(folder, 'bot'), 'utf8')).split(' ')[0]), 'SIGKILL')

  await expect.poll(() => endsOf(id), LONG).toHaveLength(1)
  expect(endsOf(id)[0]!.body).toMatchObject({ event: 'bot.failed', data: { error_code: 'FORCE_KILLED' } })
  const ended = await bot(id)
  expect(ended).toMatchObject({ status: 'failed', error_code: 'FORCE_KILLED', video: expect.any(String) })
  expect(ended.duration_seconds).toBeGreaterThan(3)
  const file = join(service.folder, 'recovered.mp4')
  await writeFile(file, Buffer.from(await (await fetch(ended.video)).arrayBuffer()))
  const media = await probe(file)
  expect(media.codecs).toEqual(['h264', 'aac'])
  expect(media.seconds).toBeCloseTo(ended.duration_seconds, -0.5)
  expect(heardShare(await soundOf(file), LOOK.ann!, 0, media.seconds)).toBeGreaterThan(0.3)

  const timeline = await service.call('GET', `/v2/bots/${id}/timeline`)
  expect(JSON.stringify(timeline.body)).toContain('killed from outside')
  // No other file of the bot is left beside its recording.
  await expect.poll(() => readdir(join(service.folder, 'bots')), LONG).not.toContain(`standin-${id}-1`)
})
