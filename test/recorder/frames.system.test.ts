import { execFile } from 'node:child_process'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../fakes/at-end.ts'
import { setUpEnvironment, type TestEnvironment } from '../media/capture-environment.ts'

const run = promisify(execFile)
const [WIDTH, HEIGHT] = [1280, 720]

const elsewhere = temporaryFolder()
let environment: TestEnvironment

beforeEach(async () => {
  environment = await setUpEnvironment()
})

afterEach(() => environment.close())

/** A gray picture as a browser paints it. */
const gray = (brightness: number) => Buffer.alloc((WIDTH * HEIGHT * 3) / 2, 128).fill(brightness, 0, WIDTH * HEIGHT)

/** Brightness of the middle of each picture of the recording. */
async function brightness(): Promise<number[]> {
  const path = join(environment.folder, 'video.mp4')
  const decoded = ['-i', path, '-vf', 'crop=2:2', '-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-']
  const { stdout } = await run('ffmpeg', ['-loglevel', 'error', ...decoded], { encoding: 'buffer' })
  const BYTES_EACH = 6
  return [...stdout].filter((_, index) => index % BYTES_EACH === 0)
}

const spanSeconds = () =>
  environment.recorder.spans().reduce((sum, { startedAt, endedAt }) => sum + (endedAt! - startedAt) / 1000, 0)

async function finished(): Promise<void> {
  await environment.finish()
  expect(environment.complaints).toEqual([])
}

test('frames that a browser paints are recorded instead of the display, with any path of their file', async () => {
  const folder = join(elsewhere, "it's [a], b:c;d\\e")
  await mkdir(folder)
  const file = join(folder, '00000000')
  await writeFile(file, gray(60))
  await symlink(file, environment.environment.frames!)
  await environment.recorder.start()
  await environment.recorded(3)
  await writeFile(file, gray(180), { flag: 'r+' })
  await environment.recorded(6)
  await finished()
  const seen = await brightness()
  expect(Math.abs(seen.length / 30 - spanSeconds())).toBeLessThan(0.1)
  expect(Math.abs(seen[15]! - 60)).toBeLessThan(4)
  expect(Math.abs(seen.at(-15)! - 180)).toBeLessThan(4)
})

test('a link that a dead browser left leads nowhere, and the display is recorded', async () => {
  await symlink(join(elsewhere, 'gone'), environment.environment.frames!)
  await environment.recorder.start()
  await environment.recorded(2)
  await finished()
  expect(await brightness()).not.toEqual([])
})

test('a span of the display continues where one of frames ended, in the same file', async () => {
  const file = join(elsewhere, 'frames')
  await writeFile(file, gray(60))
  await symlink(file, environment.environment.frames!)
  await environment.recorder.start()
  await environment.recorded(2)
  await environment.recorder.pause()
  await rm(environment.environment.frames!)
  await environment.recorder.resume()
  await environment.recorded(4)
  await finished()
  expect(environment.recorder.spans()).toHaveLength(2)
  expect(Math.abs((await brightness()).length / 30 - spanSeconds())).toBeLessThan(0.2)
})
