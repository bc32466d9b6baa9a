/** For operators: `/healthz`, `/readyz`, `/metrics`. */
import { Histogram, type Registry } from 'prom-client'
import type { ApiDependencies } from '../dependencies.ts'
import type { App } from './generation.ts'

const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export function operationRoutes(app: App, { metrics, probes }: ApiDependencies): void {
  measureRequests(app, metrics)
  // These routes answer even under load shedding.
  for (const [path, probe] of Object.entries(probes))
    app.get(path, { config: { pressureHandler: () => {} } }, async (_request, reply) => {
      const { status, headers, body } = await probe()
      return reply.code(status).headers(headers).send(body)
    })
}

/** By the pattern of the route, never by the address: addresses hold ids, so their number is unbounded. */
function measureRequests(app: App, registry: Registry): void {
  const duration = new Histogram({
    name: 'standin_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATIONS,
    registers: [registry],
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.is404 ? 'unknown' : (request.routeOptions.url ?? 'unknown')
    duration.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
  })
}
