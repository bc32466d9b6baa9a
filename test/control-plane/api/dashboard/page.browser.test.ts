/** The dashboard in Chromium, in front of the real API with a real database. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { AxeBuilder } from '@axe-core/playwright'
import type { BrowserContextOptions, Page } from 'playwright'
import { beforeEach, expect, test } from 'vitest'
import type { Role } from '../../../../control-plane/store/people/people.ts'
import type { Team } from '../world.ts'
import { HOSTILE, openBrowserWorld } from './browser-world.ts'
import { agree, DASHBOARD_FOLDER, LONG } from './pages.ts'

let team: Team
let page: Page
let problems: string[]

const world = await openBrowserWorld()
const { address } = world
/** The first team. */
const operators = await world.team()
beforeEach(async () => {
  team = await world.team()
  return () => page?.context().close()
})

async function signIn(...[role, options]: [Role?, BrowserContextOptions?]): Promise<void> {
  ;({ page, problems } = await world.signIn(team, role, options))
}

const visit = (path: string) => page.goto(`${address}/dashboard${path}`)
const botInMeeting = (name?: string) => world.botInMeeting(team, name)

test('a one-time link signs in, and does not stay in the address', async () => {
  await signIn()
  expect(page.url()).toBe(`${address}/dashboard/`)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor(LONG)
  expect(problems).toEqual([])
})

test('bots appear and change while the page is open', async () => {
  await signIn()
  await page.getByText('No bot is in a meeting now.').waitFor(LONG)
  const { id } = await botInMeeting('Minutes')
  const card = page.locator('.card', { hasText: 'Minutes' })
  await card.waitFor(LONG)
  await card.getByText('Recording').waitFor(LONG)
  await world.set(id, { status: 'completed', phase: 'closed', ended_at: new Date(), version: 99 })
  await card.waitFor({ state: 'detached', ...LONG })
})

test('one bot: speech and chat come live, the timeline tells why, and a person writes into the chat', async () => {
  await signIn()
  const { id, report } = await botInMeeting()
  await visit(`/bots/${id}`)
  await report({
    type: 'transcript',
    text: HOSTILE,
    is_final: true,
    speaker: { id: 1, name: 'Ada', platform_id: 'p' },
    start: 61,
    end: 62,
    language: 'en',
  })
  await page.getByText('1:01').waitFor(LONG)
  await page.getByRole('tab', { name: 'Timeline' }).click()
  await page.locator('.timeline').getByText('Bot requested.').waitFor(LONG)
  await page.getByRole('tab', { name: 'Chat' }).click()
  await page.getByLabel('Message').fill('Hello')
  await page.getByRole('button', { name: 'Send to the chat' }).click()
  // No process answers for this bot: the refusal is shown in words.
  await page.locator('.notice.bad').waitFor(LONG)
  await page.getByLabel('Say aloud').fill('Hello')
  await page.getByRole('button', { name: 'Say it' }).click()
  await page.getByLabel('Page to show').fill('https://example.com/')
  await page.getByRole('button', { name: 'Show it' }).click()
  const commands = async () =>
    (await world.rows('bot_commands', { bot_id: id })).map(({ command }) => (command as { type: string }).type)
  await expect.poll(commands, LONG).toEqual(expect.arrayContaining(['send_chat', 'say', 'show_page']))
  expect(await page.title()).not.toBe('owned')
  expect(problems).toEqual([])
})

test('a bot is sent and scheduled by the form, and a wrong link is explained', async () => {
  await signIn('member')
  await page.getByRole('link', { name: 'Send a bot' }).first().click()
  await page.getByLabel('Meeting link').fill('https://example.com/nothing')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.locator('.notice.bad', { hasText: 'Check the marked fields.' }).waitFor(LONG)
  await page
    .locator('.field', { hasText: 'Meeting link' })
    .locator('.problem', { hasText: /^The server example\.com is not known/ })
    .waitFor(LONG)
  expect(await page.getByLabel('Meeting link').getAttribute('aria-invalid')).toBe('true')
  await page.getByLabel('Meeting link').fill('https://meet.google.com/abc-defg-hij')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('heading', { name: /Standin/ }).waitFor(LONG)
  expect(page.url()).toMatch(/\/dashboard\/bots\/[0-9a-f-]{36}$/)

  await page.getByRole('link', { name: 'Send a bot' }).click()
  await page.getByLabel('Meeting link').fill('https://meet.google.com/abc-defg-hij')
  await page.getByLabel('Join at').fill(`${new Date(Date.now() + 172_800_000).toISOString().slice(0, 10)}T10:00`)
  await page.getByRole('button', { name: 'Send' }).click()
  await page
    .getByText(/^The bot joins .*10:00/)
    .first()
    .waitFor(LONG)
  expect(page.url()).toMatch(/\/dashboard\/bots\/[0-9a-f-]{36}$/)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Bot name').fill('Minutes')
  await page.getByLabel('Join at').fill(`${new Date(Date.now() + 172_800_000).toISOString().slice(0, 10)}T11:30`)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Minutes' }).waitFor(LONG)
  await page.locator('.notice', { hasText: /^The bot joins .*11:30/ }).waitFor(LONG)
  const [changed] = await world.rows('bots', { team_id: team.teamId, bot_name: 'Minutes' })
  const transcription = { provider: expect.stringMatching(/captions/i) }
  expect(changed).toMatchObject({ request: { transcription }, recording_mode: 'speaker_view' })
  await page.getByRole('link', { name: 'Scheduled' }).click()
  await page.getByRole('link', { name: 'Minutes' }).click()
  await page.getByRole('button', { name: 'Cancel the bot' }).click()
  expect(await agree(page, 'Cancel the bot')).toContain('“Minutes”, which joins')
  await page.locator('h1 .status', { hasText: 'Cancelled' }).waitFor(LONG)
  await page.getByRole('link', { name: 'Scheduled' }).click()
  await page.getByText('No bot is scheduled.').waitFor(LONG)
})

