/** The documentation's pages, as the build writes them and the service serves them. */

import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { REASONS } from '@standin/wire/reasons.ts'
import type { Page } from 'playwright'
import { expect, test } from 'vitest'
import { writeHelpPages } from '../../../scripts/help-pages.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { openWorld } from '../world.ts'
import { openBrowser } from './dashboard/pages.ts'

const LONG = { timeout: 60_000 }

const problems: string[] = []

const folder = temporaryFolder()
await writeHelpPages(folder)
const settings = { publicUrl: 'http://127.0.0.1', helpFolder: folder }
const world = await openWorld({ api: { settings } })
const address = await world.app.listen({ host: '127.0.0.1', port: 0 })
const browser = await openBrowser()

async function open(path: string, viewport = { width: 1400, height: 900 }): Promise<Page> {
  const page = await (await browser.newContext({ viewport })).newPage()
  page.on('pageerror', ({ message }) => problems.push(message))
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) problems.push(message.text())
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(address)) problems.push(request.url())
  })
  await page.goto(address + path)
  return page
}

test('every link of every page leads to a page and a heading, or to a file', async () => {
  const pages = globSync('**/index.html', { cwd: folder })
  const addressOf = (path: string) => (dirname(path) === '.' ? '/help' : `/help/${dirname(path)}`)
  const texts = new Map(
    await Promise.all(
      pages.map(async (path) => [addressOf(path), await readFile(join(folder, path), 'utf8')] as const),
    ),
  )
  const files = new Set(globSync('**/*.*', { cwd: folder }).map((path) => `/help/${path}`))
  const broken: string[] = []
  for (const [place, text] of texts)
    for (const [, href] of text.matchAll(/ (?:href|src)="([^"]*)"/g)) {
      if (/^(https?:|mailto:)/.test(href!) || ['/dashboard', '/docs'].includes(href!)) continue
      const [path, anchor] = href!.split('#') as [string, string?]
      const target = texts.get(path === '' ? place : path)
      const isThere =
        target === undefined
          ? files.has(path)
          : anchor === undefined || target.includes(`id="${decodeURIComponent(anchor)}"`)
      if (!isThere) broken.push(`${place}: ${href}`)
    }
  expect(texts.size).toBeGreaterThan(40)
  expect(broken).toEqual([])
})

test('no document becomes the page of another one, and names of files are titles', async () => {
  const pages = globSync('**/index.html', { cwd: folder })
  const documents = globSync(['*.md', 'docs/*.md', 'docs/platform-notes/*.md', 'docker/*.md'])
  expect(pages.length).toBe(documents.length + REASONS.length)
  const start = await readFile(join(folder, 'index.html'), 'utf8')
  expect(start).toContain('<a href="/help/webhooks">Webhooks</a></td>')
  for (const page of pages) expect(await readFile(join(folder, page), 'utf8'), page).not.toMatch(/>[\w/-]+\.md<\/a>/)
})

test('the search finds a heading by words of its text, with the keyboard alone', async () => {
  const page = await open('/help')
  await page.keyboard.press('/')
  await page.keyboard.type('rotate secret')
  await page.locator('#found [role=option]').first().waitFor(LONG)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/help\/.+/, LONG)
  expect(await page.locator('main').textContent()).toMatch(/rotat/i)
  await page.locator('#search').fill('zzzz qqqq')
  await page.getByText('Nothing found.').waitFor(LONG)
  expect(problems).toEqual([])
})

test('accessible at both sizes, with the menu on a phone', async () => {
  for (const viewport of [
    { width: 1400, height: 900 },
    { width: 390, height: 844 },
  ]) {
    const page = await open('/help/api', viewport)
    const { violations } = await new AxeBuilder({ page }).analyze()
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
    const isPhone = viewport.width < 500
    expect(await page.locator('#pages').isVisible()).toBe(!isPhone)
    expect(await page.locator('#contents a').first().isVisible()).toBe(!isPhone)
    if (isPhone) await page.getByText('On this page').click()
    await page.locator('#contents a').first().click(LONG)
    if (isPhone) await page.getByRole('button', { name: 'Pages' }).click()
    await page.getByRole('link', { name: 'Webhooks', exact: true }).first().click()
    await page.getByRole('heading', { name: 'An endpoint', exact: true }).waitFor(LONG)
    const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement)
    expect(scrollWidth).toBe(clientWidth)
  }
  expect(problems).toEqual([])
})

test('an unknown address and one outside of the folder are not found', async () => {
  for (const path of [
    '/help/none',
    '/help/..%2f..%2fpackage.json',
    '/help/%2e%2e/%2e%2e/etc/passwd',
    '/help/index.html/',
  ])
    expect([path, (await world.app.inject(path)).statusCode]).toEqual([path, 404])
  const { headers, statusCode } = await world.app.inject('/help/api/')
  expect(statusCode).toBe(200)
  const again = await world.app.inject({ url: '/help/api/', headers: { 'if-none-match': headers.etag as string } })
  expect(again.statusCode).toBe(304)
})
