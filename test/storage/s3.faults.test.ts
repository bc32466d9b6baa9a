/** What only a server of ours can do on demand: every way of failing, and the kinds of servers that are out there. */
import { appendFile, readFile, truncate } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { S3Storage } from '../../storage/s3.ts'
import { signedLink } from '../../storage/s3-link.ts'
import type { S3Config, S3Tuning } from '../../storage/s3-session.ts'
import { type Fault, type S3Server, type S3ServerOptions, startS3Server } from '../servers/s3-server.ts'
import { localFile, never, rejectionOf, video } from './place.ts'
import { TEST_TUNING } from './s3-place.ts'

/** The smallest part of these servers; S3's own 5 MiB would only make the suite slow. */
const STEP = 256 * 1024
/** For stalls: nothing on loopback takes this long unless it never comes. */
const IMPATIENT: Partial<S3Tuning> = { idleMs: 400, requestMs: 3_000 }

async function serve(options: S3ServerOptions = {}): Promise<S3Server> {
  const server = await startS3Server({ smallestPart: STEP, ...options })
  onTestFinished(() => server.close())
  return server
}

function open(server: S3Server, overrides: Partial<S3Config> = {}, tuning: Partial<S3Tuning> = {}): S3Storage {
  const config: S3Config = {
    type: 's3',
    bucket: server.bucket,
    endpoint: server.endpoint,
    region: server.region,
    access_key_id: server.keys.accessKeyId,
    secret_access_key: server.keys.secretAccessKey,
    ...(server.keys.sessionToken === undefined ? {} : { session_token: server.keys.sessionToken }),
    ...overrides,
  }
  return new S3Storage(config, { botId: 'bot' }, { ...TEST_TUNING, partBytes: STEP, ...tuning })
}

const bodyOf = (server: S3Server) => server.state.objects.get('bot/video.mp4')?.body
const store = async (storage: S3Storage, path: string, signal = never) =>
  storage.store({ name: 'video.mp4', path, ...video }, signal)
const count = (server: S3Server, operation: string) =>
  server.requests.filter((request) => request.operation === operation).length

const SMALL = ['PutObject', 'HeadObject']
const LARGE = ['CreateMultipartUpload', 'UploadPart', 'CompleteMultipartUpload', 'HeadObject']

describe('passing trouble', () => {
  const effects: [string, Fault['effect'], Partial<S3Tuning>][] = [
    ['503 SlowDown', { kind: 'refuse', status: 503, code: 'SlowDown' }, {}],
    ['500 InternalError', { kind: 'refuse', status: 500, code: 'InternalError' }, {}],
    ['400 RequestTimeout', { kind: 'refuse', status: 400, code: 'RequestTimeout' }, {}],
    ['429', { kind: 'refuse', status: 429, code: 'TooManyRequests' }, {}],
    ['a broken connection', { kind: 'reset', afterBytes: 50_000 }, {}],
    ['a lost answer', { kind: 'lose_answer' }, {}],
    ['no answer at all', { kind: 'stall' }, IMPATIENT],
  ]
  // The reason of a refused HEAD is unknown, since its answer has no body: only its status can tell.
  const hasReason = (effect: Fault['effect'], operation: string) =>
    !(operation === 'HeadObject' && effect.kind === 'refuse' && effect.status === 400)
  const cases = effects
    .flatMap(([name, effect, tuning]) => [
      ...SMALL.map((operation) => ({ name, effect, tuning, operation, bytes: 200_000 })),
      ...LARGE.map((operation) => ({ name, effect, tuning, operation, bytes: 2 * STEP + 17 })),
    ])
    .filter(({ effect, operation }) => hasReason(effect, operation))
  test.for(cases)('$name, twice, at $operation of $bytes bytes', async ({ effect, tuning, operation, bytes }) => {
    const server = await serve()
    const local = await localFile(bytes)
    server.fail({ operation, times: 2, effect })
    const stored = await store(open(server, {}, tuning), local.path)
    expect(stored.sha256).toBe(local.sha256)
    expect(bodyOf(server)?.equals(local.content)).toBe(true)
    expect(server.state.uploads.size).toBe(0)
    // A completion whose answer was lost is found to have happened; everything else is asked three times.
    expect(count(server, operation)).toBeGreaterThanOrEqual(operation === 'CompleteMultipartUpload' ? 2 : 3)
  })

  test.for([
    ['cut_answer', 'CreateMultipartUpload'],
    ['cut_answer', 'CompleteMultipartUpload'],
    ['short_answer', 'CreateMultipartUpload'],
    ['short_answer', 'CompleteMultipartUpload'],
    ['stall_answer', 'CreateMultipartUpload'],
    ['stall_answer', 'CompleteMultipartUpload'],
  ] as const)('an answer that is incomplete (%s) at %s leaves no upload behind', async ([kind, operation]) => {
    const server = await serve()
    const local = await localFile(2 * STEP)
    server.fail({ operation, times: 1, effect: { kind } })
    await store(open(server, {}, IMPATIENT), local.path)
    expect(bodyOf(server)?.equals(local.content)).toBe(true)
    expect(server.state.uploads.size).toBe(0)
  })

  test('a server that lost its uploads gets the file from the start', async () => {
    const server = await serve()
    const local = await localFile(3 * STEP)
    let isForgotten = false
    server.before('UploadPart', () => {
      if (isForgotten || count(server, 'UploadPart') < 3) return
      isForgotten = true
      server.state.uploads.clear()
    })
    await store(open(server, {}, { partsInFlight: 1 }), local.path)
    expect(isForgotten).toBe(true)
    expect(count(server, 'CreateMultipartUpload')).toBe(2)
    expect(bodyOf(server)?.equals(local.content)).toBe(true)
    expect(server.state.uploads.size).toBe(0)
  })

  test('each retry is told in words, without secrets', async () => {
    const server = await serve()
    const local = await localFile(10)
    const notices: unknown[] = []
    server.fail({ operation: 'PutObject', times: 2, effect: { kind: 'refuse', status: 503, code: 'SlowDown' } })
    await store(open(server, {}, { onRetry: (notice) => notices.push(notice) }), local.path)
    expect(notices).toMatchObject([
      { step: 'store', key: 'bot/video.mp4', attempt: 1 },
      { step: 'store', key: 'bot/video.mp4', attempt: 2 },
    ])
    expect(JSON.stringify(notices)).toContain('503 SlowDown')
    expect(JSON.stringify(notices)).not.toContain(server.keys.secretAccessKey)
  })
})

