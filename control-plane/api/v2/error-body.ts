/** The error body of the newer generation; source: the interface, "Errors". */
import { STATUS_CODES } from 'node:http'
import type { ApiError } from '../http/errors.ts'

export interface NewerErrorBody {
  success: false
  /** Label of the HTTP status. */
  error: string
  code: string
  statusCode: number
  /** One sentence. */
  message: string
  /** Absent with 400. */
  details?: string | null
  /** Whole seconds; only with 429. Other temporary refusals have only the header `retry-after`. */
  retryAfter?: number
}

export function newerErrorBody({ status, code, message, details, retryAfter }: ApiError): {
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
      ...(status === 400 ? {} : { details }),
      ...(status === 429 && retryAfter !== null ? { retryAfter } : {}),
    },
  }
}
