/** The HTTP server of a process without the role `api`: its probes, and the jobs of containers. */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { JobHandler, Probes, TextAnswer } from '../../platform/ports.ts'

interface Place {
  host: string
  port: number
}

export interface ListeningServer {
  server: Server
  listen(place: Place): Promise<unknown>
}

export interface BareServer extends ListeningServer {
  close(): Promise<void>
}

/** `jobs` serves `/job/…`; null if the process has no control links. */
export function createBareServer(probes: Probes, jobs: JobHandler | null): BareServer {
  /** Null: there is no such address. */
  function answerTo(path: string, { method, headers }: IncomingMessage): Promise<TextAnswer> | TextAnswer | null {
    const probe = probes[path]
    if (probe && (method === 'GET' || method === 'HEAD')) return probe()
    if (jobs && method === 'GET' && path.startsWith('/job/'))
      return jobs({ path, authorization: headers.authorization }).catch(() =>
        text(503, 'The job cannot be looked up now'),
      )
    return null
  }
  const server = createServer((request, response) => {
    const answer = answerTo(pathOf(request.url), request) ?? text(404, 'This process does not have the role api')
    Promise.resolve(answer)
      .catch(() => text(500, 'failed'))
      .then(({ status, headers, body }) => response.writeHead(status, headers).end(body))
  })
  return {
    server,
    listen: (place) =>
      new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen(place, resolve)
      }),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeIdleConnections()
      await closed
    },
  }
}

/** Without the query and a slash at the end. */
export const pathOf = (url = ''): string => url.split('?', 1)[0]!.replace(/(?<=.)\/$/, '')

const text = (status: number, sentence: string) => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: `${sentence}\n`,
})