describe('lasting trouble', () => {
  test('a server that stays busy is given up, and no upload stays', async () => {
    const server = await serve()
    const local = await localFile(2 * STEP)
    server.fail({ operation: 'UploadPart', times: 1_000, effect: { kind: 'refuse', status: 503, code: 'SlowDown' } })
    const patience = { firstDelayMs: 5, maxDelayMs: 20, totalMs: 200 }
    const error = await rejectionOf(store(open(server, {}, { patience }), local.path))
    expect(error).toMatchObject({ name: 'StorageError', trouble: 'unreachable', serverCode: 'SlowDown' })
    expect(error.message).toMatch(/Cannot store part \d of s3:\/\/recordings\/bot\/video\.mp4 after \d+ attempts/)
    expect(server.state.uploads.size).toBe(0)
    expect((await readFile(local.path)).equals(local.content)).toBe(true)
  })

  test.for(['UploadPart', 'CompleteMultipartUpload'])(
    'a right that is taken away before %s is not asked for again',
    async (operation) => {
      const server = await serve()
      const local = await localFile(2 * STEP)
      server.fail({ operation, times: 1_000, effect: { kind: 'refuse', status: 403, code: 'AccessDenied' } })
      const error = await rejectionOf(store(open(server, {}, { partsInFlight: 1 }), local.path))
      expect(error).toMatchObject({ trouble: 'access', serverCode: 'AccessDenied' })
      expect(error.message).toContain('They need s3:PutObject, s3:GetObject and s3:AbortMultipartUpload')
      expect(count(server, operation)).toBe(1)
      expect(server.state.uploads.size).toBe(0)
      expect(bodyOf(server)).toBeUndefined()
    },
  )

  test('an upload that may not be aborted is told, before the meeting and after a failure', async () => {
    const server = await serve()
    const denied: Fault['effect'] = { kind: 'refuse', status: 403, code: 'AccessDenied' }
    server.fail({ operation: 'AbortMultipartUpload', times: 1_000, effect: denied })
    const early = await rejectionOf(open(server).prepare(never))
    expect(early.message).toContain('The credentials need s3:AbortMultipartUpload')
    const local = await localFile(2 * STEP)
    server.fail({ operation: 'UploadPart', times: 1_000, effect: denied })
    const error = await rejectionOf(store(open(server), local.path))
    expect(error.message).toContain('Its unfinished upload could not be aborted')
  })

  test('an expired token is told with its cure', async () => {
    const keys = {
      accessKeyId: 'TEMPORARY',
      secretAccessKey: 'temporary-secret',
      sessionToken: 'temporary-token',
      expiresAt: 0,
    }
    const server = await serve({ keys: [keys] })
    const error = await rejectionOf(open(server).prepare(never))
    expect(error).toMatchObject({ trouble: 'access', serverCode: 'ExpiredToken' })
    expect(error.message).toContain('The session token has expired. Give a fresh one')
    expect(error.message).not.toContain('temporary-')
  })

  test('a session token that is valid works, and a wrong one is told', async () => {
    const keys = { accessKeyId: 'TEMPORARY', secretAccessKey: 'temporary-secret', sessionToken: 'temporary-token' }
    const server = await serve({ keys: [keys] })
    const local = await localFile(10)
    await store(open(server), local.path)
    expect(bodyOf(server)).toEqual(local.content)
    const error = await rejectionOf(open(server, { session_token: 'another-token' }).prepare(never))
    expect(error).toMatchObject({ trouble: 'access', serverCode: 'InvalidToken' })
    expect(error.message).not.toContain('another-token')
  })

  test('a wrong region is told with the right one', async () => {
    const server = await serve({ region: 'eu-central-1' })
    const error = await rejectionOf(open(server, { region: 'us-west-2' }).prepare(never))
    expect(error).toMatchObject({ trouble: 'invalid', serverCode: 'AuthorizationHeaderMalformed' })
    expect(error.message).toContain(
      'The bucket lies in eu-central-1 and not in us-west-2. Set storage.region to eu-central-1.',
    )
  })

  test('an answer of 400 to HEAD, which has no words, is explained', async () => {
    const server = await serve()
    const local = await localFile(10)
    server.fail({ operation: 'HeadObject', times: 9, effect: { kind: 'refuse', status: 400, code: 'ExpiredToken' } })
    server.fail({ operation: 'PutObject', effect: { kind: 'flip_bit' } })
    const error = await rejectionOf(store(open(server), local.path))
    expect(error.message).toBe(
      'Cannot verify s3://recordings/bot/video.mp4: 400. The server gave no reason; most often a session token has expired.',
    )
  })

  test('an endpoint that is no S3 server, or speaks no TLS, is told at once', async () => {
    const web = createServer((_, response) => response.end('<html><head></head><body>Welcome<br></body></html>'))
    onTestFinished(() => void web.close())
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
    const host = `127.0.0.1:${(web.address() as AddressInfo).port}`
    const server = await serve()
    const patience = { preparePatience: { firstDelayMs: 1e6, maxDelayMs: 1e6, totalMs: 1e9 } }
    const page = await rejectionOf(open(server, { endpoint: `http://${host}` }, patience).prepare(never))
    expect(page).toMatchObject({ trouble: 'invalid' })
    expect(page.message).toContain(`http://${host} does not answer as an S3 server does. Check storage.endpoint.`)
    const plain = await rejectionOf(open(server, { endpoint: `https://${host}` }, patience).prepare(never))
    expect(plain).toMatchObject({ trouble: 'invalid' })
    expect(plain.message).toContain('EPROTO')
    expect(plain.message).toContain('the right one of http:// and https://')
  })

  test('an old server that does not know a request is told', async () => {
    const server = await serve()
    server.fail({
      operation: 'CreateMultipartUpload',
      times: 9,
      effect: { kind: 'refuse', status: 501, code: 'NotImplemented' },
    })
    const error = await rejectionOf(open(server).prepare(never))
    expect(error).toMatchObject({ trouble: 'invalid', serverCode: 'NotImplemented' })
    expect(count(server, 'CreateMultipartUpload')).toBe(1)
  })

  test('a full server is told', async () => {
    const server = await serve()
    const local = await localFile(10)
    server.fail({ operation: 'PutObject', times: 9, effect: { kind: 'refuse', status: 403, code: 'QuotaExceeded' } })
    expect(await rejectionOf(store(open(server), local.path))).toMatchObject({ trouble: 'full' })
  })

  test('a clock that is an hour wrong is corrected for', async () => {
    const server = await serve({ clockAheadMs: 3_600_000 })
    const local = await localFile(2 * STEP)
    const storage = open(server)
    await storage.prepare(never)
    await store(storage, local.path)
    expect(bodyOf(server)?.equals(local.content)).toBe(true)
  })
})

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

  test('a file that somebody shortened is noticed by its size', async () => {
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

  test('a bot that may only write is told by what the server answered to the writing', async () => {
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

  test('a signed link ends when its time is over', async () => {
    const server = await serve({ clockAheadMs: 100_000 })
    const config: S3Config = {
      type: 's3',
      bucket: server.bucket,
      endpoint: server.endpoint,
      access_key_id: server.keys.accessKeyId,
      secret_access_key: server.keys.secretAccessKey,
    }
    server.state.put('bot/video.mp4', Buffer.from('content'), 'video/mp4', false)
    const file = { botId: 'bot', name: 'video.mp4' }
    expect((await fetch(await signedLink(config, file, 200))).status).toBe(200)
    const late = await fetch(await signedLink(config, file, 50))
    expect(late.status).toBe(403)
    expect(await late.text()).toContain('Request has expired')
    for (const seconds of [0, 1.5, 604_801])
      await expect(signedLink(config, file, seconds)).rejects.toThrow('from 1 to 604800')
  })
})
