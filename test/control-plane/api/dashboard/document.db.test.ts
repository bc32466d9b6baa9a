/** The document of the dashboard's own API. The world of the tests judges each answer of `/dashboard/api` by it. */
import { expect, test } from 'vitest'
import { dashboardGeneration } from '../../../../control-plane/api/dashboard/index.ts'
import type { App } from '../../../../control-plane/api/http/generation.ts'
import { openWorld } from '../../world.ts'
import { operationsIn } from '../openapi-judge.ts'

const world = await openWorld({ api: {} })
const document = (await world.app.inject('/openapi-dashboard.json')).json()

/** Method and path of each route that the dashboard registers. */
function registeredRoutes(): string[] {
  const routes: string[] = []
  const recorder = new Proxy({} as App, {
    get: (_app, method: string) => (path: unknown) => {
      if (/^(?:get|post|put|patch|delete)$/.test(method))
        routes.push(`${method} ${String(path).replaceAll(/:(\w+)/g, '{$1}')}`)
    },
  })
  void dashboardGeneration.routes(recorder, world.dependencies)
  return routes
}

test('has each route, with the shape of its success and of its errors', () => {
  const operations = Object.entries(operationsIn(document)).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({ name: `${method} ${path}`, responses })),
  )
  expect(operations.map(({ name }) => name).sort()).toEqual(registeredRoutes().sort())
  expect(operations.length).toBeGreaterThan(30)
  for (const { name, responses } of operations) {
    const { default: failed, ...succeeded } = responses
    expect(failed?.content?.['application/json']?.schema, name).toEqual({ $ref: '#/components/schemas/Error' })
    const [success] = Object.values(succeeded)
    const schema = success?.content?.['application/json']?.schema as { required?: string[] } | undefined
    if (name !== 'get /feed') expect(schema?.required, name).toEqual(['success', 'data'])
  }
})

test('paths are relative to the address of its server, and the page with the public documents does not list it', async () => {
  expect(document.servers).toEqual([{ url: 'http://127.0.0.1/dashboard/api' }])
  const page = await world.app.inject('/docs/')
  expect(page.payload).toContain('/openapi.json')
  expect(page.payload).not.toContain('openapi-dashboard')
})

test('an answer with another shape fails the test that gets it', async () => {
  await world.app.inject('/dashboard/api/sign-in-ways')
  expect([...world.judge.seen]).toEqual(['GET /dashboard/api/sign-in-ways 200'])
  const answer = {
    method: 'GET',
    path: '/dashboard/api/usage',
    status: 200,
    contentType: 'application/json',
    headers: {},
  }
  expect(() => world.judge.check({ ...answer, text: '{"success":true,"data":{"plan":"free"}}' })).toThrow(
    'does not fit',
  )
})
