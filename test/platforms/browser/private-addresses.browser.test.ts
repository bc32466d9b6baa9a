/** Local Network Access: whether the page of a meeting on a public address may reach a private one. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { silentLogger } from '../../../packages/core/logger.ts'
import { openBrowser } from '../../../platforms/browser/browser.ts'
import { SILENT_STAGE } from '../conformance/ground.ts'

const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/** Answers what a page asks for: a picture, and WebSockets. */
async function serve(): Promise<number> {
  const server = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*')
    const isPage = request.url === '/meeting'
    response.setHeader('content-type', isPage ? 'text/html' : 'image/gif').end(isPage ? '<body>' : PIXEL)
  })
  new WebSocketServer({ server })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

test.each([
  ['is allowed to, as by default', {}, ['open', 'open', 'open'], []],
  [
    'is not',
    { mayReachPrivate: false },
    ['refused', 'refused', 'refused'],
    ['http://127.0.0.1:private', 'ws://127.0.0.1:private'],
  ],
])('a page that %s', async (_what, options, wanted, explained) => {
  const [meeting, other] = [await serve(), await serve()]
  const addresses: string[] = []
  const warn = (_message: string, fields?: { address?: string }) => fields?.address && addresses.push(fields.address)
  const overrides = [`--ip-address-space-overrides=127.0.0.1:${meeting}=public`]
  const origin = `http://localhost:${meeting}`
  const browser = await openBrowser(
    SILENT_STAGE,
    {
      logger: { ...silentLogger, warn } as typeof silentLogger,
      mediaOrigins: [origin],
      extraArguments: overrides,
      ...options,
    },
    AbortSignal.timeout(60_000),
  )
  onTestFinished(() => browser.close())
  await browser.page.goto(`${origin}/meeting`)
  const results = await browser.page.evaluate(async (host) => {
    const image = new Image()
    image.src = `http://${host}/pixel`
    const socket = new WebSocket(`ws://${host}/`)
    const opened = new Promise((resolve, reject) => Object.assign(socket, { onopen: resolve, onerror: reject }))
    const tries = await Promise.allSettled([fetch(`http://${host}/`), image.decode(), opened])
    return tries.map(({ status }) => (status === 'fulfilled' ? 'open' : 'refused'))
  }, `127.0.0.1:${other}`)
  expect(results).toEqual(wanted)
  await expect.poll(() => addresses.map((address) => address.replace(`${other}`, 'private')).sort()).toEqual(explained)
})
