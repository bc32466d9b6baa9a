/** The id of a request: in the answer, and in each log line that the request causes. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { withLogFields } from '../../platform/log-fields.ts'
import type { App } from './generation.ts'

export const REQUEST_ID = 'x-request-id'
/** A caller's own id gets into logs and answers, so it is short and plain. */
const OWN_ID = /^[\w.-]{1,64}$/

export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const own = headers[REQUEST_ID]
  return typeof own === 'string' && OWN_ID.test(own) ? own : randomUUID()
}

/** Runs a part of a request with its id in the log. */
export function asRequest<T>({ id: requestId }: Pick<FastifyRequest, 'id'>, work: () => T): T {
  return withLogFields({ requestId }, work)
}

export function identifyRequests(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    // Also of an answer that its handler writes itself.
    reply.raw.setHeader(REQUEST_ID, request.id)
    asRequest(request, done)
  })
  // Reading the body, and the end of the answer, lose the context.
  for (const hook of ['preValidation', 'onResponse'] as const)
    app.addHook(hook, (request: FastifyRequest, _reply: unknown, done: () => void) => asRequest(request, done))
}
