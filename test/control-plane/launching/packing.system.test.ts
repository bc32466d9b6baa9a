/** Bots as processes of a machine with 1.5 cores for bots: which run together, and why the others wait. */

import { join } from 'node:path'
import { createProcessLauncher } from '@standin/control-plane/launching/launchers/process/launcher.ts'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { openWorld, quiet } from '../world.ts'
import { GIB, machineOf, NEEDS } from './needs.ts'

const world = await openWorld({ launching: true })

const LONG = { timeout: 120_000 }
const BOT = [process.execPath, join(import.meta.dirname, 'bot-process.ts')]

async function machine() {
  const setting = await world.launchingSetting()
  const launcher = await createProcessLauncher({
    folder: temporaryFolder(),
    command: BOT,
    mapHosts: [],
    environment: { PATH: process.env.PATH },
    maxBots: null,
    needs: NEEDS,
    machine: machineOf({ cores: 1.5 / 0.9, memoryBytes: 16 * GIB }),
    log: quiet,
  })
  const stop = async (botId?: string) => {
    for (const bot of await launcher.list())
      if (botId === undefined || bot.botId === botId) await launcher.kill(bot.handle)
  }
  const launching = setting.launching({ launcher })
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
  const free = () => expect.poll(async () => (await launcher.capacity())!.free, LONG)
  return { ...setting, ask, stop, records, waits, free }
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
  const { ask, stop, records, waits, free } = await machine()
  const sounds = await Promise.all(Array.from({ length: 5 }, () => ask('audio_only')))
  for (const id of sounds) await records(id)
  const video = await ask('speaker_view')
  await waits(video).toContain('0.70 cores')
  await stop(sounds[0])
  await free().toBe(1)
  // It would fit beside the four, and waits behind the one with video.
  const later = await ask('audio_only')
  await waits(later).toBe('The next room is kept for a bot that has waited longer')
  // The room of two is not enough for it, and of three it is.
  for (const id of sounds.slice(1, 3)) await stop(id)
  await records(video)
  await stop(sounds[3])
  await records(later)
})
