/** The frame of the dashboard: navigation, the banner while the service is away, and paths without a page. */
import { randomUUID } from 'node:crypto'
import { AxeBuilder } from '@axe-core/playwright'
import { speechProblemsOf } from '@standin/wire/speech-access.ts'
import type { Page } from 'playwright'
import { beforeEach, expect, test } from 'vitest'
import { signInAddress } from '../../../../control-plane/api/dashboard/addresses.ts'
import { upsertUsage } from '../../../../control-plane/store/bots/usage.ts'
import { createPerson } from '../../../../control-plane/store/people/people.ts'
import { createChoices, createSignInLink } from '../../../../control-plane/store/people/sessions.ts'
import { usageOf } from '../../../fakes/usage.ts'
import { LONG, openBrowserWorld } from './browser-world.ts'
import { agree, seriousOf } from './pages.ts'

let team: Awaited<ReturnType<typeof world.team>>
let page: Page
let problems: string[]

const world = await openBrowserWorld()
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
  const current = () => page.locator('nav [aria-current]:not([aria-current=false])').allTextContents()
  expect(await current()).toEqual(['Live'])
  await page.getByRole('list', { name: 'Automation' }).getByRole('link', { name: 'Webhooks' }).click()
  await page.getByRole('heading', { name: 'Webhooks' }).waitFor(LONG)
  expect(await current()).toEqual(['Webhooks'])
  await visit(`/bots/${bot.id}`)
  await page.getByRole('heading', { name: 'Minutes' }).waitFor(LONG)
  expect(await current()).toEqual(['All meetings'])
  await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'All meetings' }).click()
  await page.getByRole('heading', { name: 'All meetings' }).waitFor(LONG)
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
  await page.getByRole('heading', { name: 'Usage', exact: true }).waitFor(LONG)
  expect(await usage.isVisible()).toBe(false)
  // Also if it is the page that is shown.
  await menu.click()
  await usage.click()
  expect(await usage.isVisible()).toBe(false)
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

test('Ctrl-K finds pages and meetings, and the keyboard opens them; ? lists the keys', async () => {
  await signIn()
  const bot = await world.botInMeeting(team, 'Quarterly numbers')
  await page.keyboard.press('Control+k')
  const input = page.getByRole('combobox', { name: 'Pages, actions and meetings' })
  await input.fill('web')
  await page.getByRole('option', { name: 'Webhooks Automation' }).waitFor(LONG)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Webhooks' }).waitFor(LONG)
  await page.keyboard.press('Control+k')
  await input.fill('quarterly')
  await page.getByRole('option', { name: /^Quarterly numbers Meeting, .*(UTC|GMT)/, selected: true }).waitFor(LONG)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Quarterly numbers' }).waitFor(LONG)
  expect(page.url()).toContain(bot.id)
  await page.keyboard.press('?')
  await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor(LONG)
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations.map(({ id }) => id)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor({ state: 'detached', ...LONG })
  expect(problems).toEqual([])
})

test('a person of several teams changes the team in the head of the frame, and with Ctrl-K', async () => {
  const person = { name: 'Ada', email: 'ada@example.com', role: 'member' } as const
  const teams = [team, await world.team()]
  for (const [place, { teamId }] of teams.entries()) await world.setTeam(teamId, { name: `Team ${place + 1}` })
  const ids = await Promise.all(teams.map(({ teamId }) => createPerson(world.database, { ...person, teamId })))
  const [choice] = await createChoices(world.database, ids as string[])
  page = await (await world.browser.newContext()).newPage()
  await page.goto(signInAddress(world.address, choice!.token))
  const current = page.getByRole('combobox', { name: 'Current team' })
  expect(await current.locator('option:checked').textContent()).toBe('Team 1')
  const otherTab = await page.context().newPage()
  await otherTab.goto(`${world.address}/dashboard/keys`)
  await otherTab.getByRole('combobox', { name: 'Current team' }).waitFor(LONG)
  await current.focus()
  // Each tab starts again.
  const reloaded = Promise.all([page, otherTab].map((tab) => tab.waitForEvent('load', LONG)))
  await page.keyboard.press('ArrowDown')
  await reloaded
  for (const tab of [page, otherTab])
    await expect
      .poll(() => tab.getByRole('combobox').locator('option:checked').textContent().catch(String), LONG)
      .toBe('Team 2')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Pages, actions and meetings' }).fill('team 1')
  await page.getByRole('option', { name: 'Team 1 Change to this team' }).waitFor(LONG)
  await page.keyboard.press('Enter')
  await expect.poll(() => current.locator('option:checked').textContent().catch(String), LONG).toBe('Team 1')
})

