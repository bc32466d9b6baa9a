/** The server over streamable HTTP, without sessions: a server of its own answers each request, so that none is remembered. */
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { createStandinClient } from '@standin/client/index.ts'
import type { InTurn } from '@standin/wire/time/in-turn.ts'
import { withArguments } from './line-transport.ts'
import { createMeetings, type Meetings } from './meetings.ts'
import { createMcpServer, type McpOptions } from './server.ts'

/** Of no host: `api` answers what is asked of it. */
const API = 'http://api.invalid'
/** Headers that the transport checks. */
const CHECKED = ['accept', 'content-type', 'origin', 'mcp-protocol-version']

interface HttpCall extends McpOptions {
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Read from JSON. */
  body: unknown
  /** Requests with another `Origin` get 403: no page of a foreign site calls, not even by a rebound name. */
  origin: string
  /** Asks the API as the caller. */
  api: typeof fetch
  /** Reads the signed links that the API gives. */
  files: typeof fetch
  /** Gives turns to read whole transcripts, which are large. */
  reading: InTurn
  signal: AbortSignal
}

/** The answer to one POST, which waits for all tools that it calls. Rejects with the reason of `signal` once that is aborted. */
export async function answerOverHttp({ headers, body, origin, api, files, reading, signal, ...options }: HttpCall) {
  const meetings = createMeetings(createStandinClient({ baseUrl: API, fetch: api }), files)
  const transcript: Meetings['transcript'] = (bot) => reading(() => meetings.transcript(bot))
  const server = createMcpServer({ ...meetings, transcript }, options)
  const transport = new WebStandardStreamableHTTPServerTransport({
    // Nothing comes before the answer, and JSON passes each proxy.
    enableJsonResponse: true,
    enableDnsRebindingProtection: true,
    allowedOrigins: [origin],
  })
  await server.connect(transport as Transport)
  const given = CHECKED.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]))
  const request = new Request(API, { method: 'POST', headers: given as [string, string][] })
  const aborted = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => aborted.reject(signal.reason), { once: true })
  const parsedBody = Array.isArray(body) ? body.map(withArguments) : withArguments(body)
  // Of a request that is canceled in its own batch there is no answer.
  return Promise.race([transport.handleRequest(request, { parsedBody }), aborted.promise])
}
