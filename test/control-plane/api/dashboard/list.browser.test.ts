/** The list of meetings and the first steps. */
import type { BotPatch } from '@standin/control-plane/store/rows/index.ts'
import type { Page } from 'playwright'
import { beforeEach, expect, test } from 'vitest'
import { type BotInMeeting, HOSTILE, LONG, openBrowserWorld, pictureOf } from './browser-world.ts'
import { agree } from './pages.ts'

let team: Awaited<ReturnType<typeof world.team>>
let page: Page
let problems: string[]

const world = await openBrowserWorld()
beforeEach(async () => {
  team = await world.team()
  ;({ page, problems } = await world.signIn(team))
  return () => page.context().close()
})

const visit = (path: string) => page.goto(`${world.address}/dashboard${path}`)
const names = () => page.locator('.row-link').allTextContents()
const rowOf = (name: string) => page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })

const end = ({ id }: BotInMeeting, patch: BotPatch) =>
  world.set(id, {
    status: patch.error_code === undefined ? 'completed' : 'failed',
    phase: 'closed',
    ended_at: new Date(),
    exited_at: new Date(),
    version: 99,
    ...patch,
  })

test('a row has picture, platform, people, length, and the reason of a failure; all of it leads to the meeting', async () => {
  const bot = await world.botInMeeting(team, HOSTILE)
  await world.storeFile(bot, 'poster.jpg', await pictureOf(page, 'teal', 640, 360))
  await world.storeFile(bot, 'screenshots/live.png', await pictureOf(page, 'teal'))
  const people = [{ name: 'Ann' }, { name: 'Bo' }]
  await world.set(bot.id, { participants: people })
  await end(bot, { duration_seconds: 75 })
  const failed = await world.botInMeeting(team, 'Refused')
  await end(failed, { error_code: 'BOT_NOT_ACCEPTED' })
  await visit('/bots')
  const row = page.getByRole('row', { name: /onerror/ })
  await row.waitFor(LONG)
  await expect
    .poll(() => row.locator('.thumb img').evaluate((img) => (img as HTMLImageElement).naturalWidth), LONG)
    .toBe(640)
  expect(await row.getByRole('cell').allTextContents()).toMatchObject([
    expect.stringContaining('Google Meet'),
    '2',
    '1:15',
    'Completed',
    expect.stringMatching(/ (UTC|GMT)/),
  ])
  for (const [name, patch, why] of [
    ['By the network', { end_cause: 'DNS_FAILED' }, "The bot's machine could not look up the name"],
    ['By a policy', { reason: 'policy_blocks_bots' }, 'A policy blocks bots.'],
    ['Without a reason', { reason: 'unknown' }, 'The platform did not let the bot join.'],
  ] as const) {
    await end(await world.botInMeeting(team, name), { error_code: 'CANNOT_JOIN_MEETING', ...patch })
    await rowOf(name).getByText(why).waitFor(LONG)
  }
  await rowOf('Refused').getByText('The host denied the bot entry.').waitFor(LONG)
  // The link covers the whole row, so the click on the word is one on the link.
  await rowOf('Refused').getByText('Failed').click({ force: true })
  await page.getByRole('heading', { name: 'Refused' }).waitFor(LONG)
  await page.goBack()
  await rowOf('Refused').getByRole('link').focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Refused' }).waitFor(LONG)
  expect(problems).toEqual([])
})

