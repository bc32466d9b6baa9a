/**
 * `/mcp`: the server for assistants of `packages/mcp` over HTTP. Its tools ask `/v2` of this process with the key of the caller,
 * so that teams, permissions, limits and records are those of the API.
 */
import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { type InTurn, inTurn } from '@standin/wire/time/in-turn.ts'
import type { FastifyRequest } from 'fastify'
import type { ApiDependencies } from '../dependencies.ts'
import { type ApiError, refusals } from '../http/errors.ts'
import { type App, callerOf, type Generation } from '../http/generation.ts'
import { REQUEST_ID } from '../http/request-ids.ts'
import { newerErrorBody } from '../v2/error-body.ts'

/** The longest message is a text to say. */
const BODY_BYTES = 64 * 1024
/** Their tools run at the same time. */
const MAX_MESSAGES = 10
/** Most of them wait for news. */
const MAX_CALLS = { all: 400, ofTeam: 60, ofReader: 20 }
/** Transcripts that a team reads at once. */
const MAX_TRANSCRIPTS = 2
/** Longer than a text that waits for its turn to be said. */
const CALL_TIMEOUT_MS = 150_000

const GONE = 'The caller is gone'
const KEY_HEADER = 'x-service-api-key'

export const mcpGeneration: Generation = {
  prefix: '/mcp',
  isCompat: false,
  keyHeaders: [KEY_HEADER],
  unknownFields: 'refuse',
  errorBody,
  routes: mcpRoutes,
}

const UNREADABLE = ['FST_ERR_CTP_EMPTY_JSON_BODY', 'FST_ERR_CTP_INVALID_JSON_BODY']

/** In the form of JSON-RPC, for refusals before a message is read. */
function errorBody(error: ApiError) {
  const { status, code, message } = error
  const number = UNREADABLE.includes(code) ? -32700 : status < 500 ? -32600 : -32603
  return {
    status,
    body: { jsonrpc: '2.0', id: null, error: { code: number, message, data: newerErrorBody(error).body } },
  }
}

/** There are no sessions, so there is nothing to GET or to DELETE. */
function mcpRoutes(app: App, { links, settings }: ApiDependencies): void {
  const calls = app.streams(MAX_CALLS, 'calls of assistants')
  const { origin } = new URL(settings.publicUrl)
  const turns = new Map<string, InTurn>()
  const closing = new AbortController()
  app.addHook('preClose', async () =>
    closing.abort(refusals.unavailable('The service is closing; call again in a moment')),
  )

  // The tools change things by requests of their own. A key that may only create bots can do so here.
  const config = { permission: 'sending', changes: 'never' } as const
  app.post('', { bodyLimit: BODY_BYTES, config, handlerTimeout: 2 * CALL_TIMEOUT_MS }, async (request, reply) => {
    if (Array.isArray(request.body) && request.body.length > MAX_MESSAGES)
      throw refusals.validation(
        `body has ${request.body.length} messages; at most ${MAX_MESSAGES} are answered at once`,
      )
    calls.takePlace(request, reply)
    if (reply.raw.closed) throw refusals.unavailable(GONE)
    const { teamId } = callerOf(request)
    const reading = turns.get(teamId) ?? inTurn(MAX_TRANSCRIPTS)
    turns.set(teamId, reading)
    const over = new AbortController()
    reply.raw.once('close', () => over.abort(refusals.unavailable(GONE)))
    const late = `The call was not done in ${CALL_TIMEOUT_MS / 1000} s`
    void pause(CALL_TIMEOUT_MS, over.signal).then(
      () => over.abort(refusals.unavailable(late)),
      () => undefined,
    )
    const going = AbortSignal.any([over.signal, closing.signal])
    const api = askAs(app, request, going)
    // Loaded by the first assistant: most services have none, and the protocol's package takes 13 MB.
    const { answerOverHttp } = await import('@standin/mcp/over-http.ts')
    const answer = await answerOverHttp({
      ...{ headers: request.headers, body: request.body, origin, signal: over.signal },
      ...{ version: settings.version ?? '0', api, reading },
      // The public address may not be reachable from here.
      files: (link, init) => {
        const own = String(link).startsWith(`${links.publicUrl}/files/`)
        return own ? api(`http://files.invalid${String(link).slice(links.publicUrl.length)}`) : fetch(link, init)
      },
      pause: (ms) => pause(ms, going),
    })
    return reply
      .code(answer.status)
      .headers(Object.fromEntries(answer.headers))
      .send(await answer.text())
  })
}

/** Rejects with the reason of the signal. */
const pause = (ms: number, signal: AbortSignal) =>
  setTimeout(ms, undefined, { signal }).catch(() => Promise.reject(signal.reason))

/** Requests that this process answers itself, with key, address and id of the caller's, as long as the signal lasts. */
function askAs(app: App, { headers, ip, id }: FastifyRequest, signal: AbortSignal): typeof fetch {
  const { [KEY_HEADER]: key, authorization } = headers
  const own = { ...(key && { [KEY_HEADER]: key }), ...(authorization && { authorization }), [REQUEST_ID]: id }
  return async (input, init) => {
    // A search asks hundreds of times: it ends with its call.
    signal.throwIfAborted()
    const request = new Request(input, init)
    const { pathname, search } = new URL(request.url)
    const payload = await request.text()
    const answer = await app.inject({
      method: request.method as 'GET',
      url: `${pathname}${search}`,
      headers: { ...Object.fromEntries(request.headers), ...own },
      ...(payload !== '' && { payload }),
      remoteAddress: ip,
      payloadAsStream: true,
    })
    const { statusCode: status } = answer
    const body = status === 204 ? null : (Readable.toWeb(answer.stream()) as ReadableStream)
    return new Response(body, { status, headers: answer.headers as Record<string, string> })
  }
}
