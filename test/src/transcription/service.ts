/** Shared by the servers of speech recognition: requests read whole, sockets that may be refused, and an end. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'

/** A body of text is sent as it is, any other as JSON. */
export type Answer = { status?: number; headers?: Record<string, string>; body: unknown }

interface Serving {
  answer?(request: IncomingMessage, body: Buffer): Answer | Promise<Answer>
  /** The status with which a WebSocket is refused, or null. */
  refuse?(request: IncomingMessage): number | null
  onSocket?(socket: WebSocket, request: IncomingMessage): void
  tls?: { key: string; cert: string }
}

export async function openService({ answer, refuse, onSocket, tls }: Serving) {
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const given = await answer?.(request, Buffer.concat(chunks))
    const { status = 200, headers = {}, body }: Answer = given ?? { status: 404, body: {} }
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
  const server = tls ? createTlsServer(tls, receive) : createServer(receive)
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    const refusal = refuse?.(request) ?? null
    if (refusal === null) {
      sockets.handleUpgrade(request, socket, head, (made) => onSocket?.(made, request))
      return
    }
    // The client may end the connection before it has read everything.
    socket.on('error', () => {})
    socket.end(`HTTP/1.1 ${refusal} Refused\r\nconnection: close\r\n\r\n`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    for (const socket of sockets.clients) socket.terminate()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { port: (server.address() as AddressInfo).port, close }
}

/** For one test: it is closed when the test is over. */
export async function startService(serving: Serving): Promise<number> {
  const { port, close } = await openService(serving)
  onTestFinished(close)
  return port
}
