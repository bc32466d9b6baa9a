/** The main job: one call sends a real bot into a meeting, a signed webhook brings the recording, the dashboard plays it. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from 'playwright'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startMockGoogleMeet } from '../../packages/mock/index.ts'
import { ServiceProcess } from '../control-plane/service-process.ts'
import { type Received, type Receiver, startReceiver } from '../control-plane/webhooks/receiver.ts'
import { FOUR_PEOPLE, LOOK, passes, startSpeaking } from '../end-to-end/meeting-script.ts'
import { HEADLESS_SHELL } from '../headless-shell.ts'
import { probe } from '../media/media-info.ts'
import { heardShare, picturesOf, shownShare, soundOf } from '../media/meeting-recording.ts'
import { SMALL_PICTURES } from '../packages/mock/small-pictures.ts'
import { openSpeechService } from '../src/transcription/speech-service.ts'

const LONG = { timeout: 240_000, interval: 200 }
const NAME = 'Notes for Ann'
/** A whole bot beside others on a machine that is busy. */
const LIMIT_MS = 600_000

let mock: Awaited<ReturnType<typeof startMockGoogleMeet>>
let speech: Awaited<ReturnType<typeof openSpeechService>>
let service: ServiceProcess
let receiver: Receiver

beforeAll(async () => {
  mock = await startMockGoogleMeet()
  speech = await openSpeechService(() => ({ body: { words: [{ word: 'Hello', start: 1, end: 2 }] } }))
  receiver = await startReceiver()
  service = await ServiceProcess.prepare({
    STANDIN_TRANSCRIPTION_URL: speech.url,
    STANDIN_MAP_HOSTS: mock.hosts.map((host) => `${host}=${mock.address}`).join(','),
  })
  await service.start()
})
afterAll(async () => {
  await service?.dispose()
  await receiver?.close()
  await speech?.close()
  await mock?.close()
})

test('one call sends a bot into a meeting, and a signed webhook brings a video that plays and a transcript', {
  timeout: LIMIT_MS,
}, async () => {
  // What it prints is no terminal, so it becomes a log.
  for (const line of (service.output + service.log).trim().split('\n')) JSON.parse(line)
  expect(service.output + service.log).not.toMatch(/standin_[0-9A-Za-z]{30}|sign-in#/)
  const { secret } = await service.command('endpoints', 'create', receiver.url)
  const meeting = mock.open('waiting-room', { people: FOUR_PEOPLE, media: SMALL_PICTURES })
  const created = await service.call('POST', '/v2/bots', {
    meeting_url: meeting.url,
    bot_name: NAME,
    entry_message: 'Hello',
    transcription_enabled: true,
    extra: { order: '17' },
  })
  expect(created).toEqual({ status: 201, body: { success: true, data: { bot_id: expect.any(String) } } })
  const { bot_id } = created.body.data
  const statusOf = async () => (await service.call('GET', `/v2/bots/${bot_id}`)).body.data?.status
  await expect.poll(statusOf, LONG).toBe('in_waiting_room')
  meeting.admit()
  await expect.poll(statusOf, LONG).toBe('in_call_recording')
  expect(meeting.botName).toBe(NAME)
  await startSpeaking(meeting, 'ann')
  const speakers = async () => (await service.call('GET', `/v2/bots/${bot_id}/events?types=speaker`)).body.data
  await expect.poll(async () => JSON.stringify(await speakers()), LONG).toContain('Ann Host')
  await passes(4)
  meeting.endForAll()

  // The test may run a second time, with another bot.
  const isOfBot = ({ body }: Received) => body.data.bot_id === bot_id
  const ended = (one: Received) => isOfBot(one) && /^bot\.(completed|failed)$/.test(one.body.event)
  await expect.poll(() => receiver.received.some(ended), LONG).toBe(true)
  const end = receiver.received.find(ended)!
  expect(new Webhook(secret!).verify(end.text, end.headers)).toEqual(end.body)
  expect(end.headers['x-service-api-key']).toBe(await service.key())
  expect(end.body).toMatchObject({
    event: 'bot.completed',
    data: { bot_id, data_deleted: false, video: expect.any(String), audio: expect.any(String) },
    extra: { order: '17' },
  })
  const { video, duration_seconds } = end.body.data
  expect(end.body.data.speakers.map(({ name }: { name: string }) => name)).toEqual(['Ann Host'])
  // A webhook that is repeated has the same id.
  const changes = receiver.received.filter((one) => isOfBot(one) && one.body.event === 'bot.status_change')
  const codes = new Map(changes.map(({ headers, body }) => [headers['webhook-id'], body.data.status.code]))
  expect([...codes.values()]).toEqual([
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

  const part = await fetch(video, { headers: { range: 'bytes=4-7' } })
  expect(part.status).toBe(206)
  expect(await part.text()).toBe('ftyp')
  const file = join(service.folder, 'downloaded.mp4')
  await writeFile(file, Buffer.from(await (await fetch(video)).arrayBuffer()))
  const media = await probe(file)
  expect(media).toMatchObject({ codecs: ['h264', 'aac'], width: 1280, height: 720 })
  expect(media.seconds).toBeCloseTo(duration_seconds, -0.5)
  expect(heardShare(await soundOf(file), LOOK.ann!, media.seconds - 4, media.seconds - 0.5)).toBeGreaterThan(0.5)
  // A camera is shown late on a busy machine, but it is shown.
  const pictures = (await picturesOf(file)).filter((_, place) => place % 10 === 0)
  const shown = pictures.flatMap((picture) => Object.values(LOOK).map((look) => shownShare(picture, look)))
  expect(Math.max(...shown)).toBeGreaterThan(0.2)

  const { body } = await service.call('GET', `/v2/bots/${bot_id}`)
  expect(body.data).toMatchObject({ status: 'completed', error_code: null, meeting_platform: 'meet' })
  expect(body.data.tokens.recording).toBeCloseTo(duration_seconds / 3600, 3)
  expect(body.data.tokens.transcription).toBeGreaterThan(0)
  expect(await (await fetch(body.data.transcription)).json()).toMatchObject({
    bot_id,
    result: { utterances: [{ text: 'Hello', start: expect.any(Number), speaker: expect.any(String) }] },
  })
  expect((await service.call('GET', `/v2/bots/${bot_id}/timeline`)).status).toBe(200)
})

test('the dashboard signs in, lists the bot, and plays its recording', async () => {
  const browser = await chromium.launch({ executablePath: HEADLESS_SHELL })
  try {
    const page = await browser.newPage()
    page.setDefaultTimeout(LONG.timeout)
    const problems: string[] = []
    page.on('pageerror', ({ message }) => problems.push(message))
    await page.goto((await service.command('people', 'link')).sign_in_link!)
    await page.getByRole('heading', { name: 'Bots in meetings' }).waitFor()
    await page.goto(`${service.url}/dashboard/bots`)
    const row = page.getByRole('row', { name: NAME })
    await row.getByText('Completed').waitFor()
    await row.getByRole('link', { name: NAME }).click()
    await page.getByRole('heading', { name: NAME }).waitFor()
    const player = page.locator('video')
    await player.evaluate((video) => (video as HTMLVideoElement).play())
    const played = () =>
      player.evaluate((video) => {
        const { currentTime, videoWidth } = video as HTMLVideoElement
        return currentTime > 0.5 && videoWidth
      })
    await expect.poll(played, LONG).toBe(1280)
    expect(problems).toEqual([])
  } finally {
    await browser.close()
  }
})
