/** Every operation of both OpenAPI documents has what generators of clients need. */
import { describe, expect, test } from 'vitest'
import { openWorld } from '../world.ts'
import { operationsIn } from './openapi-judge.ts'

interface Operation {
  operationId?: string
  parameters?: { $ref?: string; name?: string; in?: string; schema?: Record<string, unknown>; description?: string }[]
  responses: Record<string, { headers?: Record<string, { $ref: string }> }>
}

const world = await openWorld({ api: {} })

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
    const { paths, components } = (await world.app.inject(address)).json() as {
      paths: Record<string, Record<string, Operation>>
      components: Record<'parameters' | 'headers', object>
    }
    const operations = Object.entries(operationsIn({ paths, components })).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
    )
    return { components, operations }
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
      expect(schema).toMatchObject({ type: 'integer' })
      expect(description).toMatch(/default \d+/i)
    }
  })
})

test.each(['status', 'meeting_platform'])('the document names the words of %s', async (name) => {
  const { paths } = (await world.app.inject('/openapi.json')).json()
  const [parameter] = paths['/v2/bots'].get.parameters.filter((one: { name: string }) => one.name === name)
  expect(parameter.description).toContain(name === 'status' ? 'in_waiting_room' : 'meet, teams, zoom, jitsi')
})
