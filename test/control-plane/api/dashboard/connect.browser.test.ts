/** People press the buttons, consent at the stand-ins of the providers, and see what is connected, in Chromium. */
import type { Page } from 'playwright'
import { expect, test } from 'vitest'
import type { Role } from '../../../../control-plane/store/people/people.ts'
import { freePort } from '../../../servers/free-port.ts'
import { openWorld } from '../../world.ts'
import { openConsentWorld } from './consent-world.ts'
import { DASHBOARD_FOLDER, enter, LONG, openBrowser, seriousOf } from './pages.ts'

const world = await openConsentWorld({
  settings: { publicUrl: `http://127.0.0.1:${await freePort()}`, dashboardFolder: DASHBOARD_FOLDER },
})
for (const provider of ['google', 'microsoft'] as const) {
  world[provider].addAccount({ email: 'bo@example.com', name: 'Bo' })
  world[provider].addAccount({ email: 'ann@example.com', name: 'Ann' }).addCalendar('Sales team')
}
world.zoom.addUser({ email: 'ann@example.com', firstName: 'Ann', lastName: 'Host' })
const browser = await openBrowser()

const pageOf = async (role?: Role) =>
  enter({ browser, world, address: world.address, teamId: await world.teamId(), role })

async function expectAccessible(page: Page): Promise<void> {
  expect(await seriousOf(page)).toEqual([])
}

/** The outcome is shown once, and the address says nothing about it. */
async function expectPlainAddress(page: Page): Promise<void> {
  await expect.poll(() => new URL(page.url()).search).toBe('')
}

test.each([
  ['google', 'Connect Google Calendar'],
  ['microsoft', 'Connect Outlook calendar'],
] as const)(
  'a calendar of %s is connected by button and consent, and then another one of the account',
  async (provider, button) => {
    const start = new Date(Date.now() + 3_600_000)
    const account = world[provider].accounts.find(({ email }) => email === 'ann@example.com')!
    account.primary.create({ title: 'Weekly', start, link: 'https://meet.google.com/abc-defg-hij' })
    const page = await pageOf()
    await page.goto(`${world.address}/dashboard/calendars`)
    await page.getByRole('button', { name: button }).click(LONG)
    await page.getByRole('heading', { name: /wants to access your account/ }).waitFor(LONG)
    expect(new URL(page.url()).origin).toBe(new URL(world[provider].url).origin)
    await expectAccessible(page)
    await page.getByLabel('ann@example.com').check()
    await page.getByRole('button', { name: 'Allow' }).click()

    await page.getByText('The calendar is connected. The first sync has started.').waitFor(LONG)
    await page.getByRole('heading', { name: 'ann@example.com Active' }).waitFor(LONG)
    await expectPlainAddress(page)
    await expect
      .poll(async () => {
        await page.reload()
        await page.getByRole('heading', { name: 'ann@example.com Active' }).waitFor(LONG)
        return page.getByText('Weekly').count()
      }, LONG)
      .toBeGreaterThan(0)

    await page.getByRole('button', { name: 'Show other calendars' }).click()
    const other = page.getByRole('row', { name: 'Sales team' })
    await other.waitFor(LONG)
    await expectAccessible(page)
    await other.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('button', { name: 'Allow' }).click(LONG)
    await page.getByText('The calendar is connected. The first sync has started.').waitFor(LONG)
    await page.getByRole('button', { name: 'Show other calendars' }).click(LONG)
    await page.getByText('The account has no other calendar.').waitFor(LONG)

    await page.goto(`${world.address}/dashboard/calendars`)
    await expect.poll(() => page.getByRole('row', { name: /ann@example\.com/ }).count(), LONG).toBe(2)
    await page.context().close()
  },
)

test('a Zoom user is connected by button and consent', async () => {
  const page = await pageOf()
  await page.goto(`${world.address}/dashboard/connections`)
  await page.getByRole('button', { name: 'Connect Zoom' }).click(LONG)
  await page.getByRole('button', { name: 'Allow' }).click(LONG)
  await page.getByText('The Zoom user is connected.').waitFor(LONG)
  await page.getByRole('row', { name: /Ann Host.*Authorized user.*ann@example\.com.*Active/s }).waitFor(LONG)
  await expectPlainAddress(page)
  await expectAccessible(page)
  await page.context().close()
})

