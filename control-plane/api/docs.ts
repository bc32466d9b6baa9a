/** `/openapi.json` and its like, and `/docs`, a page to read and try them. */
import apiReference from '@scalar/fastify-api-reference'
import type { App } from './generation.ts'
import type { OpenApiDocument } from './openapi.ts'

export interface ServedDocument {
  path: string
  title: string
  document: () => OpenApiDocument
}

/** The page takes nothing from other hosts, and sends nothing there. */
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

export async function docsRoutes(app: App, documents: readonly ServedDocument[]): Promise<void> {
  for (const { path, document } of documents) {
    app.get(path, { schema: { hide: true } as object }, async (_request, reply) => {
      reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache')
      return JSON.stringify(document())
    })
  }
  await app.register(async (scope) => {
    scope.addHook('onSend', async (_request, reply) => {
      reply.headers({ 'content-security-policy': PAGE_POLICY, 'x-content-type-options': 'nosniff' })
    })
    await scope.register(apiReference, {
      routePrefix: '/docs',
      configuration: {
        pageTitle: 'Standin API',
        sources: documents.map(({ path, title }) => ({ url: path, title })),
        withDefaultFonts: false,
        telemetry: false,
        hideClientButton: true,
        showDeveloperTools: 'never',
        mcp: { disabled: true },
        agent: { disabled: true },
      } as never,
    })
  })
}
