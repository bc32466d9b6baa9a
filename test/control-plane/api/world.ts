/** The API of a world, and teams with keys. Requests are injected; every answer is judged by the OpenAPI document. */

import { inspect } from 'node:util'
import type { Generation } from '@standin/control-plane/api/http/generation.ts'
import { createReadList } from '@standin/control-plane/api/http/read-list.ts'
import { buildApi } from '@standin/control-plane/api/http/server.ts'
import { EventTail } from '@standin/control-plane/api/v2/bot-events/tail.ts'
import type { InjectOptions, Response } from 'light-my-request'
import { expect } from 'vitest'
import type { ApiDependencies } from '../../../control-plane/api/dependencies.ts'
import { pricesSchema } from '../../../control-plane/bots/prices.ts'
import type { CalendarOperations } from '../../../control-plane/calendars/operations.ts'
import { createGuardedClient } from '../../../control-plane/platform/outgoing/guarded-client.ts'
import type { ArtifactField as ArtifactLink } from '../../../control-plane/platform/ports.ts'
import { createMetrics } from '../../../control-plane/platform/watching/metrics.ts'
import { createProbes } from '../../../control-plane/platform/watching/probes.ts'
import { openDatabase } from '../../../control-plane/store/database.ts'
import { PartialFeed } from '../../../control-plane/store/partial-words.ts'
import { createPerson, type Role } from '../../../control-plane/store/people/people.ts'
import { openSession } from '../../../control-plane/store/people/sessions.ts'
import { prepareCallerRole } from '../../../control-plane/store/row-security.ts'
import { createKey, type Permission } from '../../../control-plane/store/teams/keys.ts'
import type { TeamChange } from '../../../control-plane/store/teams/teams.ts'
import { resendEnd, sendCallback, sendTest } from '../../../control-plane/webhooks/replay.ts'
import { type Base, MEET, quiet, seals } from '../world.ts'
import { createJudge, DOCUMENTS } from './openapi-judge.ts'
import { type Answer, answerOf, openVisitor } from './visitor.ts'

const PRICES = pricesSchema.parse({
  currency: 'EUR',
  as_of: '2026-11-01',
  core_hour: '0.04',
  memory_gb_hour: '0.005',
  gb_sent: '0.12',
})

const NO_LINKS: Record<ArtifactLink, string | null> = {
  video: null,
  audio: null,
  diarization: null,
  raw_transcription: null,
  transcription: null,
  chat_messages: null,
}

/** For tests that are about other things: every operation rejects. */
const NO_CALENDARS = new Proxy({} as CalendarOperations, {
  get: (_operations, name) => async () => {
    throw new Error(`The test has no calendars, and ${String(name)} was called`)
  },
})

/** The service's own check, in each test of the API. */
const UNLOGGED = 'A change is not in the audit log'

export type GivenToApi = Partial<ApiDependencies> & { generations?: readonly Generation[] }

