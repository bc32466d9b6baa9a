/** Every way of failing that only a server of ours has on demand. */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { S3Tuning } from '../../../../src/storage/s3/session.ts'
import type { Fault } from '../../../servers/s3-server.ts'
import { bodyOf, count, IMPATIENT, open, STEP, serve, store } from '../faulty-server.ts'
import { localFile, never, rejectionOf } from '../place.ts'

const SMALL = ['PutObject', 'HeadObject']
const TEMPORARY = { accessKeyId: 'TEMPORARY', secretAccessKey: 'temporary-secret', sessionToken: 'temporary-token' }
const refusing = (status: number, code: string): Fault['effect'] => ({ kind: 'refuse', status, code })
const LARGE = ['CreateMultipartUpload', 'UploadPart', 'CompleteMultipartUpload', 'HeadObject']

describe('passing trouble', () => {
  const effects: [string, Fault['effect'], Partial<S3Tuning>][] = [
    ['503 SlowDown', refusing(503, 'SlowDown'), {}],
    ['500 InternalError', refusing(500, 'InternalError'), {}],
    ['400 RequestTimeout', refusing(400, 'RequestTimeout'), {}],
    ['429', refusing(429, 'TooManyRequests'), {}],
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

  const incomplete = ['cut_answer', 'short_answer', 'stall_answer'] as const
  test.for(incomplete)('an answer that is incomplete (%s) leaves no upload behind', async (kind) => {
    for (const operation of ['CreateMultipartUpload', 'CompleteMultipartUpload']) {
      const server = await serve()
      const local = await localFile(2 * STEP)
      server.fail({ operation, times: 1, effect: { kind } })
      await store(open(server, {}, IMPATIENT), local.path)
      expect(bodyOf(server)?.equals(local.content)).toBe(true)
      expect(server.state.uploads.size).toBe(0)
    }
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

  test('each retry is reported in words, without secrets', async () => {
    const server = await serve()
    const local = await localFile(10)
    const notices: unknown[] = []
    server.fail({ operation: 'PutObject', times: 2, effect: refusing(503, 'SlowDown') })
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
    server.fail({ operation: 'UploadPart', times: 1_000, effect: refusing(503, 'SlowDown') })
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
      server.fail({ operation, times: 1_000, effect: refusing(403, 'AccessDenied') })
      const error = await rejectionOf(store(open(server, {}, { partsInFlight: 1 }), local.path))
      expect(error).toMatchObject({ trouble: 'access', serverCode: 'AccessDenied' })
      expect(error.message).toContain('need s3:PutObject, s3:GetObject and s3:AbortMultipartUpload')
      expect(count(server, operation)).toBe(1)
      expect(server.state.uploads.size).toBe(0)
      expect(bodyOf(server)).toBeUndefined()
    },
  )

  test('an upload that may not be aborted is reported, before the meeting and after a failure', async () => {
    const server = await serve()
    const denied: Fault['effect'] = refusing(403, 'AccessDenied')
    server.fail({ operation: 'AbortMultipartUpload', times: 1_000, effect: denied })
    const early = await rejectionOf(open(server).prepare(never))
    expect(early.message).toMatch(/^Cannot abort the upload .* need .*s3:AbortMultipartUpload/)
    const local = await localFile(2 * STEP)
    server.fail({ operation: 'UploadPart', times: 1_000, effect: denied })
    const error = await rejectionOf(store(open(server), local.path))
    expect(error.message).toContain('Its unfinished upload could not be aborted')
  })

  test.for([
    ['AbortMultipartUpload', 403, 'SignatureDoesNotMatch'],
    ['CreateMultipartUpload', 507, 'XMinioStorageFull'],
    ['AbortMultipartUpload', 403, 'AccountProblem'],
  ] as const)(
    'what is refused at %s before the meeting is told at once, with %s %s',
    async ([operation, status, code]) => {
      const server = await serve()
      server.fail({ operation, times: 1_000, effect: refusing(status, code) })
      const error = await rejectionOf(open(server).prepare(never))
      expect(error.message).toContain(`${status} ${code}`)
      expect(error.message).not.toContain('They need')
      expect(count(server, operation)).toBe(1)
    },
  )

  test('an expired token is reported with its cure', async () => {
    const server = await serve({ keys: [{ ...TEMPORARY, expiresAt: 0 }] })
    const error = await rejectionOf(open(server).prepare(never))
    expect(error).toMatchObject({ trouble: 'access', serverCode: 'ExpiredToken' })
    expect(error.message).toContain('The session token has expired. Give a fresh one')
    expect(error.message).not.toContain('temporary-')
  })

  test('a session token that is valid works, and a wrong one is reported', async () => {
    const server = await serve({ keys: [TEMPORARY] })
    const local = await localFile(10)
    await store(open(server), local.path)
    expect(bodyOf(server)).toEqual(local.content)
    const error = await rejectionOf(open(server, { session_token: 'another-token' }).prepare(never))
    expect(error).toMatchObject({ trouble: 'access', serverCode: 'InvalidToken' })
    expect(error.message).not.toContain('another-token')
  })

  test('a wrong region is reported with the right one', async () => {
    const server = await serve({ region: 'eu-central-1' })
    const error = await rejectionOf(open(server, { region: 'us-west-2' }).prepare(never))
    expect(error).toMatchObject({ trouble: 'invalid', serverCode: 'AuthorizationHeaderMalformed' })
    expect(error.message).toContain(
      'The bucket is in eu-central-1 and not in us-west-2. Set storage.region to eu-central-1.',
    )
  })

  test('an answer of 400 to HEAD, which has no words, is explained', async () => {
    const server = await serve()
    const local = await localFile(10)
    server.fail({ operation: 'HeadObject', times: 9, effect: refusing(400, 'ExpiredToken') })
    server.fail({ operation: 'PutObject', effect: { kind: 'flip_bit' } })
    const error = await rejectionOf(store(open(server), local.path))
    expect(error.message).toBe(
      'Cannot verify s3://recordings/bot/video.mp4: 400. The server gave no reason; most often a session token has expired.',
    )
  })

  test('an endpoint that is no S3 server, or speaks no TLS, is reported at once', async () => {
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

  test('an old server that does not support a request is reported', async () => {
    const server = await serve()
    server.fail({ operation: 'CreateMultipartUpload', times: 9, effect: refusing(501, 'NotImplemented') })
    const error = await rejectionOf(open(server).prepare(never))
    expect(error).toMatchObject({ trouble: 'invalid', serverCode: 'NotImplemented' })
    expect(count(server, 'CreateMultipartUpload')).toBe(1)
  })

  test('a full server is reported', async () => {
    const server = await serve()
    const local = await localFile(10)
    server.fail({ operation: 'PutObject', times: 9, effect: refusing(403, 'QuotaExceeded') })
    expect(await rejectionOf(store(open(server), local.path))).toMatchObject({ trouble: 'full' })
  })

  test('a proxy that refuses bodies of a part is found before the recording, without sending one', async () => {
    const server = await serve({ bodyLimit: STEP - 1 })
    const error = await rejectionOf(open(server).prepare(never))
    expect(error).toMatchObject({ trouble: 'invalid' })
    expect(error.message).toContain('refuses bodies of 1 MiB (413 Request Entity Too Large)')
    expect(error.message).toContain('client_max_body_size')
    expect(server.state.uploads.size).toBe(0)
    expect(count(server, 'UploadPart')).toBe(0)
    await expect(open(await serve({ bodyLimit: STEP })).prepare(never)).resolves.toBeUndefined()
  })

  test('a server that says nothing before it has a body is taken to accept it soon', async () => {
    await expect(open(await serve({ ignoresExpect: true })).prepare(never)).resolves.toBeUndefined()
  }, 30_000)

  test('a proxy whose limit falls during the meeting is named by the error', async () => {
    const server = await serve({ bodyLimit: 100 })
    const local = await localFile(1_000)
    const error = await rejectionOf(store(open(server), local.path))
    expect(error.message).toMatch(/refuses bodies of this size \(413\)/)
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
