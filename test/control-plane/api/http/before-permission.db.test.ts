/** No request costs more than its bytes before it is known who sends it. */
import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { threadCpuUsage } from 'node:process'
import { expect, test } from 'vitest'
import { openWorld } from '../../world.ts'
import { operationsServed } from '../openapi-judge.ts'

const MB = 1_000_000
/** Ten times what a slow machine needs, and a twentieth of what these bodies once cost. */
const MAX_MS = 50
/** Of the same bytes by `JSON.parse`. A look that builds values takes 4 to 22. */
const MAX_READINGS = 4
const ROUNDS = 5
/** JSON that is expensive to look at, of at most 1 MB. */
const SHAPES = {
  exponents: `[${'1e99,'.repeat(MB / 5)}1]`,
  escapes: `["\\u0041",${'{},'.repeat(MB / 3)}1]`,
  'long numbers': `[${'1234567890123456,'.repeat(MB / 17)}1]`,
  names: `{${Array.from({ length: MB / 10 }, (_, place) => `"${place.toString(36)}":1`).join()}}`,
  lists: `${'['.repeat(MB / 2)}${']'.repeat(MB / 2)}`,
}

const world = await openWorld({ api: {} })
await world.app.listen({ host: '127.0.0.1', port: 0 })

/** Paths that exist in no document, and how they are refused. */
const OTHERS = [
  ['POST', '/nowhere', 404],
  ['POST', '/v2/nowhere', 404],
  ['POST', '/files/x', 404],
  ['POST', '/healthz', 405],
  ['PUT', '/v2/bots', 405],
  ['POST', '/hooks/google', 413],
  ['POST', '/hooks/microsoft', 413],
  ['POST', '/hooks/microsoft/lifecycle', 413],
  ['POST', '/dashboard/api/sign-in', 413],
  ['POST', '/dashboard/api/sign-in-link', 413],
] as const

/** Every operation that changes something, and the paths above. */
async function places(): Promise<[method: string, path: string, statuses: readonly number[]][]> {
  const changing = (await operationsServed(world.app)).filter(({ method }) => ['post', 'put', 'patch'].includes(method))
  return [
    ...changing.map(
      ({ method, path }) => [method.toUpperCase(), path.replace(/[{}]/g, ''), [401, 403, 404, 413]] as const,
    ),
    ...OTHERS.map(([method, path, status]) => [method, path, [status]] as const),
  ].map(([method, path, statuses]) => [method, path, statuses])
}

test('without a key every request is refused before its body is read', async () => {
  const { port } = world.app.server.address() as AddressInfo
  const all = await places()
  expect(all.length).toBeGreaterThan(60)
  for (const [method, path, statuses] of all) {
    const sent = request({
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: { 'content-type': 'application/json', 'content-length': MB, 'x-requested-by': 'x' },
    })
    sent.flushHeaders()
    const [answer] = await once(sent, 'response')
    expect(statuses, `${method} ${path}`).toContain(answer.statusCode)
    sent.on('error', () => {}).destroy()
  }
})

/** Processor time of this thread for one act. Some kernels count it in steps of many milliseconds. */
async function cost(act: () => unknown): Promise<number> {
  const before = threadCpuUsage()
  for (let round = 0; round < ROUNDS; round++) await act()
  const { user, system } = threadCpuUsage(before)
  return (user + system) / 1000 / ROUNDS
}

test('1 MB costs nothing without a key, and no more than reading it some times with one', async () => {
  const shapes = Object.entries(SHAPES)
  const { key } = await world.team()
  const send = (url: string, payload: string, headers = {}, method: 'POST' | 'PUT' = 'POST') =>
    cost(() => world.app.inject({ method, url, headers: { 'content-type': 'application/json', ...headers }, payload }))
  const reading = (await cost(() => shapes.map(([, payload]) => JSON.parse(payload)))) / shapes.length
  for (const [shape, payload] of shapes) {
    for (const [method, url] of OTHERS)
      expect(await send(url, payload, {}, method), `${shape} to ${method} ${url}`).toBeLessThan(MAX_MS)
    for (const [url, count] of [
      ['/v2/bots', 1],
      ['/v2/accounts', 3],
    ] as const) {
      const body = `[${Array(count).fill(payload).join()}]`
      const ms = await send(url, body, { 'x-service-api-key': key })
      expect(ms, `${shape} to ${url}`).toBeLessThan(count * MAX_READINGS * reading)
    }
  }
})
