/** Live sound of a whole bot in a meeting: what the example agent hears, and what the meeting hears back at which second. */
import { expect, onTestFinished, test } from 'vitest'
import { heardShare, soundOf } from '../media/meeting-recording.ts'
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
