/** The frame of the dashboard: navigation, the banner while the service is away, and paths without a page. */
import type { Page } from 'playwright'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { LONG, openBrowserWorld } from './browser-world.ts'

let world: Awaited<ReturnType<typeof openBrowserWorld>>
let team: Awaited<ReturnType<typeof world.team>>
let page: Page
let problems: string[]

beforeAll(async () => {
  world = await openBrowserWorld()
})
afterAll(() => world.close())
beforeEach(async () => {
  team = await world.team()
  return () => page.context().close()
})

async function signIn(options: Parameters<typeof world.signIn>[2] = {}) {
  ;({ page, problems } = await world.signIn(team, 'owner', options))
}
const visit = (path: string) => page.goto(`${world.address}/dashboard${path}`)

test('the item of the navigation is marked on its page and on the pages below it', async () => {
  await signIn()
  const bot = await world.botInMeeting(team, 'Minutes')
  const current = () => page.locator('nav [aria-current]').allTextContents()
  expect(await current()).toEqual(['Live'])
  await page.getByRole('list', { name: 'Automation' }).getByRole('link', { name: 'Webhooks' }).click()
  await page.getByRole('heading', { name: 'Webhooks' }).waitFor(LONG)
  expect(await current()).toEqual(['Webhooks'])
  await visit(`/bots/${bot.id}`)
  await page.getByRole('heading', { name: 'Minutes' }).waitFor(LONG)
  expect(await current()).toEqual(['All meetings'])
  expect(problems).toEqual([])
})

test('on a phone the navigation is behind a button, and closes when a page was chosen', async () => {
  await signIn({ viewport: { width: 390, height: 844 } })
  const usage = page.getByRole('link', { name: 'Usage' })
  expect(await usage.isVisible()).toBe(false)
  const menu = page.getByRole('button', { name: 'Menu' })
  await menu.click()
  expect(await menu.getAttribute('aria-expanded')).toBe('true')
  await usage.click()
  await page.getByRole('heading', { name: 'Usage' }).waitFor(LONG)
  expect(await usage.isVisible()).toBe(false)
})

test('while the service is away a banner says so, and the page reads again when it is back', async () => {
  await signIn()
  await visit('/keys')
  await page.getByRole('heading', { name: 'API keys' }).waitFor(LONG)
  await world.stop()
  await page.getByLabel('Name').fill('CI')
  await page.getByRole('button', { name: 'Create a key' }).click()
  await page.getByText('The service does not answer.').waitFor(LONG)
  await world.startAgain()
  await page.getByText('The service does not answer.').waitFor({ state: 'detached', ...LONG })
  expect(await page.getByText('This could not be loaded.').count()).toBe(0)
})

test('a page that is opened while the service cannot answer shows the frame, and fills it later', async () => {
  await signIn()
  let isBroken = true
  await page.route('**/dashboard/api/**', (route) => (isBroken ? route.abort() : route.fallback()))
  await visit('/team')
  await page.getByText('The service does not answer.').waitFor(LONG)
  expect(await page.locator('.brand').isVisible()).toBe(true)
  isBroken = false
  await page.getByRole('heading', { name: 'Team' }).waitFor(LONG)
  expect(await page.getByText('The service does not answer.').count()).toBe(0)
})

test('a path without a page says so, and leads back', async () => {
  await signIn()
  await visit('/nowhere')
  await page.getByRole('heading', { name: 'This page does not exist.' }).waitFor(LONG)
  await page.getByRole('link', { name: 'Go to the start page' }).click()
  await page.getByRole('heading', { name: 'Bots in meetings' }).waitFor(LONG)
})
