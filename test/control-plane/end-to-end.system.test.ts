/** A service, or its bot, ends in the middle of a meeting. The main job: `test/smoke/service.smoke.test.ts`. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startMock } from '../../packages/mock/index.ts'
import type { MockMeeting } from '../../packages/mock/types.ts'
import { LOOK, speak, startSpeaking, WITHOUT_CAMERAS } from '../end-to-end/meeting-script.ts'
import { probe } from '../media/media-info.ts'
import { heardShare, soundOf } from '../media/meeting-recording.ts'
import { ServiceProcess } from './service-process.ts'
import { type Receiver, startReceiver } from './webhooks/receiver.ts'

const LONG = { timeout: 120_000, interval: 200 }

let mock: Awaited<ReturnType<typeof startMock>>
let service: ServiceProcess
let receiver: Receiver

beforeAll(async () => {
  mock = await startMock('meet')
  service = await ServiceProcess.prepare({
    STANDIN_MAP_HOSTS: mock.hosts.map((host) => `${host}=${mock.address}`).join(','),
    STANDIN_WEBHOOK_DELAYS: '0.2,0.5,1',
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

async function createBot(meeting: MockMeeting, fields: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await service.call('POST', '/v2/bots', {
    meeting_url: meeting.url,
    bot_name: 'Notes for Ann',
    extra: { order: '17' },
    ...fields,
  })
  expect({ status, body }).toEqual({ status: 201, body: { success: true, data: { bot_id: expect.any(String) } } })
  return body.data.bot_id
}

const statusOf = async (botId: string) => (await service.call('GET', `/v2/bots/${botId}`)).body.data?.status

/** Webhooks about a bot, each message once, in the order in which they came first. */
function messagesOf(botId: string) {
  const ids = new Set<string>()
  return receiver.received.filter(({ headers, body }) => {
    const id = headers['webhook-id']!
    const isNew = body.data.bot_id === botId && !ids.has(id)
    if (isNew) ids.add(id)
    return isNew
  })
}

const codesOf = (botId: string) =>
  messagesOf(botId).flatMap(({ body }) => (body.event === 'bot.status_change' ? [body.data.status.code] : []))

const endsOf = (botId: string) => messagesOf(botId).filter(({ body }) => /^bot\.(completed|failed)$/.test(body.event))

/** Resolves when the bot records. */
async function admit(meeting: MockMeeting, botId: string): Promise<void> {
  await expect.poll(() => statusOf(botId), LONG).toBe('in_waiting_room')
  meeting.admit()
  await expect.poll(() => statusOf(botId), LONG).toBe('in_call_recording')
}

test('a service that is ended leaves its bots, and the next start finds them; killed, it ends its bot once', async () => {
  const meeting = mock.open('waiting-room', { people: WITHOUT_CAMERAS })
  const botId = await createBot(meeting, { recording_mode: 'audio_only' })
  await admit(meeting, botId)
  expect(await service.end('SIGTERM')).toBe(0)
  expect(meeting.state).toBe('call')
  await service.start()
  expect(service.output).not.toContain(await service.key())
  expect(await statusOf(botId)).toBe('in_call_recording')

  await startSpeaking(meeting, 'ann')
  await service.end('SIGKILL')
  // The meeting continues without the service.
  meeting.say('ben', 'Where is everybody?')
  await service.start()
  meeting.stopSpeaking('ann')
  await speak(meeting, 'ben', 3)
  expect((await service.call('POST', `/v2/bots/${botId}/leave`)).status).toBe(200)

  await expect.poll(() => endsOf(botId), LONG).toHaveLength(1)
  expect(endsOf(botId)[0]!.body).toMatchObject({ event: 'bot.completed', data: { audio: expect.any(String) } })
  expect((await fetch(endsOf(botId)[0]!.body.data.audio)).status).toBe(200)
  expect(codesOf(botId)).toEqual([...new Set(codesOf(botId))])
  expect(await statusOf(botId)).toBe('completed')
})

test('a bot that is killed while it records fails with the code of its death, and its recording plays', async () => {
  const meeting = mock.open('waiting-room', { people: WITHOUT_CAMERAS })
  const botId = await createBot(meeting)
  await admit(meeting, botId)
  await speak(meeting, 'ann', 5)
  const folder = join(service.folder, 'bots', `standin-${botId}-1`)
  process.kill(Number((await readFile(join(folder, 'bot'), 'utf8')).split(' ')[0]), 'SIGKILL')

  await expect.poll(() => endsOf(botId), LONG).toHaveLength(1)
  expect(endsOf(botId)[0]!.body).toMatchObject({ event: 'bot.failed', data: { error_code: 'FORCE_KILLED' } })
  const { data: ended } = (await service.call('GET', `/v2/bots/${botId}`)).body
  expect(ended).toMatchObject({ status: 'failed', error_code: 'FORCE_KILLED', video: expect.any(String) })
  expect(ended.duration_seconds).toBeGreaterThan(3)
  const file = join(service.folder, 'recovered.mp4')
  await writeFile(file, Buffer.from(await (await fetch(ended.video)).arrayBuffer()))
  const media = await probe(file)
  expect(media.codecs).toEqual(['h264', 'aac'])
  expect(media.seconds).toBeCloseTo(ended.duration_seconds, -0.5)
  expect(heardShare(await soundOf(file), LOOK.ann!, 0, media.seconds)).toBeGreaterThan(0.3)

  const timeline = await service.call('GET', `/v2/bots/${botId}/timeline`)
  expect(JSON.stringify(timeline.body)).toContain('killed from outside')
  // No other file of the bot is left beside its recording.
  await expect.poll(() => readdir(join(service.folder, 'bots')), LONG).not.toContain(`standin-${botId}-1`)
})
