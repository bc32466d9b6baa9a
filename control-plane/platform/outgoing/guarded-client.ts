/** The only way to an address that a caller named. */
import { guardedLookup, type Resolve } from '@standin/wire/network/public-addresses.ts'
import { Agent, type Dispatcher } from 'undici'
import type { GuardedClient, OutgoingAnswer, OutgoingRequest } from '../ports.ts'
import { addressProblem } from './public-addresses.ts'
import { createResolve } from './resolve.ts'

const CONNECT_MS = 5_000

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

export function createGuardedClient(settings: GuardedClientSettings): ClosableGuardedClient {
  const { allowPrivate, resolve } = settings
  const agent = new Agent({
    connections: settings.connectionsPerHost ?? 32,
    keepAliveTimeout: 10_000,
    connect: {
      timeout: CONNECT_MS,
      ...(settings.ca !== undefined && { ca: settings.ca }),
      ...(allowPrivate
        ? resolve && { lookup: resolve as never }
        : { lookup: guardedLookup(resolve ?? createResolve()) }),
    },
  })
  return {
    problemOf: (url) => addressProblem(url, allowPrivate, settings.maxUrlLength),
    request: (request) => send(agent, request, settings),
    close: () => agent.destroy(),
  }
}

async function send(
  agent: Agent,
  request: OutgoingRequest,
  { allowPrivate, maxUrlLength }: GuardedClientSettings,
): Promise<OutgoingAnswer> {
  const problem = addressProblem(request.url, allowPrivate, maxUrlLength)
  if (problem !== null) throw Object.assign(new Error(problem), { code: 'EACCES' })
  const url = new URL(request.url)
  const signal = AbortSignal.timeout(request.timeoutMs)
  try {
    const answer = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: request.method,
      headers: request.headers ?? {},
      body: request.body ?? null,
      signal,
      headersTimeout: request.timeoutMs,
      bodyTimeout: request.timeoutMs,
    })
    const { body, isCut } = await readBody(answer.body, request.maxBytes)
    return { status: answer.statusCode, headers: plainHeaders(answer.headers), body, isCut }
  } catch (error) {
    throw explained(url.host, error, signal.aborted)
  }
}

async function readBody(
  stream: Dispatcher.ResponseData['body'],
  maxBytes: number,
): Promise<Pick<OutgoingAnswer, 'body' | 'isCut'>> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of stream as AsyncIterable<Buffer>) {
    pieces.push(piece)
    size += piece.length
    // Leaving the loop destroys the stream, and with it the connection.
    if (size > maxBytes) break
  }
  const body = Buffer.concat(pieces)
  return { body: new Uint8Array(body.subarray(0, maxBytes)), isCut: size > maxBytes }
}

function plainHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
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
  UND_ERR_HEADERS_OVERFLOW: 'sent headers that are too long',
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
