import { execFile } from 'node:child_process'
import { stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { joinFiles, mediaSeconds } from '../../recorder/join-files.ts'
import { takePicture } from '../../recorder/picture.ts'
import { temporaryFolder } from '../fakes/at-end.ts'
import { isIndexFirst, pictureTimes, probe } from '../media/media-info.ts'

const run = promisify(execFile)
const { signal } = new AbortController()
const folder = temporaryFolder("standin-join's-")

/** A picture and a tone. */
async function media(name: string, seconds: number, size = '320x180'): Promise<string> {
  const path = join(folder, name)
  await run('ffmpeg', [
    ...['-v', 'error', '-y', '-f', 'lavfi', '-i', `testsrc=size=${size}:rate=25`, '-f', 'lavfi', '-i', 'sine=r=48000'],
    ...['-t', String(seconds), '-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '0', '-c:a', 'aac', path],
  ])
  return path
}

test('parts that were made alike are put behind each other without being encoded again', async () => {
  const parts = [await media('one.mp4', 2), await media('two.mp4', 3)]
  const target = join(folder, 'joined.mp4')
  const joined = await joinFiles(parts, { target, folder, signal })
  expect(joined.isEncodedAnew).toBe(false)
  expect(joined.seconds).toBeCloseTo(5, 1)
  expect(await isIndexFirst(target)).toBe(true)
  const times = await pictureTimes(target)
  expect(times).toHaveLength(125)
  expect(times[0]).toBeCloseTo(0, 3)
  const steps = times.slice(1).map((time, place) => time - times[place]!)
  expect(Math.max(...steps)).toBeLessThan(0.07)
  // Every packet can be decoded.
  await expect(run('ffmpeg', ['-v', 'error', '-i', target, '-f', 'null', '-'])).resolves.toMatchObject({ stderr: '' })
})

test('parts with other settings are encoded again', async () => {
  const parts = [await media('small.mp4', 1), await media('large.mp4', 2, '640x360')]
  const target = join(folder, 'anew.mp4')
  const joined = await joinFiles(parts, { target, folder, signal })
  expect(joined.isEncodedAnew).toBe(true)
  expect(joined.seconds).toBeCloseTo(3, 0)
  expect(await probe(target)).toMatchObject({ codecs: ['h264', 'aac'], width: 1280, height: 720 })
})

test('a picture is taken of a video of which only the beginning is there', async () => {
  const video = await media('long.mp4', 8)
  const cut = join(folder, 'cut.mp4')
  await joinFiles([video], { target: cut, folder, signal })
  await truncate(cut, Math.round((await stat(cut)).size / 2))
  const target = join(folder, 'picture.jpg')
  await takePicture(cut, { at: 2, target }, signal)
  expect(await probe(target)).toMatchObject({ codecs: ['mjpeg'], width: 960, height: 540 })
})

test('what is no media is refused by name', async () => {
  await expect(mediaSeconds(join(folder, 'absent.mp4'), signal)).rejects.toThrow('absent.mp4')
})
