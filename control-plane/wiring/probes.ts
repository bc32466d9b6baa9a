/** `/healthz`, `/readyz` and `/metrics` of a process without the role `api`, and the server that its control links and jobs share. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Registry } from 'prom-client'
import type { Database } from '../store/database.ts'
import { databaseTime } from '../store/drain.ts'

export interface Place {
  host: string
  port: number
}

export interface ProbeSettings {
  database: Database
  /** The checks of `/readyz` besides the database, by name. A rejected check has a sentence without secrets. */
  readiness: Readonly<Record<string, () => Promise<void>>>
  /** The registry of `/metrics`. */
  metrics: Registry
  /** Serves `/job/…` (`links/job-address.ts`); absent where this process has no control links. */
  jobs?: (request: {
    path: string
    authorization: string | undefined
  }) => Promise<{ status: number; headers: Record<string, string>; body: string }>
}

export interface Probes {
  server: Server
  listen(place: Place): Promise<void>
  close(): Promise<void>
}

export function createProbes({ database, readiness, metrics, jobs }: ProbeSettings): Probes {
  const checks = Object.entries({ database: () => askDatabase(database), ...readiness })

  async function answerReadiness(response: ServerResponse): Promise<void> {
    const problems = await Promise.all(checks.map(([name, check]) => problemOf(name, check)))
    const found = problems.filter((problem) => problem !== null)
    answer(response, found.length === 0 ? 200 : 503, found.join('\n') || 'ok')
  }

  async function answerMetrics(response: ServerResponse): Promise<void> {
    const text = await metrics.metrics()
    response.writeHead(200, { 'content-type': metrics.contentType }).end(text)
  }

  async function answerJob(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, headers, body } = await jobs!({ path, authorization: request.headers.authorization })
    response.writeHead(status, headers).end(body)
  }

  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0] ?? ''
    const failed = () => answer(response, 500, 'failed')
    if (path === '/healthz') answer(response, 200, 'ok')
    else if (path === '/readyz') answerReadiness(response).catch(failed)
    else if (path === '/metrics') answerMetrics(response).catch(failed)
    else if (jobs && request.method === 'GET' && path.startsWith('/job/'))
      answerJob(path, request, response).catch(() => answer(response, 503, 'The job cannot be looked up now'))
    else answer(response, 404, 'This process does not have the role api')
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

/** The driver's own message may hold the address of the database. */
async function askDatabase(database: Database): Promise<void> {
  await databaseTime(database).catch((error: unknown) => {
    throw new Error('The database does not answer', { cause: error })
  })
}

async function problemOf(name: string, check: () => Promise<void>): Promise<string | null> {
  try {
    await check()
    return null
  } catch (error) {
    return `${name}: ${(error as Error).message}`
  }
}

function answer(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent) response.destroy()
  else response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`)
}
