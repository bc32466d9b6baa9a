/** The HTTP server, made without listening, so that tests can inject requests. */
import { createHash } from 'node:crypto'
import { type IncomingMessage, METHODS, type Server } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { NO_TRACES } from '../../platform/traces.ts'
import { actAs } from '../../store/audit-log.ts'
import { createRequestLog } from '../../store/request-log.ts'
import { createHint } from '../../store/wake-ups.ts'
import { compatNewerGeneration, compatOlderGeneration } from '../compat/index.ts'
import { dashboardGeneration } from '../dashboard/index.ts'
import { pageRoutes } from '../dashboard/page-routes.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { hookRoutes } from '../hooks/routes.ts'
import { mcpGeneration } from '../mcp/index.ts'
import { olderGeneration } from '../older/index.ts'
import { newerGeneration } from '../v2/index.ts'
import { createAuthentication } from './auth.ts'
import { answerClientError } from './client-errors.ts'
import { docsRoutes, type ServedDocument } from './docs.ts'
import { ApiError, asApiError, refusals } from './errors.ts'
import { openStreams } from './event-stream.ts'
import { readForwardedAddresses } from './forwarded.ts'
import { type App, actorOf, type Generation, generationOf } from './generation.ts'
import { helpRoutes } from './help.ts'
import { bodyText, changedValue, placeOfJsonError } from './json-body.ts'
import { keylessRoutes, measureRequests } from './keyless-routes.ts'
import { shedLoad } from './load-shedding.ts'
import { describeRoutes } from './openapi.ts'
import { createRateLimits } from './rate-limits.ts'
import { asRequest, identifyRequests, REQUEST_ID, requestIdOf } from './request-ids.ts'
import { createRouteTable } from './route-table.ts'
import { traceRequests } from './tracing.ts'
import { validatorCompiler } from './validation.ts'

/** Limit for most bodies; routes with arrays have their own. */
const BODY_BYTES = 1024 * 1024
/** Of routes that ask for no key: a sign-in is shorter. */
const OPEN_BODY_BYTES = 4 * 1024
const HEADER_BYTES = 16 * 1024
const HEADER_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000
/** A handler that is not done by then answers 503; database statements are cancelled earlier. */
const HANDLER_TIMEOUT_MS = 45_000
const KEEP_ALIVE_MS = 72_000
/** How often Node checks for requests that are late. */
const LATENESS_CHECK_MS = 2000
/** How often a server that closes looks for connections that became idle. */
const CLOSING_CHECK_MS = 500

/**
 * Whether the server emits `upgrade` for a request. Others are answered as usual: some clients offer HTTP/2 in this way with every
 * request, such as that of Java. A WebSocket has no body, and nothing limits the time of one.
 */
const isWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'

/** The order does not matter: the longest prefix of a path decides. */
const GENERATIONS = [
  newerGeneration,
  olderGeneration,
  compatNewerGeneration,
  compatOlderGeneration,
  dashboardGeneration,
  mcpGeneration,
]

