/** A real receiver of webhooks, with configurable behaviour, which keeps the received requests. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  at: number
  method: string
  path: string
  headers: Record<string, string>
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: bodies of tests
  body: any
}

export interface Receiver {
  url: string
  received: Received[]
  /** The most requests that were open at once. */
  mostAtOnce(): number
  close(): Promise<void>
}

export type Behavior = (request: Received, response: ServerResponse, count: number) => void

export const answer =
  (status: number, headers: Record<string, string> = {}, body = ''): Behavior =>
  (_request, response) =>
    response.writeHead(status, headers).end(body)

export async function startReceiver(behavior: Behavior = answer(200), host = '127.0.0.1'): Promise<Receiver> {
  const received: Received[] = []
  let open = 0
  let most = 0
  const server = createServer(async (request: IncomingMessage, response) => {
    open++
    most = Math.max(most, open)
    response.on('close', () => open--)
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const text = Buffer.concat(pieces).toString()
    const entry = {
      at: Date.now(),
      method: request.method!,
      path: request.url!,
      headers: request.headers as Record<string, string>,
      text,
      body: JSON.parse(text),
    }
    received.push(entry)
    behavior(entry, response, received.length)
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}/hook`,
    received,
    mostAtOnce: () => most,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