test('keys and endpoints show their secret once', async () => {
  await signIn()
  await visit('/keys')
  await page.getByLabel('Name').fill('CI')
  await page.getByRole('button', { name: 'Create a key' }).click()
  const key = await page.locator('.secret').textContent(LONG)
  expect(key).toMatch(/^standin_/)
  await page.reload()
  await page.getByRole('cell', { name: 'CI', exact: true }).waitFor(LONG)
  expect(await page.locator('body').textContent()).not.toContain(key)
  await visit('/webhooks')
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  await page.getByLabel('URL').fill('https://example.com/hook')
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  expect(await page.locator('.secret').textContent(LONG)).toMatch(/^whsec_/)
  await page.getByRole('button', { name: 'Send a test webhook' }).click()
  await page.getByText('Test webhook sent').waitFor(LONG)
})

test('a viewer sees bots and no controls', async () => {
  await signIn('viewer')
  const { id } = await botInMeeting('Minutes')
  await visit(`/bots/${id}`)
  await page.getByRole('heading', { name: /Minutes/ }).waitFor(LONG)
  expect(await page.getByRole('button', { name: 'Leave the meeting' }).count()).toBe(0)
  await visit('/keys')
  await page.getByText('which does not permit this page.').waitFor(LONG)
})

test('a page whose connections are cut connects again, and misses nothing', async () => {
  await signIn()
  await page.getByText('Live updates').waitFor(LONG)
  world.app.server.closeAllConnections()
  await botInMeeting('Late')
  await page.locator('.card', { hasText: 'Late' }).waitFor(LONG)
})

test('every page has nothing that axe finds serious, light or dark, and fits its width, wide or on a phone', {
  timeout: 1_200_000,
}, async () => {
  team = operators
  const wide = { width: 1280, height: 900 }
  await signIn('owner', { viewport: wide })
  const { id } = await botInMeeting()
  // Rows with several buttons.
  const headers = { 'content-type': 'application/json', 'x-requested-by': 'dashboard' }
  const cookie = { name: 'SID', value: 'a'.repeat(20), domain: '.google.com', path: '/' }
  for (const [path, body] of [
    ['/v2/accounts', { platform: 'meet', label: 'notes@example.com', session: { cookies: [cookie], origins: [] } }],
    ['/dashboard/api/endpoints', { url: 'https://example.com/hook' }],
  ] as const)
    expect((await page.request.post(address + path, { headers, data: body })).status(), path).toBe(201)
  const found: string[] = []
  /** Buttons that touch each other or reach out of their section. */
  const untidy = () =>
    page.evaluate(() => {
      const buttons = [...document.querySelectorAll('main :not([role=tablist]) > button')]
      return buttons.flatMap((button) => {
        const box = button.getBoundingClientRect()
        const next = button.nextElementSibling?.matches('button') && button.nextElementSibling.getBoundingClientRect()
        const gap = !next ? 9 : next.top < box.bottom ? next.left - box.right : next.top - box.bottom
        const room = (button.closest('section') ?? document.body).getBoundingClientRect().right
        return box.width > 0 && (gap < 4 || box.right > room) ? [button.textContent] : []
      })
    })
  /** With `only`, of one rule. The frame around the contents is the same on each page. */
  const look = async (path: string, only?: string) => {
    const axe = path === '/' ? new AxeBuilder({ page }) : new AxeBuilder({ page }).include('main')
    const { violations } = await (only === undefined ? axe : axe.withRules(only)).analyze()
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    found.push(...serious.map(({ id: rule }) => `${path} ${only ?? 'all'} ${rule}`))
  }
  for (const path of [
    '/',
    '/bots',
    `/bots/${id}`,
    ...['chat', 'files', 'webhooks', 'timeline', 'json'].map((tab) => `/bots/${id}?tab=${tab}`),
    '/send',
    '/scheduled',
    '/calendars',
    '/accounts',
    '/connections',
    '/webhooks',
    '/usage',
    '/keys',
    '/requests',
    '/audit-log',
    '/team',
    '/system',
    '/account',
  ]) {
    await visit(path)
    await page.locator('h1').waitFor(LONG)
    await expect.poll(() => page.getByText('Loading …').count(), LONG).toBe(0)
    await look(path)
    // The theme changes colors alone.
    await page.emulateMedia({ colorScheme: 'dark' })
    await look(path, 'color-contrast')
    await page.emulateMedia({ colorScheme: 'light' })
    for (const viewport of [wide, { width: 390, height: 800 }]) {
      await page.setViewportSize(viewport)
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      if (overflow > 0) found.push(`${path} is ${overflow} px too wide for ${viewport.width} px`)
      found.push(...(await untidy()).map((button) => `${path} at ${viewport.width} px: ${button}`))
    }
    // Only the menu is different on a phone, and it is the same on each page.
    if (path === '/') await look(path)
    await page.setViewportSize(wide)
  }
  expect(found).toEqual([])
  expect(problems).toEqual([])
})

test('script and stylesheet together are at most 120 KB as they are sent', () => {
  const bytes = ['app.js', 'app.css', 'index.html'].map(
    (name) => gzipSync(readFileSync(join(DASHBOARD_FOLDER, name))).length,
  )
  expect(statSync(join(DASHBOARD_FOLDER, 'app.js')).size).toBeGreaterThan(10_000)
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(120 * 1024)
})
