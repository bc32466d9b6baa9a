/** Checks AWS Signature Version 4 of a request, in its header or its query, as an S3 server does. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Statement } from './sts.ts'

export interface Keys {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string
  /** UTC milliseconds; the token is refused from then on. */
  expiresAt?: number
  /** Allows less than everything. */
  policy?: Statement[]
}

export interface SignedRequest {
  method: string
  /** As written in the request line. */
  url: string
  headers: IncomingHttpHeaders
}

/** Null when the signature is right, or S3's words for what is wrong with it. */
export interface Refusal {
  status: number
  code: string
  message: string
  extra?: Record<string, string>
}

interface Claim {
  accessKeyId: string
  date: string
  region: string
  service: string
  amzDate: string
  signedHeaders: string[]
  signature: string
  payload: string
  token: string | undefined
  /** Seconds a presigned request lasts; null for a signed header. */
  expires: number | null
}

const MAX_SKEW_MS = 15 * 60_000

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}

function refuse(status: number, code: string, message: string, extra?: Record<string, string>): Refusal {
  return { status, code, message, ...(extra === undefined ? {} : { extra }) }
}

function parseClaim(request: SignedRequest, query: URLSearchParams): Claim | Refusal {
  const authorization = request.headers.authorization
  const isPresigned = query.get('X-Amz-Algorithm') === 'AWS4-HMAC-SHA256'
  if (authorization === undefined && !isPresigned) return refuse(403, 'AccessDenied', 'Access Denied')
  const field = (name: string) => new RegExp(`${name}=([^, ]+)`).exec(authorization ?? '')?.[1] ?? ''
  const credential = (isPresigned ? (query.get('X-Amz-Credential') ?? '') : field('Credential')).split('/')
  if (credential.length !== 5 || (!isPresigned && !authorization?.startsWith('AWS4-HMAC-SHA256 '))) {
    return refuse(400, 'AuthorizationHeaderMalformed', 'The authorization header is malformed')
  }
  const [accessKeyId = '', date = '', region = '', service = ''] = credential
  const signedHeaders = isPresigned ? (query.get('X-Amz-SignedHeaders') ?? '') : field('SignedHeaders')
  return {
    accessKeyId,
    date,
    region,
    service,
    amzDate: (isPresigned ? query.get('X-Amz-Date') : first(request.headers['x-amz-date'])) ?? '',
    signedHeaders: signedHeaders.split(';'),
    signature: isPresigned ? (query.get('X-Amz-Signature') ?? '') : field('Signature'),
    payload: isPresigned ? 'UNSIGNED-PAYLOAD' : (first(request.headers['x-amz-content-sha256']) ?? ''),
    token:
      (isPresigned ? query.get('X-Amz-Security-Token') : first(request.headers['x-amz-security-token'])) ?? undefined,
    expires: isPresigned ? Number(query.get('X-Amz-Expires')) : null,
  }
}

function readInstant(amzDate: string): number {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(amzDate)
  if (parts === null) return Number.NaN
  const [, year, month, day, hour, minute, second] = parts.map(Number)
  return Date.UTC(year!, month! - 1, day, hour, minute, second)
}

function expectedSignature(request: SignedRequest, claim: Claim, secret: string): string {
  const [rawPath = '/', rawQuery = ''] = request.url.split('?', 2)
  const query = [...new URLSearchParams(rawQuery)]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&')
  const headers = claim.signedHeaders
    .map((name) => `${name}:${(first(request.headers[name]) ?? '').trim().replace(/ +/g, ' ')}\n`)
    .join('')
  const path = rawPath
    .split('/')
    .map((part) => encode(decodeURIComponent(part)))
    .join('/')
  const canonical = [request.method, path, query, headers, claim.signedHeaders.join(';'), claim.payload].join('\n')
  const scope = `${claim.date}/${claim.region}/${claim.service}/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', claim.amzDate, scope, sha256(canonical)].join('\n')
  const key = [claim.region, claim.service, 'aws4_request'].reduce(hmac, hmac(`AWS4${secret}`, claim.date))
  return hmac(key, toSign).toString('hex')
}

/** Checks everything but the body, whose hash the caller compares with `payload` once it has arrived. */
export function checkSignature(
  request: SignedRequest,
  known: { keys: Keys[]; region: string; now: number },
): { payload: string; keys: Keys } | Refusal {
  const query = new URL(request.url, 'http://server').searchParams
  const claim = parseClaim(request, query)
  if ('code' in claim) return claim
  const keys = known.keys.find((each) => each.accessKeyId === claim.accessKeyId)
  if (keys === undefined) {
    return refuse(403, 'InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.')
  }
  if (claim.region !== known.region) {
    const message = `The authorization header is malformed; the region '${claim.region}' is wrong; expecting '${known.region}'`
    return refuse(400, 'AuthorizationHeaderMalformed', message, { Region: known.region })
  }
  if (keys.sessionToken !== claim.token)
    return refuse(400, 'InvalidToken', 'The provided token is malformed or otherwise invalid.')
  if (keys.expiresAt !== undefined && known.now >= keys.expiresAt) {
    return refuse(400, 'ExpiredToken', 'The provided token has expired.')
  }
  const instant = readInstant(claim.amzDate)
  if (
    claim.expires === null ? !(Math.abs(known.now - instant) <= MAX_SKEW_MS) : !(instant <= known.now + MAX_SKEW_MS)
  ) {
    const message = 'The difference between the request time and the current time is too large.'
    return refuse(403, 'RequestTimeTooSkewed', message, { ServerTime: new Date(known.now).toISOString() })
  }
  if (claim.expires !== null && !(known.now <= instant + claim.expires * 1000)) {
    return refuse(403, 'AccessDenied', 'Request has expired')
  }
  if (!claim.signedHeaders.includes('host')) return refuse(403, 'AccessDenied', 'host has to be signed')
  const expected = Buffer.from(expectedSignature(request, claim, keys.secretAccessKey))
  const given = Buffer.from(claim.signature)
  if (expected.length !== given.length || !timingSafeEqual(expected, given)) {
    return refuse(
      403,
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided.',
    )
  }
  return { payload: claim.payload, keys }
}
