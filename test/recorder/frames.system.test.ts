import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { setUpEnvironment, type TestEnvironment } from '../media/capture-environment.ts'

const run = promisify(execFile)
const [WIDTH, HEIGHT] = [1280, 720]

let elsewhere: string
let environment: TestEnvironment

beforeEach(async () => {
  elsewhere = await mkdtemp(join(tmpdir(), 'standin-frames-'))
  environment = await setUpEnvironment()
})

afterEach(async () => {
  await environment.close()
  await rm(elsewhere, { recursive: true, force: true })
})

/** A gray picture as a browser paints it. */
const gray = (brightness: number) => Buffer.alloc((WIDTH * HEIGHT * 3) / 2, 128).fill(brightness, 0, WIDTH * HEIGHT)

/** Brightness of the middle of each picture of the recording. */
async function brightness(): Promise<number[]> {
  const decoded = [
    '-i',
    join(environment.folder, 'video.mp4'),
    '-vf',
    'crop=2:2',
    '-f',
    'rawvideo',
    '-pix_fmt',
    'yuv420p',
    '-',
  ]
  const { stdout } = await run('ffmpeg', ['-loglevel', 'error', ...decoded], { encoding: 'buffer' })
  const BYTES_EACH = 6
  return [...stdout].filter((_, index) => index % BYTES_EACH === 0)
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
  await environment.finish()
  expect(environment.complaints).toEqual([])
  const seen = await brightness()
  const [span] = environment.recorder.spans()
  expect(Math.abs(seen.length / 30 - (span!.endedAt! - span!.startedAt) / 1000)).toBeLessThan(0.1)
  expect(Math.abs(seen[15]! - 60)).toBeLessThan(4)
  expect(Math.abs(seen.at(-15)! - 180)).toBeLessThan(4)
})

test('a link that a dead browser left leads nowhere, and the display is recorded', async () => {
  await symlink(join(elsewhere, 'gone'), environment.environment.frames!)
  await environment.recorder.start()
  await environment.recorded(2)
  await environment.finish()
  expect(environment.complaints).toEqual([])
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
  await environment.finish()
  expect(environment.complaints).toEqual([])
  const [first, second] = environment.recorder.spans()
  const seconds = [first, second].reduce((sum, span) => sum + span!.endedAt! - span!.startedAt, 0) / 1000
  expect(Math.abs((await brightness()).length / 30 - seconds)).toBeLessThan(0.2)
})
