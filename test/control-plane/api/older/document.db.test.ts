import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { OLDER_ERROR_CODES } from '../../../../control-plane/api/older/errors.ts'
import { packageRoot } from '../../../../packages/core/process/page-scripts.ts'
import { openWorld } from '../../world.ts'

const world = await openWorld({ api: {} })

test('the document of the older generation names each of its operations, and none of the newer one', async () => {
  const answer = await world.app.inject('/openapi-older.json')
  expect(answer.statusCode).toBe(200)
  const document = answer.json()
  expect(document.openapi).toBe('3.1.0')
  const operations = Object.entries(document.paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(operations.sort()).toEqual([
    'DELETE /bots/{bot_id}',
    'DELETE /calendar_events/{uuid}/bot',
    'DELETE /calendars/{uuid}',
    'DELETE /conf_oauth_connections/{uuid}',
    'GET /accounts/webhook_url',
    'GET /bots/bots_with_metadata',
    'GET /bots/meeting_data',
    'GET /bots/webhooks',
    'GET /bots/webhooks/bot',
    'GET /bots/webhooks/calendar',
    'GET /bots/{bot_id}/screenshots',
    'GET /calendar_events',
    'GET /calendar_events/{uuid}',
    'GET /calendars',
    'GET /calendars/{uuid}',
    'GET /conf_oauth_connections',
    'GET /conf_oauth_connections/{uuid}',
    'PATCH /calendar_events/{uuid}/bot',
    'PATCH /calendars/{uuid}',
    'POST /accounts/webhook_url',
    'POST /bots',
    'POST /bots/retranscribe',
    'POST /bots/{bot_id}/delete_data',
    'POST /calendar_events/{uuid}/bot',
    'POST /calendars',
    'POST /calendars/raw',
    'POST /calendars/resync_all',
    'POST /conf_oauth_connections',
  ])
  const text = answer.payload
  // Its descriptions name the fields of the newer one for a caller who migrates.
  expect(Object.keys(document.paths).filter((path) => path.startsWith('/v2'))).toEqual([])
  const referred = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name)
  expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(referred))
})

test('docs/api.md names every error and every operation', async () => {
  const text = readFileSync(join(packageRoot, 'docs/api.md'), 'utf8')
  const rows = text
    .slice(text.indexOf('### Errors of the older'), text.indexOf('### Webhooks of the older'))
    .matchAll(/^\| \d[\d, ]+ \| (.+?) \|/gm)
  const named = [...rows].flatMap(([, codes]) => [...codes!.matchAll(/`(\w+)`/g)].map(([, code]) => code!))
  expect([...new Set(named)].sort()).toEqual(OLDER_ERROR_CODES)
  const { paths } = (await world.app.inject('/openapi-older.json')).json()
  const missing = Object.keys(paths)
    .filter((path) => !path.startsWith('/bots/webhooks'))
    .filter((path) => !text.includes(path))
  expect(missing).toEqual([])
})
