import { expect, onTestFinished, test } from 'vitest'
import { Receiver } from '../streaming/receiver.ts'
import { endToEnd } from './capture-environment.ts'
import { WITHOUT_CAMERAS } from './meeting-script.ts'

const { openMeeting, startBot } = endToEnd()

test('the handshake comes first and the rate is the one that was asked for', async () => {
  const receiver = await Receiver.start()
  onTestFinished(() => receiver.close())
  const meeting = openMeeting('open', WITHOUT_CAMERAS)
  const bot = startBot(meeting, {
    arguments: ['--stream-output', receiver.url, '--stream-rate', '16000'],
    job: { recording_mode: 'audio_only' },
  })
  await bot.whenStatus('in_call_recording')
  await expect.poll(() => receiver.sounds.length, { timeout: 20_000 }).toBeGreaterThan(5)
  expect(receiver.texts[0]).toEqual({ protocol_version: 1, bot_id: bot.botId, offset: 0, sample_rate: 16_000 })
  expect(receiver.sounds[0]?.samples.byteLength).toBe(3200)
  bot.kill('SIGINT')
  expect((await bot.ended()).exitCode).toBe(0)
  expect(receiver.closeCodes).toEqual([1000])
})
