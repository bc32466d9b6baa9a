/**
 * Lets a page's worker paint frames without switching the page's content security policy off. What the policy forbids the
 * page's own scripts stays forbidden, but for three things that are added to it: workers from `blob:` addresses,
 * WebAssembly, and one Trusted Types policy whose name nobody can guess and which is taken before the page's scripts run.
 */
import type { BrowserContext, CDPSession, Page } from 'playwright'
import type { Logger } from '../logger.ts'

const HEADER = 'content-security-policy'
/** The body is given on as it is read; cookies are in the browser already. */
const OF_THE_WAY = new Set(['content-encoding', 'content-length', 'transfer-encoding', 'set-cookie'])

interface HeaderEntry {
  name: string
  value: string
}

/** `value` may hold several policies; each is widened. */
export function widenedPolicy(value: string, trustedTypes: string): string {
  return value
    .split(',')
    .map((policy) => (policy.trim() === '' ? policy : widenedOne(policy, trustedTypes)))
    .join(', ')
}

function widenedOne(policy: string, trustedTypes: string): string {
  const directives = new Map<string, string[]>()
  for (const part of policy.split(';')) {
    const [name, ...sources] = part.trim().split(/\s+/)
    // The first of a name counts.
    if (name && !directives.has(name.toLowerCase())) directives.set(name.toLowerCase(), sources)
  }
  const sourcesFor = (...names: string[]) => names.map((name) => directives.get(name)).find((found) => found)
  const widen = (name: string, fallbacks: string[], source: string) => {
    const sources = sourcesFor(name, ...fallbacks)
    // Nothing forbids it.
    if (sources !== undefined)
      directives.set(name, [...sources.filter((one) => one.toLowerCase() !== "'none'"), source])
  }
  widen('worker-src', ['child-src', 'script-src', 'default-src'], 'blob:')
  widen('script-src', ['default-src'], "'wasm-unsafe-eval'")
  widen('trusted-types', [], trustedTypes)
  return [...directives].map(([name, sources]) => [name, ...sources].join(' ')).join('; ')
}

/** Of a document that is given on; null where it has no policy. */
export function widenedHeaders(headers: readonly HeaderEntry[], trustedTypes: string): HeaderEntry[] | null {
  if (!headers.some(({ name }) => name.toLowerCase() === HEADER)) return null
  return headers
    .filter(({ name }) => !OF_THE_WAY.has(name.toLowerCase()))
    .map(({ name, value }) => ({
      name,
      value: name.toLowerCase() === HEADER ? widenedPolicy(value, trustedTypes) : value,
    }))
}

/**
 * From now on, for every document of this page. What a document says in a `meta` element stays as it is, and so does a
 * document that a service worker made: its picture is painted on the display.
 */
export async function widenPolicies(
  context: BrowserContext,
  page: Page,
  trustedTypes: string,
  logger: Pick<Logger, 'debug'>,
): Promise<void> {
  const session = await context.newCDPSession(page)
  session.on('Fetch.requestPaused', (answer) => {
    giveOn(session, answer, trustedTypes).catch((error) =>
      logger.debug('A document went before its policy was read', { error }),
    )
  })
  await session.send('Fetch.enable', { patterns: [{ resourceType: 'Document', requestStage: 'Response' }] })
}

interface Answer {
  requestId: string
  responseStatusCode?: number
  responseHeaders?: HeaderEntry[]
}

/** Chromium reads the policy of an answer again only where the whole answer is given. */
async function giveOn(session: CDPSession, answer: Answer, trustedTypes: string): Promise<void> {
  const { requestId, responseStatusCode: status = 0, responseHeaders = [] } = answer
  const isDocument = status >= 200 && status !== 204 && !(status >= 300 && status < 400) && isMarkup(responseHeaders)
  const headers = isDocument ? widenedHeaders(responseHeaders, trustedTypes) : null
  if (headers === null) {
    await session.send('Fetch.continueRequest', { requestId })
    return
  }
  try {
    const { body, base64Encoded } = await session.send('Fetch.getResponseBody', { requestId })
    const whole = base64Encoded ? body : Buffer.from(body).toString('base64')
    await session.send('Fetch.fulfillRequest', {
      requestId,
      responseCode: status,
      responseHeaders: headers,
      body: whole,
    })
  } catch (error) {
    await session.send('Fetch.continueRequest', { requestId })
    throw error
  }
}

function isMarkup(headers: readonly HeaderEntry[]): boolean {
  const type = headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? ''
  return /^\s*(text\/html|application\/xhtml\+xml)\b/i.test(type)
}
