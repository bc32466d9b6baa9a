/** Errors in the shape of Graph and of Microsoft's login. */
import { randomUUID } from 'node:crypto'
import type { Reply } from '../../shared/scripted-server.ts'

export function refusal(status: number, code: string, message: string, headers: Record<string, string> = {}): Reply {
  const id = randomUUID()
  return {
    status,
    headers,
    body: {
      error: {
        code,
        message,
        innerError: { date: new Date().toISOString().slice(0, 19), 'request-id': id, 'client-request-id': id },
      },
    },
  }
}

export const unauthorized = () =>
  refusal(401, 'InvalidAuthenticationToken', 'Access token has expired or is not yet valid.')
export const accessDenied = () =>
  refusal(403, 'ErrorAccessDenied', 'Access is denied. Check credentials and try again.')
export const noMailbox = () =>
  refusal(404, 'MailboxNotEnabledForRESTAPI', 'The mailbox is either inactive, soft-deleted, or is hosted on-premise.')
export const notFound = () => refusal(404, 'ErrorItemNotFound', 'The specified object was not found in the store.')
export const badRequest = (message: string) => refusal(400, 'ErrorInvalidRequest', message)
export const throttled = (seconds: number) =>
  refusal(429, 'ApplicationThrottled', 'Application is over its MailboxConcurrency limit.', {
    'retry-after': String(seconds),
  })
export const busy = (seconds: number) =>
  refusal(503, 'ErrorServerBusy', 'The server cannot service this request right now.', {
    'retry-after': String(seconds),
  })
export const goneState = (location: string) =>
  refusal(410, 'syncStateNotFound', 'The sync state generation is not found; start a full synchronization.', {
    location,
  })

/** `code`: the number behind AADSTS. */
export function loginRefusal(status: number, error: string, code: number, text: string): Reply {
  return {
    status,
    body: {
      error,
      error_description: `AADSTS${code}: ${text}`,
      error_codes: [code],
      timestamp: new Date().toISOString(),
      trace_id: randomUUID(),
      correlation_id: randomUUID(),
    },
  }
}
