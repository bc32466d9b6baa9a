/** What ends a page that a bot shows, and what it cannot reach. */
import { getPriority } from 'node:os'
import { chromium } from 'playwright'
import { expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../../../packages/core/logger.ts'
import { openShownTab, type ShownTabParts } from '../../../platforms/browser/shown-tab.ts'
import { HEADLESS_SHELL } from '../../headless-shell.ts'
import { servePages } from '../serve-pages.ts'

/** A tab with the page of a server, which is the only one that the operator permits. */
async function opened(
  path: string,
  scripts: Parameters<typeof servePages>[0] = {},
  limits: ShownTabParts['limits'] = {},
) {
  const pages = await servePages(scripts)
  const browser = await chromium.launch({ executablePath: HEADLESS_SHELL })
  onTestFinished(() => browser.close())
  const ended: string[] = []
  const open = openShownTab({
    ...{
      browser,
      mark: 'mark',
      url: pages.address(path),
      upstreamProxy: null,
      onTraffic: undefined,
      logger: silentLogger,
      limits,
    },
    capture: async () => {},
    isPermitted: (address) => new URL(address).host === `127.0.0.1:${pages.port}`,
    script: { channel: 'channel', source: 'delete globalThis.channel' },
    onCarried: () => {},
    onEnded: (reason) => void ended.push(reason),
    signal: new AbortController().signal,
  })
  return { pages, browser, open, ended }
}

const toElsewhere = '"http://localhost:" + location.port + "/elsewhere"'

test('its process has a low priority, and the others have theirs', async () => {
  const { open, browser } = await opened('/moving', {}, { lookEveryMs: 100 })
  const other = await browser.newPage()
  await open
  const session = await browser.newBrowserCDPSession()
  const priorities = async () => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo')
    return processInfo.flatMap(({ type, id }) => (type === 'renderer' ? [getPriority(id)] : [])).filter(Boolean)
  }
  await expect.poll(priorities).toEqual([10])
  await other.close()
})

test.each<[string, string, string, Record<string, string>?, ShownTabParts['limits']?]>([
  ['hangs', '/hang', 'it did not answer for 2 s.', {}, { answerMs: 2000 }],
  ['takes too much memory', '/greedy', 'it takes', {}, { bytes: 150 * 2 ** 20 }],
  ['loads itself again and again', '/loop', 'documents within 10 s.'],
  [
    'writes without end',
    '/noisy',
    'requests and lines',
    { '/noisy': 'setInterval(() => { for (let line = 0; line < 50; line++) console.log(line) }, 5)' },
  ],
  ['opens other pages', '/opens', 'it opened other pages', { '/opens': "setInterval(() => open('about:blank'), 20)" }],
  [
    'goes to a private address',
    '/leaves',
    'it went to localhost',
    { '/leaves': `setTimeout(() => { location = ${toElsewhere} }, 200)` },
  ],
])(
  'a page that %s is ended with the reason, and nothing is left of it',
  async (_what, path, reason, scripts, limits) => {
    const { open, browser, ended } = await opened(path, scripts, { lookEveryMs: 200, ...limits })
    const failed = await open.then(() => null, String)
    await expect.poll(() => failed ?? ended[0], { timeout: 20_000 }).toContain(reason)
    await expect.poll(() => browser.contexts().length, { timeout: 10_000 }).toBe(0)
    expect(ended.length).toBe(failed === null ? 1 : 0)
  },
)

test.each([
  ['a redirect to a private address', '/redirect?http://localhost:8099/', 'it went to localhost'],
  ['a redirect to a port without TLS', '/redirect?http://example.com/', 'it went to example.com'],
  ['no document', '/missing', 'answered 404'],
])('%s is refused with a sentence', async (_what, path, sentence) => {
  const { open, browser } = await opened(path)
  await expect(open).rejects.toThrow(sentence)
  expect(browser.contexts().length).toBe(0)
})

test('what it loads reaches no private address, by whichever way; what is permitted is reached', async () => {
  const tries = `
    const note = (text) => fetch('/note', { method: 'POST', body: String(text) })
    const inWorker = (address) => 'data:text/javascript,' + encodeURIComponent(
      "fetch('" + address + "', { mode: 'no-cors' }).finally(() => postMessage(0))")
    const all = async (host) => {
      const address = 'http://' + host + ':' + location.port + '/elsewhere'
      await fetch(address, { mode: 'no-cors' }).catch(() => {})
      await new Promise((resolve) => { new Worker(inWorker(address)).onmessage = resolve })
      await new Promise((resolve) => Object.assign(new Image(), { onload: resolve, onerror: resolve, src: address }))
      const socket = new WebSocket('ws' + address.slice(4))
      return new Promise((resolve) => Object.assign(socket, { onopen: () => resolve(true), onerror: () => resolve(false) }))
    }
    Promise.all(['127.0.0.1', 'localhost', '[::1]', '127.1.2.3', '0.0.0.0'].map(all)).then(note)`
  const { pages, open } = await opened('/tries', { '/tries': tries, '/elsewhere': '' })
  await open
  await expect.poll(() => pages.notes, { timeout: 20_000 }).toEqual(['true,false,false,false,false'])
  const own = `127.0.0.1:${pages.port}`
  expect(pages.asked.filter((address) => !address.startsWith(own))).toEqual([])
  expect(pages.asked.filter((address) => address === `${own}/elsewhere`).length).toBeGreaterThan(2)
})
