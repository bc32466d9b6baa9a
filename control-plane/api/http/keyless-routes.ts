/** Routes outside every generation, which ask for no key: probes of operators, signed links to files, jobs of containers. */
import { Histogram } from 'prom-client'
import type { ApiDependencies } from '../dependencies.ts'
import type { App } from './generation.ts'

const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const MAX_DOWNLOAD_MS = 24 * 3600 * 1000

export function keylessRoutes(app: App, { probes, files, jobs }: ApiDependencies): void {
  for (const [path, probe] of Object.entries(probes))
    app.get(path, { config: { answersUnderLoad: true } }, async (_request, reply) => {
      const { status, headers, body } = await probe()
      return reply.code(status).headers(headers).send(body)
    })

  if (files)
    // The signature is the permission.
    app.route({
      method: ['GET', 'HEAD'],
      url: '/files/*',
      // A whole recording may take its time. Fastify cannot switch the timeout off for a single route.
      handlerTimeout: MAX_DOWNLOAD_MS,
      handler: async (request, reply) => {
        const { status, headers, stream } = await files({
          method: request.method as 'GET' | 'HEAD',
          key: (request.params as { '*': string })['*'],
          query: request.query as Record<string, unknown>,
          range: request.headers.range,
          ifRange: request.headers['if-range'] as string | undefined,
        })
        return reply
          .code(status)
          .headers(headers)
          .send(stream ?? undefined)
      },
    })

  if (jobs)
    // The token of the attempt is the permission.
    app.get('/job/:bot/:attempt', async (request, reply) => {
      const path = request.url.split('?', 1)[0]!
      const { status, headers, body } = await jobs({ path, authorization: request.headers.authorization })
      return reply.code(status).headers(headers).send(body)
    })
}

/** Measures by the pattern of the route, never by the address: addresses hold ids, so their number is unbounded. */
export function measureRequests(app: App, { metrics }: ApiDependencies): void {
  const duration = new Histogram({
    name: 'standin_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATIONS,
    registers: [metrics],
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.is404 ? 'unknown' : (request.routeOptions.url ?? 'unknown')
    duration.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
  })
}
