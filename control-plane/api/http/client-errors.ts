/**
 * Answers input that cannot be read as a request: broken heads, heads that are too large, requests that arrive too
 * slowly.
 */
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { newerErrorBody } from '../v2/error-body.ts'
import { ApiError } from './errors.ts'
import { REQUEST_ID } from './request-ids.ts'

const PROBLEMS: Readonly<Record<string, [status: number, code: string, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'FST_ERR_REQUEST_TIMEOUT', 'The request did not arrive in time'],
  HPE_HEADER_OVERFLOW: [431, 'FST_ERR_HEADERS_TOO_LARGE', 'The head of the request is too large'],
}
const BROKEN: [status: number, code: string, message: string] = [
  400,
  'FST_ERR_BAD_REQUEST',
  'The request is not valid HTTP',
]
const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}

/** There is no request yet, so the answer is written as bytes, in the shape of the newer generation. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  if (!socket.writable) {
    socket.destroy(error)
    return
  }
  const { status, body } = newerErrorBody(new ApiError(...(PROBLEMS[error.code ?? ''] ?? BROKEN)))
  const text = JSON.stringify(body)
  socket.end(
    [
      `HTTP/1.1 ${status} ${REASONS[status]}`,
      'content-type: application/json; charset=utf-8',
      `${REQUEST_ID}: ${randomUUID()}`,
      `content-length: ${Buffer.byteLength(text)}`,
      'connection: close',
      '',
      text,
    ].join('\r\n'),
  )
}