test('filters and order stay in the address', async () => {
  for (const [name, seconds] of [
    ['Alpha', 10],
    ['Beta', 30],
    ['Gamma', 20],
  ] as const)
    await end(await world.botInMeeting(team, name), { duration_seconds: seconds })
  await world.botInMeeting(team, 'Running')
  await visit('/bots')
  await page.getByLabel('Status').selectOption({ label: 'Completed' })
  await expect.poll(names, LONG).toEqual(['Gamma', 'Beta', 'Alpha'])
  await page.getByRole('button', { name: 'Duration' }).click()
  await expect.poll(names, LONG).toEqual(['Beta', 'Gamma', 'Alpha'])
  await page.reload()
  await expect.poll(names, LONG).toEqual(['Beta', 'Gamma', 'Alpha'])
  expect(await page.getByRole('columnheader', { name: 'Duration' }).getAttribute('aria-sort')).toBe('descending')
  await page.getByLabel('Bot name').fill('nothing like it')
  await page.getByText('No bot matches these filters.').waitFor(LONG)
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await expect.poll(async () => (await names()).length, LONG).toBe(4)
  expect(new URL(page.url()).search).toBe('?sort=-duration')
})

test('chosen bots leave and are deleted together, each as its state permits', async () => {
  const running = await world.botInMeeting(team, 'Running')
  const ended = [await world.botInMeeting(team, 'One'), await world.botInMeeting(team, 'Two')]
  for (const bot of ended) await end(bot, { duration_seconds: 10 })
  await visit('/bots')
  await page.getByLabel('Select One').check()
  await page.getByRole('button', { name: 'Select all 3' }).click()
  await page.getByText('3 selected').waitFor(LONG)
  await page.getByRole('button', { name: 'Delete data of 2 meetings' }).click()
  expect(await agree(page, 'Delete data of 2 meetings')).toMatch(/all data of “(One|Two)” \(.*\), “(One|Two)” \(/)
  await page.getByText('Requested for 2 meetings.').waitFor(LONG)
  const deleted = await world.database
    .selectFrom('bots')
    .select('id')
    .where('data_deleted_at', 'is not', null)
    .where('team_id', '=', team.teamId)
    .execute()
  expect(deleted.map(({ id }) => id).sort()).toEqual(ended.map(({ id }) => id).sort())
  await page.getByLabel('Select Running').check()
  await page.getByRole('button', { name: 'Leave 1 meeting' }).click()
  await agree(page, 'Leave 1 meeting')
  await expect
    .poll(async () => {
      const query = world.database.selectFrom('bots').select('stop_requested_at').where('id', '=', running.id)
      return (await query.executeTakeFirstOrThrow()).stop_requested_at
    }, LONG)
    .not.toBeNull()
})

test('the first steps lead to what a new team does, and can be closed', async () => {
  const steps = page.getByRole('region', { name: 'First steps' })
  await steps.waitFor(LONG)
  await steps.getByRole('link', { name: 'Add an endpoint' }).click()
  await page.getByRole('heading', { name: 'Webhooks' }).waitFor(LONG)
  await world.botInMeeting(team, 'Minutes')
  await visit('/')
  await steps.locator('.done', { hasText: 'Send a bot into a meeting' }).waitFor(LONG)
  await steps.getByRole('link', { name: 'Set a password' }).click()
  await page.getByLabel('E-mail address').fill('ada@example.com')
  await page.getByLabel('New password').fill('a long enough one')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor(LONG)
  await visit('/')
  await steps.locator('.done', { hasText: 'Set a password' }).waitFor(LONG)
  await steps.getByRole('button', { name: 'Hide the first steps' }).click()
  expect(await steps.count()).toBe(0)
  await page.reload()
  await page.getByText('Minutes').waitFor(LONG)
  expect(await steps.count()).toBe(0)
})

test('one click sends a bot into the mock meeting of the installation', async () => {
  const demo = 'https://meet.google.com/dem-omee-tin'
  await page.route('**/dashboard/api/me', async (route) => {
    const answer = await (await route.fetch()).json()
    await route.fulfill({ json: { ...answer, data: { ...answer.data, demo_link: demo } } })
  })
  await visit('/')
  await page.getByRole('button', { name: 'Send one into the mock meeting' }).click()
  await page.getByRole('heading', { name: 'My first bot' }).waitFor(LONG)
  const sent = await world.rows('bots', { team_id: team.teamId })
  expect(sent).toMatchObject([{ meeting_url: demo, bot_name: 'My first bot' }])
})
