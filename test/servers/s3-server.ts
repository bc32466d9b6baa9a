/**
 * A small S3 server for tests: one bucket in memory, signatures checked, multipart state kept, and faults on demand. The
 * same suite runs against a real server, which holds this one honest.
 */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { S3Client } from '@aws-sdk/client-s3'
import { freePort } from './free-port.ts'
import { answerOperation, operationOf, type Reply, type S3Request, toXml } from './s3-operations.ts'
import { S3State, type StateRules } from './s3-state.ts'
import { checkSignature, type Keys, type Refusal } from './sigv4.ts'
import { answerSts, DENIED, isForSts, type Roles, refusalOf } from './sts.ts'

/** A fault of the next requests that match. */
export interface Fault {
  /** Such as `UploadPart`. */
  operation: string
  partNumber?: number
  /** How often; 1 unless told. */
  times?: number
  effect: /** Answers this and does nothing. */
    | { kind: 'refuse'; status: number; code: string }
    /** Breaks the connection after this many bytes of the request's body. */
    | { kind: 'reset'; afterBytes: number }
    /** Takes the request and never answers. */
    | { kind: 'stall' }
    /** Does what is asked and breaks the connection without an answer. */
    | { kind: 'lose_answer' }
    /** Does what is asked, and breaks the connection in the middle of the answer's body. */
    | { kind: 'cut_answer' }
    /** Does what is asked, and goes silent in the middle of the answer's body. */
    | { kind: 'stall_answer' }
    /** Does what is asked, and answers a success whose body ends too early. */
    | { kind: 'short_answer' }
    /** Stores the body with one bit flipped, and believes that to be right. */
    | { kind: 'flip_bit' }
}

export interface S3ServerOptions extends Partial<StateRules> {
  region?: string
  keys?: Keys[]
  /** Absent: there is no STS. */
  roles?: Roles
  /** Whether `x-amz-checksum-*` is understood; otherwise it is ignored, as older servers do. */
  checksums?: boolean
  /** A proxy before the server answers 413 with its own page to longer bodies, as nginx does. Bytes. */
  bodyLimit?: number
  /** A body that was announced is never asked for, as by servers that ignore `Expect`. */
  ignoresExpect?: boolean
  /** How far this server's clock is ahead of the machine's. */
  clockAheadMs?: number
}

export interface S3Server {
  endpoint: string
  bucket: string
  region: string
  keys: Keys
  state: S3State
  /** The requests so far, oldest first, with the status of the answer (0 for none). */
  requests: { operation: string; key: string; partNumber: number | null; status: number }[]
  fail(fault: Fault): void
  /** Ends all faults. */
  forgive(): void
  /** Calls back before each request of this kind is answered, once its body has arrived. */
  before(operation: string, callback: (request: { key: string }) => void): void
  /** Stops listening and breaks every connection; the memory stays. */
  goDown(): Promise<void>
  comeBack(): Promise<void>
  close(): Promise<void>
}

/** The storage of a job whose recordings go there. */
export function storageOf({ bucket, endpoint, region, keys }: S3Server) {
  const { accessKeyId: access_key_id, secretAccessKey: secret_access_key, sessionToken: session_token } = keys
  const credentials = { access_key_id, secret_access_key, ...(session_token && { session_token }) }
  return { type: 's3' as const, bucket, endpoint, region, ...credentials }
}

/** The storage of a service whose recordings go there. */
export function storeSettingsOf({ bucket, endpoint, keys }: S3Server) {
  return { type: 's3' as const, bucket, prefix: 'all/of it', endpoint, ...keys }
}

/** The same as variables of a program. */
export function variablesOf({ endpoint, region, keys }: S3Server) {
  return {
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_ACCESS_KEY_ID: keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
    AWS_REGION: region,
  }
}

/** Of any S3 server. */
export interface S3Access extends Pick<Keys, 'accessKeyId' | 'secretAccessKey' | 'sessionToken'> {
  endpoint: string
  /** Default: `us-east-1`. */
  region?: string
}

