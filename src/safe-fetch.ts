/** Fetches what a caller's address names, where that is safe: https, public addresses only, bounded in size and time. */
import { lookup } from 'node:dns'
import { get as getPlain } from 'node:http'
import { get } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { readBody } from './bounded-body.ts'

const MAX_REDIRECTS = 3

/** Ranges that are not the public internet (IANA special-purpose address registries). */
const PRIVATE = new BlockList()
for (const [address, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  PRIVATE.addSubnet(address, prefix, 'ipv4')

/** Only global unicast (2000::/3) is public; within it these are not. */
const PRIVATE_V6 = new BlockList()
for (const [address, prefix] of [
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2001::', 32],
] as const)
  PRIVATE_V6.addSubnet(address, prefix, 'ipv6')
const GLOBAL_V6 = new BlockList()
GLOBAL_V6.addSubnet('2000::', 3, 'ipv6')

export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !PRIVATE.check(address, 'ipv4')
  if (family === 6) return GLOBAL_V6.check(address, 'ipv6') && !PRIVATE_V6.check(address, 'ipv6')
  return false
}

/** Resolves a name and refuses it if any of its addresses is private, so that the check and the use see the same. */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '')
    const hidden = addresses.find(({ address }) => !isPublicAddress(address))
    if (hidden || addresses.length === 0)
      return callback(Object.assign(new Error(`${hostname} is not a public address`), { code: 'EACCES' }), '')
    if (options.all) return callback(null, addresses)
    return callback(null, addresses[0]!.address, addresses[0]!.family)
  })
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

interface FetchLimits {
  maxBytes: number
  timeoutMs: number
  accept: string
  /** A bearer token. It is sent to the named address only, so redirects are not followed. */
  bearer?: string
  /** The operator allows private addresses, also without TLS. */
  trustsPrivate?: boolean
}

/** The body's bytes. Rejects with a sentence that names the host, never the query. */
export async function fetchPublic(address: string, limits: FetchLimits): Promise<Uint8Array> {
  const signal = AbortSignal.timeout(limits.timeoutMs)
  let url = new URL(address)
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    if (limits.trustsPrivate !== true) assertPublic(url)
    const answer = await request(url, limits, signal)
    if (answer instanceof Uint8Array) return answer
    url = new URL(answer.redirectedTo, url)
  }
  throw new Error(`${url.host} redirected more than ${MAX_REDIRECTS} times`)
}

function assertPublic(url: URL): void {
  const refused = (reason: string) => Object.assign(new Error(`${url.host} ${reason}`), { code: 'EACCES' })
  if (url.protocol !== 'https:') throw refused('was not asked: only https addresses are fetched')
  const literal = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(literal) !== 0 && !isPublicAddress(literal)) throw refused('is not a public address')
}

function request(url: URL, limits: FetchLimits, signal: AbortSignal): Promise<Uint8Array | { redirectedTo: string }> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string, cause?: Error) => reject(new Error(`${url.host} ${reason}`, { cause }))
    const { accept, bearer, trustsPrivate } = limits
    const headers = { accept, ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }) }
    const options = { signal, headers, ...(trustsPrivate === true ? {} : { lookup: publicLookup }) }
    const outgoing = (url.protocol === 'http:' ? getPlain : get)(url, options, (response) => {
      const status = response.statusCode ?? 0
      if (bearer === undefined && status >= 300 && status < 400 && response.headers.location !== undefined) {
        response.resume()
        return resolve({ redirectedTo: response.headers.location })
      }
      if (status !== 200) {
        response.resume()
        return reject(new UnexpectedStatus(url.host, status))
      }
      readBody(response, limits.maxBytes).then(
        (body) => resolve(new Uint8Array(body)),
        (error: Error) => fail(error.message, error),
      )
    })
    outgoing.on('error', (error) =>
      fail(signal.aborted ? 'did not answer in time' : `could not be asked: ${error.message}`, error),
    )
  })
}
