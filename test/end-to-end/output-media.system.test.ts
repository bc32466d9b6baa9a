import { expect, test } from 'vitest'
import { soundOf } from '../media/meeting-recording.ts'
import { servePages } from '../platforms/serve-pages.ts'
import { levelIn, pictures, TONE } from '../platforms/shown-pages.ts'
import { endToEnd } from './capture-environment.ts'
import { WITHOUT_CAMERAS } from './meeting-script.ts'

const { openMeeting, startBot } = endToEnd()
/** Of `soundOf`. */
const RATE = 16_000

test("pages of the job are seen and heard, and their voice is in the recording once, as the bot's turns", async () => {
  const pages = await servePages()
  const meeting = openMeeting('open', WITHOUT_CAMERAS)
  const page = (path: string) => ({ kind: 'webpage', url: pages.address(path) })
  const output_media = { camera: page('/still'), screen: page('/beeps') }
  const bot = startBot(meeting, { job: { output_media } })
  const begun = () => bot.events.filter(({ event }) => event.type === 'speaker' && event.is_speaking)
  await bot.whenEvent('speaker', () => begun().length > 2)
  for (const [target, least] of [
    ['camera', 1],
    ['screen', 15],
  ] as const) {
    const last = async () => (await pictures(meeting.bot, target)).numbers.slice(-40)
    const seen = async () => new Set((await last()).filter((number) => number !== null)).size
    await expect.poll(seen, { interval: 1000 }).toBeGreaterThanOrEqual(least)
  }
  bot.process.kill('SIGTERM')
  await bot.ended()
  const turns = bot.lines<{ speaker: string; start_time: number; end_time: number }>('diarization.jsonl')
  expect(turns[1]).toMatchObject({ speaker: 'Standin' })
  const { start_time: start, end_time: end } = turns[1]!
  // A tone of 2.5 s, and a pause as long before the next one.
  expect(end - start).toBeGreaterThan(2)
  expect(end - start).toBeLessThan(4)
  const sound = await soundOf(bot.file('video.mp4'))
  const level = (seconds: number) =>
    levelIn(sound.subarray((start + seconds) * RATE, (start + seconds + 0.4) * RATE), TONE, RATE)
  // The page's own is 0.3; each part of the turn has it.
  for (const seconds of [0.3, 0.7, 1.1, 1.5]) {
    expect(level(seconds)).toBeGreaterThan(0.2)
    expect(level(seconds)).toBeLessThan(0.45)
  }
})
