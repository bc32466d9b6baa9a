/** The error body of the newer generation; source: the interface, "Errors". */
import { STATUS_CODES } from 'node:http'
import type { Problem } from '@standin/wire/job.ts'
import type { ApiError } from '../http/errors.ts'

export interface NewerErrorBody {
  success: false
  /** Label of the HTTP status. */
  error: string
  code: string
  statusCode: number
  /** One sentence. */
  message: string
  /** Further words; null if there are none. */
  details: string | null
  /** With 400 what is wrong where in the request; absent if that is not known. */
  problems?: readonly Problem[]
  /** Whole seconds; only with 429. Other temporary refusals have only the header `retry-after`. */
  retryAfter?: number
}

export function newerErrorBody({ status, code, message, details, problems, retryAfter }: ApiError): {
  status: number
  body: NewerErrorBody
} {
  return {
    status,
    body: {
      success: false,
      error: status === 429 ? 'Rate Limited' : (STATUS_CODES[status] ?? 'Error'),
      code,
      statusCode: status,
      message,
      details,
      ...(status === 400 && problems.length > 0 && { problems }),
      ...(status === 429 && retryAfter !== null ? { retryAfter } : {}),
    },
  }
}
