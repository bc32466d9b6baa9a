import { expect, test } from 'vitest'
import type { BotError } from '../../../../packages/core/errors.ts'
import { loadMeeting } from '../../../../platforms/shared/join/loading.ts'
import type { MeetingPage } from '../../../../platforms/shared/page-access/meeting-page.ts'

const URL = 'https://meet.google.com/abc-defg-hij'

/** The error of a page whose address does not load. */
async function failureOf(reason: string, proxyProblem: string | null = null): Promise<BotError> {
  const goto = async () => Promise.reject(new Error(`page.goto: ${reason} at ${URL}\nCall log:\n  - navigating`))
  const browser = { page: { url: () => 'about:blank', goto }, proxyProblem: () => proxyProblem }
  const page = { browser, waits: { loadMs: 1000 } }
  return loadMeeting(page as unknown as MeetingPage, URL, new AbortController().signal, 'Google Meet').then(
    () => Promise.reject(new Error('It loaded')),
    (error: BotError) => error,
  )
}

test.each([
  ['net::ERR_NAME_NOT_RESOLVED', 'DNS_FAILED'],
  ['net::ERR_DNS_TIMED_OUT', 'DNS_FAILED'],
  ['net::ERR_CONNECTION_REFUSED', 'CONNECTION_FAILED'],
  ['net::ERR_ADDRESS_UNREACHABLE', 'CONNECTION_FAILED'],
  ['net::ERR_INTERNET_DISCONNECTED', 'CONNECTION_FAILED'],
  ['net::ERR_CONNECTION_RESET', 'CONNECTION_FAILED'],
  ['net::ERR_TIMED_OUT', 'CONNECTION_FAILED'],
  ['net::ERR_BLOCKED_BY_LOCAL_NETWORK_ACCESS_CHECKS', 'CONNECTION_FAILED'],
  ['net::ERR_NETWORK_ACCESS_DENIED', 'CONNECTION_FAILED'],
  ['net::ERR_PROXY_CONNECTION_FAILED', 'PROXY_FAILED'],
  ['net::ERR_TUNNEL_CONNECTION_FAILED', 'PROXY_FAILED'],
  ['net::ERR_CERT_AUTHORITY_INVALID', 'TLS_INTERCEPTED'],
  ['net::ERR_SSL_PROTOCOL_ERROR', 'TLS_INTERCEPTED'],
])('%s is a fault of the network of this machine: %s', async (reason, cause) => {
  const error = await failureOf(reason)
  expect(error).toMatchObject({ code: 'CANNOT_JOIN_MEETING', endCause: cause, canRetry: true })
  expect(error.message).toContain("the network of the bot's machine")
  expect(error.message).toContain(reason)
  expect(error.message).not.toContain(URL)
})

test.each([
  'net::ERR_ABORTED',
  'net::ERR_HTTP_RESPONSE_CODE_FAILURE',
  'net::ERR_EMPTY_RESPONSE',
  'Timeout 1000ms exceeded.',
])('%s is not blamed on this machine', async (reason) => {
  const error = await failureOf(reason)
  expect(error).toMatchObject({ code: 'CANNOT_JOIN_MEETING', endCause: undefined })
  expect(error.message).not.toContain('machine')
})

test('the problem that the proxy of the bot reported is in the message', async () => {
  const { message } = await failureOf('net::ERR_TUNNEL_CONNECTION_FAILED', 'the proxy refused the user name')
  expect(message).toContain('could not be loaded: the proxy refused the user name')
})
