/** Opens the meeting's address and turns network errors into errors of the attempt. */
import type { EndCause } from '@standin/wire/codes.ts'
import { BotError } from '../../../packages/core/errors.ts'
import type { MeetingPage } from '../page-access/meeting-page.ts'

/** Errors of Chromium that the network of this machine causes: the platforms' own servers do not answer so. */
const NETWORK_FAULTS: readonly (readonly [RegExp, EndCause, string])[] = [
  [/ERR_(?:NAME_NOT_RESOLVED|NAME_RESOLUTION_FAILED|DNS_)/, 'DNS_FAILED', 'the name of its server was not found'],
  [/ERR_(?:PROXY_|TUNNEL_|SOCKS_|[A-Z_]*PROXIES)/, 'PROXY_FAILED', 'the proxy did not pass the request on'],
  [/ERR_BLOCKED_BY_ADMINISTRATOR/, 'MACHINE_UNFIT', 'a policy of the browser blocks it'],
  [
    /ERR_BLOCKED_BY_(?:LOCAL|PRIVATE)_NETWORK/,
    'CONNECTION_FAILED',
    'its page may not reach a private address (STANDIN_PRIVATE_ADDRESSES permits it)',
  ],
  [/ERR_(?:CERT_|SSL_|BAD_SSL_|TLS)/, 'TLS_INTERCEPTED', 'the certificate that came is not of its server'],
  [
    /ERR_(?:CONNECTION_(?:REFUSED|TIMED_OUT|FAILED|RESET|CLOSED|ABORTED)|TIMED_OUT|ADDRESS_|INTERNET_DISCONNECTED|NETWORK_|SOCKET_NOT_CONNECTED)/,
    'CONNECTION_FAILED',
    'no connection to its server',
  ],
]

/** `platform` is its name for people, such as Google Meet; `isDeadLink` says which answers mean that there is no such meeting. */
export async function loadMeeting(
  page: MeetingPage,
  url: string,
  signal: AbortSignal,
  platform: string,
  isDeadLink: (status: number) => boolean = (status) => status === 404,
): Promise<void> {
  const unreachable = (reason: string, cause?: unknown) => {
    const [, endCause, why] = NETWORK_FAULTS.find(([names]) => names.test(reason)) ?? []
    const detail = (endCause === 'PROXY_FAILED' && page.browser.proxyProblem()) || why
    const sentence =
      why === undefined ? reason : `${detail}, which the network of the bot's machine has to make possible (${reason})`
    return new BotError('CANNOT_JOIN_MEETING', `The meeting page could not be loaded: ${sentence}.`, {
      step: 'load',
      canRetry: true,
      cause,
      endCause,
      reason: endCause && 'operator_network',
    })
  }
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  let status: number | undefined
  try {
    // Chromium does not load the page again where only the part behind `#` differs.
    if (withoutFragment(page.browser.page.url()) === withoutFragment(url)) await page.browser.page.goto('about:blank')
    const load = page.browser.page
      .goto(url, { waitUntil: 'domcontentloaded', timeout: page.waits.loadMs })
      // A page that navigates to another one by itself was loaded.
      .catch((error) => (/interrupted by another navigation/.test(String(error)) ? null : Promise.reject(error)))
    load.catch(() => {})
    status = (await Promise.race([load, stopped]))?.status()
  } catch (error) {
    signal.throwIfAborted()
    // The first line is the reason; the others are Playwright's own log, and the address may hold a secret.
    const reason = String(error instanceof Error ? error.message : error).split('\n')[0] ?? ''
    throw unreachable(reason.replace(/^page\.goto: /, '').replace(/ at https?:\S+/, ''), error)
  }
  if (status === undefined) return
  // Too slow, too many requests, or a server error: a later attempt may work.
  if (status >= 500 || status === 408 || status === 429) throw unreachable(`the server answered ${status}`)
  if (isDeadLink(status))
    throw new BotError('INVALID_MEETING_URL', `${platform} has no page for this link (${status}).`, { step: 'load' })
}

const withoutFragment = (address: string): string => address.split('#', 1)[0]!
