/**
 * `node bench/long-recording.ts`: recordings of a minute, an hour and four hours, fed faster than they take through the
 * recorder's own code into a folder and into S3. Prints how long each takes from the end of the encoder to complete and
 * verified, and whether Chromium, seeking through HTTP ranges or a presigned address, shows the right picture.
 *
 * `--hours 4` is the longest, `--only s3` one place alone.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { chromium } from 'playwright'
import type { Grow } from '../recorder/recording.ts'
import { serveRecordings } from '../report/serve.ts'
import { openStorage } from '../storage/index.ts'
import { clipAt, feedLong, lengthShown, makeClips, numbersShown } from '../test/media/long-recording.ts'
import { startS3Server } from '../test/servers/s3-server.ts'

const { values } = parseArgs({
  options: { hours: { type: 'string', default: '4' }, only: { type: 'string', default: '' } },
})
const CLIPS = 48
const CLIP_SECONDS = 5
const NEVER = new AbortController().signal
const longest = Number(values.hours) * 3600
const lengths = [60, 3600, longest].filter(
  (seconds, index, all) => seconds <= longest && all.indexOf(seconds) === index,
)

const folder = mkdtempSync(join(tmpdir(), 'standin-long-'))
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
const server = await startS3Server()
const web = await serveRecordings(folder)
try {
  const clips = await makeClips(CLIPS, { width: 640, height: 360, seconds: CLIP_SECONDS, crf: 36 })
  console.log('| place | length | MB | fed × real time | ms encoder end → complete and verified | seeks right |')
  console.log('| --- | --- | --- | --- | --- | --- |')
  for (const place of ['folder', 's3'].filter((name) => name.includes(values.only))) {
    for (const seconds of lengths) {
      const botId = `${place}-${seconds}`
      const { grow, url } = await (place === 'folder' ? folderPlace(botId) : s3Place(botId))
      const began = performance.now()
      const recording = await feedLong(clips, seconds, grow)
      const fedSeconds = (performance.now() - began) / 1000
      // In a meeting all but the last seconds have reached the disk long ago.
      execFileSync('sync')
      const asked = performance.now()
      const { files, problem } = await recording.finish(NEVER)
      const finishMs = Math.round(performance.now() - asked)
      if (problem !== null) throw problem
      // 3:59:00 of four hours, and some more.
      const seeks = [seconds - 60, 0.5, seconds / 2 + 1, seconds - 1, seconds / 3].map((at) => Math.max(0.5, at))
      const page = await browser.newPage()
      const shown = await numbersShown(page, await url(), seeks)
      const right = shown.filter((number, index) => number === clipAt(Math.floor(seeks[index]! / CLIP_SECONDS), CLIPS))
      const length = await lengthShown(page)
      await page.close()
      if (Math.abs(length - seconds) > 0.1) throw new Error(`Chromium takes it to last ${length} s`)
      const megabytes = files.map(({ stored }) => (stored.bytes / 1e6).toFixed(1)).join(' + ')
      const speed = Math.round(seconds / fedSeconds)
      console.log(
        `| ${place} | ${seconds / 60} min | ${megabytes} | ${speed} | ${finishMs} | ${right.length} of ${seeks.length} |`,
      )
    }
  }
} finally {
  await browser.close()
  await web.close()
  await server.close()
  rmSync(folder, { recursive: true, force: true })
}

async function folderPlace(botId: string): Promise<{ grow: Grow; url: () => Promise<string> }> {
  const storage = await openStorage({ type: 'folder', path: folder }, { botId })
  return { grow: (file) => storage.grow(file, NEVER), url: async () => `${web.url}${botId}/video.mp4` }
}

async function s3Place(botId: string): Promise<{ grow: Grow; url: () => Promise<string> }> {
  const { bucket, endpoint, region, keys } = server
  const place = { bucket, endpoint, region, access_key_id: keys.accessKeyId, secret_access_key: keys.secretAccessKey }
  const storage = await openStorage({ type: 's3', ...place }, { botId, workFolder: join(folder, `work-${botId}`) })
  const credentials = { accessKeyId: keys.accessKeyId, secretAccessKey: keys.secretAccessKey }
  const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials })
  return {
    grow: (file) => storage.grow(file, NEVER),
    url: () => getSignedUrl(client, new GetObjectCommand({ Bucket: bucket, Key: `${botId}/video.mp4` })),
  }
}
