/** Random requests to every operation of the three OpenAPI documents, from callers with every right and with none. */
import { SESSION_COOKIE } from '@standin/control-plane/api/http/sessions.ts'
import { createPerson } from '../../../../control-plane/store/people/people.ts'
import { openSession } from '../../../../control-plane/store/people/sessions.ts'
import { createKey } from '../../../../control-plane/store/teams/keys.ts'
import { MEET } from '../../world.ts'
import type { openCalendarWorld } from '../calendars/stand-ins.ts'
import { DOCUMENTS } from '../openapi-judge.ts'
import { createRandom, type Schema, Values } from './values.ts'

type World = Awaited<ReturnType<typeof openCalendarWorld>>

interface Operation {
  /** Such as `POST /v2/bots`. */
  name: string
  method: string
  path: string
  parameters: { in: string; name: string; required?: boolean; schema?: Schema }[]
  body: Schema | null
  values: Values
}

interface Problem {
  request: string
  what: string
}

export interface Outcome {
  /** How often each operation was answered with each status. */
  answers: Map<string, Map<number, number>>
  problems: Problem[]
}

/** They never end: streams of events. */
const STREAMS = new Set(['GET /dashboard/api/feed', 'GET /v2/bots/{bot_id}/events/stream', 'GET /v2/events/stream'])
/** A request before has revoked the caller's key or session. */
const SIGNED_OUT = 401
/** Longer than the longest limit of an operation, on a busy machine. */
const MAX_ANSWER_MS = 120_000
const UNAVAILABLE = 503

export async function createFuzz(world: World, seed: number) {
  const random = createRandom(seed)
  const victim = await callerOf(world)
  const attacker = await callerOf(world)
  const sender = await world.team({}, 'sending')
  const ids = new Map<string, unknown[]>()
  const known = (name: string) => {
    if (name === 'meeting_url') return [MEET]
    // Ids of one kind have several names, such as `uuid`, `bot_uuid` and `bot_id`.
    return ids.get(name) ?? (/(?:^|_)(?:uu)?id$/.test(name) ? (ids.get('any id') ?? []) : [])
  }
  // Some calendars can be connected; without them, most operations of calendars would only say that there is none.
  const { clientId, clientSecret } = world.google.tokens
  const accounts = Array.from({ length: 2 }, () => world.google.addAccount())
  for (const { primary } of accounts)
    for (const hours of [1, 3, 5]) primary.create({ start: new Date(Date.now() + hours * 3_600_000), link: MEET })
  ids.set('calendar_platform', ['google']).set('platform', ['Google'])
  ids.set('oauth_client_id', [clientId]).set('oauth_client_secret', [clientSecret])
  ids.set('raw_calendar_id', [accounts[0]!.primary.id, accounts[1]!.primary.id])
  ids.set('oauth_refresh_token', [world.google.tokens.consent(accounts[0]!), world.google.tokens.consent(accounts[1]!)])
  const operations = await operationsOf(world, random, known)

  function callers() {
    return [victim, victim, victim, attacker, { headers: () => ({ 'x-service-api-key': sender.key }) }, NOBODY]
  }

  /** Sends the next request and judges its answer. */
  async function next(outcome: Outcome): Promise<void> {
    const operation = operations[Math.floor(random() * operations.length)]!
    const { values, method } = operation
    const caller = values.pick(callers())
    const url = addressOf(operation)
    const payload = operation.body === null ? (values.chance(0.05) ? '{}' : undefined) : bodyOf(operation)
    const headers: Record<string, string> = {
      ...caller.headers(operation.path.startsWith('/dashboard/')),
      ...(payload !== undefined && { 'content-type': 'application/json' }),
      ...(method === 'POST' && values.chance(0.2) && { 'idempotency-key': `key ${values.upTo(30)}` }),
    }
    const request = `${method} ${url} ${payload ?? ''}`.slice(0, 1_500)
    const problem = (what: string) => outcome.problems.push({ request, what })
    let timer: NodeJS.Timeout | undefined
    try {
      const answer = await Promise.race([
        world.app.inject({ method: method as 'GET', url, headers, ...(payload !== undefined && { payload }) }),
        new Promise<never>((_, reject) => {
          timer = setTimeout(() => reject(new Error('No answer came')), MAX_ANSWER_MS)
        }),
      ])
      const { statusCode: status, payload: text } = answer
      const counts = outcome.answers.get(operation.name) ?? new Map<number, number>()
      outcome.answers.set(operation.name, counts.set(status, (counts.get(status) ?? 0) + 1))
      if (status >= 500 && status !== UNAVAILABLE) problem(`answered ${status}: ${text.slice(0, 500)}`)
      // The attacker's addresses name what the other team has, or nothing.
      if (caller === attacker && status < 300 && namesRow(operation.path, url)) problem("showed another team's")
      world.judge.check({
        ...{ method, path: url, status, text, headers: answer.headers },
        contentType: String(answer.headers['content-type'] ?? ''),
      })
      if (caller === victim && status < 300) harvest(text, ids)
      if (status === SIGNED_OUT && 'renew' in caller) await caller.renew()
    } catch (error) {
      problem(String(error).slice(0, 1_000))
    } finally {
      clearTimeout(timer)
    }
  }

  return { next, operations }
}