test('the form offers no speech service that is not configured, and says why', async () => {
  const { settings } = world.dependencies
  const before = settings.speech
  try {
    for (const [environment, isOffered] of [
      [{}, false],
      [{ STANDIN_TRANSCRIPTION_URL: 'https://speech.example/v1' }, true],
    ] as const) {
      settings.speech = () => speechProblemsOf(environment)
      await signIn()
      await visit('/send')
      const option = page.getByLabel('Transcript').locator('option[value="default"]')
      await option.waitFor({ state: 'attached', ...LONG })
      expect(await option.isEnabled()).toBe(isOffered)
      const text = 'no speech service is configured (STANDIN_TRANSCRIPTION_URL)'
      expect((await option.textContent())!.includes(text)).toBe(!isOffered)
      await page.context().close()
    }
  } finally {
    settings.speech = before!
  }
})

test('an invitation is for a member, and one for an owner is confirmed', async () => {
  await signIn()
  await visit('/team')
  const invite = async (name: string) => {
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByLabel('E-mail address', { exact: true }).fill(`${name}@example.com`)
    await page.getByRole('button', { name: 'Invite' }).click()
  }
  await page.locator('form select').waitFor(LONG)
  await invite('ann')
  await page.getByRole('row', { name: /ann@example.com/ }).waitFor(LONG)
  expect(await page.getByLabel('Role: ann').inputValue()).toBe('member')
  expect(await page.getByRole('alertdialog').count()).toBe(0)
  const ann = page.getByRole('row', { name: /ann@example.com/ })
  await ann.getByText('Invited. The link works until').waitFor(LONG)
  await page.getByText('It can be used once, within 7 days.').waitFor(LONG)
  await ann.getByRole('button', { name: 'Withdraw invitation' }).click()
  await ann.getByText('Invited.').waitFor({ state: 'detached', ...LONG })
  await ann.getByRole('button', { name: 'New invitation link' }).click()
  await ann.getByText('Invited.').waitFor(LONG)
  await page.locator('form select').selectOption('owner')
  await invite('bob')
  expect(await agree(page, 'Cancel')).toContain('Make bob an owner?')
  await page.getByLabel('Role: ann').selectOption('owner')
  await page.getByRole('alertdialog').waitFor(LONG)
  expect(await seriousOf(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('alertdialog').waitFor({ state: 'detached', ...LONG })
  expect(await page.getByLabel('Role: ann').inputValue()).toBe('member')
  expect(await page.getByRole('row', { name: /bob@example.com/ }).count()).toBe(0)
})

test('the chart of usage has a bar for each day, and reads the day under the pointer', async () => {
  await signIn()
  const bot = await world.botInMeeting(team, 'Minutes')
  await world.set(bot.id, { duration_seconds: 1800 })
  await visit('/usage')
  const chart = page.getByRole('img', { name: 'Recorded minutes' })
  await chart.locator('canvas').waitFor(LONG)
  const { x, y, width, height } = (await chart.locator('.u-over').boundingBox())!
  await page.mouse.move(x + width - 5, y + height / 2)
  const today = new Date().toISOString().slice(0, 10)
  await expect.poll(() => chart.locator('.u-legend').textContent(), LONG).toContain(`${today} UTC`)
  expect(await chart.locator('.u-legend').textContent()).toContain('30')
  await page.getByLabel('Figure').selectOption({ label: 'Bots' })
  await page.getByRole('img', { name: 'Bots' }).locator('canvas').waitFor(LONG)
  expect(new URL(page.url()).search).toBe('?figure=bots')
  expect(problems).toEqual([])
})

test('a bot shows the resources that it used, and usage their sums', async () => {
  await signIn()
  const bot = await world.botInMeeting(team, 'Minutes')
  const usage = usageOf(
    { core_seconds: 900, peak_memory_bytes: 640_000_000, bytes_received: 250_000_000, bytes_stored: 12_000_000 },
    { joining: 4, recording: 1796 },
  )
  await upsertUsage(world.database, [{ botId: bot.id, attempt: 1, journalId: randomUUID(), usage }], { isFinal: true })
  await visit(`/bots/${bot.id}?tab=details`)
  await page.getByText('Resources: 900 core seconds').click()
  await page.getByText('Highest memory 0.64 GB').waitFor(LONG)
  await page.getByText('Received 0.25 GB, sent 0 GB, stored 0.012 GB').waitFor(LONG)
  await page.getByText('Lived 1,800 s: joining 4 s, recording 1,796 s').waitFor(LONG)
  await visit('/usage')
  await page.getByRole('heading', { name: 'Resources of bots' }).waitFor(LONG)
  const row = page.getByRole('row', { name: new RegExp(`^${new Date().toISOString().slice(0, 10)}.* 0\\.25 `) }).last()
  await row.waitFor(LONG)
  expect(problems).toEqual([])
})

test('the request log shows the answers to keys, with filters in the address', async () => {
  await signIn()
  await team.get('/v2/bots')
  await team.get('/v2/bots?limit=0', undefined, { 'x-request-id': 'refused-1' })
  await page.getByRole('link', { name: 'Requests' }).click()
  const rows = page.locator('.requests li')
  await expect
    .poll(async () => {
      await page.getByRole('button', { name: 'Read again' }).click()
      return rows.count()
    }, LONG)
    .toBe(2)
  await page.getByLabel('Status').selectOption({ label: 'Refused (4xx)' })
  await expect.poll(() => rows.count(), LONG).toBe(1)
  expect(new URL(page.url()).search).toBe('?status=refused')
  await rows.getByText('FST_ERR_VALIDATION').first().click()
  await rows.getByText('refused-1').waitFor(LONG)
  await rows.getByText('querystring/limit').first().waitFor(LONG)
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations.map(({ id }) => id)).toEqual([])
  await page.reload()
  await expect.poll(() => rows.count(), LONG).toBe(1)
  expect(problems).toEqual([])
})

// The last test: the world has another server afterwards.
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

test('a link asks before it replaces a session, works in the same tab, and leaves the address at once', async () => {
  await signIn()
  const { teamId } = await world.team()
  const visitor = { teamId, name: 'Eve', email: null, role: 'viewer' as const }
  const personId = (await createPerson(world.database, visitor))!
  const link = async () => signInAddress(world.address, await createSignInLink(world.database, personId))
  await page.goto(await link())
  await page.getByText('You are signed in as').waitFor(LONG)
  expect(page.url()).toBe(`${world.address}/dashboard/sign-in`)
  expect(await seriousOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Stay signed in as I am' }).click()
  await page.getByText('· Owner').waitFor(LONG)
  await page.goto(await link())
  await page.getByRole('button', { name: 'A team' }).click(LONG)
  await page.getByText('Eve · Viewer').waitFor(LONG)

  await page.getByRole('button', { name: 'Sign out' }).click()
  await visit('/sign-in')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor(LONG)
  // As a pasted link does, this changes the part after `#` alone.
  await page.evaluate((address) => location.assign(address), await link())
  await page.getByText('Eve · Viewer').waitFor(LONG)
  expect(page.url()).toBe(`${world.address}/dashboard/`)
  expect(problems).toEqual([])
})