/** `generations` is for tests; the service has all of them. */
export async function buildApi(
  dependencies: ApiDependencies,
  generations: readonly Generation[] = GENERATIONS,
): Promise<App> {
  const { log, settings } = dependencies
  const app: App = Fastify({
    logger: false,
    genReqId: requestIdOf,
    requestIdHeader: false,
    bodyLimit: BODY_BYTES,
    requestTimeout: settings.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    handlerTimeout: HANDLER_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    trustProxy: settings.trustedProxies ? [...settings.trustedProxies] : false,
    routerOptions: { ignoreTrailingSlash: true },
    http: {
      shouldUpgradeCallback: isWebSocket,
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: Math.min(HEADER_TIMEOUT_MS, settings.requestTimeoutMs ?? REQUEST_TIMEOUT_MS),
      connectionsCheckingInterval: Math.min(LATENESS_CHECK_MS, settings.requestTimeoutMs ?? REQUEST_TIMEOUT_MS),
    },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      answer(asApiError(error), request as FastifyRequest, reply as FastifyReply)
    },
  })
  if (settings.trustedProxies) readForwardedAddresses(app)
  const routes = createRouteTable(app)
  app.decorate('routeTable', routes)
  /** Paths that no route begins like, such as `/v1/bots`, belong to no generation: the first one answers. */
  const generationAt = (url: string) =>
    (routes.hasBeginning(pathOf(url)) ? generationOf(generations, pathOf(url)) : null) ?? generations[0]!

  function answer(error: ApiError, request: FastifyRequest, reply: FastifyReply): void {
    const generation = request.generation ?? generationAt(request.url)
    const { status, body } = generation.errorBody(error, request)
    request.refusal = { code: error.code, body }
    reply.raw.setHeader(REQUEST_ID, request.id)
    reply.code(status).headers(error.headers)
    if (error.retryAfter !== null) reply.header('retry-after', String(error.retryAfter))
    reply.send(body)
  }

  app.decorateRequest('caller', null)
  app.decorateRequest('actor', null)
  app.decorateRequest('generation', null)
  app.decorateRequest('bodyHash', null)
  app.decorateRequest('refusal', null)
  app.setErrorHandler((thrown, request, reply) => {
    const error = asApiError(thrown)
    const { method, routeOptions } = request
    if (error.status >= 500 && !(thrown instanceof ApiError))
      asRequest(request, () =>
        log.error({ method, route: routeOptions.url, error: describe(thrown) }, 'Request could not be processed'),
      )
    answer(error, request, reply)
  })
  const refuseUnknown = ({ method, url }: FastifyRequest): never => {
    const path = pathOf(url)
    const allowed = routes.methodsAt(path)
    const isOtherMethod = allowed.length > 0 && METHODS.includes(method)
    throw isOtherMethod ? refusals.methodNotAllowed(method, path, allowed) : refusals.notFound(method, path)
  }
  // Hooks run for unknown paths only if there is a handler for them. Nothing reads the body of such a request.
  app.setNotFoundHandler(refuseUnknown)
  app.addHook('onRequest', async (request) => {
    if (request.is404) refuseUnknown(request)
  })
  app.addHook('preClose', endIdleConnections(app.server))
  identifyRequests(app)
  parseJsonOnly(app)
  shedLoad(app, settings.shedding)
  openStreams(app, dependencies)

  const hintLaunchers = createHint(dependencies.acrossTeams, 'bots', (error) =>
    dependencies.log.warn({ error: String(error) }, 'Launchers could not be notified of a new bot'),
  )
  const requestLog = createRequestLog(dependencies.acrossTeams, log)
  app.addHook('onClose', () => requestLog.close())
  const authentication = createAuthentication(dependencies, createRateLimits())
  const documents: ServedDocument[] = []
  traceRequests(app, dependencies.traces ?? NO_TRACES)
  measureRequests(app, dependencies)
  keylessRoutes(app, dependencies)
  await hookRoutes(app, dependencies)
  for (const generation of generations) {
    await app.register(
      async (scope: App) => {
        scope.setValidatorCompiler(validatorCompiler(generation.unknownFields))
        scope.setSerializerCompiler(() => (data) => JSON.stringify(data))
        scope.addHook('onRoute', (route) => {
          if (route.config?.isOpen) route.bodyLimit ??= OPEN_BODY_BYTES
        })
        scope.addHook('onRequest', async (request, reply) => {
          request.generation = generation
          await authentication.check(generation, request, reply)
        })
        // The first hook after the body is read, which loses the context: later hooks and the handler act for the caller.
        scope.addHook('preValidation', (request, _reply, done) => {
          request.actor = actorOf(request)
          actAs(request.actor, done)
        })
        scope.addHook('onResponse', async (request, reply) => {
          const { id: requestId, caller, method, url: path, refusal: error } = request
          const { statusCode: status, elapsedTime: ms } = reply
          if (caller?.keyId)
            requestLog.add({ teamId: caller.teamId, keyId: caller.keyId, requestId, method, path, status, ms, error })
          if (lacksEntry(request, reply))
            log.error({ method: request.method, route: request.routeOptions.url }, 'A change is not in the audit log')
          if (request.routeOptions.config.createsBots && reply.statusCode < 300) hintLaunchers()
        })
        if (generation.document !== undefined) {
          const { document: about } = generation
          const document = await describeRoutes(scope, { ...generation, document: about }, settings, dependencies.clock)
          documents.push({ ...about, document })
        }
        await generation.routes(scope, dependencies)
      },
      { prefix: generation.prefix },
    )
  }
  docsRoutes(app, documents)
  if (settings.dashboardFolder !== undefined) pageRoutes(app, settings.dashboardFolder)
  if (settings.helpFolder !== undefined) helpRoutes(app, settings.helpFolder)
  return app
}

function lacksEntry({ actor, method, routeOptions }: FastifyRequest, reply: FastifyReply): boolean {
  const { changes = method === 'GET' || method === 'HEAD' ? 'never' : 'always' } = routeOptions.config
  const isRepeat = reply.hasHeader('idempotent-replayed')
  return changes === 'always' && reply.statusCode < 300 && !isRepeat && actor?.entries === 0
}

/**
 * Node looks once when it begins to close. A connection whose request is answered, but not yet read to its end, is not idle
 * then; one that never sent anything is never idle for it.
 */
function endIdleConnections(server: Server): (done: () => void) => void {
  const silent = new Set<Socket>()
  server.on('connection', (socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  server.on('request', ({ socket }) => silent.delete(socket))
  const look = () => {
    server.closeIdleConnections()
    for (const socket of silent) if (socket.bytesRead === 0) socket.destroy()
  }
  return (done) => {
    if (server.listening) {
      const looking = setInterval(look, CLOSING_CHECK_MS)
      server.once('close', () => clearInterval(looking))
    }
    done()
  }
}

function pathOf(url: string): string {
  return url.split('?', 1)[0]!
}

/** JSON is the only body. An empty one reads as none, since clients send the type of JSON with every request. */
function parseJsonOnly(app: App): void {
  // Names that change a prototype are refused with their place.
  const parse = app.getDefaultJsonParser('ignore', 'ignore')
  app.removeAllContentTypeParsers()
  app.addHook('onRequest', async (request) => {
    // No body is announced, so its type does not matter.
    if (request.headers['content-length'] === '0') delete request.headers['content-type']
    else if (ignoresBody(request)) request.headers['content-type'] = 'application/json'
  })
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer
    if (request.headers['idempotency-key'] !== undefined)
      request.bodyHash = createHash('sha256')
        // The query decides what is done, such as `all_occurrences`.
        .update(`${request.method} ${request.url}\n`)
        .update(bytes)
        .digest()
    if (ignoresBody(request)) return done(null, undefined)
    const text = bodyText(bytes, request.headers)
    if (text.trim() === '') return done(null, undefined)
    parse(request, text, (error, value) =>
      done(error ? refusals.invalidJson(placeOfJsonError(text)) : changedValue(text), value),
    )
  })
}

/** Clients send a body with every request; one of a DELETE that has no use for it is not even read as JSON. */
function ignoresBody({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'DELETE' && routeOptions.schema?.body === undefined
}

/** For the log: what happened and where, without values of the request. */
function describe(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
}
