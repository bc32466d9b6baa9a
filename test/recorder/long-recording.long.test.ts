/**
 * Twenty minutes through the recorder's own code, faster than they take.
 */

import { join } from 'node:path'
import { GetObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { type Browser, chromium } from 'playwright'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { serveRecordings } from '../../src/report/serve.ts'
import { openStorage } from '../../src/storage/index.ts'
import { temporaryFolder } from '../fakes/at-end.ts'
import { type Clips, clipAt, feedLong, lengthShown, makeClips, numbersShown } from '../media/long-recording.ts'
import { isIndexFirst, topLevelBoxes } from '../media/media-info.ts'
import { s3ClientOf, startS3Server, storageOf } from '../servers/s3-server.ts'

const SECONDS = 20 * 60
const SEEKS = [SECONDS - 60, 0.5, 601, SECONDS - 1, 333.3]
const NEVER = new AbortController().signal

let browser: Browser
let clips: Clips
beforeAll(async () => {
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  clips = await makeClips(20, { width: 320, height: 180, seconds: 3 })
})
afterAll(() => browser?.close())

const expected = SEEKS.map((seconds) => clipAt(Math.floor(seconds / 3), 20))

test('a long recording in a folder plays and seeks in Chromium the moment it is finished', async () => {
  const folder = temporaryFolder()
  const storage = await openStorage({ type: 'folder', path: folder }, { botId: 'long' })
  const recording = await feedLong(clips, SECONDS, (file) => storage.grow(file, NEVER))
  const { files, problem } = await recording.finish(NEVER)
  expect(problem).toBeNull()
  expect(files.map(({ durationSeconds }) => Math.round(durationSeconds))).toEqual([SECONDS, SECONDS])
  expect(await isIndexFirst(join(folder, 'long', 'video.mp4'))).toBe(true)
  const server = await serveRecordings(folder)
  onTestFinished(() => server.close())
  const page = await browser.newPage()
  expect(await numbersShown(page, `${server.url}long/video.mp4`, SEEKS)).toEqual(expected)
  expect(await lengthShown(page)).toBeCloseTo(SECONDS, 1)
})

test('a long recording in S3 plays and seeks by a presigned address, and was sent once', async () => {
  const server = await startS3Server()
  onTestFinished(() => server.close())
  const { bucket, endpoint, keys } = server
  const storage = await openStorage(storageOf(server), { botId: 'long', workFolder: temporaryFolder() })
  const recording = await feedLong(clips, SECONDS, (file) => storage.grow(file, NEVER))
  const sentBefore = server.requests.filter(({ operation }) => operation === 'UploadPart').length
  const { files, problem } = await recording.finish(NEVER)
  expect(problem).toBeNull()
  expect(files[0]!.stored.location).toBe(`s3://${bucket}/long/video.mp4`)
  // The uploads at the end: for each of the files its last part and the one with the index.
  expect(server.requests.filter(({ operation }) => operation === 'UploadPart').length - sentBefore).toBeLessThan(7)
  expect(sentBefore).toBeGreaterThan(2)

  const client = s3ClientOf({ endpoint, ...keys })
  const url = await getSignedUrl(client, new GetObjectCommand({ Bucket: bucket, Key: 'long/video.mp4' }))
  const page = await browser.newPage()
  expect(await numbersShown(page, url, SEEKS)).toEqual(expected)
  expect(await lengthShown(page)).toBeCloseTo(SECONDS, 1)
  client.destroy()
})

test('a recording that outgrew the room for its index plays and seeks to its end', async () => {
  const folder = temporaryFolder()
  const storage = await openStorage({ type: 'folder', path: folder }, { botId: 'long' })
  const recording = await feedLong(clips, SECONDS / 2, (file) => storage.grow(file, NEVER), SECONDS / 4)
  expect((await recording.finish(NEVER)).problem).toBeNull()
  const types = await topLevelBoxes(join(folder, 'long', 'video.mp4'))
  expect(types.slice(0, 4)).toEqual(['ftyp', 'moov', 'free', 'mdat'])
  expect(types.filter((type) => type === 'moof').length).toBeGreaterThan(100)
  const server = await serveRecordings(folder)
  onTestFinished(() => server.close())
  const page = await browser.newPage()
  const seeks = [100, SECONDS / 2 - 1, 200, SECONDS / 2 - 100]
  const shown = await numbersShown(page, `${server.url}long/video.mp4`, seeks)
  expect(shown).toEqual(seeks.map((seconds) => clipAt(Math.floor(seconds / 3), 20)))
  expect(await lengthShown(page)).toBeCloseTo(SECONDS / 2, 0)
})
