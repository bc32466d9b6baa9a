/** An endpoint for spans, OTLP over HTTP with JSON. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  status: { code?: number; message?: string }
  attributes: Record<string, unknown>
  service: unknown
}

type Value = { stringValue?: string; intValue?: string | number; boolValue?: boolean; doubleValue?: number }
type Pair = { key: string; value: Value }

const attributesOf = (pairs: Pair[] = []) =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]))

export async function startOtlpReceiver(status = 200) {
  const spans: ReceivedSpan[] = []
  const paths: string[] = []
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    paths.push(request.url!)
    if (status !== 200) return void response.writeHead(status).end()
    const { resourceSpans } = JSON.parse(Buffer.concat(pieces).toString())
    for (const { resource, scopeSpans } of resourceSpans)
      for (const scope of scopeSpans)
        for (const span of scope.spans)
          spans.push({
            ...span,
            attributes: attributesOf(span.attributes),
            service: attributesOf(resource.attributes)['service.name'],
          })
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    paths,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
