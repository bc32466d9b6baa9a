/** A server that is away, busy, silent or refuses, while a file grows: nothing is lost, and no caller waits. */

import { readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { S3Config, S3Tuning } from '../../../../src/storage/s3/session.ts'
import { temporaryFolder } from '../../../fakes/at-end.ts'
import type { Fault, S3Server } from '../../../servers/s3-server.ts'
import type { Keys } from '../../../servers/sigv4.ts'
import {
  append,
  bodyOf,
  count,
  endAll,
  expectWhole,
  fastClock,
  IMPATIENT,
  open,
  PIECE,
  STEP,
  serve,
} from '../faulty-server.ts'
import { numberedBody } from '../numbered-pieces.ts'
import { growthOf, head, never, rejectionOf } from '../place.ts'

const BUSY: Fault['effect'] = { kind: 'refuse', status: 503, code: 'SlowDown' }

async function grow(server: S3Server, overrides: Partial<S3Config> = {}, tuning: Partial<S3Tuning> = {}) {
  const workFolder = temporaryFolder()
  const file = await open(server, overrides, tuning, workFolder).grow(growthOf('video.mp4'), never)
  onTestFinished(() => file.close())
  return { file, spool: path.join(workFolder, 'spool') }
}

const bodyIs = (server: S3Server, pieces: number) =>
  bodyOf(server)
    ?.subarray(-pieces * PIECE)
    .equals(numberedBody(pieces, PIECE))

describe('an outage while a file grows', () => {
  test('of more than ten minutes is ridden out', async () => {
    const server = await serve()
    // The real pauses, in moments.
    const patience = { firstDelayMs: 300, maxDelayMs: 15_000, totalMs: 180_000 }
    const { file, spool } = await grow(server, {}, { clock: fastClock, patience })
    await append(file, 0, 8)
    await expect.poll(() => file.storedBytes()).toBe(2 * STEP)
    await server.goDown()
    const since = fastClock.now()
    let pieces = 8
    while (fastClock.now() - since < 900_000) {
      await append(file, pieces, pieces + 1)
      pieces++
      await delay(10)
    }
    expect(file.storedBytes()).toBe(2 * STEP)
    const waiting = (await readdir(spool, { recursive: true })).filter((name) => name.includes('part-'))
    expect(waiting.length).toBeGreaterThanOrEqual(Math.floor((pieces - 8) / 4))
    await server.comeBack()
    await expect.poll(() => file.storedBytes()).toBe(Math.floor(pieces / 4) * STEP)
    await expectWhole(server, file, pieces)
    await expect(readdir(spool)).rejects.toThrow('ENOENT')
  })

  const effects: [string, Fault['effect'], Partial<S3Tuning>][] = [
    ['503', BUSY, {}],
    ['silence', { kind: 'stall' }, IMPATIENT],
    ['lost answers', { kind: 'lose_answer' }, {}],
    ['a right that is taken away for a while', { kind: 'refuse', status: 403, code: 'AccessDenied' }, {}],
    ['a page of a proxy', { kind: 'refuse', status: 404, code: 'NotFound' }, {}],
    ['a flipped bit', { kind: 'flip_bit' }, {}],
  ]
  test.for(effects)('%s: at the beginning and in the middle, nothing is lost', async ([name, effect, tuning]) => {
    const server = await serve()
    // Only the first part shows that ETags are digests. The storage needs this to notice a flipped bit in a later part.
    const from = name === 'a flipped bit' ? 3 : 2
    if (from === 2) server.fail({ operation: 'CreateMultipartUpload', times: 2, effect })
    server.fail({ operation: 'UploadPart', partNumber: from, times: 3, effect })
    server.fail({ operation: 'UploadPart', partNumber: 5, times: 2, effect })
    const { file } = await grow(server, {}, { ...tuning, partsInFlight: 1 })
    await append(file, 0, 18)
    await expect.poll(() => file.storedBytes()).toBe(4 * STEP)
    await expectWhole(server, file, 18)
    expect(count(server, 'UploadPart')).toBeGreaterThanOrEqual(6 + 5)
  })

  test.for(['UploadPart', 'CompleteMultipartUpload', 'HeadObject', 'PutObject'])(
    'that meets the finish at %s delays it only',
    async (operation) => {
      const server = await serve()
      const { file } = await grow(server)
      const pieces = operation === 'PutObject' ? 2 : 9
      await append(file, 0, pieces)
      await expect.poll(() => file.storedBytes()).toBe(Math.floor(pieces / 4) * STEP)
      await expect.poll(() => count(server, 'PutObject')).toBe(1)
      server.fail({ operation, times: 3, effect: BUSY })
      await file.finish((room) => head(room ?? 100), never)
      expect(bodyIs(server, pieces)).toBe(true)
      expect(server.state.uploads.size).toBe(0)
    },
  )

  test('a bit that a server without digests flips in a short recording is noticed, and its bytes are sent again', async () => {
    const server = await serve({ etags: 'opaque' })
    const { file } = await grow(server)
    await append(file, 0, 2)
    await expect.poll(() => count(server, 'PutObject')).toBe(1)
    server.fail({ operation: 'PutObject', effect: { kind: 'flip_bit' } })
    const error = await rejectionOf(file.finish((room) => head(room ?? 100), never))
    expect(error).toMatchObject({ name: 'StorageError', trouble: 'corrupted' })
    await file.finish((room) => head(room ?? 100), never)
    expect(bodyIs(server, 2)).toBe(true)
  })

  test('a completion whose answer was lost is found to have happened', async () => {
    const server = await serve()
    const { file } = await grow(server)
    await append(file, 0, 9)
    server.fail({ operation: 'CompleteMultipartUpload', effect: { kind: 'lose_answer' } })
    await expectWhole(server, file, 9)
  })

  test('the end of the meeting does not wait for the pause before the next try', async () => {
    const server = await serve()
    const patience = { firstDelayMs: 3_600_000, maxDelayMs: 3_600_000, totalMs: 10_000_000 }
    server.fail({ operation: 'UploadPart', times: 2, effect: BUSY })
    const { file } = await grow(server, {}, { patience })
    await append(file, 0, 9)
    await expect.poll(() => count(server, 'UploadPart')).toBe(2)
    await expectWhole(server, file, 9)
  })

  test('a finish that gives up may be tried again, and a permanent refusal is reported', async () => {
    const server = await serve()
    const patience = { firstDelayMs: 5, maxDelayMs: 20, totalMs: 100 }
    const { file } = await grow(server, {}, { patience })
    await append(file, 0, 9)
    await expect.poll(() => file.storedBytes()).toBe(2 * STEP)
    server.fail({ operation: 'UploadPart', times: 1000, effect: { kind: 'refuse', status: 403, code: 'AccessDenied' } })
    const error = await rejectionOf(file.finish((room) => head(room!), never))
    expect(error).toMatchObject({ name: 'StorageError', trouble: 'access' })
    server.forgive()
    await expectWhole(server, file, 9)
  })

  test('past the limit of the spool the recording ends with a clear error, and what was kept is stored', async () => {
    const server = await serve()
    const { file } = await grow(server, { spool_limit_mb: 1 })
    await expect.poll(() => count(server, 'PutObject')).toBe(1)
    await server.goDown()
    await append(file, 0, 16)
    // A part has to be refused before there is anything to tell.
    await delay(50)
    const error = await rejectionOf(append(file, 16, 17))
    expect(error).toMatchObject({ name: 'StorageError', trouble: 'full' })
    expect(error.message).toContain('the spool of 1 MiB on this machine is full (storage.spool_limit_mb)')
    expect(error.message).toContain('ECONNREFUSED')
    expect(await rejectionOf(append(file, 17, 18))).toBe(error)
    await server.comeBack()
    await expectWhole(server, file, 16)
  })

  test('an upload that the server has forgotten cannot be continued, and that is reported', async () => {
    const server = await serve()
    const { file } = await grow(server)
    await append(file, 0, 9)
    await expect.poll(() => file.storedBytes()).toBe(2 * STEP)
    server.state.uploads.clear()
    await append(file, 9, 13)
    const refused = () => rejectionOf(append(file, 13, 14)).catch(() => null)
    await expect.poll(refused).toMatchObject({ trouble: 'missing', serverCode: 'NoSuchUpload' })
  })
})

describe('credentials that end while a file grows', () => {
  /** Gives keys of which only the newest are good, as a container's role does. */
  async function role(keys: Keys[], endsAt: () => Date): Promise<{ fetches: number }> {
    const state = { fetches: 0 }
    const provider = createServer((_, response) => {
      state.fetches++
      const [AccessKeyId, SecretAccessKey, Token] = ['KEY', 'secret', 'token'].map((name) => `${name}-${state.fetches}`)
      keys.push({ accessKeyId: AccessKeyId!, secretAccessKey: SecretAccessKey!, sessionToken: Token! })
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ AccessKeyId, SecretAccessKey, Token, Expiration: endsAt().toISOString() }))
    })
    onTestFinished(() => void provider.close())
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_PROFILE'])
      vi.stubEnv(name, undefined)
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nowhere')
    vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `http://127.0.0.1:${(provider.address() as AddressInfo).port}/`)
    onTestFinished(() => void vi.unstubAllEnvs())
    return state
  }

  const ofTheEnvironment = { access_key_id: undefined, secret_access_key: undefined }

  test('are renewed in time where their end is known', async () => {
    const keys: Keys[] = [{ accessKeyId: 'UNUSED', secretAccessKey: 'unused' }]
    const server = await serve({ keys })
    // So near that the SDK takes them for ended at the next request.
    const state = await role(keys, () => new Date(Date.now() + 10_000))
    const { file } = await grow(server, ofTheEnvironment)
    for (let pieces = 0; pieces < 16; pieces += 4) {
      await append(file, pieces, pieces + 4)
      await expect.poll(() => file.storedBytes()).toBe((pieces / 4 + 1) * STEP)
      endAll(keys.slice(0, -1))
    }
    await expectWhole(server, file, 16)
    expect(state.fetches).toBeGreaterThan(4)
  })

  test('are asked for again where the server refuses them before their time', async () => {
    const keys: Keys[] = [{ accessKeyId: 'UNUSED', secretAccessKey: 'unused' }]
    const server = await serve({ keys })
    const state = await role(keys, () => new Date(Date.now() + 3_600_000))
    const { file } = await grow(server, ofTheEnvironment, { clock: fastClock })
    await append(file, 0, 4)
    await expect.poll(() => file.storedBytes()).toBe(STEP)
    expect(state.fetches).toBe(1)
    endAll(keys)
    await append(file, 4, 9)
    await expect.poll(() => file.storedBytes()).toBe(2 * STEP)
    await expectWhole(server, file, 9)
    // Each client asks once, and there is a new one for every five seconds of refusals.
    expect(state.fetches).toBeGreaterThan(1)
  })
})
