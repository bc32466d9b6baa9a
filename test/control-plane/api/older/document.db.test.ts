import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { OLDER_ERROR_CODES } from '../../../../control-plane/api/older/errors.ts'
import { packageRoot } from '../../../../packages/core/process/page-scripts.ts'
import { openWorld } from '../../world.ts'

const world = await openWorld({ api: {} })

test('the document of the older generation names none of the newer one, and every schema that it refers to', async () => {
  const answer = await world.app.inject('/openapi-older.json')
  const document = answer.json()
  expect(document.openapi).toBe('3.1.0')
  // Its descriptions name the fields of the newer one for a caller who migrates.
  expect(Object.keys(document.paths).filter((path) => path.startsWith('/v2'))).toEqual([])
  const referred = [...answer.payload.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name)
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
