/** A server that speaks OpenAI's `POST /audio/transcriptions` and answers what the test says. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Asked {
  path: string
  authorization: string | undefined
  fields: [string, string][]
  file: Uint8Array
}

export type Answer = { status?: number; headers?: Record<string, string>; body: unknown }

type Behavior = (asked: Asked, number: number) => Answer | Promise<Answer>

/** For one test: it is closed when the test is over. */
export async function startSpeechService(answer: Behavior) {
  const { close, ...service } = await openSpeechService(answer)
  onTestFinished(close)
  return service
}

export async function openSpeechService(answer: Behavior) {
  const asked: Asked[] = []
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const type = request.headers['content-type'] ?? ''
    const form = await new Response(Buffer.concat(chunks), { headers: { 'content-type': type } }).formData()
    const entry: Asked = {
      path: request.url ?? '',
      authorization: request.headers.authorization,
      fields: [...form].flatMap(([name, value]): [string, string][] =>
        typeof value === 'string' ? [[name, value]] : [],
      ),
      file: new Uint8Array(await (form.get('file') as File).arrayBuffer()),
    }
    asked.push(entry)
    const { status = 200, headers = {}, body } = await answer(entry, asked.length)
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked, close }
}
