import { execFile } from 'node:child_process'
import { mkdtemp, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Display, startDisplay } from '../../../recorder/servers/display.ts'
import { childEnvironment } from '../../../recorder/settings.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { openXWindow } from '../../media/x-window.ts'

const folder = temporaryFolder()
let display: Display
beforeAll(async () => {
  const { signal } = new AbortController()
  display = await startDisplay({ width: 320, height: 240, folder, readyDeadlineMs: 60_000, signal })
}, 60_000)
afterAll(() => display?.process.stop())

/** One picture of the display, as the recorder's ffmpeg takes it; rejects with what ffmpeg says. */
async function grab(environment: Record<string, string>): Promise<number> {
  const args = ['-v', 'error', '-f', 'x11grab', '-video_size', '320x240', '-i', display.name]
  const output = ['-frames:v', '1', '-f', 'rawvideo', '-pix_fmt', 'rgb24', 'pipe:1']
  const env = { ...childEnvironment(folder), ...environment }
  const { stdout } = await promisify(execFile)('ffmpeg', [...args, ...output], { env, encoding: 'buffer' })
  return stdout.length
}

test('the display takes a client with the cookie and refuses the same user without it', async () => {
  expect(await grab({ XAUTHORITY: display.authority })).toBe(320 * 240 * 3)
  await expect(grab({})).rejects.toThrow('Cannot open display')
  await expect(openXWindow(display.name, 320, 240)).rejects.toThrow('refused')
  const window = await openXWindow(display.name, 320, 240, display.authority)
  window.close()
})

test('only the user of the bot can read the cookie', async () => {
  expect((await stat(display.authority)).mode & 0o777).toBe(0o600)
})

test('displays that start at the same time are different ones, each with its own cookie', async () => {
  const { signal } = new AbortController()
  const start = async () => {
    const own = await mkdtemp(join(folder, 'display-'))
    return startDisplay({ width: 320, height: 240, folder: own, readyDeadlineMs: 60_000, signal })
  }
  const others = await Promise.all([start(), start(), start()])
  try {
    const all = [display, ...others]
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
    for (const { name, authority } of all) (await openXWindow(name, 320, 240, authority)).close()
  } finally {
    await Promise.all(others.map(({ process }) => process.stop()))
  }
})
