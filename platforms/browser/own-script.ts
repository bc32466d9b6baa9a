/**
 * A script of ours at an address of the page's own origin, which the page cannot guess. A worker that starts from it
 * has its own policy, so the content security policy of the page stays as it is: what it forbids the page's scripts
 * stays forbidden.
 */
import type { BrowserContext, Page } from 'playwright'
import type { Logger } from '../../packages/core/logger.ts'

export interface OwnScript {
  /** Such as `/3f2a….js`. */
  path: string
  source: string
}

/** A page with cross-origin isolation accepts only workers that have it too. */
const HEADERS = [
  { name: 'content-type', value: 'text/javascript; charset=utf-8' },
  { name: 'cross-origin-embedder-policy', value: 'require-corp' },
  { name: 'cross-origin-resource-policy', value: 'same-origin' },
  { name: 'cache-control', value: 'no-store' },
]

/** Serves the script from now on, for every document of this page; the request never reaches the page's server. */
export async function serveOwnScript(
  context: BrowserContext,
  page: Page,
  { path, source }: OwnScript,
  logger: Pick<Logger, 'debug'>,
): Promise<void> {
  const session = await context.newCDPSession(page)
  const body = Buffer.from(source).toString('base64')
  session.on('Fetch.requestPaused', ({ requestId, request }) => {
    const isOurs = URL.canParse(request.url) && new URL(request.url).pathname === path
    const answered = isOurs
      ? session.send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders: HEADERS, body })
      : session.send('Fetch.continueRequest', { requestId })
    answered.catch((error) => logger.debug('A script of ours was asked for by a page that is gone', { error }))
  })
  await session.send('Fetch.enable', { patterns: [{ urlPattern: `*${path}`, requestStage: 'Request' }] })
}
