/** The only way to an address that a caller named. */
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { guardedLookup, mayBePublic, type Resolve } from '@standin/wire/network/public-addresses.ts'
import { Agent as Http2Agent } from 'undici'
import type { GuardedClient, OutgoingAnswer, OutgoingRequest } from '../ports.ts'
import { createResolve } from './resolve.ts'

const CONNECT_MS = 5_000
/** An idle connection is closed then. */
const IDLE_MS = 10_000

export interface GuardedClientSettings {
  /** Permits private addresses and plain http. */
  allowPrivate: boolean
  /** Resolves names; the system's name servers if it is left out. */
  resolve?: Resolve
  /** Connections of one origin at once. */
  connectionsPerHost?: number
  /** The longest address that is asked; 4096 characters if it is left out. */
  maxUrlLength?: number
  /** PEM of further authorities; those of Node if it is left out. */
  ca?: string
}

export interface ClosableGuardedClient extends GuardedClient {
  close(): Promise<void>
}

/** Codes of errors: `EACCES` address not allowed, `ETIMEDOUT` no whole answer in time, `ECONNFAILED` everything else. */
function failure(host: string, reason: string, code: 'EACCES' | 'ETIMEDOUT' | 'ECONNFAILED'): Error {
  return Object.assign(new Error(`${host} ${reason}`), { code })
}

interface Agents {
  http: http.Agent
  https: https.Agent
  http2: Http2Agent
}

/**
 * HTTP/1.1 is asked first, since every receiver but very few has it, and some require it although they offer HTTP/2. Node's
 * client also takes every interim answer, such as a `100 Continue` that was not asked for. A receiver of HTTP/2 alone refuses
 * in the handshake, before it has the request, and is asked again in the same attempt.
 */
export function createGuardedClient(settings: GuardedClientSettings): ClosableGuardedClient {
  const { allowPrivate, resolve, ca, connectionsPerHost = 32, maxUrlLength } = settings
  const lookup = allowPrivate ? resolve : guardedLookup(resolve ?? createResolve())
  const connect = { ...(ca !== undefined && { ca }), ...(lookup && { lookup: lookup as never }) }
  const pool = { ...connect, keepAlive: true, maxSockets: connectionsPerHost, timeout: IDLE_MS }
  const agents: Agents = {
    http: new http.Agent(pool),
    https: new https.Agent({ ...pool, ALPNProtocols: ['http/1.1'] }),
    http2: new Http2Agent({
      connections: connectionsPerHost,
      keepAliveTimeout: IDLE_MS,
      connect: { ...connect, timeout: CONNECT_MS },
    }),
  }
  return {
    problemOf: (url) => addressProblem(url, allowPrivate, maxUrlLength),
    request: (request) => send(agents, request, settings),
    async close() {
      agents.http.destroy()
      agents.https.destroy()
      await agents.http2.destroy()
    },
  }
}

async function send(
  agents: Agents,
  request: OutgoingRequest,
  { allowPrivate, maxUrlLength }: GuardedClientSettings,
): Promise<OutgoingAnswer> {
  const problem = addressProblem(request.url, allowPrivate, maxUrlLength)
  if (problem !== null) throw Object.assign(new Error(problem), { code: 'EACCES' })
  const url = new URL(request.url)
  const signal = AbortSignal.timeout(request.timeoutMs)
  try {
    const answer = await askHttp1(agents, url, request, signal).catch((error) => {
      if (!NO_COMMON_PROTOCOL.test(`${error.code} ${error.message}`)) throw error
      return askHttp2(agents, url, request, signal)
    })
    const { body, isCut } = await readBody(answer.body, request.maxBytes)
    return { status: answer.status, headers: plainHeaders(answer.headers), body, isCut }
  } catch (error) {
    throw explained(url.host, error, signal.aborted)
  }
}

/** Alert 120 of TLS: the server has none of the protocols that were offered. In the code or in the message, as the alert was met. */
const NO_COMMON_PROTOCOL = /no.application.protocol/i

interface Answering {
  status: number
  headers: Headers
  body: AsyncIterable<Buffer>
}

async function askHttp1(
  agents: Agents,
  url: URL,
  { method, headers = {}, body }: OutgoingRequest,
  signal: AbortSignal,
): Promise<Answering> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const isSecure = url.protocol === 'https:'
    // Node sends none with methods that seldom have a body.
    const length = body !== undefined && { 'content-length': Buffer.byteLength(body) }
    const options = { method, headers: { ...headers, ...length }, signal, agent: isSecure ? agents.https : agents.http }
    const asked = (isSecure ? https : http).request(url, options, resolve)
    asked.on('error', reject)
    // After `101 Switching Protocols`, which was not asked for, comes neither an answer nor an error.
    asked.on('close', () => reject(Object.assign(new Error('No answer came'), { code: 'ECONNRESET' })))
    asked.on('socket', (socket) => limitConnecting(socket, isSecure ? 'secureConnect' : 'connect'))
    asked.end(body)
  })
  return { status: answer.statusCode!, headers: answer.headers, body: answer }
}

