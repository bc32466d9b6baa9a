/**
 * Typed client of the Standin API: paths, bodies and answers are those of the OpenAPI documents.
 *
 *   const { v2 } = createStandinClient({ baseUrl: 'http://127.0.0.1:8080', apiKey })
 *   const { data: bot } = await answerOf(v2.POST('/v2/bots', { body: { bot_name: 'Notes', meeting_url } }))
 */
import createClient, { type Client } from 'openapi-fetch'
import type { paths as OlderPaths } from './older.ts'
import type { components, paths as NewerPaths } from './v2.ts'

export { type FollowOptions, type FollowTeamOptions, followEvents, followTeam } from './follow.ts'

export interface StandinClientOptions {
  /** Address of the service, such as `https://bots.example.com`. */
  baseUrl: string
  /** Absent if something else proves who asks, such as the session of the dashboard. */
  apiKey?: string
  headers?: Readonly<Record<string, string>>
  /** For tests, proxies and time-outs. Default: the global one. */
  fetch?: typeof fetch
}

export interface StandinClient {
  /** The newer generation. */
  v2: Client<NewerPaths>
  /** The older generation, whose paths have no prefix. */
  older: Client<OlderPaths>
}

export type Schemas = components['schemas']

/** A request that the service refused, or that did not reach it. */
export class StandinApiError extends Error {
  /** Of the HTTP answer; 0 if there was none. */
  readonly status: number
  /** Such as `FST_ERR_VALIDATION`; null if the answer has none. */
  readonly code: string | null
  /** Seconds to wait before the same request may succeed; null: the service did not say. */
  readonly retryAfter: number | null
  /** With 400: where a part of the request is wrong, such as `body/bot_name`, and why. */
  readonly problems: readonly { path: string; message: string }[]

  constructor(
    message: string,
    {
      status,
      code,
      retryAfter,
      problems = [],
    }: Pick<StandinApiError, 'status' | 'code' | 'retryAfter'> & Partial<Pick<StandinApiError, 'problems'>>,
  ) {
    super(message)
    this.name = 'StandinApiError'
    this.status = status
    this.code = code
    this.retryAfter = retryAfter
    this.problems = problems
  }
}

export function createStandinClient({ baseUrl, apiKey, headers, fetch }: StandinClientOptions): StandinClient {
  const options = {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    headers: { ...headers, ...(apiKey !== undefined && { 'x-service-api-key': apiKey }) },
    ...(fetch && { fetch: (request: Request) => fetch(request) }),
  }
  return { v2: createClient<NewerPaths>(options), older: createClient<OlderPaths>(options) }
}

/** The body of a success. Rejects with `StandinApiError` otherwise. */
export async function answerOf<T>(
  request: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<Exclude<T, undefined>> {
  const { data, error, response } = await request.catch((cause: unknown) => {
    throw new StandinApiError(`The service could not be reached: ${reasonOf(cause)}`, {
      status: 0,
      code: null,
      retryAfter: null,
    })
  })
  if (error === undefined && response.ok) return data as Exclude<T, undefined>
  const body = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  throw new StandinApiError(
    typeof body.message === 'string' ? body.message : `The service answered ${response.status}`,
    {
      status: response.status,
      code: typeof body.code === 'string' ? body.code : null,
      retryAfter: Number.isFinite(seconds) ? seconds : null,
      problems: Array.isArray(body.details) ? body.details : [],
    },
  )
}

/** The cause of a failed `fetch`, whose own message is only "fetch failed". */
function reasonOf(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown
  return cause instanceof Error ? cause.message : String(cause)
}
