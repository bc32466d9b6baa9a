/** The pages about calendars and Zoom connections in Chromium, in front of the stand-in of Google Calendar. */
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signInAddress } from '../../../../control-plane/api/dashboard/addresses.ts'
import { createPerson } from '../../../../control-plane/store/people/people.ts'
import { createSignInLink } from '../../../../control-plane/store/people/sessions.ts'
import { packageRoot } from '../../../../core/process/page-scripts.ts'
import { HEADLESS_SHELL } from '../../../headless-shell.ts'
import { openCalendarWorld } from '../calendars/stand-ins.ts'

const LONG = { timeout: 60_000 }
const HOUR = 3_600_000
const HOSTILE = `<img src=x onerror="document.title='owned'">`

let world: Awaited<ReturnType<typeof openCalendarWorld>>
let browser: Browser
let page: Page

beforeAll(async () => {
  const dashboardFolder = join(packageRoot, 'dist/dashboard')
  world = await openCalendarWorld({ settings: { publicUrl: 'http://127.0.0.1', dashboardFolder } })
  browser = await chromium.launch({ executablePath: HEADLESS_SHELL })
  page = await (await browser.newContext()).newPage()
  const { teamId } = await world.team()
  const personId = (await createPerson(world.database, { teamId, name: 'Ada', email: null, role: 'member' }))!
  await page.goto(signInAddress(world.address, await createSignInLink(world.database, personId)))
  await page.getByRole('heading', { name: 'Bots in meetings' }).waitFor(LONG)
})
afterAll(async () => {
  await browser?.close()
  await world?.close()
})

const seriousOf = async () => {
  const { violations } = await new AxeBuilder({ page }).analyze()
  return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id }) => id)
}

test('a calendar is connected by the form, its events say who gets a bot and why not, and it is disconnected', async () => {
  const { google } = world
  const account = google.addAccount()
  const start = new Date(Date.now() + 2 * HOUR)
  account.primary.create({ title: HOSTILE, start, link: 'https://meet.google.com/abc-defg-hij' })
  account.primary.create({ title: 'Without a link', start })

  await page.goto(`${world.address}/dashboard/calendars`)
  await page.getByText('With your own OAuth app').click(LONG)
  await page.getByLabel('Client ID').fill(google.tokens.clientId)
  await page.getByLabel('Client secret').fill(google.tokens.clientSecret)
  await page.getByLabel('Refresh token').fill('wrong')
  await page.getByRole('button', { name: 'Check credentials and list calendars' }).click()
  await page.locator('.notice.bad').waitFor(LONG)
  await page.getByLabel('Refresh token').fill(google.tokens.consent(account))
  await page.getByRole('button', { name: 'Check credentials and list calendars' }).click()
  await page.getByRole('button', { name: 'Connect', exact: true }).first().click()
  await page.getByText('The calendar is connected. The first sync has started.').waitFor(LONG)

  await page.locator('td a').first().click()
  await page.getByRole('button', { name: 'Sync now' }).click()
  await expect
    .poll(async () => {
      await page.reload()
      return page.getByText('Without a link').count()
    }, LONG)
    .toBe(1)
  const row = page.getByRole('row', { name: /onerror/ })
  await page
    .getByRole('row', { name: 'Without a link' })
    .getByText('No bot: the event has no meeting link')
    .waitFor(LONG)
  await row.getByText('No bot scheduled').waitFor(LONG)
  await row.getByRole('button', { name: 'Schedule a bot' }).click()
  await row.getByText('Bot scheduled', { exact: true }).waitFor(LONG)
  expect(await seriousOf()).toEqual([])
  await row.getByRole('button', { name: 'Cancel the bot' }).click()
  await row.getByText('No bot scheduled').waitFor(LONG)
  expect(await page.title()).not.toBe('owned')

  page.once('dialog', (dialog) => dialog.accept())
  await page.getByRole('button', { name: 'Disconnect' }).click()
  await page.getByText('No calendar is connected.').waitFor(LONG)
})

test.each([
  ['keys of a Zoom app', null, 'App credentials'],
  ['the registration of a Teams bot', 'example.com', 'Registered Teams bot'],
])('%s are stored and deleted, and their secret is never shown', async (_what, tenant, type) => {
  await page.goto(`${world.address}/dashboard/connections`)
  await page.getByLabel('Name').fill('Our app')
  if (tenant !== null) await page.getByLabel('Tenant ID').fill(tenant)
  await page.getByLabel('Client ID').fill('client-1')
  await page.getByLabel('Client secret').fill('very-secret')
  await page.getByRole('button', { name: 'Add credentials' }).click()
  await page.getByRole('row', { name: new RegExp(`Our app.*${type}`) }).waitFor(LONG)
  expect(await page.content()).not.toContain('very-secret')
  expect(await seriousOf()).toEqual([])
  page.once('dialog', (dialog) => dialog.accept())
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('There are no stored credentials.').waitFor(LONG)
})
