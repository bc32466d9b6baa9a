/** Keys that end while a bot records: the control plane gives new ones, and no part is lost. */

import { setTimeout as delay } from 'node:timers/promises'
import type { StorageKeys } from '@standin/wire/job.ts'
import { expect, onTestFinished, test } from 'vitest'
import type { Clock } from '../../../../packages/core/ports.ts'
import type { S3Tuning } from '../../../../src/storage/s3/session.ts'
import { temporaryFolder } from '../../../fakes/at-end.ts'
import type { Keys } from '../../../servers/sigv4.ts'
import { append, bodyOf, count, endAll, expectWhole, fastClock, open, STEP, serve } from '../faulty-server.ts'
import { growthOf, localFile, never, rejectionOf, video } from '../place.ts'

const HOUR_MS = 3_600_000

/** A server, and a control plane that gives keys to it. */
async function openRenewing(clock: Clock = fastClock, firstMs = HOUR_MS) {
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
  const notices: object[] = []
  const tuning: Partial<S3Tuning> = {
    clock,
    async freshKeys() {
      plane.asked++
      if (!plane.gives) throw new Error('the link to the control plane is down')
      return fresh(HOUR_MS)
    },
    onRetry: (notice) => notices.push(notice),
  }
  const storage = open(server, fresh(firstMs), tuning, temporaryFolder())
  return { server, storage, plane, notices, keys }
}

test('keys that end in the middle of an upload are renewed, also after the control plane was away', async () => {
  const { server, storage, plane, notices, keys } = await openRenewing()
  const file = await storage.grow(growthOf('video.mp4'), never)
  onTestFinished(() => file.close())
  await append(file, 0, 8)
  await expect.poll(() => file.storedBytes()).toBe(2 * STEP)
  plane.gives = false
  endAll(keys)
  await append(file, 8, 16)
  await expect.poll(() => plane.asked).toBeGreaterThan(2)
  expect(file.storedBytes()).toBe(2 * STEP)
  plane.gives = true
  await expect.poll(() => file.storedBytes()).toBe(4 * STEP)
  endAll(keys)
  await append(file, 16, 20)
  await expectWhole(server, file, 20)
  expect(count(server, 'CreateMultipartUpload')).toBe(1)
  for (const { secretAccessKey, sessionToken = '' } of keys) {
    expect(JSON.stringify(notices)).not.toContain(secretAccessKey)
    expect(JSON.stringify(notices)).not.toContain(`"${sessionToken}"`)
  }
})

test.for([1000, 4 * STEP + 3])('keys that end before a file of %i bytes is stored are renewed', async (bytes) => {
  const { server, storage, plane, keys } = await openRenewing()
  const local = await localFile(bytes)
  // The first minute after new keys is over.
  await delay(80)
  endAll(keys)
  const stored = await storage.store({ name: 'video.mp4', path: local.path, ...video }, never)
  expect(stored.sha256).toBe(local.sha256)
  expect(bodyOf(server)?.equals(local.content)).toBe(true)
  expect(plane.asked).toBe(1)
})

test('keys are renewed before they end, without a refusal', async () => {
  let ahead = 0
  const clock: Clock = { now: () => Date.now() + ahead, sleep: (ms, signal) => delay(ms, undefined, { signal }) }
  const { server, storage, plane } = await openRenewing(clock, 4 * 60_000)
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
  const { server, storage, plane } = await openRenewing()
  const local = await localFile(1000)
  await delay(80)
  server.fail({ operation: 'PutObject', times: 1_000, effect: { kind: 'refuse', status: 403, code: 'AccessDenied' } })
  const error = await rejectionOf(storage.store({ name: 'video.mp4', path: local.path, ...video }, never))
  expect(error).toMatchObject({ trouble: 'access' })
  expect(plane.asked).toBe(1)
})
