/** SIGTERM while it records: `storage-outage.system.test.ts`, with a server that stores the recording. */
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { probe } from '../media/media-info.ts'
import { endToEnd } from './capture-environment.ts'
import { passes, WITHOUT_CAMERAS } from './meeting-script.ts'

const { openMeeting, startBot } = endToEnd()
/** A bot that does not come to record needs no display server. */
const SOUND_ONLY = { job: { recording_mode: 'audio_only' } }

test('asked to stop in the waiting room: the join request is withdrawn', async () => {
  const meeting = openMeeting('waiting-room', WITHOUT_CAMERAS)
  const bot = startBot(meeting, SOUND_ONLY)
  await bot.whenStatus('in_waiting_room')
  bot.kill('SIGTERM')
  const { exitCode, report } = await bot.ended()
  expect(exitCode).toBe(0)
  expect(report).toMatchObject({ status: 'failed', error_code: 'SIGTERM' })
  expect(['left', 'closed', 'none']).toContain(meeting.state)
})

test('the reader of its output is gone: the bot continues; a second interrupt leaves at once, and the recording is whole', async () => {
  // The page takes seconds to let the bot go, so the second interrupt comes while it leaves.
  const meeting = openMeeting('leave-button-stuck', WITHOUT_CAMERAS)
  const bot = startBot(meeting)
  await bot.whenStatus('in_call_recording')
  bot.process.stdout!.destroy()
  bot.process.stderr!.destroy()
  // Enough for it to have spoken into nothing.
  await passes(4)
  bot.kill('SIGINT')
  await passes(0.6)
  bot.kill('SIGINT')
  expect(await bot.exitCode).toBe(0)
  expect((await probe(bot.file('video.mp4'))).seconds).toBeGreaterThan(3)
  expect(bot.files()).toContain('manifest.json')
})

test('an uncaught error: the bot leaves, and the recording is whole', async () => {
  const meeting = openMeeting('open', WITHOUT_CAMERAS)
  const thrower = encodeURIComponent('process.on("SIGUSR2", () => { throw new TypeError("nobody catches this") })')
  const environment = { NODE_OPTIONS: `--import=data:text/javascript,${thrower}` }
  const bot = startBot(meeting, { ...SOUND_ONLY, environment })
  await bot.whenStatus('in_call_recording')
  await passes(3)
  bot.process.kill('SIGUSR2')
  const { exitCode, report } = await bot.ended()
  expect(exitCode).toBe(70)
  expect(report).toMatchObject({ status: 'failed', error_code: 'INTERNAL_ERROR', error_message: 'nobody catches this' })
  expect((await probe(bot.file('audio.m4a'))).seconds).toBeGreaterThan(2)
  expect(meeting.truth.leftAt).not.toBeNull()
})

test('denied by the host: exit code 3, with evidence and what the host can do', async () => {
  const meeting = openMeeting('waiting-room', WITHOUT_CAMERAS)
  const bot = startBot(meeting, SOUND_ONLY)
  await bot.whenStatus('in_waiting_room')
  meeting.deny()
  const { exitCode, report } = await bot.ended()
  expect(exitCode).toBe(3)
  expect(report?.error_code).toBe('BOT_NOT_ACCEPTED')
  for (const name of ['screenshot.png', 'page.html', 'console.log', 'failure.json'])
    expect(existsSync(bot.file(`debug/${name}`)), name).toBe(true)
  expect(bot.json<{ sentence: string }>('debug/failure.json').sentence).toContain('Ask the host')
})
