/**
 * A proxy between the storage under test and any S3 server. It counts requests, and lets a test intervene at an exact
 * moment, so that the same suite runs against a real server and against ours.
 */
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http'
import { operationOf } from './s3-operations.ts'

interface Passing {
  operation: string
  key: string
  partNumber: number | null
}

export interface S3Proxy {
  endpoint: string
  /** Requests so far, oldest first. */
  seen: Passing[]
  mostAtOnce(operation: string): number
  /** Called before each request, which is passed on when the promise resolves. */
  onRequest: ((passing: Passing) => Promise<void>) | null
  close(): Promise<void>
}

export async function startS3Proxy(target: string): Promise<S3Proxy> {
  const { hostname, port } = new URL(target)
  const underWay = new Map<string, { now: number; most: number }>()
  const seen: Passing[] = []

  function pass(message: IncomingMessage, response: ServerResponse): void {
    // The proxy has answered the client's "Expect: 100-continue" itself. The host stays, since it is signed.
    const { expect: _, ...headers } = message.headers
    const onward = sendRequest({ hostname, port, method: message.method, path: message.url, headers, agent: false })
    onward.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.on('error', () => response.destroy())
      answer.pipe(response)
    })
    onward.once('error', () => message.socket.destroy())
    response.once('close', () => onward.destroy())
    message.pipe(onward)
  }

  async function handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { operation, key, partNumber } = operationOf(message.method ?? '', message.url ?? '/', message.headers)
    const passing = { operation, key, partNumber }
    seen.push(passing)
    const count = underWay.get(operation) ?? { now: 0, most: 0 }
    underWay.set(operation, count)
    count.now += 1
    count.most = Math.max(count.most, count.now)
    response.once('close', () => {
      count.now -= 1
    })
    await proxy.onRequest?.(passing)
    pass(message, response)
  }

  const server = createServer((message, response) => {
    handle(message, response).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port')
  const proxy: S3Proxy = {
    endpoint: `http://127.0.0.1:${address.port}`,
    seen,
    mostAtOnce: (operation) => underWay.get(operation)?.most ?? 0,
    onRequest: null,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}
