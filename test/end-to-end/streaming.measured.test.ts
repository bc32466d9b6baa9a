/** Live sound of a whole bot in a meeting: what the example agent hears, what the meeting hears back, how late. */
import { expect, onTestFinished, test } from 'vitest'
import { heardShare, soundOf } from '../media/meeting-recording.ts'
import { Receiver } from '../streaming/receiver.ts'
import { endToEnd } from './capture-environment.ts'
import { LOOK, passes, speak } from './meeting-script.ts'

interface EchoAgent {
  url: string
  heard: { seconds: number; speakers: string[] }
  close(): Promise<void>
}
const example = new URL('../../docs/examples/echo-agent.mjs', import.meta.url).href
const { startEchoAgent } = (await import(example)) as {
  startEchoAgent(options: { print: (line: string) => void }): Promise<EchoAgent>
}

const { openMeeting, startBot } = endToEnd()
/** The meeting's beep sounds this high; voices stay far below. */
const LOUD = 3_000

test('the agent of the documentation echoes the meeting, and its echo is in the recording once', async () => {
  const agent = await startEchoAgent({ print: () => {} })
  onTestFinished(() => agent.close())
  const meeting = openMeeting()
  const bot = startBot(meeting, { arguments: ['--stream-output', agent.url, '--stream-input', agent.url] })
  await bot.whenStatus('in_call_recording')
  await speak(meeting, 'ann', 3)
  await expect.poll(() => meeting.bot.microphoneOn, { timeout: 20_000 }).toBe(true)
  await expect.poll(() => meeting.bot.sent().audioIsSilent, { timeout: 20_000 }).toBe(false)
  // The echo of three seconds ends, and the microphone is closed after three more without sound.
  await expect.poll(() => meeting.bot.microphoneOn, { timeout: 40_000 }).toBe(false)
  await passes(3)
  bot.kill('SIGINT')
  const { exitCode, report } = await bot.ended()

  expect(exitCode).toBe(0)
  expect(agent.heard.speakers).toContain('Ann Host')
  const [turn] = meeting.truth.turns
  const stoppedAt = (turn!.endedAt! - Date.parse(report!.recording_started_at!)) / 1000
  const sound = await soundOf(bot.file('audio.m4a'))
  // The agent waits for a second: behind Ann's last word comes her echo alone, and no echo of the echo.
  const behind = heardShare(sound, LOOK.ann!, stoppedAt + 0.5, stoppedAt + 1)
  expect(behind).toBeGreaterThan(0.3)
  expect(heardShare(sound, LOOK.ann!, stoppedAt + 5, stoppedAt + 9)).toBe(0)
})

test('sound reaches the socket soon, and a receiver that hangs costs the recording nothing', async () => {
  const receiver = await Receiver.start()
  onTestFinished(() => receiver.close())
  const meeting = openMeeting()
  const bot = startBot(meeting, { arguments: ['--stream-output', receiver.url] })
  await bot.whenStatus('in_call_recording')
  meeting.flashAndBeep(true)
  await expect.poll(() => beepsHeard(receiver).length, { timeout: 60_000 }).toBeGreaterThanOrEqual(6)
  meeting.flashAndBeep(false)
  const delays = beepsHeard(receiver).flatMap((heardAt) => {
    const sentAt = meeting.truth.beeps.findLast((at) => at <= heardAt)
    return sentAt === undefined ? [] : [heardAt - sentAt]
  })
  delays.sort((one, other) => one - other)
  const at = (part: number) => delays[Math.min(delays.length - 1, Math.floor(delays.length * part))]
  console.log(`beep to message, ms: median ${at(0.5)}, 95 % ${at(0.95)}, worst ${at(1)}, of ${delays.length}`)
  expect(delays.length).toBeGreaterThanOrEqual(5)

  receiver.stall()
  await speak(meeting, 'ben', 8)
  bot.kill('SIGINT')
  const { exitCode, report } = await bot.ended()
  expect(exitCode).toBe(0)
  const seconds = report!.duration_seconds!
  const heard = heardShare(await soundOf(bot.file('audio.m4a')), LOOK.ben!, 0, seconds) * seconds
  // A voice has pauses between its words.
  expect(heard).toBeGreaterThan(0.55 * 8)
})

/** UTC milliseconds of arrival of each message in which a beep begins. */
function beepsHeard(receiver: Receiver): number[] {
  let wasLoud = true
  return receiver.sounds.flatMap(({ at, samples }) => {
    let peak = 0
    for (let index = 0; index + 1 < samples.length; index += 2)
      peak = Math.max(peak, Math.abs(samples.readInt16LE(index)))
    const begins = peak > LOUD && !wasLoud
    wasLoud = peak > LOUD
    return begins ? [at] : []
  })
}
