/** `/files/…`: signed links of folder storage. The signature is the permission, so no key is asked for. */
import type { ApiDependencies } from './dependencies.ts'
import type { App } from './http/generation.ts'

const MAX_DOWNLOAD_MS = 24 * 3600 * 1000

export function fileRoutes(app: App, { files }: Pick<ApiDependencies, 'files'>): void {
  if (files === null) return
  app.route({
    method: ['GET', 'HEAD'],
    url: '/files/*',
    // A whole recording may take its time. Fastify cannot switch the timeout off for a single route.
    handlerTimeout: MAX_DOWNLOAD_MS,
    handler: async (request, reply) => {
      const { '*': key } = request.params as { '*': string }
      const answer = await files({
        method: request.method as 'GET' | 'HEAD',
        key,
        query: request.query as Record<string, unknown>,
        range: request.headers.range,
        ifRange: request.headers['if-range'] as string | undefined,
      })
      reply.code(answer.status).headers(answer.headers)
      return reply.send(answer.stream ?? undefined)
    },
  })
}
