/** Every operation of both OpenAPI documents has what generators of clients need. */
import { describe, expect, test } from 'vitest'
import { openWorld } from '../world.ts'
import { operationsServed } from './openapi-judge.ts'

interface Operation {
  operationId?: string
  parameters?: { $ref?: string; name?: string; in?: string; schema?: Record<string, unknown>; description?: string }[]
  responses: Record<string, { headers?: Record<string, { $ref: string }> }>
}

// Making the documents keeps the process from its requests for a while.
const shedding = { maxEventLoopDelayMs: 60_000, patienceMs: 60_000 }
const world = await openWorld({ api: { settings: { publicUrl: 'http://127.0.0.1', shedding } } })

const KEY = '#/components/parameters/IdempotencyKey'
const IDEMPOTENT = {
  '/openapi.json': [
    'POST /v2/accounts',
    'POST /v2/bots',
    'POST /v2/bots/batch',
    'POST /v2/bots/scheduled',
    'POST /v2/bots/scheduled/batch',
    'POST /v2/calendars',
    'POST /v2/calendars/{calendar_id}/bots',
    'POST /v2/conf-credentials',
  ],
  '/openapi-older.json': [
    'POST /bots',
    'POST /calendar_events/{uuid}/bot',
    'POST /calendars',
    'POST /conf_oauth_connections',
  ],
}

describe.each(Object.entries(IDEMPOTENT))('%s', (address, idempotent) => {
  async function document() {
    const { components } = (await world.app.inject(address)).json() as {
      components: Record<'parameters' | 'headers', object>
    }
    return { components, operations: await operationsServed<Operation>(world.app, [address]) }
  }

  test('each operation has its own operationId, which is an identifier', async () => {
    const { operations } = await document()
    const ids = operations.map(({ operation }) => operation.operationId ?? '')
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9]+$/)
    expect(new Set(ids).size).toBe(operations.length)
  })

  test('each 429 and 503 declares retry-after', async () => {
    const { operations, components } = await document()
    expect(components.headers).toHaveProperty('RetryAfter')
    for (const { operation } of operations)
      for (const status of ['429', '503'])
        expect(operation.responses[status]?.headers?.['retry-after']).toEqual({
          $ref: '#/components/headers/RetryAfter',
        })
  })

  test('operations that create something, and only these, take an Idempotency-Key and declare its answer', async () => {
    const { operations, components } = await document()
    expect(components.parameters).toHaveProperty('IdempotencyKey')
    const takes = operations.filter(({ operation }) => operation.parameters?.some(({ $ref }) => $ref === KEY))
    expect(takes.map(({ name }) => name).sort()).toEqual(idempotent)
    for (const { name, operation } of operations)
      for (const [status, { headers }] of Object.entries(operation.responses))
        expect(headers?.['idempotent-replayed'] !== undefined).toBe(idempotent.includes(name) && status.startsWith('2'))
  })

  test('each limit is a number', async () => {
    const { operations } = await document()
    const limits = operations.flatMap(
      ({ operation }) => operation.parameters?.filter(({ name }) => name === 'limit') ?? [],
    )
    expect(limits.length).toBeGreaterThan(0)
    for (const { schema, description } of limits) {
      const number = expect.any(Number)
      expect(schema).toMatchObject({ type: 'integer', minimum: 1, maximum: number, default: number })
      expect(description).toMatch(/default \d+/i)
    }
  })
})

test.each(['/openapi.json', '/openapi-older.json'])(
  'answers of %s may get new fields, requests are closed',
  async (address) => {
    const { paths, components, webhooks = {} } = (await world.app.inject(address)).json()
    const { schemas } = components as { schemas: Record<string, object> }
    const closed: string[] = []
    const seen = new Set<unknown>()
    const walk = (value: unknown, place: string): void => {
      if (typeof value !== 'object' || value === null || seen.has(value)) return
      seen.add(value)
      const { additionalProperties, $ref } = value as { additionalProperties?: unknown; $ref?: string }
      if (additionalProperties === false) closed.push(place)
      if (typeof $ref === 'string') walk(schemas[$ref.split('/').at(-1)!], $ref)
      for (const [name, inner] of Object.entries(value)) walk(inner, `${place}/${name}`)
    }
    for (const [path, methods] of Object.entries<Record<string, Operation>>(paths))
      for (const [method, { responses }] of Object.entries(methods)) walk(responses, `${method} ${path}`)
    walk([components.responses, webhooks], 'shared')
    expect(closed).toEqual([])
    expect(JSON.stringify([paths, schemas])).toContain('"additionalProperties":false')
  },
)

test.each(['status', 'meeting_platform'])('the document names the words of %s', async (name) => {
  const { paths } = (await world.app.inject('/openapi.json')).json()
  const [parameter] = paths['/v2/bots'].get.parameters.filter((one: { name: string }) => one.name === name)
  expect(parameter.schema).toMatchObject({ type: 'array', items: { enum: expect.any(Array) } })
  expect(parameter.description).toContain(name === 'status' ? 'in_waiting_room' : 'meet, teams, zoom, jitsi')
})

test.each(['/openapi.json', '/openapi-older.json'])(
  'no operation of %s takes a text that cannot be stored',
  async (address) => {
    const team = await world.team()
    const headers = { 'x-service-api-key': team.key, 'content-type': 'application/json' }
    const { paths } = (await world.app.inject(address)).json()
    let refused = 0
    for (const [path, methods] of Object.entries<Record<string, Operation & { requestBody?: unknown }>>(paths))
      for (const [name, { requestBody, parameters = [] }] of Object.entries(methods)) {
        const hasQuery = parameters.some((one) => one.in === 'query')
        const sent = [
          ...(hasQuery ? [['?any=%00', requestBody && '{}']] : []),
          ...(requestBody
            ? [
                ['', '{"any":{"deep":["\\ud800"]}}'],
                ['', '{"any\\u0000":1}'],
              ]
            : []),
        ]
        for (const [query, payload] of sent) {
          const url = path.replace(/\{\w+\}/g, '5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11') + query
          const method = name.toUpperCase() as 'POST'
          const answer = await world.app.inject({ method, url, headers, ...(payload ? { payload } : {}) })
          // An object that is not there, and a list where an object was sent, are said first.
          expect([400, 404, 422], `${method} ${path}: ${answer.payload}`).toContain(answer.statusCode)
          if (answer.payload.includes('must not contain NUL')) refused += 1
        }
      }
    expect(refused).toBeGreaterThan(10)
  },
)
