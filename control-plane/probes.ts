/** `/healthz` and `/readyz` of a process without the role `api`, and the server that its control links share. */
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Database } from './store/database.ts'
import { databaseTime } from './store/drain.ts'

export interface Place {
  host: string
  port: number
}

export interface Probes {
  server: Server
  listen(place: Place): Promise<void>
  close(): Promise<void>
}

export function createProbes(database: Database): Probes {
  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0]
    if (path === '/healthz') answer(response, 200, 'ok')
    else if (path === '/readyz')
      databaseTime(database).then(
        () => answer(response, 200, 'ok'),
        () => answer(response, 503, 'The database does not answer'),
      )
    else answer(response, 404, 'This process has not the role api')
  })
  return {
    server,
    listen: (place) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(place, () => resolve())
      }),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeIdleConnections()
      await closed
    },
  }
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`)
}
