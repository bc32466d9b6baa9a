/** The main job on every platform: one call sends a real bot, a webhook brings a video that plays and a transcript. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startMock } from '../../packages/mock/index.ts'
import type { MockMeeting, MockServer } from '../../packages/mock/types.ts'
import { FOUR_PEOPLE, LOOK, speak } from '../end-to-end/meeting-script.ts'
import { probe } from '../media/media-info.ts'
import { heardShare, picturesOf, shownShare, soundOf } from '../media/meeting-recording.ts'
import { openSpeechService } from '../src/transcription/speech-service.ts'
import { ServiceProcess } from './service-process.ts'
import { type Receiver, startReceiver } from './webhooks/receiver.ts'

const LONG = { timeout: 150_000, interval: 200 }
const PLATFORMS = ['meet', 'teams', 'zoom', 'jitsi'] as const
type Platform = (typeof PLATFORMS)[number]

const mocks = new Map<Platform, MockServer>()
let service: ServiceProcess
let receiver: Receiver
let speech: Awaited<ReturnType<typeof openSpeechService>>
let secret: string

beforeAll(async () => {
  for (const platform of PLATFORMS) mocks.set(platform, await startMock(platform))
  speech = await openSpeechService(() => ({ body: { words: [{ word: 'Hello', start: 1, end: 2 }] } }))
  const hosts = [...mocks.values()].flatMap((mock) => mock.hosts.map((host) => `${host}=${mock.address}`))
  service = await ServiceProcess.prepare({
    STANDIN_TRANSCRIPTION_URL: speech.url,
    STANDIN_MAP_HOSTS: hosts.join(','),
    STANDIN_WEBHOOK_DELAYS: '0.2,0.5,1',
  })
  receiver = await startReceiver()
  await service.start()
  secret = (await service.command('endpoints', 'create', receiver.url)).secret!
})

afterAll(async () => {
  await service?.dispose()
  await receiver?.close()
  for (const mock of mocks.values()) await mock.close()
  await speech?.close()
})

/** Webhooks of a bot, each message once. */
function messagesOf(botId: string) {
  const messages = new Map<string, (typeof receiver.received)[number]>()
  for (const message of receiver.received)
    if (message.body.data.bot_id === botId) messages.set(String(message.headers['webhook-id']), message)
  return [...messages.values()]
}
const codesOf = (botId: string) =>
  messagesOf(botId).flatMap(({ body }) => (body.event === 'bot.status_change' ? [body.data.status.code] : []))
const endsOf = (botId: string) => messagesOf(botId).filter(({ body }) => /^bot\.(completed|failed)$/.test(body.event))

/** Lets the bot in, lets two people speak, and ends the meeting. Resolves with the final webhook. */
async function held(meeting: MockMeeting, botId: string) {
  await expect.poll(() => codesOf(botId), LONG).toContain('in_waiting_room')
  expect(meeting.botName).toBe('Notes for Ann')
  meeting.admit()
  await expect.poll(() => codesOf(botId), LONG).toContain('in_call_recording')
  await speak(meeting, 'ann', 6)
  await speak(meeting, 'ben', 4)
  meeting.endForAll()
  await expect.poll(() => endsOf(botId), LONG).toHaveLength(1)
  const [end] = endsOf(botId)
  expect(new Webhook(secret).verify(end!.text, end!.headers)).toEqual(end!.body)
  return end!
}

async function expectVideo(address: string, seconds: number): Promise<void> {
  const answer = await fetch(address)
  expect(answer.status).toBe(200)
  const file = join(service.folder, 'downloaded.mp4')
  await writeFile(file, Buffer.from(await answer.arrayBuffer()))
  const media = await probe(file)
  expect(media).toMatchObject({ codecs: ['h264', 'aac'], width: 1280, height: 720 })
  expect(media.seconds).toBeCloseTo(seconds, -0.5)
  expect(heardShare(await soundOf(file), LOOK.ann!, 0, media.seconds)).toBeGreaterThan(0.1)
  // On a busy machine faces come late.
  const shares = (await picturesOf(file)).flatMap((picture) =>
    Object.values(LOOK).map((look) => shownShare(picture, look)),
  )
  expect(Math.max(...shares)).toBeGreaterThan(0.1)
}

async function expectTranscript(address: string, botId: string): Promise<void> {
  expect(await (await fetch(address)).json()).toMatchObject({
    bot_id: botId,
    result: { utterances: [{ text: 'Hello', start: expect.any(Number), speaker: expect.any(String) }] },
  })
}

test.each(PLATFORMS)('%s: a bot comes back with a video that plays and a transcript', async (platform) => {
  const meeting = mocks.get(platform)!.open('waiting-room', { people: [...FOUR_PEOPLE] })
  const created = await service.call('POST', '/v2/bots', {
    meeting_url: meeting.url,
    bot_name: 'Notes for Ann',
    transcription_enabled: true,
    extra: { order: platform },
  })
  expect(created.status).toBe(201)
  const botId = created.body.data.bot_id
  const { body } = await held(meeting, botId)
  expect(body).toMatchObject({ event: 'bot.completed', extra: { order: platform } })
  expect(body.data.speakers.map(({ name }: { name: string }) => name)).toContain('Ann Host')
  await expectVideo(body.data.video, body.data.duration_seconds)
  const details = (await service.call('GET', `/v2/bots/${botId}`)).body.data
  expect(details).toMatchObject({ status: 'completed', error_code: null, meeting_platform: platform })
  await expectTranscript(details.transcription, botId)
})

test('a client with public names gets the same under /compat/v2', async () => {
  const meeting = mocks.get('zoom')!.open('waiting-room', { people: [...FOUR_PEOPLE] })
  const headers = { 'x-meeting-baas-api-key': await service.key(), 'content-type': 'application/json' }
  const created = await fetch(`${service.url}/compat/v2/bots`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      meeting_url: meeting.url,
      bot_name: 'Notes for Ann',
      // Fields that such a client always sends, and a provider that is not here.
      allow_multiple_bots: true,
      recording_mode: 'speaker_view',
      timeout_config: { waiting_room_timeout: 600, no_one_joined_timeout: 600, silence_timeout: 600 },
      zoom_config: null,
      transcription_enabled: true,
      transcription_config: { provider: 'gladia' },
      extra: { order: 19 },
      a_field_that_is_unknown: true,
    }),
  })
  expect(created.status).toBe(201)
  const { data } = (await created.json()) as { data: { bot_id: string } }
  const end = await held(meeting, data.bot_id)
  expect(end.headers['x-meeting-baas-api-key']).toBe(await service.key())
  expect(end.headers['svix-id']).toBe(end.headers['webhook-id'])
  expect(end.body.data).toMatchObject({ extra: { order: 19 }, transcription_provider: null })
  expect(end.body.data.mp4).toBe(end.body.data.video)
  await expectVideo(end.body.data.mp4, end.body.data.duration_seconds)
  const answer = await fetch(`${service.url}/compat/v2/bots/${data.bot_id}`, { headers })
  const details = ((await answer.json()) as { data: Record<string, string> }).data
  expect(details).toMatchObject({ status: 'completed', meeting_platform: 'zoom', zoom_config: null })
  expect(details).not.toHaveProperty('conf_config')
  await expectTranscript(details.transcription!, data.bot_id)
})