/** A new connection has less time than the whole request. */
function limitConnecting(socket: Socket, connected: 'connect' | 'secureConnect'): void {
  if (!socket.connecting) return
  const late = () =>
    socket.destroy(Object.assign(new Error('The connection was not opened in time'), { code: 'ETIMEDOUT' }))
  const timer = setTimeout(late, CONNECT_MS)
  for (const event of [connected, 'close'] as const) socket.once(event, () => clearTimeout(timer))
}

async function askHttp2(
  agents: Agents,
  url: URL,
  { method, headers = {}, body, timeoutMs }: OutgoingRequest,
  signal: AbortSignal,
): Promise<Answering> {
  const limits = { signal, headersTimeout: timeoutMs, bodyTimeout: timeoutMs }
  const path = url.pathname + url.search
  const asked = { origin: url.origin, path, method, headers, body: body ?? null, ...limits }
  const answer = await agents.http2.request(asked)
  return { status: answer.statusCode, headers: answer.headers, body: answer.body }
}

async function readBody(
  stream: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<Pick<OutgoingAnswer, 'body' | 'isCut'>> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of stream) {
    pieces.push(piece)
    size += piece.length
    // Leaving the loop destroys the stream, and with it the connection.
    if (size > maxBytes) break
  }
  const body = Buffer.concat(pieces)
  return { body: new Uint8Array(body.subarray(0, maxBytes)), isCut: size > maxBytes }
}

type Headers = Record<string, string | string[] | undefined>

function plainHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  )
}

const TIMEOUTS = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'])

/** Texts of libraries may hold the address with its query, so only codes are repeated. */
const REASONS: Record<string, string> = {
  ENOTFOUND: 'has no address',
  EAI_AGAIN: 'could not be resolved now',
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'closed the connection',
  UND_ERR_SOCKET: 'closed the connection',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  HPE_HEADER_OVERFLOW: 'sent headers that are too long',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'sent an answer of another length than it said',
}

function explained(host: string, error: unknown, isOverdue: boolean): Error {
  const codes = codesOf(error)
  if (codes.includes('EACCES')) return failure(host, 'is not a public address', 'EACCES')
  if (isOverdue || codes.some((code) => TIMEOUTS.has(code))) {
    return failure(host, 'did not answer in time', 'ETIMEDOUT')
  }
  const code = codes.find((one) => REASONS[one] !== undefined)
  if (code !== undefined) return failure(host, REASONS[code]!, 'ECONNFAILED')
  const first = codes[0]
  if (first?.startsWith('HPE_')) return failure(host, `did not answer in valid HTTP (${first})`, 'ECONNFAILED')
  return failure(host, `could not be asked${first === undefined ? '' : ` (${first})`}`, 'ECONNFAILED')
}

/** Of the error, its causes, and what an error of several attempts holds. */
function codesOf(error: unknown, depth = 0): string[] {
  if (typeof error !== 'object' || error === null || depth > 4) return []
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown[] }
  return [
    ...(typeof code === 'string' ? [code] : []),
    ...codesOf(cause, depth + 1),
    ...(Array.isArray(errors) ? errors.flatMap((one) => codesOf(one, depth + 1)) : []),
  ]
}

/** "Bad ports" of the WHATWG fetch standard, section 2.9: a request there may be read as another protocol's command. */
const FORBIDDEN_PORTS = new Set(
  (
    '1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 ' +
    '135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 ' +
    '995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080'
  )
    .split(' ')
    .map(Number),
)
const MAX_URL_LENGTH = 4096

/** A sentence about what is wrong with an address, without a lookup; null if it may be tried. */
function addressProblem(text: string, allowPrivate: boolean, maxLength = MAX_URL_LENGTH): string | null {
  if (text.length > maxLength) return `The address is longer than ${maxLength} characters`
  if (!URL.canParse(text)) return 'The address is not a URL'
  const { protocol, hostname, host, port, username, password } = new URL(text)
  if (protocol !== 'https:' && protocol !== 'http:') return 'The address does not start with https://'
  if (username !== '' || password !== '') return `The address of ${host} holds a user name or a password`
  if (port !== '' && FORBIDDEN_PORTS.has(Number(port))) return `Port ${port} of ${hostname} is not allowed`
  if (allowPrivate) return null
  if (protocol !== 'https:') return `The address of ${host} does not start with https://`
  return mayBePublic(hostname) ? null : `${host} is not a public address`
}
