/** What proxies write into requests. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readForwardedAddresses } from '@standin/control-plane/api/http/forwarded.ts'
import type { App } from '@standin/control-plane/api/http/generation.ts'
import { staticFiles } from '@standin/control-plane/api/http/static-files.ts'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../fakes/at-end.ts'

const folder = temporaryFolder()
await writeFile(join(folder, 'app.js'), 'run()')

const app = Fastify({ trustProxy: ['127.0.0.1', '10.0.0.0/8', 'fd00::/8'] }) as unknown as App
readForwardedAddresses(app)
app.get('/ip', async ({ ip }) => ip)
const send = staticFiles(folder, "default-src 'none'")
app.get('/app.js', (request, reply) => send('app.js', request, reply))

test.each([
  ['203.0.113.60:50123', '203.0.113.60'],
  ['"203.0.113.60:1"', '203.0.113.60'],
  ['::ffff:203.0.113.60', '203.0.113.60'],
  ['"[2001:DB8:0:0::1]:555"', '2001:db8::1'],
  ['2001:db8::1', '2001:db8::1'],
  ['198.51.100.1, 203.0.113.60:7, [fd00::2]:8, 10.0.0.5:443', '203.0.113.60'],
  ['198.51.100.1, unknown, 10.0.0.5:443', '10.0.0.5'],
  ['_hidden, ', '127.0.0.1'],
  ['203.0.113.60:x', '127.0.0.1'],
])('x-forwarded-for: %s is %s', async (given, address) => {
  const { payload } = await app.inject({ url: '/ip', headers: { 'x-forwarded-for': given } })
  expect(payload).toBe(address)
})

test('a tag is known in a list, and after a proxy made it weak', async () => {
  const { etag } = (await app.inject('/app.js')).headers as { etag: string }
  const statusOf = async (tags: string) =>
    (await app.inject({ url: '/app.js', headers: { 'if-none-match': tags } })).statusCode
  for (const tags of [etag, `W/${etag}`, `"x", ${etag}`, `"x",W/${etag}`, etag.replace(/"$/, '-gzip"'), '*'])
    expect(await statusOf(tags), tags).toBe(304)
  for (const tags of ['"x"', etag.replaceAll('"', ''), '']) expect(await statusOf(tags), tags).toBe(200)
})
