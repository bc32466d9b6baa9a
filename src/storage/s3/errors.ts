import { StorageError, type StorageTrouble } from '../error.ts'

/** The fields that are read of an error of the SDK. */
interface Answer {
  /** The server's code, or the name of the error. */
  code: string
  /** HTTP status, where a server answered. */
  status: number | undefined
  /** Code of the socket or the resolver for trouble that may pass. */
  network: string | undefined
  /** Any code of Node's. */
  system: string | undefined
  message: string
  /** Text of an answer that is no error document of S3, such as a web page's; empty if it has none. */
  page: string
  /** The region of the bucket, as the server says it. */
  region: string | undefined
}

const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ERR_STREAM_PREMATURE_CLOSE',
])

/** OpenSSL's and Node's codes for certificates that are not trusted, and for speaking TLS to a server that does not. */
const TLS_CODES = /^(EPROTO|ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/

/** Codes of S3 for "try again", apart from what the HTTP status says already. */
const PASSING_CODES = new Set([
  'SlowDown',
  'ServiceUnavailable',
  'InternalError',
  'InternalServerError',
  'RequestTimeout',
  'RequestTimeoutException',
  'OperationAborted',
  'ThrottlingException',
  'Throttling',
  'TooManyRequests',
  'RequestLimitExceeded',
  // The bytes were damaged on the way, as the server noticed itself.
  'BadDigest',
  'IncompleteBody',
  'XAmzContentSHA256Mismatch',
  'XAmzContentChecksumMismatch',
  // The identity service of the machine answers slowly now and then.
  'CredentialsProviderError',
  'TimeoutError',
])

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function readAnswer(error: unknown): Answer {
  const fields = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>
  const metadata = (fields.$metadata ?? {}) as { httpStatusCode?: number }
  const response = fields.$response as { statusCode?: number; headers?: Record<string, string> } | undefined
  const status = metadata.httpStatusCode ?? response?.statusCode
  const message = textOf(fields.message) ?? ''
  const name = textOf(fields.Code) ?? textOf(fields.name) ?? 'Error'
  const system = textOf(fields.code)
  return {
    code: name,
    status,
    network:
      system !== undefined && NETWORK_CODES.has(system)
        ? system
        : /^(aborted|socket hang up)$/.test(message)
          ? 'ECONNRESET'
          : undefined,
    system,
    message,
    page: pageIn(fields),
    region:
      response?.headers?.['x-amz-bucket-region'] ??
      textOf(fields.Region) ??
      /expecting '([a-z0-9-]+)'/.exec(message)?.[1] ??
      undefined,
  }
}

/** The SDK keeps a body that it cannot read; of a page that is well-formed it reads the parts. */
function pageIn({ $responseBodyText: body, head }: Record<string, unknown>): string {
  if (typeof body !== 'string') return textOf((head as { title?: unknown } | undefined)?.title) ?? ''
  const text = body.slice(0, 20_000).replace(/<(style|script|svg)\b[\s\S]*?<\/\1>/gi, ' ')
  return text
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** The SDK's words for a document that it cannot read, and for one that is of something else, such as a web page. */
const UNREADABLE = /XML parse error|deserialization error/i
const FOREIGN = /mismatched tags|unexpected content/i

/** A success whose document was cut short on its way. */
function isCut(answer: Answer): boolean {
  return UNREADABLE.test(answer.message) && !FOREIGN.test(answer.message) && (answer.status ?? 200) < 300
}

/** Statuses of a server that lasting trouble has too: unknown request or version, no room, a network that wants a sign-in. */
const LASTING_STATUSES = new Set([501, 505, 507, 510, 511])

const FULL_CODE =
  /quota|capacity|(storage|disk|bucket)_?full|insufficient_?storage|cap_?exceeded|no_?space|out_?of_?space|enospc/i
const FULL_WORDS =
  /(?:no|insufficient|not enough|out of) (?:(?:free|disk|storage|drive) )*(?:space|storage)\b|\b(?:disk|drive|storage|bucket|volume|space)\b.{0,20}\b(?:full(?!.(?:control|access))|exhausted)\b|\b(?:over|exceeds?|exceeded) (?:\w+ ){0,3}quota\b|\b(?:quota|(?:disk|storage|bucket|account) limit)\b.{0,20}\b(?:full|used up|reached|exceeded|exhausted)\b/i

/**
 * S3 has no one code for a full server or a used-up quota: each product has its own, or words of its system under another
 * code. A quota of requests or of a rate is another thing.
 */
function isFull({ code, status, message }: Answer): boolean {
  if (status === undefined || status === 429 || /slow_?down|throttl/i.test(code)) return false
  if (status !== 507 && /\brequest(?:s per| rate| quota| limit)|\brate\b/i.test(message)) return false
  return status === 507 || FULL_CODE.test(code) || FULL_WORDS.test(message)
}

/** Whether the same request may succeed later. */
export function isTransientS3Error(error: unknown): boolean {
  const answer = readAnswer(error)
  if (answer.network !== undefined) return true
  if (isFull(answer)) return false
  if (PASSING_CODES.has(answer.code) || isCut(answer)) return true
  if (answer.code === 'RequestTimeTooSkewed') {
    // The SDK has learned the server's time from this answer and signs with it from now on.
    return (error as { $metadata?: { clockSkewCorrected?: boolean } }).$metadata?.clockSkewCorrected === true
  }
  const { status = 0 } = answer
  return status === 408 || status === 429 || (status >= 500 && !LASTING_STATUSES.has(status))
}

/** The server's own word for what the SDK throws, such as `NoSuchUpload`. */
export function s3CodeOf(error: unknown): string {
  return readAnswer(error).code
}

/** Credentials that are not there at the start will not come either. */
export function hasNoCredentials(error: unknown): boolean {
  return readAnswer(error).code === 'CredentialsProviderError'
}

/** Whether other credentials, or the same ones a little later, may be let through. */
export function isCredentialTrouble(error: unknown): boolean {
  const { code, status } = readAnswer(error)
  return (
    status === 401 ||
    status === 403 ||
    // Answers to HEAD have no body, and so no reason.
    (status === 400 && isUnnamed(code)) ||
    /^(Expired|Invalid)Token|^TokenRefreshRequired$|^RequestExpired$|^CredentialsProviderError$/.test(code)
  )
}

export interface S3Place {
  bucket: string
  key: string
  /** Null for AWS itself. */
  endpoint: string | null
  region: string | null
  /** As in "cannot <step>". */
  step: string
  /** Never to appear in a message. */
  secrets: string[]
  gaveUp: { attempts: number; elapsedMs: number } | null
}

/** The SDK's words for an answer without an error document. */
function isUnnamed(text: string): boolean {
  return ['Unknown', 'UnknownError', 'Error'].includes(text)
}

/** Foreign words for a message: one line, bounded, without our secrets and without signed addresses. */
function quoted(text: string, secrets: string[]): string {
  let shown = text
  // Anything shorter is no secret, and would tear holes into ordinary words.
  for (const secret of secrets) if (secret.length >= 8) shown = shown.replaceAll(secret, '[secret]')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
  shown = shown.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').replace(/(https?:\/\/[^\s?]+)\?\S+/g, '$1?[signed]')
  return shown.length > 300 ? `${shown.slice(0, 300)}…` : shown
}

const judged = (trouble: StorageTrouble) => (cure: string) => [trouble, cure] as const
const access = judged('access')
const full = judged('full')
const invalid = judged('invalid')
const missing = judged('missing')
const unreachable = judged('unreachable')
const other = judged('other')

const RIGHTS =
  'need s3:PutObject, s3:GetObject and s3:AbortMultipartUpload on this key ' +
  '(kms:GenerateDataKey and kms:Decrypt too where the bucket is encrypted with its own key).'

function causeAndCure(answer: Answer, place: S3Place): readonly [StorageTrouble, string] {
  const where = place.endpoint ?? 'AWS S3'
  const { code, status } = answer
  if (code === 'CredentialsProviderError')
    return access(
      'No credentials were found. Give access_key_id and secret_access_key, the usual AWS environment variables, or an instance role.',
    )
  if (status === 413)
    return full(
      `${where}, or a proxy before it, refuses bodies of this size (413). Raise its limit (nginx: client_max_body_size).`,
    )
  if (status === 407 || status === 511) return unreachable('A proxy or a network between wants a sign-in first.')
  if (isFull(answer)) return full('The server has no room left, or a quota is used up.')
  if (status !== undefined && status >= 500 && UNREADABLE.test(answer.message))
    return unreachable(`What answers for ${where}, such as a proxy before it, has trouble. Try again later.`)
  if (answer.network === undefined && UNREADABLE.test(answer.message))
    return invalid(`${where} does not answer as an S3 server does. Check storage.endpoint.`)
  if (TLS_CODES.test(answer.system ?? ''))
    return invalid(
      `The connection to ${where} is not safe. Check that storage.endpoint begins with the right one of http:// and https://; ` +
        "a certificate authority of one's own is named by the environment variable NODE_EXTRA_CA_CERTS.",
    )
  if (/region is missing/i.test(answer.message))
    return invalid('No region is known. Set storage.region, or the environment variable AWS_REGION.')
  if (answer.network !== undefined || code === 'TimeoutError')
    return unreachable(
      `${where} cannot be reached. Check storage.endpoint, the name resolution, the network and any proxy or firewall between.`,
    )
  if (
    [
      'PermanentRedirect',
      'AuthorizationHeaderMalformed',
      'IllegalLocationConstraintException',
      'TemporaryRedirect',
    ].includes(code) ||
    status === 301 ||
    status === 307
  ) {
    const used = place.region === null ? '' : ` and not in ${place.region}`
    const right = answer.region === undefined ? 'another region' : answer.region
    return invalid(
      `The bucket is in ${right}${used}. Set storage.region${answer.region === undefined ? '' : ` to ${answer.region}`}.`,
    )
  }
  if (code === 'NoSuchBucket')
    return missing('There is no such bucket. Check its name, the endpoint and the region, or create it.')
  if (code === 'NoSuchUpload') return missing('The server no longer knows the upload; something aborted it.')
  if (code === 'RequestTimeTooSkewed')
    return access("This machine's clock differs too much from the server's. Set it right, for example by NTP.")
  if (code === 'ExpiredToken' || code === 'ExpiredTokenException' || code === 'TokenRefreshRequired')
    return access('The session token has expired. Give a fresh one that lasts beyond the meeting, or an instance role.')
  if (code === 'InvalidAccessKeyId' || code === 'InvalidToken')
    return access('The server does not know this access key. Check access_key_id, session_token and the endpoint.')
  if (code === 'SignatureDoesNotMatch')
    return access(
      'The server computed another signature. Check secret_access_key and the region; a proxy that changes requests on their way has the same effect.',
    )
  if (code === 'EntityTooLarge') return full('The server refuses files of this size.')
  if (isRightMissing(answer)) return access(`The credentials may not do this. They ${RIGHTS}`)
  if (code === 'AccessDenied') return access(`See what the server said. The credentials ${RIGHTS}`)
  if (code === 'NotFound' || code === 'NoSuchKey' || (status === 404 && isUnnamed(code)))
    return missing('The bucket or the file is not there. Check bucket and endpoint.')
  if (code === 'NotImplemented' || (status === 501 && isUnnamed(code)))
    return invalid(
      'The server does not know this request. Set storage.checksums to when_required, or use another server.',
    )
  if (status === 400 && isUnnamed(code) && NO_REASON.test(answer.message))
    // Answers to HEAD have no body, and so no reason.
    return access('The server gave no reason; most often a session token has expired.')
  if (status !== undefined && status >= 500 && (isUnnamed(code) || PASSING_CODES.has(code)))
    return unreachable(`${where} has internal errors. Try again later.`)
  return byStatus(status ?? 0)('See what the server said.')
}

/** Words of a refusal that gives no reason. */
const NO_REASON =
  /^(?:(?:access|permission|request|the|this|to|you|is|was|are|resource|bucket|object|key|denied|forbidden|unauthorized|not|allowed|authorized|error|unknown|\d+)|[.:,!\s])*$/i

/** A refusal without a word, as to HEAD, in words that say no more, or that name the right. Other words have another reason. */
function isRightMissing({ code, status, message, page }: Answer): boolean {
  const isRefused = (status === 401 || status === 403) && (isUnnamed(code) || /^(?:Forbidden|Unauthorized)$/.test(code))
  if (code !== 'AccessDenied' && !isRefused) return false
  return (
    NO_REASON.test(isUnnamed(message) ? page : message) ||
    /\bnot authorized to perform\b|\bpermissions?\b/i.test(message)
  )
}

/** What a code that no rule knows is, as far as its status tells. */
function byStatus(status: number) {
  if (status === 401 || status === 403) return access
  if (status === 404) return missing
  if (status === 501) return invalid
  return status >= 500 ? unreachable : other
}

/**
 * An error that says what failed, where, the server's answer, and how to solve it. The SDK's error is not kept: it carries
 * the signed request.
 */
export function explainS3Error(error: unknown, place: S3Place): StorageError {
  const answer = readAnswer(error)
  const [trouble, cure] = causeAndCure(answer, place)
  const code = quoted(answer.code, place.secrets)
  // The parser's words are the SDK's advice to programmers.
  const own = UNREADABLE.test(answer.message) ? answer.page || 'unreadable answer' : answer.message
  const said = quoted(isUnnamed(own) ? answer.page : own, place.secrets)
  const words = [
    answer.status === undefined ? null : String(answer.status),
    answer.system ?? (isUnnamed(code) ? null : code),
  ]
    .filter((word) => word !== null)
    .join(' ')
  const persistence =
    place.gaveUp === null
      ? ''
      : ` after ${place.gaveUp.attempts} attempts in ${Math.round(place.gaveUp.elapsedMs / 1000)} s`
  const message =
    `Cannot ${place.step} s3://${place.bucket}/${place.key}${persistence}: ` +
    `${[words, said === '' || said === code || said === answer.system || isUnnamed(said) ? '' : `(${said})`].filter((each) => each !== '').join(' ')}. ${cure}`
  return new StorageError(trouble, message, { serverCode: code })
}
