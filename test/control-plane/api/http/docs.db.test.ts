import { expect, test } from 'vitest'
import { openWorld } from '../../world.ts'

const world = await openWorld({ api: {} })

test('the OpenAPI document names every operation of the newer generation', async () => {
  const answer = await world.app.inject('/openapi.json')
  expect(answer.statusCode).toBe(200)
  const document = answer.json()
  expect(document.openapi).toBe('3.1.0')
  const operations = Object.entries(document.paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(operations.sort()).toEqual([
    'DELETE /v2/accounts/{account_id}',
    'DELETE /v2/bots/scheduled/{bot_id}',
    'DELETE /v2/bots/{bot_id}/delete-data',
    'DELETE /v2/calendars/{calendar_id}',
    'DELETE /v2/calendars/{calendar_id}/bots',
    'DELETE /v2/conf-credentials/{credential_id}',
    'GET /v2/accounts',
    'GET /v2/accounts/{account_id}',
    'GET /v2/audit-log',
    'GET /v2/bots',
    'GET /v2/bots/scheduled',
    'GET /v2/bots/scheduled/{bot_id}',
    'GET /v2/bots/{bot_id}',
    'GET /v2/bots/{bot_id}/events',
    'GET /v2/bots/{bot_id}/events/stream',
    'GET /v2/bots/{bot_id}/files',
    'GET /v2/bots/{bot_id}/screenshots',
    'GET /v2/bots/{bot_id}/status',
    'GET /v2/bots/{bot_id}/timeline',
    'GET /v2/calendars',
    'GET /v2/calendars/{calendar_id}',
    'GET /v2/calendars/{calendar_id}/events',
    'GET /v2/calendars/{calendar_id}/events/{event_id}',
    'GET /v2/calendars/{calendar_id}/series',
    'GET /v2/conf-credentials',
    'GET /v2/conf-credentials/{credential_id}',
    'GET /v2/events/stream',
    'PATCH /v2/accounts/{account_id}',
    'PATCH /v2/bots/scheduled/{bot_id}',
    'PATCH /v2/bots/{bot_id}/update-config',
    'PATCH /v2/calendars/{calendar_id}',
    'PATCH /v2/calendars/{calendar_id}/bots',
    'PATCH /v2/conf-credentials/{credential_id}',
    'POST /v2/accounts',
    'POST /v2/accounts/{account_id}/check',
    'POST /v2/bots',
    'POST /v2/bots/batch',
    'POST /v2/bots/scheduled',
    'POST /v2/bots/scheduled/batch',
    'POST /v2/bots/{bot_id}/leave',
    'POST /v2/bots/{bot_id}/pause-recording',
    'POST /v2/bots/{bot_id}/resend-webhook',
    'POST /v2/bots/{bot_id}/resume-recording',
    'POST /v2/bots/{bot_id}/retranscribe',
    'POST /v2/bots/{bot_id}/retry-callback',
    'POST /v2/bots/{bot_id}/send-chat-message',
    'POST /v2/calendars',
    'POST /v2/calendars/list-raw',
    'POST /v2/calendars/{calendar_id}/bots',
    'POST /v2/calendars/{calendar_id}/resubscribe',
    'POST /v2/calendars/{calendar_id}/sync',
    'POST /v2/conf-credentials',
  ])
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
