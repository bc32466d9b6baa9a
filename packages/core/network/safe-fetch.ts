/** Asks a caller's address, if that is safe: https, public addresses only, bounded in size and time. */
import { request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import type { LookupFunction } from 'node:net'
import { guardedLookup, mayBePublic } from '@standin/wire/network/public-addresses.ts'
import { readBody } from '../bounded-body.ts'

const MAX_REDIRECTS = 3

export interface FetchLimits {
  maxBytes: number
  timeoutMs: number
  accept: string
  /** Such as a key. They are sent to the named address only, so redirects are not followed. */
  headers?: Record<string, string>
  /** Sent with POST; then redirects are not followed. */
  body?: string
}

/** Codes of faults that another try does not cure: the address is not allowed, the document is too large. */
const LASTING = new Set(['EACCES', 'EFBIG'])

/** Whether the same fetch may succeed a little later. */
export function mayPass(error: unknown): boolean {
  if (error instanceof UnexpectedStatus) return error.status >= 500 || error.status === 429
  const { code, cause } = error as { code?: string; cause?: { code?: string } }
  return !LASTING.has(code ?? '') && !LASTING.has(cause?.code ?? '')
}

/** The host answered, but not with the document. */
export class UnexpectedStatus extends Error {
  readonly status: number

  constructor(host: string, status: number) {
    super(`${host} answered with status ${status}`)
    this.name = 'UnexpectedStatus'
    this.status = status
  }
}

/**
 * The body's bytes. Rejects with a sentence that names the host, never the query. `isPermitted`: the operator permits the
 * host of the address even if it is private or without TLS; a redirect to another host has to be public all the same.
 */
export async function fetchPublic(address: string, limits: FetchLimits, isPermitted = false): Promise<Uint8Array> {
  const signal = AbortSignal.timeout(limits.timeoutMs)
  let url = new URL(address)
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const mayBePrivate = isPermitted && url.host === new URL(address).host
    if (!mayBePrivate) assertPublic(url)
    const answer = await request(url, limits, mayBePrivate ? undefined : guardedLookup(), signal)
    if (answer instanceof Uint8Array) return answer
    url = new URL(answer.redirectedTo, url)
  }
  throw new Error(`${url.host} redirected more than ${MAX_REDIRECTS} times`)
}

function assertPublic(url: URL): void {
  const refused = (reason: string) => Object.assign(new Error(`${url.host} ${reason}`), { code: 'EACCES' })
  if (url.protocol !== 'https:') throw refused('was not asked: only https addresses are fetched')
  if (!mayBePublic(url.hostname)) throw refused('is not a public address')
}

function request(
  url: URL,
  { accept, headers, body, maxBytes }: FetchLimits,
  lookup: LookupFunction | undefined,
  signal: AbortSignal,
): Promise<Uint8Array | { redirectedTo: string }> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string, cause?: Error) => reject(new Error(`${url.host} ${reason}`, { cause }))
    const method = body === undefined ? 'GET' : 'POST'
    const options = { method, signal, headers: { accept, ...headers }, ...(lookup && { lookup }) }
    const isPlain = headers === undefined && body === undefined
    const outgoing = (url.protocol === 'http:' ? requestPlain : requestTls)(url, options, (response) => {
      const status = response.statusCode ?? 0
      if (isPlain && status >= 300 && status < 400 && response.headers.location !== undefined) {
        response.resume()
        return resolve({ redirectedTo: response.headers.location })
      }
      if (status !== 200) {
        response.resume()
        return reject(new UnexpectedStatus(url.host, status))
      }
      readBody(response, maxBytes).then(
        (read) => resolve(new Uint8Array(read)),
        (error: Error) => fail(error.message, error),
      )
    })
    outgoing.on('error', (error) =>
      fail(signal.aborted ? 'did not answer in time' : `could not be asked: ${error.message}`, error),
    )
    outgoing.end(body)
  })
}
