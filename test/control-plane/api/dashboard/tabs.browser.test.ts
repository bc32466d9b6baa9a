/** What a browser does beside showing pages: its connections, and errors in its console. */
import { expect, test } from 'vitest'
import { blankBot } from '../../../../control-plane/store/bots/deletions.ts'
import { openBrowserWorld } from './browser-world.ts'
import { LONG } from './pages.ts'

const world = await openBrowserWorld()

test('seven tabs of one browser load, and all of them are told of a new bot by one connection', async () => {
  const team = await world.team()
  const { page } = await world.signIn(team)
  const tabs = [page]
  while (tabs.length < 7) {
    const tab = await page.context().newPage()
    tabs.push(tab)
    await tab.goto(`${world.address}/dashboard/`)
    await tab.getByText('No bot is in a meeting now.').waitFor(LONG)
    await tab.getByText('Live updates').waitFor(LONG)
  }
  await world.botInMeeting(team, 'Minutes')
  for (const tab of tabs) await tab.locator('.card', { hasText: 'Minutes' }).waitFor(LONG)
  // The tab that opened the first connection may go.
  await tabs.shift()!.close()
  await world.botInMeeting(team, 'Standup')
  for (const tab of tabs) await tab.locator('.card', { hasText: 'Standup' }).waitFor(LONG)
  await page.context().close()
})

test('no page leaves an error in the console', async () => {
  const team = await world.team()
  const { page } = await world.signIn(team)
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${page.url()}: ${message.text()} ${message.location().url}`)
  })
  const bots = {
    live: await world.botInMeeting(team, 'Live'),
    finished: await world.botInMeeting(team, 'Finished'),
    failed: await world.botInMeeting(team, 'Failed'),
    deleted: await world.botInMeeting(team, 'Deleted'),
  }
  await world.storeFile(bots.finished, 'video.mp4', 'video')
  const ended = { phase: 'closed', ended_at: new Date() }
  await world.set(bots.finished.id, { status: 'completed', ...ended })
  await world.set(bots.failed.id, { status: 'failed', end_code: 'INTERNAL_ERROR', ...ended })
  await world.set(bots.deleted.id, { status: 'completed', ...ended })
  await blankBot(world.database, bots.deleted.id)
  await world.set(bots.deleted.id, { data_deleted_at: new Date() })
  const links = await page.locator('nav a').evaluateAll((all) => all.map((one) => one.getAttribute('href')!))
  // The documentation is not built here; `help.browser.test.ts` opens it.
  const paths = [
    ...links.filter((href) => href !== '/help'),
    ...Object.values(bots).map(({ id }) => `/dashboard/bots/${id}`),
  ]
  for (const path of paths) {
    await page.goto(world.address + path)
    await page.locator('h1').first().waitFor(LONG)
    for (const tab of await page.getByRole('tab').all()) await tab.click()
    await expect.poll(() => page.getByText('Loading …').count(), LONG).toBe(0)
  }
  // This browser has no place for icons, so it does not ask for them.
  for (const path of paths) {
    const html = await (await fetch(world.address + path)).text()
    const icon = /<link rel="icon" href="([^"]+)"/.exec(html)?.[1] ?? `${world.address}/favicon.ico`
    if ((await fetch(icon.replaceAll('&amp;', '&'))).status >= 400) errors.push(`${path}: ${icon}`)
  }
  expect(errors).toEqual([])
})
