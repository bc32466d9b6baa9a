/** For operators: `/healthz`, `/readyz`, `/metrics`. */
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { probeDatabase, readGauges } from '../store/gauges.ts'
import type { ApiDependencies } from './dependencies.ts'
import type { App } from './generation.ts'

const READY_TIMEOUT_MS = 3000
const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export function operationRoutes(app: App, { keyDatabase, metrics, readiness, log }: ApiDependencies): void {
  const registry = metrics ?? processMetrics()
  const gauges = databaseGauges(registry)
  measureRequests(app, registry)
  // These answer while everything else is turned away.
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
    try {
      gauges(await readGauges(keyDatabase))
    } catch (error) {
      log.warn({ error: String(error) }, 'Metrics of the database could not be read')
    }
    reply.type(registry.contentType)
    return registry.metrics()
  })
}

/** Null: fine. */
async function problemOf(check: () => Promise<void>): Promise<string | null> {
  const late = new Promise<string>((resolve) =>
    setTimeout(resolve, READY_TIMEOUT_MS, `no answer within ${READY_TIMEOUT_MS / 1000} s`).unref(),
  )
  const checked = check().then(
    () => null,
    (error: unknown) => (error instanceof Error && error.message !== '' ? error.message : 'failed').slice(0, 200),
  )
  return Promise.race([checked, late])
}

function processMetrics(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}

/** By the pattern of the route, never by the address: addresses hold ids, and there are as many as callers like. */
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

function databaseGauges(registry: Registry): (values: Awaited<ReturnType<typeof readGauges>>) => void {
  const gauge = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge<Label>({ name, help, labelNames, registers: [registry] })
  const bots = gauge('standin_bots', 'Bots that have not ended, by phase.', ['phase'])
  const late = gauge('standin_bot_lateness_seconds', 'How far the bot that waits longest is past its time.')
  const deliveries = gauge('standin_webhook_deliveries', 'Webhook deliveries that are not done, by state.', ['state'])
  const oldest = gauge('standin_webhook_oldest_seconds', 'How long the oldest due webhook delivery has waited.')
  const calendars = gauge('standin_calendars', 'Connected calendars, by status.', ['status'])
  const lateSync = gauge(
    'standin_calendar_sync_lateness_seconds',
    'How far the sync that waits longest is past its time.',
  )
  const polled = gauge('standin_calendars_without_push', 'Connected calendars whose changes are only polled.')
  return (values) => {
    bots.reset()
    for (const { phase, count } of values.bots) bots.set({ phase }, count)
    late.set(values.latestBotSeconds)
    deliveries.reset()
    for (const { state, count } of values.deliveries) deliveries.set({ state }, count)
    oldest.set(values.oldestDeliverySeconds)
    calendars.reset()
    for (const { status, count } of values.calendars.byStatus) calendars.set({ status }, count)
    lateSync.set(values.calendars.latestSyncSeconds)
    polled.set(values.calendars.withoutPush)
  }
}