const NOBODY = { headers: () => ({ 'x-service-api-key': 'wrong' }) }

/** A team with a key, and with an owner who is signed in to the dashboard. */
async function callerOf(world: World) {
  const { teamId } = await world.team({ api_key_in_webhooks: true })
  let key = ''
  let cookie = ''
  const renew = async () => {
    key = (await createKey(world.database, { teamId, name: 'fuzz', permission: 'full', seal: null })).key
    // A request may have removed the owner before.
    const personId = (await createPerson(world.database, { teamId, name: 'Ada', email: null, role: 'owner' }))!
    cookie = `${SESSION_COOKIE}=${await openSession(world.database, personId)}`
  }
  await renew()
  return {
    teamId,
    renew,
    headers: (isDashboard = false): Record<string, string> =>
      isDashboard ? { cookie, 'x-requested-by': 'dashboard' } : { 'x-service-api-key': key },
  }
}

async function operationsOf(world: World, random: () => number, known: (name: string) => readonly unknown[]) {
  const operations: Operation[] = []
  for (const address of DOCUMENTS) {
    const document = JSON.parse((await world.app.inject(address)).payload)
    const values = new Values(random, document.components.schemas ?? {}, known)
    const base = new URL(document.servers[0].url).pathname.replace(/\/$/, '')
    for (const [template, methods] of Object.entries<Record<string, DocumentedOperation>>(document.paths))
      for (const [method, { parameters = [], requestBody }] of Object.entries(methods)) {
        const name = `${method.toUpperCase()} ${base}${template}`
        if (STREAMS.has(name)) continue
        const body = requestBody?.content['application/json']?.schema ?? null
        const read = parameters.map((parameter) =>
          parameter.$ref === undefined ? parameter : document.components.parameters[parameter.$ref.split('/').at(-1)!],
        )
        operations.push({
          ...{ name, method: method.toUpperCase(), path: base + template, body, values },
          parameters: read,
        })
      }
  }
  return operations
}

interface DocumentedOperation {
  parameters?: { $ref?: string; in: string; name: string; required?: boolean; schema?: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

function addressOf({ path, parameters, values }: Operation): string {
  const filled = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    const { schema = {} } = parameters.find((parameter) => parameter.in === 'path' && parameter.name === name) ?? {}
    return encodeURIComponent(textOf(values.of(schema, name)))
  })
  const query = parameters.flatMap(({ in: place, name, required = false, schema = {} }) =>
    place === 'query' && values.chance(required ? 0.97 : 0.3)
      ? [values.of(schema, name)]
          .flat()
          .map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(textOf(value))}`)
      : [],
  )
  if (values.chance(0.03))
    query.push(values.pick(['x=1', 'limit=', 'limit=1&limit=2', '%', '&&', '[]=1', '__proto__=1']))
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`
}

function bodyOf({ body, values }: Operation): string {
  const text = JSON.stringify(values.of(body!, '')) ?? 'null'
  if (!values.chance(0.03)) return text
  return values.pick([
    text.slice(0, -1),
    `${text}${text}`,
    '',
    'null',
    `[${text}]`,
    text.replace('"', ''),
    '['.repeat(5_000),
  ])
}

/** An address cannot have lone surrogates. */
function textOf(value: unknown): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed()
}

/** Keeps the latest ids of each kind. */
function harvest(text: string, ids: Map<string, unknown[]>): void {
  for (const [, name, id] of text.matchAll(/"((?:\w+_)?u?u?id|delivery)":"([^"]{1,100})"/g)) {
    const all = ids.get(name!) ?? []
    ids.set(name!, [...all, id].slice(-60))
    ids.set('any id', [...(ids.get('any id') ?? []), id].slice(-60))
  }
}

/** Providers are the same for all teams, and each team gives its own names. An empty id leads to the list. */
const namesRow = (path: string, url: string): boolean =>
  path.includes('{') && !/\{(?:provider|name)\}/.test(path) && !url.split('?', 1)[0]!.endsWith('/')
