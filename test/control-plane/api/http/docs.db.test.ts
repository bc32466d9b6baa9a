import { once } from 'node:events'
import { get } from 'node:http'
import { expect, test } from 'vitest'
import { openWorld } from '../../world.ts'

const world = await openWorld({ api: {} })
const address = await world.app.listen({ host: '127.0.0.1', port: 0 })

test('the OpenAPI document says how a caller is known', async () => {
  const document = (await world.app.inject('/openapi.json')).json()
  expect(document.openapi).toBe('3.1.0')
  expect(document.components.securitySchemes).toMatchObject({
    key: { type: 'apiKey', in: 'header', name: 'x-service-api-key' },
    bearer: { type: 'http', scheme: 'bearer' },
    session: { type: 'apiKey', in: 'cookie', name: 'standin_session' },
  })
})

test.each(['/docs', '/docs/'])('%s leaves no connection open that has to close', async (url) => {
  const [answer] = await once(get(`${address}${url}`, { agent: false }), 'response')
  expect(answer.resume().headers.connection).toBe('close')
})

test('the page to read and try it takes nothing from other hosts', async () => {
  const page = await world.app.inject('/docs/')
  expect(page.statusCode).toBe(200)
  expect(page.headers['content-security-policy']).toContain("connect-src 'self'")
  expect(page.payload).not.toMatch(/(?:src|href)="https?:/)
  const script = await world.app.inject('/docs/js/scalar.js')
  expect(script.statusCode).toBe(200)
  expect(script.payload.length).toBeGreaterThan(100_000)
})
