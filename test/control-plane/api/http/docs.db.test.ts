import { expect, test } from 'vitest'
import { openWorld } from '../../world.ts'

const world = await openWorld({ api: {} })

test('the OpenAPI document says how a caller is known', async () => {
  const document = (await world.app.inject('/openapi.json')).json()
  expect(document.openapi).toBe('3.1.0')
  expect(document.components.securitySchemes).toMatchObject({
    key: { type: 'apiKey', in: 'header', name: 'x-service-api-key' },
    bearer: { type: 'http', scheme: 'bearer' },
    session: { type: 'apiKey', in: 'cookie', name: 'standin_session' },
  })
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
