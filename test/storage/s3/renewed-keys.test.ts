/** Keys that end while a bot records: the control plane gives new ones, and no part is lost. */
import { setTimeout as delay } from 'node:timers/promises'
import type { StorageKeys } from '@standin/wire/job.ts'
import { expect, onTestFinished, test } from 'vitest'
import type { Clock } from '../../../core/ports.ts'
import { S3Storage } from '../../../storage/s3/storage.ts'
import type { Keys } from '../../servers/sigv4.ts'
import { bodyOf, count, STEP, serve } from '../faulty-server.ts'
import { numberedBody, numberedPiece } from '../numbered-pieces.ts'
import { growthOf, head, localFile, never, rejectionOf, temporaryFolder, video } from '../place.ts'
import { TEST_TUNING } from '../s3-place.ts'

const PIECE = STEP / 4
const HOUR_MS = 3_600_000
/** Minutes pass in moments. */
const FAST = 1000
const startedAt = performance.now()
const fastClock: Clock = {
  now: () => Date.now() + (performance.now() - startedAt) * (FAST - 1),
  sleep: async (ms, signal) => void (await delay(ms / FAST, undefined, { signal })),
}

/** A server, and a control plane that gives keys to it. */
async function open(clock: Clock = fastClock, firstMs = HOUR_MS) {
  const keys: Keys[] = [{ accessKeyId: 'OPERATOR', secretAccessKey: 'secret-of-the-operator' }]
  const server = await serve({ keys })
  const plane = { gives: true, asked: 0 }
  const fresh = (lifeMs: number): StorageKeys => {
    const number = keys.length
    const given = {
      accessKeyId: `ASIA${number}`,
      secretAccessKey: `secret-of-${number}`,
      sessionToken: `token-${number}`,
    }
    keys.push(given)
    return {
      access_key_id: given.accessKeyId,
      secret_access_key: given.secretAccessKey,
      session_token: given.sessionToken,
      keys_end_at: new Date(clock.now() + lifeMs).toISOString(),
    }
  }
  const place = { type: 's3' as const, bucket: server.bucket, endpoint: server.endpoint, region: server.region }
  const notices: object[] = []
  const storage = new S3Storage(
    { ...place, tail_seconds: 0, ...fresh(firstMs) },
    { botId: 'bot', workFolder: await temporaryFolder() },
    {
      ...TEST_TUNING,
      partBytes: STEP,
      clock,
      async freshKeys() {
        plane.asked++
        if (!plane.gives) throw new Error('the link to the control plane is down')
        return fresh(HOUR_MS)
      },
      onRetry: (notice) => notices.push(notice),
    },
  )
  const endAll = () => {
    for (const each of keys) each.expiresAt = 0
  }
  return { server, storage, plane, endAll, notices, keys }
}

test('keys that end in the middle of an upload are renewed, also after the control plane was away', async () => {
  const { server, storage, plane, endAll, notices, keys } = await open()
  const file = await storage.grow(growthOf('video.mp4'), never)
  onTestFinished(() => file.close())
  const append = async (from: number, to: number) => {
    for (let number = from; number < to; number++) await file.append(numberedPiece(number, PIECE))
  }
  await append(0, 8)
  await expect.poll(() => file.storedBytes()).toBe(2 * STEP)
  plane.gives = false
  endAll()
  await append(8, 16)
  await expect.poll(() => plane.asked).toBeGreaterThan(2)
  expect(file.storedBytes()).toBe(2 * STEP)
  plane.gives = true
  await expect.poll(() => file.storedBytes()).toBe(4 * STEP)
  endAll()
  await append(16, 20)
  await file.finish((room) => head(room!), never)
  expect(bodyOf(server)?.subarray(STEP).equals(numberedBody(20, PIECE))).toBe(true)
  expect(server.state.uploads.size).toBe(0)
  expect(count(server, 'CreateMultipartUpload')).toBe(1)
  for (const { secretAccessKey, sessionToken = '' } of keys) {
    expect(JSON.stringify(notices)).not.toContain(secretAccessKey)
    expect(JSON.stringify(notices)).not.toContain(`"${sessionToken}"`)
  }
})

test.for([1000, 4 * STEP + 3])('keys that end before a file of %i bytes is stored are renewed', async (bytes) => {
  const { server, storage, plane, endAll } = await open()
  const local = await localFile(bytes)
  // The first minute after new keys is over.
  await delay(80)
  endAll()
  const stored = await storage.store({ name: 'video.mp4', path: local.path, ...video }, never)
  expect(stored.sha256).toBe(local.sha256)
  expect(bodyOf(server)?.equals(local.content)).toBe(true)
  expect(plane.asked).toBe(1)
})

test('keys are renewed before they end, without a refusal', async () => {
  let ahead = 0
  const clock: Clock = { now: () => Date.now() + ahead, sleep: (ms, signal) => delay(ms, undefined, { signal }) }
  const { server, storage, plane } = await open(clock, 4 * 60_000)
  const local = await localFile(1000)
  const store = (name: string) => storage.store({ name, path: local.path, ...video }, never)
  await store('one')
  // They were just given.
  expect(plane.asked).toBe(0)
  ahead = 61_000
  await store('two')
  await store('three')
  expect(plane.asked).toBe(1)
  expect(server.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
})

test('a right that new keys do not have either is a lasting trouble', async () => {
  const { server, storage, plane } = await open()
  const local = await localFile(1000)
  await delay(80)
  server.fail({ operation: 'PutObject', times: 1_000, effect: { kind: 'refuse', status: 403, code: 'AccessDenied' } })
  const error = await rejectionOf(storage.store({ name: 'video.mp4', path: local.path, ...video }, never))
  expect(error).toMatchObject({ trouble: 'access' })
  expect(plane.asked).toBe(1)
})
