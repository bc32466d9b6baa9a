/** The promises of `docs/calendars.md` and `docs/webhooks.md`, beside the codes and events of the program. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { WEBHOOK_EVENTS } from '../../control-plane/bots/messages/kinds.ts'

const text = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')
const calendars = text('docs/calendars.md')

test('every code of an event that got no bot is explained', () => {
  const [, codes = ''] = /interface RefusedEvent \{[^}]*?code:([^}]*?)message/s.exec(
    text('control-plane/calendars/operations.ts'),
  )!
  const known = [...codes.matchAll(/'([A-Z_]+)'/g)].map(([, code]) => code!)
  expect(known.length).toBeGreaterThan(4)
  expect(known.filter((code) => !calendars.includes(`| \`${code}\``))).toEqual([])
})

test('every refusal that is specific to calendars and every status is explained', () => {
  const codes = [...text('control-plane/api/http/errors.ts').matchAll(/'(FST_ERR_(?:CALENDAR|OAUTH)_[A-Z_]+)'/g)]
    .map(([, code]) => code!)
    .filter((code) => !/NOT_FOUND|OAUTH_EXCHANGE/.test(code))
  expect(codes.length).toBeGreaterThan(4)
  expect(codes.filter((code) => !calendars.includes(code))).toEqual([])
  for (const status of ['active', 'error', 'revoked', 'permission_denied'])
    expect(calendars).toMatch(new RegExp(`^\\| \`${status}\``, 'm'))
})

test('every event that an endpoint can be sent has its row', () => {
  const webhooks = text('docs/webhooks.md')
  expect(WEBHOOK_EVENTS.filter((event) => !webhooks.includes(`| \`${event}\``))).toEqual([])
})
