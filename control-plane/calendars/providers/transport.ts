/** One request to a calendar provider, with bounds on time and size. Everything that can go wrong is a `ProviderError`. */

import { messageOf } from '@standin/wire/text/error-text.ts'
import { retryAfterMs } from '@standin/wire/time/retry-after.ts'
import { type GuardedClient, ProviderError } from '../../platform/ports.ts'

/** The addresses come from the operator's settings, so private ones may be among them. */
export type ProviderHttp = Pick<GuardedClient, 'request'>

export interface ProviderRequest {
  /** The requested object as a noun for messages: `the list of calendars`. */
  what: string
  url: string
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  accessToken?: string
  headers?: Record<string, string>
  json?: unknown
  form?: Record<string, string>
  /** The address holds a cursor: an answer of 400 means that the cursor is no longer valid. */
  usesCursor?: boolean
  /** Never repeated in a sentence, even when the provider repeats them. The access token is always one of them. */
  secrets?: readonly string[]
}

export interface ProviderResponse {
  status: number
  headers: Record<string, string>
  /** Undefined if the body is empty or no JSON; with a problem it may be a part of the body. */
  json: unknown
  bytes: number
  /** The problem of the body; null for JSON and for an empty one. */
  bodyProblem: string | null
}

const TIMEOUT_MS = 30_000
const MAX_ANSWER_BYTES = 16 * 1024 * 1024
const MAX_RETRY_AFTER_MS = 3_600_000

/** `provider`: its name in sentences. */
export async function send(http: ProviderHttp, provider: string, request: ProviderRequest): Promise<ProviderResponse> {
  const { what, url, method = 'GET', accessToken, json, form } = request
  const body = form ? new URLSearchParams(form).toString() : json === undefined ? undefined : JSON.stringify(json)
  const response = await http
    .request({
      url,
      method,
      headers: {
        accept: 'application/json',
        ...(accessToken !== undefined && { authorization: `Bearer ${accessToken}` }),
        ...(body !== undefined && {
          'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
        }),
        ...request.headers,
      },
      ...(body !== undefined && { body }),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
    })
    .catch((error: unknown) => {
      const reason = messageOf(error)
      throw new ProviderError(
        'unavailable',
        `${provider} could not be asked for ${what}: ${withoutSecrets(reason, request)}`,
      )
    })
  if (response.isCut) {
    const megabytes = MAX_ANSWER_BYTES / 1024 / 1024
    throw new ProviderError('unavailable', `${provider} answered with more than ${megabytes} MiB for ${what}`)
  }
  const read = readBody(response.body)
  return { status: response.status, headers: response.headers, bytes: response.body.length, ...read }
}

const MAX_DEPTH = 40

/** JSON that PostgreSQL can store: no NUL characters, no half surrogates, null for what is nested too deeply. */
function readBody(bytes: Uint8Array): Pick<ProviderResponse, 'json' | 'bodyProblem'> {
  if (bytes.length === 0) return { json: undefined, bodyProblem: null }
  let bodyProblem: string | null = null
  try {
    const json = clean(JSON.parse(new TextDecoder().decode(bytes)), 0, () => {
      bodyProblem = `is nested more than ${MAX_DEPTH} levels deep`
    })
    return { json, bodyProblem }
  } catch {
    return { json: undefined, bodyProblem: 'is not JSON' }
  }
}

function clean(value: unknown, depth: number, onTooDeep: () => void): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) {
    onTooDeep()
    return null
  }
  if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1, onTooDeep))
  const entries = Object.entries(value).map(
    ([key, item]) => [cleanText(key), clean(item, depth + 1, onTooDeep)] as const,
  )
  return Object.fromEntries(entries)
}

function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD')
}

/** Milliseconds that the answer wants us to wait, at most an hour; null if it names none. */
export function pauseOf({ headers }: Pick<ProviderResponse, 'headers'>): number | null {
  const asked = retryAfterMs(headers['retry-after'])
  return asked === null ? null : Math.min(asked, MAX_RETRY_AFTER_MS)
}

const MAX_SAID = 300

/** The provider's text, short, on one line, without secrets. */
export function providerText(text: string, request: ProviderRequest): string {
  const line = text.replace(/[^\P{C}]+|\s+/gu, ' ').trim()
  const safe = withoutSecrets(line, request)
  return safe.length > MAX_SAID ? `${safe.slice(0, MAX_SAID)}…` : safe
}

function withoutSecrets(text: string, { accessToken, secrets = [], form }: ProviderRequest): string {
  const hidden = [accessToken, ...secrets, form?.refresh_token, form?.client_secret]
  return hidden.reduce<string>((rest, secret) => (secret ? rest.replaceAll(secret, '***') : rest), text)
}