export async function openApi(base: Base, { generations, ...given }: GivenToApi) {
  const { database: acrossTeams, url, teamId: newTeam } = base
  const { role: callerRole } = await prepareCallerRole(acrossTeams)
  if (callerRole === null) throw new Error('Row security is not used')
  const database = openDatabase({ url, role: 'test', connections: 12, callerRole })
  const metrics = createMetrics({ database: acrossTeams, log: quiet, cacheMs: 0 }).registry
  const client = createGuardedClient({ allowPrivate: false })
  const eventTail = new EventTail(acrossTeams, quiet)
  const unlogged: object[] = []
  const dependencies: ApiDependencies = {
    database,
    acrossTeams,
    keyDatabase: acrossTeams,
    readList: createReadList(database),
    eventTail,
    partials: new PartialFeed(),
    seals,
    links: {
      publicUrl: 'https://standin.test',
      sign: async () => null,
      olderTranscript: async () => [],
      linksOf: async () => NO_LINKS,
      screenshotsOf: async () => [],
      linkTo: async () => null,
    },
    webhooks: {
      sendTest: (endpointId) => sendTest(database, endpointId),
      sentBody: async ({ body }) => body,
      resendEnd: (botId) => resendEnd(database, botId),
      sendCallback: (botId, target) => sendCallback(database, seals, botId, target),
    },
    calendars: NO_CALENDARS,
    conferencing: {
      authorize: async () => ({ unavailable: 'The tests have no provider.', retryAfterMs: null }),
      checkTeamsApp: async () => null,
    },
    client,
    clock: Date,
    log: { ...quiet, error: (fields, message) => void (message === UNLOGGED && unlogged.push(fields)) },
    files: null,
    metrics,
    probes: createProbes({ database: acrossTeams, metrics }),
    settings: { publicUrl: 'http://127.0.0.1', commandTimeoutMs: 2000, hasZoomApp: true, prices: PRICES },
    ...given,
  }
  const app = await (generations ? buildApi(dependencies, generations) : buildApi(dependencies))

  await app.ready()
  const like = generations ? null : inspect([Object.keys(given).sort(), dependencies.settings], { depth: null })
  const judge = await createJudge(app, DOCUMENTS, like)
  const inject = app.inject.bind(app) as (options: InjectOptions) => Promise<Response>
  const judged = async (options: InjectOptions) => {
    const answer = await inject(options)
    expect(answer.headers['x-request-id'], 'the id of the request').toBeDefined()
    const path = String(options.url ?? options)
    if (path.startsWith('/dashboard/api/')) judge.check(judgeable(options.method ?? 'GET', path, answer))
    return answer
  }
  app.inject = judged as typeof app.inject

  async function team(change: TeamChange = {}, permission: Permission = 'full') {
    const teamId = await newTeam(change)
    const { key, keyId } = await createKey(acrossTeams, { teamId, name: 'test', permission, seal: null })
    return { teamId, key, keyId, ...callerWith(key) }
  }

  /** A person of a team, a new one if none is given, who is signed in at the dashboard. */
  async function person<T extends { teamId: string } = Awaited<ReturnType<typeof team>>>(role: Role = 'owner', of?: T) {
    const whose = (of ?? (await team())) as T
    const values = { teamId: whose.teamId, name: 'Ada', email: null, role }
    const personId = (await createPerson(acrossTeams, values))!
    const visitor = openVisitor(app)
    visitor.cookies.set('standin_session', await openSession(acrossTeams, personId))
    return { ...whose, ...visitor, personId, cookie: visitor.cookie() }
  }

  /** Requests with a key. */
  function callerWith(key: string) {
    const send = async (
      method: InjectOptions['method'],
      path: string,
      body?: unknown,
      headers = {},
    ): Promise<Answer> => {
      const answer: Response = await app.inject({
        method: method!,
        url: path,
        headers: {
          'x-service-api-key': key,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      judge.check(judgeable(method!, path, answer))
      return answerOf(answer)
    }
    return {
      get: (path: string, _body?: unknown, headers?: object) => send('GET', path, undefined, headers),
      post: (path: string, body?: unknown, headers?: object) => send('POST', path, body, headers),
      patch: (path: string, body?: unknown, headers?: object) => send('PATCH', path, body, headers),
      delete: (path: string, body?: unknown, headers?: object) => send('DELETE', path, body, headers),
    }
  }

  base.closes(async () => {
    await app.close()
    eventTail.close()
    expect(unlogged, UNLOGGED).toEqual([])
    await client.close()
    await database.destroy()
  })
  return {
    app,
    judge,
    callers: database,
    dependencies,
    team,
    person,
    callerWith,
    /** A bot that is queued; rejects if it is refused. */
    async bot(caller: ReturnType<typeof callerWith>, fields: object = {}): Promise<string> {
      const { status, body, text } = await caller.post('/v2/bots', { bot_name: 'Bot', meeting_url: MEET, ...fields })
      if (status !== 201) throw new Error(text)
      return body.data.bot_id
    },
  }
}
export type Team = Awaited<ReturnType<Awaited<ReturnType<typeof openApi>>['team']>>

function judgeable(method: string, path: string, { statusCode: status, headers, payload: text }: Response) {
  return { method, path, status, contentType: String(headers['content-type'] ?? ''), text, headers }
}
