/**
 * Typed client of the Standin API: paths, bodies and answers are those of the OpenAPI documents.
 *
 *   const { v2 } = createStandinClient({ baseUrl: 'http://127.0.0.1:8080', apiKey })
 *   const { data: bot } = await answerOf(v2.POST('/v2/bots', { body: { bot_name: 'Notes', meeting_url } }))
 */
import createClient, { type Client } from 'openapi-fetch'
import type { paths as OlderPaths } from './older.ts'
import type { components, paths as NewerPaths } from './v2.ts'

export { answerOf, StandinApiError } from './answers.ts'
export { type FollowOptions, type FollowTeamOptions, followEvents, followTeam } from './follow.ts'

export interface StandinClientOptions {
  /** Address of the service, such as `https://bots.example.com`. */
  baseUrl: string
  /** Absent if something else proves who asks, such as the session of the dashboard. */
  apiKey?: string
  headers?: Readonly<Record<string, string>>
  /** For tests, proxies and time-outs. Default: the global one. */
  fetch?: typeof fetch
}

export interface StandinClient {
  /** The newer generation. */
  v2: Client<NewerPaths>
  /** The older generation, whose paths have no prefix. */
  older: Client<OlderPaths>
}

export type Schemas = components['schemas']

export function createStandinClient({ baseUrl, apiKey, headers, fetch }: StandinClientOptions): StandinClient {
  const options = {
    // Another host must not get the key: no redirect is followed.
    redirect: 'manual' as const,
    baseUrl: baseUrl.replace(/\/+$/, ''),
    headers: { ...headers, ...(apiKey !== undefined && { 'x-service-api-key': apiKey }) },
    ...(fetch && { fetch: (request: Request) => fetch(request) }),
  }
  return { v2: createClient<NewerPaths>(options), older: createClient<OlderPaths>(options) }
}
