/** `/openapi.json` and its like, and `/docs`, a page to read and try them. */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { App } from './generation.ts'
import type { OpenApiDocument } from './openapi.ts'

export interface ServedDocument {
  path: string
  title: string
  keyHeader: string | null
  document: () => OpenApiDocument
}

/** The page loads nothing from other hosts, and sends nothing to them. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Scalar's example of a key looks like one, and its empty bar takes a tenth of the window. */
const STYLE = `[placeholder^='QUxM']::placeholder { color: transparent !important }
.introduction-section { padding-top: 2rem !important }`

/** The field of the key is empty: a person who is signed in to the dashboard needs none. Runs in the page, so it is a whole function. */
const asDashboard = ({ requestBuilder, request }: { requestBuilder?: Request; request: Request }) => {
  ;(requestBuilder ?? request).headers.set('x-requested-by', 'dashboard')
}

export function docsRoutes(app: App, documents: readonly ServedDocument[]): void {
  for (const { path, document } of documents) {
    app.get(path, { schema: { hide: true } as object }, async (_request, reply) => {
      reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache')
      return JSON.stringify(document())
    })
  }

  // The page is 5 MB of script in memory, so it is loaded for the first reader only, as a separate small server.
  let page: Promise<FastifyInstance> | undefined
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    page ??= openPage(documents)
    const { statusCode, headers, rawPayload } = await (await page).inject({ method: 'GET', url: request.url })
    // Of the connection to the small server, which is none: this one may have to be closed.
    delete headers.connection
    reply.code(statusCode).headers(headers)
    // From `/docs` to `/docs/`, also below the path of a proxy.
    if (headers.location !== undefined) reply.header('location', 'docs/')
    reply.headers({ 'content-security-policy': PAGE_POLICY, 'x-content-type-options': 'nosniff' })
    return reply.send(rawPayload)
  }
  // Browsers ask for it where a page names no icon, as this one and every answer in JSON.
  app.get('/favicon.ico', (_request, reply) => reply.code(204).header('cache-control', 'max-age=86400').send())
  app.get('/docs', answer)
  app.get('/docs/*', answer)
  app.addHook('onClose', async () => {
    await (await page)?.close()
  })
}

async function openPage(documents: readonly ServedDocument[]): Promise<FastifyInstance> {
  const { default: apiReference } = await import('@scalar/fastify-api-reference')
  const page = Fastify({ logger: false })
  await page.register(apiReference, {
    routePrefix: '/docs',
    configuration: {
      pageTitle: 'Standin API',
      sources: documents
        .filter(({ keyHeader }) => keyHeader !== null)
        .map(({ path, title }) => ({ url: `..${path}`, title })),
      authentication: { preferredSecurityScheme: 'key' },
      onBeforeRequest: asDashboard,
      withDefaultFonts: false,
      telemetry: false,
      customCss: STYLE,
      hideClientButton: true,
      showDeveloperTools: 'never',
      mcp: { disabled: true },
      agent: { disabled: true },
    },
  })
  await page.ready()
  return page as unknown as FastifyInstance
}
