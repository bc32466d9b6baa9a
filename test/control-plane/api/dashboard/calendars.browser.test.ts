/** The pages about calendars and Zoom connections in Chromium, in front of the stand-in of Google Calendar. */

import { expect, test } from 'vitest'
import { atEnd } from '../../../fakes/at-end.ts'
import { openCalendarWorld } from '../calendars/stand-ins.ts'
import { agree, DASHBOARD_FOLDER, enter, LONG, openBrowser, seriousOf } from './pages.ts'

const HOUR = 3_600_000
const HOSTILE = `<img src=x onerror="document.title='owned'">`

const settings = { publicUrl: 'http://127.0.0.1', dashboardFolder: DASHBOARD_FOLDER }
const world = await openCalendarWorld({ settings })
atEnd(world.close)
const browser = await openBrowser()
const page = await enter({ browser, world, address: world.address, teamId: await world.teamId() })

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
  expect(await seriousOf(page)).toEqual([])
  await row.getByRole('button', { name: 'Cancel the bot' }).click()
  await row.getByText('No bot scheduled').waitFor(LONG)
  expect(await page.title()).not.toBe('owned')

  await page.getByRole('button', { name: 'Disconnect' }).click()
  await agree(page, 'Disconnect')
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
  expect(await seriousOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Delete' }).click()
  await agree(page, 'Delete')
  await page.getByText('There are no stored credentials.').waitFor(LONG)
})

test('an account is added by its session, disabled and deleted, and its session is never shown', async () => {
  await page.goto(`${world.address}/dashboard/accounts`)
  await page.getByText('There are no accounts. Bots join as guests.').waitFor(LONG)
  await page.getByLabel('Name').fill(HOSTILE)
  await page.getByLabel('E-mail address').fill('notes@example.com')
  await page.getByLabel('Session').fill('no JSON')
  await page.getByRole('button', { name: 'Add account' }).click()
  await page.getByText('The session is not JSON.').waitFor(LONG)
  const session = { cookies: [{ name: 'SID', value: 'very-secret', domain: '.google.com' }] }
  await page.getByLabel('Session').fill(JSON.stringify(session))
  await page.getByRole('button', { name: 'Add account' }).click()
  await page.getByText('notes@example.com').waitFor(LONG)
  await page.getByText('0 of 20').waitFor(LONG)
  expect(await page.content()).not.toContain('very-secret')
  expect(await page.title()).not.toBe('owned')
  expect(await seriousOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Disable' }).click()
  await page.getByRole('cell').getByText('Disabled').waitFor(LONG)
  await page.getByRole('button', { name: 'Enable' }).click()
  await page.getByRole('button', { name: 'Check with the next bot' }).click()
  await page.getByText('Not used yet').waitFor(LONG)
  await page.getByRole('button', { name: 'Delete' }).click()
  await agree(page, 'Delete')
  await page.getByText('There are no accounts. Bots join as guests.').waitFor(LONG)
})
