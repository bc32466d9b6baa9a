/** The main job: one call sends a real bot into a meeting, and a webhook brings the recording. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startMock } from '../../mock/index.ts'
import type { MockMeeting } from '../../mock/types.ts'
import { FOUR_PEOPLE, LOOK, speak, startSpeaking, WITHOUT_CAMERAS } from '../end-to-end/meeting-script.ts'
import { probe } from '../media/media-info.ts'
import { heardShare, picturesOf, shownShare, soundOf } from '../media/meeting-recording.ts'
import { openSpeechService } from '../transcription/speech-service.ts'
import { ServiceProcess } from './service-process.ts'
import { type Receiver, startReceiver } from './webhooks/receiver.ts'

const LONG = { timeout: 120_000, interval: 200 }

let mock: Awaited<ReturnType<typeof startMock>>
let teams: Awaited<ReturnType<typeof startMock>>
let service: ServiceProcess
let receiver: Receiver
let speech: Awaited<ReturnType<typeof openSpeechService>>
let secret: string

beforeAll(async () => {
  mock = await startMock('meet')
  teams = await startMock('teams')
  speech = await openSpeechService(() => ({ body: { words: [{ word: 'Hello', start: 1, end: 2 }] } }))
  service = await ServiceProcess.prepare({
    STANDIN_TRANSCRIPTION_URL: speech.url,
    STANDIN_MAP_HOSTS: [mock, teams]
      .flatMap(({ hosts, address }) => hosts.map((host) => `${host}=${address}`))
      .join(','),
    STANDIN_WEBHOOK_DELAYS: '0.2,0.5,1',
    STANDIN_RESUME_BOTS: 'off',
  })
  receiver = await startReceiver()
  await service.start()
  expect(service.output).toContain(await service.key())
  secret = (await service.command('endpoints', 'create', receiver.url)).secret!
})

afterAll(async () => {
  await service?.dispose()
  await receiver?.close()
  await mock?.close()
  await teams?.close()
  await speech?.close()
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
  return receiver.received.filter(({ headers, body, text }) => {
    // Those of the older generation have no id; a repetition has the same status.
    const id = headers['webhook-id'] ?? (body.event === 'bot.status_change' ? text : body.event)
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

test('one call sends a bot into a meeting, and a webhook brings a video that plays and a transcript', async () => {
  const meeting = mock.open('waiting-room', { people: [...FOUR_PEOPLE] })
  const botId = await createBot(meeting, { entry_message: 'Hello', transcription_enabled: true })
  await admit(meeting, botId)
  expect(meeting.botName).toBe('Notes for Ann')
  await speak(meeting, 'ann', 6)
  await speak(meeting, 'ben', 4)
  meeting.endForAll()

  await expect.poll(() => endsOf(botId), LONG).toHaveLength(1)
  const [end] = endsOf(botId)
  expect(new Webhook(secret).verify(end!.text, end!.headers)).toEqual(end!.body)
  expect(end!.headers['x-service-api-key']).toBe(await service.key())
  expect(end!.body).toMatchObject({
    event: 'bot.completed',
    data: { bot_id: botId, data_deleted: false, video: expect.any(String), audio: expect.any(String) },
    extra: { order: '17' },
  })
  expect(end!.body.data.speakers.map(({ name }: { name: string }) => name)).toContain('Ann Host')
  expect(codesOf(botId)).toEqual([
    'queued',
    'joining_call',
    'in_waiting_room',
    'in_call_not_recording',
    'in_call_recording',
    'call_ended',
    'recording_succeeded',
    'transcribing',
    'completed',
  ])

  const video = await fetch(end!.body.data.video)
  expect(video.status).toBe(200)
  const file = join(service.folder, 'downloaded.mp4')
  await writeFile(file, Buffer.from(await video.arrayBuffer()))
  const media = await probe(file)
  expect(media).toMatchObject({ codecs: ['h264', 'aac'], width: 1280, height: 720 })
  expect(media.seconds).toBeCloseTo(end!.body.data.duration_seconds, -0.5)
  expect(heardShare(await soundOf(file), LOOK.ann!, 0, media.seconds)).toBeGreaterThan(0.15)
  const [picture] = await picturesOf(file, 5, 0.05)
  expect(Math.max(...Object.values(LOOK).map((look) => shownShare(picture!, look)))).toBeGreaterThan(0.2)

  const { status, body } = await service.call('GET', `/v2/bots/${botId}`)
  expect(status).toBe(200)
  expect(body.data).toMatchObject({ status: 'completed', error_code: null, meeting_platform: 'meet' })
  expect(body.data.tokens.recording).toBeCloseTo(end!.body.data.duration_seconds / 3600, 3)
  expect(body.data.tokens.transcription).toBeGreaterThan(0)
  const transcript = await fetch(body.data.transcription)
  expect(await transcript.json()).toMatchObject({
    bot_id: botId,
    result: { utterances: [{ text: 'Hello', start: expect.any(Number), speaker: expect.any(String) }] },
  })
  const timeline = await service.call('GET', `/v2/bots/${botId}/timeline`)
  expect(timeline.status).toBe(200)
})

test('a service that is ended leaves its bots, and the next start finds them; killed, it ends its bot once', async () => {
  const meeting = mock.open('waiting-room', { people: WITHOUT_CAMERAS })
  const botId = await createBot(meeting, { recording_mode: 'audio_only' })
  await admit(meeting, botId)
  const askedAt = performance.now()
  expect(await service.end('SIGTERM')).toBe(0)
  expect(performance.now() - askedAt).toBeLessThan(11_000)
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

test('a client of the older generation with public names gets its recording from a meeting of Teams', async () => {
  const meeting = teams.open('waiting-room', { people: WITHOUT_CAMERAS })
  const headers = { 'x-meeting-baas-api-key': await service.key(), 'content-type': 'application/json' }
  const created = await fetch(`${service.url}/compat/bots/`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      meeting_url: meeting.url,
      bot_name: 'Notes for Ann',
      reserved: false,
      webhook_url: receiver.url,
      extra: { order: 18 },
    }),
  })
  expect(created.status).toBe(200)
  const { bot_id: botId } = (await created.json()) as { bot_id: string }
  await expect.poll(() => codesOf(botId), LONG).toContain('in_waiting_room')
  meeting.admit()
  await expect.poll(() => codesOf(botId), LONG).toContain('in_call_recording')
  await speak(meeting, 'ann', 4)
  meeting.endForAll()

  const ends = () => messagesOf(botId).filter(({ body }) => body.event === 'complete')
  await expect.poll(ends, LONG).toHaveLength(1)
  const [end] = ends()
  expect(end!.headers['x-meeting-baas-api-key']).toBe(await service.key())
  expect(end!.body.data).toMatchObject({ bot_id: botId, extra: { order: 18 }, mp4: expect.any(String) })
  expect((await fetch(end!.body.data.mp4)).status).toBe(200)

  const data = await fetch(`${service.url}/compat/bots/meeting_data?bot_id=${botId}`, { headers })
  expect(data.status).toBe(200)
  expect(await data.json()).toMatchObject({ bot_data: { bot: { uuid: botId, bot_name: 'Notes for Ann' } } })
})
