/** For operators: `/healthz`, `/readyz`, `/metrics`. */
import { systemClock, within } from '@standin/base/deadline.ts'
import { Histogram, type Registry } from 'prom-client'
import { probeDatabase } from '../../store/gauges.ts'
import type { ApiDependencies } from '../dependencies.ts'
import type { App } from './generation.ts'

const READY_TIMEOUT_MS = 3000
const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export function operationRoutes(app: App, { keyDatabase, metrics, readiness }: ApiDependencies): void {
  measureRequests(app, metrics)
  // These routes answer even under load shedding.
  const config = { pressureHandler: () => {} }

  app.get('/healthz', { config }, async () => ({ status: 'ok' }))

  app.get('/readyz', { config }, async (_request, reply) => {
    const checks = Object.entries({ database: () => probeDatabase(keyDatabase), ...readiness })
    const results = await Promise.all(checks.map(async ([name, check]) => [name, await problemOf(check)] as const))
    const isReady = results.every(([, problem]) => problem === null)
    reply.code(isReady ? 200 : 503)
    return {
      status: isReady ? 'ready' : 'not ready',
      checks: Object.fromEntries(results.map(([name, problem]) => [name, problem ?? 'ok'])),
    }
  })

  app.get('/metrics', { config }, async (_request, reply) => {
    reply.type(metrics.contentType)
    return metrics.metrics()
  })
}

/** Null: fine. */
async function problemOf(check: () => Promise<void>): Promise<string | null> {
  const late = () => new Error(`no answer within ${READY_TIMEOUT_MS / 1000} s`)
  return within(systemClock, READY_TIMEOUT_MS, check(), late).then(
    () => null,
    (error: unknown) => (error instanceof Error && error.message !== '' ? error.message : 'failed').slice(0, 200),
  )
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
