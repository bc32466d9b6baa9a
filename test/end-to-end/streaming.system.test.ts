import { expect, onTestFinished, test } from 'vitest'
import { heardShare, soundOf } from '../media/meeting-recording.ts'
import { Receiver } from '../src/streaming/receiver.ts'
import { endToEnd } from './capture-environment.ts'
import { LOOK, speak, WITHOUT_CAMERAS } from './meeting-script.ts'

const { openMeeting, startBot } = endToEnd()

test('the handshake comes first, at the rate that was asked for, and a receiver that hangs costs the recording nothing', async () => {
  const receiver = await Receiver.start()
  onTestFinished(() => receiver.close())
  const meeting = openMeeting('open', WITHOUT_CAMERAS)
  const bot = startBot(meeting, {
    arguments: ['--stream-output', receiver.url, '--stream-rate', '16000'],
    job: { recording_mode: 'audio_only' },
  })
  await bot.whenStatus('in_call_recording')
  await expect.poll(() => receiver.sounds.length).toBeGreaterThan(5)
  expect(receiver.texts[0]).toEqual({ protocol_version: 1, bot_id: bot.botId, offset: 0, sample_rate: 16_000 })
  expect(receiver.sounds[0]?.samples.byteLength).toBe(3200)

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
