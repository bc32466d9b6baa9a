/** `/job/…`: jobs that containers fetch. The token of the attempt is the permission, so no key is asked for. */
import type { ApiDependencies } from './dependencies.ts'
import type { App } from './http/generation.ts'

export function jobRoutes(app: App, { jobs }: Pick<ApiDependencies, 'jobs'>): void {
  if (!jobs) return
  app.get('/job/:bot/:attempt', async (request, reply) => {
    const path = request.url.split('?', 1)[0]!
    const { status, headers, body } = await jobs({ path, authorization: request.headers.authorization })
    return reply.code(status).headers(headers).send(body)
  })
}
