import type { AddressInfo } from 'node:net'
import { chromium } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HEADLESS_SHELL } from '../../headless-shell.ts'
import { openApiWorld } from './world.ts'

let world: Awaited<ReturnType<typeof openApiWorld>>
beforeAll(async () => {
  world = await openApiWorld()
  await world.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => world.close())

test('the page shows the operations, and asks no other host', async () => {
  const browser = await chromium.launch({ executablePath: HEADLESS_SHELL })
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  const origin = `http://127.0.0.1:${(world.app.server.address() as AddressInfo).port}`
  const foreign: string[] = []
  const refused: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !/^(?:data|blob):/.test(request.url())) foreign.push(request.url())
  })
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) refused.push(message.text())
  })
  await page.goto(`${origin}/docs/`)
  await page.getByText('Send a bot into a meeting').first().waitFor({ timeout: 60_000 })
  // In place of the library's own placeholders.
  await page.getByText('x-service-api-key: YOUR_STANDIN_API_KEY').first().waitFor({ timeout: 60_000 })
  const values = await page
    .locator('input')
    .evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value))
  expect(values).toContain('YOUR_STANDIN_API_KEY')
  await browser.close()
  expect(foreign).toEqual([])
  expect(refused).toEqual([])
})
