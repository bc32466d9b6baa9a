/** The stored bytes are the sent bytes on every kind of server, and a stop ends the work. */
import { appendFile, readFile, truncate } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import type { Fault } from '../../../servers/s3-server.ts'
import { bodyOf, count, IMPATIENT, open, STEP, serve, store } from '../faulty-server.ts'
import { localFile, rejectionOf } from '../place.ts'

describe('what is stored is what was sent', () => {
  test.for([
    ['PutObject', 200_000],
    ['UploadPart', 2 * STEP],
  ] as const)('a bit that the server flips while it stores (%s) is noticed', async ([operation, bytes]) => {
    const server = await serve()
    const local = await localFile(bytes)
    server.fail({ operation, effect: { kind: 'flip_bit' } })
    const error = await rejectionOf(store(open(server), local.path))
    expect(error).toMatchObject({ trouble: 'corrupted' })
    expect((await readFile(local.path)).equals(local.content)).toBe(true)
    await store(open(server), local.path)
    expect(bodyOf(server)?.equals(local.content)).toBe(true)
  })

  test('a file that another program shortened is noticed by its size', async () => {
    const server = await serve()
    const local = await localFile(1000)
    server.before('HeadObject', () =>
      server.state.put('bot/video.mp4', local.content.subarray(0, 999), 'video/mp4', false),
    )
    const error = await rejectionOf(store(open(server), local.path))
    expect(error.message).toBe('s3://recordings/bot/video.mp4 holds 999 bytes instead of 1000. Store it again.')
  })

  test('a file that is gone is noticed', async () => {
    const server = await serve()
    const local = await localFile(1000)
    server.before('HeadObject', () => server.state.objects.clear())
    expect(await rejectionOf(store(open(server), local.path))).toMatchObject({ trouble: 'missing' })
  })

  test.for([1000, 2 * STEP + 1])('a server whose ETags are no digests has %d bytes read back', async (bytes) => {
    const server = await serve({ etags: 'opaque' })
    const local = await localFile(bytes)
    server.fail({ operation: 'GetObject', effect: { kind: 'cut_answer' } })
    const stored = await store(open(server), local.path)
    expect(stored.sha256).toBe(local.sha256)
    expect(count(server, 'GetObject')).toBe(2)
    server.fail({ operation: bytes > STEP ? 'UploadPart' : 'PutObject', effect: { kind: 'flip_bit' } })
    expect(await rejectionOf(store(open(server), local.path))).toMatchObject({ trouble: 'corrupted' })
  })

  test('reading back does not wait for ever for a server that went silent', async () => {
    const server = await serve({ etags: 'opaque' })
    const local = await localFile(2 * STEP)
    server.fail({ operation: 'GetObject', effect: { kind: 'stall_answer' } })
    await store(open(server, {}, IMPATIENT), local.path)
    expect(count(server, 'GetObject')).toBeGreaterThanOrEqual(2)
  })

  test.for([1000, 2 * STEP + 1])(
    'a server that knows SHA-256 is believed without reading %d bytes back',
    async (bytes) => {
      const server = await serve({ etags: 'opaque', checksums: true })
      const local = await localFile(bytes)
      await store(open(server, { checksums: 'when_supported' }), local.path)
      expect(count(server, 'GetObject')).toBe(0)
      expect(server.state.objects.get('bot/video.mp4')?.checksum).toMatch(bytes > STEP ? /=-3$/ : /=$/)
      server.before('HeadObject', () => {
        const object = server.state.objects.get('bot/video.mp4')!
        server.state.objects.set('bot/video.mp4', { ...object, checksum: 'AAAA' })
      })
      const error = await rejectionOf(store(open(server, { checksums: 'when_supported' }), local.path))
      expect(error).toMatchObject({ trouble: 'corrupted' })
    },
  )

  test("a bot that may only write trusts the server's answer to the upload", async () => {
    const server = await serve()
    const denied: Fault['effect'] = { kind: 'refuse', status: 403, code: 'AccessDenied' }
    server.fail({ operation: 'HeadObject', times: 1_000, effect: denied })
    for (const bytes of [1000, 2 * STEP]) {
      const local = await localFile(bytes)
      expect((await store(open(server), local.path)).sha256).toBe(local.sha256)
    }
    const local = await localFile(1000)
    server.fail({ operation: 'PutObject', effect: { kind: 'flip_bit' } })
    expect(await rejectionOf(store(open(server), local.path))).toMatchObject({ trouble: 'access' })
  })

  test.for(['grows', 'shrinks'])('a local file that %s while it is sent is not taken for whole', async (change) => {
    const server = await serve()
    const local = await localFile(4 * STEP)
    let isChanged: Promise<void> | null = null
    server.before('CreateMultipartUpload', () => {
      isChanged = change === 'shrinks' ? truncate(local.path, 100) : appendFile(local.path, 'more')
    })
    const error = await rejectionOf(store(open(server, {}, { partsInFlight: 1 }), local.path))
    await isChanged
    expect(error).toMatchObject({ trouble: 'corrupted' })
    expect(error.message).toContain(local.path)
    expect(server.state.uploads.size).toBe(0)
  })
})

describe('a stop', () => {
  test.for([
    ['CreateMultipartUpload', 'stall'],
    ['UploadPart', 'stall'],
    ['CompleteMultipartUpload', 'stall'],
    ['HeadObject', 'stall'],
    ['UploadPart', 'busy'],
  ] as const)('while %s hangs (%s) is obeyed, and no upload stays', async ([operation, how]) => {
    const server = await serve()
    const local = await localFile(3 * STEP)
    const busy: Fault['effect'] = { kind: 'refuse', status: 503, code: 'SlowDown' }
    server.fail({ operation, times: 1_000, effect: how === 'stall' ? { kind: 'stall' } : busy })
    const stop = new AbortController()
    const reason = new Error('asked to stop')
    const patience = { firstDelayMs: 60_000, maxDelayMs: 60_000, totalMs: 600_000 }
    const storing = rejectionOf(store(open(server, {}, { patience, cleanupMs: 2_000 }), local.path, stop.signal))
    await expect.poll(() => count(server, operation), { timeout: 10_000 }).toBeGreaterThan(0)
    stop.abort(reason)
    expect(await storing).toBe(reason)
    expect(server.state.uploads.size).toBe(0)
  })

  test('right after an upload was begun ends that upload', async () => {
    const server = await serve()
    const local = await localFile(3 * STEP)
    const stop = new AbortController()
    const reason = new Error('asked to stop')
    server.before('CreateMultipartUpload', () => stop.abort(reason))
    expect(await rejectionOf(store(open(server), local.path, stop.signal))).toBe(reason)
    expect(count(server, 'CreateMultipartUpload')).toBe(1)
    expect(server.state.uploads.size).toBe(0)
    expect(await rejectionOf(open(server).prepare(stop.signal))).toBe(reason)
  })
})

describe('settings', () => {
  test.for([
    [{ endpoint: 'ftp://server' }, 'http:// or https://'],
    [{ endpoint: 'not an address' }, 'http:// or https://'],
    [{ endpoint: 'http://user:password@server' }, 'holds a user or password'],
    [{ secret_access_key: undefined }, 'go together'],
    [{ prefix: 'a/../b' }, 'The S3 prefix "a/../b" holds the part ".."'],
    [{ prefix: `${'x/'.repeat(500)}y` }, 'longer than 1024 bytes'],
  ] as const)('%j is refused', async ([overrides, words]) => {
    const server = await serve()
    expect(() => open(server, overrides)).toThrow(words)
    expect(() => open(server, overrides)).not.toThrow('user:password')
  })
})
