/**
 * WebSockets of the API. A request for one passes the router like every other request, so key, limits and refusals are the same;
 * `upgradeOf` has the connection that its handler may take over.
 */
import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type WebSocket, WebSocketServer } from 'ws'
import { refusals } from './errors.ts'
import type { App } from './generation.ts'

const MAX_MESSAGE_BYTES = 4 * 1024

const upgrades = new WeakMap<IncomingMessage, { socket: Duplex; head: Buffer; response: ServerResponse }>()
const webSockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false })

/**
 * Whether the server emits `upgrade` for a request. Others are answered as usual: some clients offer HTTP/2 in this way with every
 * request, such as that of Java. A WebSocket has no body, and nothing limits the time of one.
 */
export const isWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'

/** For the `upgrade` event of the server. */
export function routeUpgrade(app: App, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  socket.on('error', () => socket.destroy())
  const response = new ServerResponse(request)
  response.assignSocket(socket as never)
  response.shouldKeepAlive = false
  response.once('finish', () => {
    socket.once('finish', () => socket.destroy())
    socket.end()
  })
  upgrades.set(request, { socket, head, response })
  app.routing(request, response)
}

/** Rejects with 426 if the request did not ask for a WebSocket. */
export async function acceptWebSocket({ raw }: FastifyRequest, reply: FastifyReply): Promise<WebSocket> {
  const upgrade = upgrades.get(raw)
  if (upgrade === undefined) throw refusals.needsWebSocket()
  const { socket, head, response } = upgrade
  reply.hijack()
  response.detachSocket(socket as never)
  // As of a stream: the request is over with its connection.
  socket.once('close', () => response.emit('close'))
  return new Promise((resolve) => webSockets.handleUpgrade(raw, socket, head, resolve))
}
