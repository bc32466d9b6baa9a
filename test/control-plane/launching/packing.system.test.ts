/** Bots as processes of a machine with one and a half cores: which run together, and why the others wait. */
import { join } from 'node:path'
import { createProcessLauncher } from '@standin/control-plane/launching/launchers/process/launcher.ts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../src/control-link/support.ts'
import { GIB, needsOf, samplesOf } from './known-needs.ts'
import { type LaunchingWorld, openLaunchingWorld, quiet } from './world.ts'

let world: LaunchingWorld
beforeAll(async () => {
  world = await openLaunchingWorld()
})
afterAll(() => world.close())

const LONG = { timeout: 120_000 }
const BOT = [process.execPath, join(import.meta.dirname, 'bot-process.ts')]

async function machine() {
  const setting = await world.setting()
  // Video is assumed to take 0.7 cores and sound 0.3; gallery views were seen to take more than the machine has.
  const needs = needsOf({ samples: async () => samplesOf({ mode: 'gallery_view', cores: 1.9 }) })
  const launcher = await createProcessLauncher({
    folder: await temporaryFolder(),
    command: BOT,
    mapHosts: [],
    environment: { PATH: process.env.PATH },
    maxBots: null,
    needs,
    coresTarget: 1,
    machine: () => ({ cores: 1.5, totalBytes: 16 * GIB, availableBytes: 15 * GIB }),
    log: quiet,
  })
  const stop = async (botId?: string) => {
    for (const bot of await launcher.list())
      if (botId === undefined || bot.botId === botId) await launcher.kill(bot.handle)
  }
  const launching = setting.launching({ launcher, needs })
  onTestFinished(async () => {
    // It would start bots that wait, in a folder that is removed.
    await launching.close()
    await stop()
    for (const { handle } of await launcher.list())
      await expect.poll(async () => (await launcher.inspect(handle)).state, LONG).not.toBe('running')
  }, LONG.timeout)
  const ask = (mode: string) =>
    setting.bot(
      { meetingMs: 3_600_000 },
      { request: { bot_name: 'Bot', recording_mode: mode as never, extra: { plan: { meetingMs: 3_600_000 } } } },
    )
  const records = (id: string) =>
    expect.poll(async () => (await setting.row(id)).status, LONG).toBe('in_call_recording')
  const waits = (id: string) => expect.poll(async () => (await setting.row(id)).wait_reason, LONG)
  return { ...setting, ask, stop, records, waits }
}

test('two bots with video fill the machine; a third one waits, says why, and starts when there is room', async () => {
  const { ask, stop, records, waits, row } = await machine()
  const [first, second] = [await ask('speaker_view'), await ask('speaker_view')]
  await records(first)
  await records(second)
  const third = await ask('speaker_view')
  await waits(third).toMatch(
    /^The bot would take 0\.70 cores and 1024 MiB; 0\.10 cores and \d+ MiB are left beside the 2 bots that run$/,
  )
  expect(await row(third)).toMatchObject({ phase: 'due', status: 'queued', attempt: 0 })
  await stop(first)
  await records(third)
  expect((await row(second)).status).toBe('in_call_recording')
})

test('five bots with sound alone run on the machine that two with video fill, and beside one with video two', async () => {
  const { ask, stop, records, waits } = await machine()
  const sounds = await Promise.all(Array.from({ length: 5 }, () => ask('audio_only')))
  for (const id of sounds) await records(id)
  const video = await ask('speaker_view')
  await waits(video).toContain('0.70 cores')
  // The room of two is not enough for it, and of three it is.
  for (const id of sounds.slice(0, 3)) await stop(id)
  await records(video)
})

test('a bot that takes more than the machine has is refused with the reason, and does not keep others waiting', async () => {
  const { ask, records, row, logged } = await machine()
  const tooBig = await ask('gallery_view')
  await expect.poll(async () => (await row(tooBig)).phase, LONG).toBe('closed')
  const message =
    'The bot would take 1.90 cores and 1024 MiB; the machine of the launcher has 1.50 cores and 15872 MiB for bots'
  expect(await row(tooBig)).toMatchObject({ status: 'failed', error_code: 'INTERNAL_ERROR', error_message: message })
  expect(logged.filter(({ level }) => level === 'error')).toMatchObject([
    { fields: { bot: tooBig, error: message }, message: 'Bot could not be started' },
  ])
  await records(await ask('audio_only'))
})