test('a person who denies, or unticks a permission, reads what happened and connects after all', async () => {
  const page = await pageOf()
  await page.goto(`${world.address}/dashboard/calendars`)
  await page.getByRole('button', { name: 'Connect Google Calendar' }).click(LONG)
  await page.getByRole('button', { name: 'Deny' }).click(LONG)
  await page.getByText('You did not allow the access at Google. Nothing was connected.').waitFor(LONG)
  await expectPlainAddress(page)
  await expectAccessible(page)
  await page.getByText('No calendar is connected.').waitFor(LONG)

  await page.getByRole('button', { name: 'Connect Google Calendar' }).click()
  await page.getByLabel('View events on all your calendars').uncheck(LONG)
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText('You did not allow the app to view the events of your calendars.').waitFor(LONG)
  await page.getByText('No calendar is connected.').waitFor(LONG)

  await page.getByRole('button', { name: 'Connect Google Calendar' }).click()
  await page.getByRole('button', { name: 'Allow' }).click(LONG)
  await page.getByText('The calendar is connected. The first sync has started.').waitFor(LONG)
  await page.context().close()
})

test('a calendar whose permission was withdrawn is connected again from its page', async () => {
  const page = await pageOf()
  const account = world.google.addAccount({ email: 'cy@example.com' })
  await page.goto(`${world.address}/dashboard/calendars`)
  await page.getByRole('button', { name: 'Connect Google Calendar' }).click(LONG)
  await page.getByLabel('cy@example.com').check(LONG)
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByRole('heading', { name: 'cy@example.com Active' }).waitFor(LONG)
  world.google.tokens.revoke(account)
  await page.getByRole('button', { name: 'Sync now' }).click()
  await page.locator('.notice.bad').first().waitFor(LONG)
  await page.reload()
  await page.getByRole('heading', { name: 'cy@example.com Token refused' }).waitFor(LONG)
  await page.getByRole('button', { name: 'Connect again' }).click()
  await page.getByRole('button', { name: 'Allow' }).click(LONG)
  await page.getByText('The calendar is connected again.').waitFor(LONG)
  await page.getByRole('heading', { name: 'cy@example.com Active' }).waitFor(LONG)
  await page.context().close()
})

test('who signed out meanwhile reads it on the page of the sign-in; who may not connect sees no button', async () => {
  const page = await pageOf()
  await page.goto(`${world.address}/dashboard/calendars`)
  await page.getByRole('button', { name: 'Connect Outlook calendar' }).click(LONG)
  await page.getByRole('button', { name: 'Allow' }).waitFor(LONG)
  await page.context().clearCookies({ name: 'standin_session' })
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText('You were not signed in when you came back').waitFor(LONG)
  await page.context().close()

  const viewer = await pageOf('viewer')
  await viewer.goto(`${world.address}/dashboard/calendars`)
  await viewer.getByText('No calendar is connected.').waitFor(LONG)
  expect(await viewer.getByRole('button', { name: /^Connect/ }).count()).toBe(0)
  await viewer.context().close()
})

test('an installation without apps names the settings for its operator, and its form is open', async () => {
  const port = await freePort()
  const settings = { publicUrl: `http://127.0.0.1:${port}`, dashboardFolder: DASHBOARD_FOLDER }
  const plain = await openWorld({ api: { settings } })
  await plain.app.listen({ host: '127.0.0.1', port })
  const address = settings.publicUrl
  const teamId = await plain.teamId()
  const page = await enter({ browser, world: plain, address, teamId, role: 'owner' })
  const member = await enter({ browser, world: plain, address, teamId, name: 'Bo' })
  for (const [path, variables] of [
    ['calendars', ['STANDIN_GOOGLE_CLIENT_ID', 'STANDIN_MICROSOFT_CLIENT_SECRET']],
    ['connections', ['STANDIN_ZOOM_CLIENT_ID']],
  ] as const) {
    await page.goto(`${settings.publicUrl}/dashboard/${path}`)
    for (const variable of variables) await page.getByText(variable).waitFor(LONG)
    await page.getByLabel('Client secret').waitFor(LONG)
    expect(await page.getByRole('button', { name: /^Connect / }).count()).toBe(0)
    await expectAccessible(page)
    await member.goto(page.url())
    await member.getByLabel('Client secret').waitFor(LONG)
    expect(await member.getByText('STANDIN_').count()).toBe(0)
  }
  await Promise.all([page, member].map((one) => one.context().close()))
})
