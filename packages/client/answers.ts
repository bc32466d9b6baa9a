/** What became of a request. */

/** A request that the service refused, or that did not reach it. */
export class StandinApiError extends Error {
  /** Of the HTTP answer; 0 if there was none. */
  readonly status: number
  /** Such as `FST_ERR_VALIDATION`; null if the answer has none. */
  readonly code: string | null
  /** Seconds to wait before the same request may succeed; null: the service did not say. */
  readonly retryAfter: number | null
  /** Further words of the service, such as the reason of a bot, if there are any; `message` has them too. */
  readonly details: string | null
  /** With 400: where a part of the request is wrong, such as `body/bot_name`, and why. */
  readonly problems: readonly { path: string; message: string }[]

  constructor(
    message: string,
    {
      status,
      code,
      retryAfter,
      details = null,
      problems = [],
    }: Pick<StandinApiError, 'status' | 'code' | 'retryAfter'> & Partial<Pick<StandinApiError, 'details' | 'problems'>>,
  ) {
    super(details === null ? message : `${message.replace(/\.$/, '')}: ${details}`)
    this.name = 'StandinApiError'
    this.status = status
    this.code = code
    this.retryAfter = retryAfter
    this.details = details
    this.problems = problems
  }
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
  throw new StandinApiError(typeof body.message === 'string' ? body.message : sentenceOf(response), {
    status: response.status,
    code: typeof body.code === 'string' ? body.code : null,
    retryAfter: Number.isFinite(seconds) ? seconds : null,
    details: typeof body.details === 'string' ? body.details : null,
    problems: Array.isArray(body.problems) ? body.problems : [],
  })
}

/** A browser names neither status nor address of a redirect. */
function sentenceOf({ status, type }: Response): string {
  const isRedirect = type === 'opaqueredirect' || (status >= 300 && status < 400)
  if (!isRedirect) return `The service answered ${status}`
  return 'The service answered with another address, which is not followed: it would get the key'
}

/** The cause of a failed `fetch`, whose own message is only "fetch failed". */
function reasonOf(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown
  if (!(cause instanceof Error)) return String(cause)
  // What OpenSSL says of an answer in plain HTTP has no word for people.
  const speaksNoTls =
    (cause as { code?: unknown }).code === 'ERR_SSL_WRONG_VERSION_NUMBER' ||
    /wrong version number|packet length too long/.test(cause.message)
  return speaksNoTls ? 'it does not speak TLS at this address; try http:// instead of https://' : cause.message
}
