/** A span for each request of a caller. Bots that a request asks for belong to its trace. */
import type { Span, Traces } from '../../platform/traces.ts'
import { readTraceparent } from '../../platform/traces.ts'
import type { App } from './generation.ts'

declare module 'fastify' {
  interface FastifyRequest {
    span: Span | null
  }
}

/** Probes, files and the page itself say nothing about bots. */
const LEFT_OUT = /^\/(?:healthz|readyz|metrics|files|docs|openapi|dashboard|job|link)\b/

/** Named by the pattern of the route: addresses hold ids, and their queries hold what callers wrote. */
export function traceRequests(app: App, traces: Traces): void {
  app.decorateRequest('span', null)
  if (!traces.isOn) return
  app.addHook('onRequest', async (request) => {
    const route = request.routeOptions.url
    if (request.is404 || route === undefined || LEFT_OUT.test(route)) return
    request.span = traces.begin(`${request.method} ${route}`, {
      parent: readTraceparent(request.headers.traceparent),
      kind: 'server',
      attributes: { 'http.request.method': request.method, 'http.route': route },
    })
  })
  app.addHook('onResponse', async (request, reply) => {
    request.span?.end({
      attributes: {
        'http.response.status_code': reply.statusCode,
        'standin.team.id': request.caller?.teamId ?? null,
      },
      error: reply.statusCode >= 500 ? `answered ${reply.statusCode}` : null,
    })
  })
}