/** A client that sends checksums only where S3 itself needs them. The caller destroys it. */
export function s3ClientOf({ endpoint, region = 'us-east-1', ...credentials }: S3Access): S3Client {
  return new S3Client({
    ...{ endpoint, region, credentials, forcePathStyle: true },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
}

const DEFAULT_KEYS: Keys = { accessKeyId: 'TESTKEY', secretAccessKey: 'TESTSECRETTESTSECRETTESTSECRET' }

function errorReply({ status, code, message, extra = {} }: Refusal, isOfSts: boolean): Reply {
  const fields = Object.entries({ Code: code, Message: message, ...extra, RequestId: 'test' })
  const error = `<Error>${fields.map(([name, text]) => `<${name}>${toXml(text)}</${name}>`).join('')}</Error>`
  const text = `<?xml version="1.0" encoding="UTF-8"?>${isOfSts ? `<ErrorResponse>${error}</ErrorResponse>` : error}`
  return { status, headers: { 'content-type': 'application/xml' }, body: Buffer.from(text) }
}

export async function startS3Server(options: S3ServerOptions = {}): Promise<S3Server> {
  const bucket = 'recordings'
  const region = options.region ?? 'us-east-1'
  const keys = options.keys ?? [{ ...DEFAULT_KEYS }]
  const state = new S3State({ etags: options.etags ?? 'md5', smallestPart: options.smallestPart ?? 5 * 1024 * 1024 })
  const requests: S3Server['requests'] = []
  const faults: (Fault & { times: number })[] = []
  const watchers: { operation: string; callback: (request: { key: string }) => void }[] = []
  const sockets = new Set<Socket>()

  function takeFault(request: S3Request): Fault['effect'] | null {
    const fault = faults.find(
      (each) =>
        each.times > 0 &&
        each.operation === request.operation &&
        (each.partNumber === undefined || each.partNumber === request.partNumber),
    )
    if (fault === undefined) return null
    fault.times -= 1
    return fault.effect
  }

  async function readBody(message: IncomingMessage, effect: Fault['effect'] | null): Promise<Buffer | null> {
    const chunks: Buffer[] = []
    let bytes = 0
    try {
      for await (const chunk of message as AsyncIterable<Buffer>) {
        chunks.push(chunk)
        bytes += chunk.length
        if (effect?.kind === 'reset' && bytes > effect.afterBytes) break
      }
    } catch {
      // The client went away in the middle of its request.
      return null
    }
    if (effect?.kind === 'reset') {
      message.socket.resetAndDestroy()
      return null
    }
    return Buffer.concat(chunks)
  }

  function checkBody(request: S3Request, payload: string): Refusal | null {
    const given = createHash('sha256').update(request.body).digest()
    if (payload.startsWith('STREAMING-'))
      return { status: 411, code: 'MissingContentLength', message: 'Streams are not taken' }
    if (payload !== 'UNSIGNED-PAYLOAD' && payload !== given.toString('hex'))
      return { status: 400, code: 'XAmzContentSHA256Mismatch', message: 'The x-amz-content-sha256 does not match.' }
    const md5 = request.headers['content-md5']
    if (md5 !== undefined && md5 !== createHash('md5').update(request.body).digest('base64'))
      return { status: 400, code: 'BadDigest', message: 'The Content-MD5 does not match.' }
    const checksum = request.headers['x-amz-checksum-sha256']
    if (options.checksums === true && checksum !== undefined && checksum !== given.toString('base64'))
      return { status: 400, code: 'BadDigest', message: 'The SHA256 does not match.' }
    return null
  }

  function answerOf(request: S3Request, effect: Fault['effect'] | null): Reply | Refusal {
    if (effect?.kind === 'refuse') return { status: effect.status, code: effect.code, message: 'As the test wanted' }
    const now = Date.now() + (options.clockAheadMs ?? 0)
    if (isForSts(request)) return answerSts(request, options.roles, { keys, region, now })
    const signed = checkSignature(request, { keys, region, now })
    if ('code' in signed) return signed
    const refused = signed.keys.policy && refusalOf(signed.keys.policy, request)
    if (refused) return refused
    const wrong = checkBody(request, signed.payload)
    if (wrong !== null) return wrong
    if (request.bucket !== bucket)
      return { status: 404, code: 'NoSuchBucket', message: 'The specified bucket does not exist' }
    for (const watcher of watchers) if (watcher.operation === request.operation) watcher.callback(request)
    if (effect?.kind === 'flip_bit' && request.body.length > 0) request.body[request.body.length >> 1]! ^= 1
    const answer = answerOperation(state, request, options.checksums === true)
    // As AWS: who may not list does not learn that there is no such object.
    return signed.keys.policy && 'code' in answer && answer.code === 'NoSuchKey' ? DENIED : answer
  }

  function send(request: S3Request, reply: Reply, effect: Fault['effect'] | null, response: ServerResponse): void {
    const half = reply.body.subarray(0, reply.body.length >> 1)
    const date = new Date(Date.now() + (options.clockAheadMs ?? 0)).toUTCString()
    const length = effect?.kind === 'short_answer' ? half.length : (reply.bytes ?? reply.body.length)
    response.writeHead(reply.status, { ...reply.headers, 'content-length': length, date, 'x-amz-request-id': 'test' })
    if (request.method === 'HEAD') response.end()
    else if (effect?.kind === 'short_answer') response.end(half)
    else if (effect?.kind === 'cut_answer') response.write(half, () => response.socket?.destroy())
    else if (effect?.kind === 'stall_answer') response.write(half)
    else response.end(reply.body)
  }

  async function handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = operationOf(message.method ?? '', message.url ?? '/', message.headers)
    const effect = takeFault(request)
    const record = { operation: request.operation, key: request.key, partNumber: request.partNumber, status: 0 }
    requests.push(record)
    const body = await readBody(message, effect)
    if (body === null || effect?.kind === 'stall') return
    request.body = body
    const answer = answerOf(request, effect)
    if (effect?.kind === 'lose_answer') {
      message.socket.destroy()
      return
    }
    const reply = 'code' in answer ? errorReply(answer, isForSts(request)) : answer
    record.status = reply.status
    send(request, reply, effect, response)
  }

  const server = createServer(receive)
  // As S3 does: it counts a request whose body was announced once the body comes.
  server.on('checkContinue', (message: IncomingMessage, response: ServerResponse) => {
    if (isTooLong(message)) refuseBody(response)
    else if (options.ignoresExpect !== true) response.writeContinue()
    message.once('readable', () => {
      if (message.readableLength > 0) receive(message, response)
    })
  })

  function isTooLong(message: IncomingMessage): boolean {
    return Number(message.headers['content-length'] ?? 0) > (options.bodyLimit ?? Number.POSITIVE_INFINITY)
  }

  function refuseBody(response: ServerResponse): void {
    response.writeHead(413, { 'content-type': 'text/html', connection: 'close' })
    response.end('<html><head><title>413 Request Entity Too Large</title></head><body>nginx</body></html>')
  }

  function receive(message: IncomingMessage, response: ServerResponse): void {
    if (isTooLong(message)) {
      refuseBody(response)
      return
    }
    handle(message, response).catch((error: unknown) => response.destroy(error as Error))
  }
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => {
      // Broken connections are part of the play.
    })
  })

  const port = await freePort()
  const listen = () =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', () => {
        server.removeListener('error', reject)
        resolve()
      })
    })
  await listen()

  async function goDown(): Promise<void> {
    if (!server.listening) return
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
  }

  return {
    endpoint: `http://127.0.0.1:${port}`,
    bucket,
    region,
    keys: keys[0]!,
    state,
    requests,
    fail: (fault) => {
      faults.push({ times: 1, ...fault })
    },
    forgive: () => {
      faults.length = 0
    },
    before: (operation, callback) => {
      watchers.push({ operation, callback })
    },
    goDown,
    comeBack: listen,
    close: goDown,
  }
}
