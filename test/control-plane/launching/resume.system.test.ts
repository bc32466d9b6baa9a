/** A real bot is lost in its meeting with all its processes and files, and another one continues there. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startMock } from '../../../packages/mock/index.ts'
import { FOUR_PEOPLE, LOOK, passes, speak } from '../../end-to-end/meeting-script.ts'
import { isIndexFirst, pictureTimes, probe } from '../../media/media-info.ts'
import { heardShare, picturesOf, shownShare, soundOf } from '../../media/meeting-recording.ts'
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
const timelineOf = async (id: string) => JSON.stringify((await service.call('GET', `/v2/bots/${id}/timeline`)).body)

test('both parts of a bot that was killed in its meeting are one recording with the gap marked', async () => {
  const meeting = mock.open('waiting-room', { people: [...FOUR_PEOPLE] })
  const { body } = await service.call('POST', '/v2/bots', {
    meeting_url: meeting.url,
    bot_name: 'Notes',
    entry_message: 'I take notes.',
  })
  const id = body.data.bot_id as string
  await expect.poll(async () => (await bot(id)).status, LONG).toBe('in_waiting_room')
  meeting.admit()
  await expect.poll(async () => (await bot(id)).status, LONG).toBe('in_call_recording')
  await speak(meeting, 'ann', 5)
  const first = join(service.folder, 'bots', `standin-${id}-1`)
  const pid = Number((await readFile(join(first, 'bot'), 'utf8')).split(' ')[0])
  // Its whole session: browser, encoder and servers too.
  process.kill(-pid, 'SIGKILL')
  const killedAt = Date.now()

  await expect.poll(() => timelineOf(id), LONG).toContain('Attempt 2: The bot waited in the waiting room.')
  console.log(`resume: asks to be admitted ${((Date.now() - killedAt) / 1000).toFixed(1)} s after the kill`)
  meeting.admit()
  await expect.poll(() => timelineOf(id), LONG).toContain('records again')
  console.log(`resume: records again ${((Date.now() - killedAt) / 1000).toFixed(1)} s after the kill`)
  expect((await bot(id)).status).toBe('in_call_recording')
  await speak(meeting, 'ben', 5)
  await passes(1)
  meeting.endForAll()

  await expect.poll(() => endsOf(id), LONG).toHaveLength(1)
  expect(endsOf(id)[0]!.body.event).toBe('bot.completed')
  const ended = await bot(id)
  expect(ended).toMatchObject({ status: 'completed', video: expect.any(String), audio: expect.any(String) })
  const fetched = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer())
  const file = join(service.folder, 'joined.mp4')
  await writeFile(file, await fetched(ended.video))
  const media = await probe(file)
  expect(media.codecs).toEqual(['h264', 'aac'])
  expect(await isIndexFirst(file)).toBe(true)
  expect(media.seconds).toBeCloseTo(ended.duration_seconds, -0.5)

  const folder = join(service.folder, 'recordings', id, '0', id)
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'))
  expect(manifest.gaps).toMatchObject([{ reason: 'bot_died' }])
  const [gap] = manifest.gaps
  expect(gap.seconds).toBeLessThan(120)
  expect(gap.offset).toBeGreaterThan(3)
  expect(manifest.parts).toHaveLength(2)
  // The first voice and face are before the cut, the second behind it.
  const sound = await soundOf(file)
  expect(heardShare(sound, LOOK.ann!, 0, gap.offset)).toBeGreaterThan(0.3)
  expect(heardShare(sound, LOOK.ben!, gap.offset, media.seconds)).toBeGreaterThan(0.3)
  expect(heardShare(sound, LOOK.ben!, 0, gap.offset)).toBeLessThan(0.05)
  const times = await pictureTimes(file)
  const steps = times.slice(1).map((time, place) => time - times[place]!)
  expect(Math.max(...steps)).toBeLessThan(0.2)
  const behind = await picturesOf(file, gap.offset)
  expect(Math.max(...behind.map((picture) => shownShare(picture, LOOK.ben!)))).toBeGreaterThan(0.05)

  const lines = (await readFile(join(folder, 'diarization.jsonl'), 'utf8')).trim().split('\n')
  const turns = lines.map((line) => JSON.parse(line))
  const turnOf = (name: string) => turns.find(({ speaker }) => speaker.startsWith(name))
  expect(turnOf('Ann').end_time).toBeLessThanOrEqual(gap.offset + 0.01)
  expect(turnOf('Ben').start_time).toBeGreaterThanOrEqual(gap.offset - 0.01)
  const people = JSON.parse(await readFile(join(folder, 'participants.json'), 'utf8'))
  expect(people.map(({ name }: { name: string }) => name).sort()).toEqual(FOUR_PEOPLE.map(({ name }) => name).sort())
  expect(new Set(people.map(({ id: number }: { id: number }) => number)).size).toBe(people.length)
  expect(ended.participants).toHaveLength(people.length)
  // The people of the meeting read the entry message once.
  const chat = JSON.parse(await readFile(join(folder, 'chat_messages.json'), 'utf8'))
  expect(chat.filter(({ text }: { text: string }) => text === 'I take notes.')).toHaveLength(1)
}, 300_000)
