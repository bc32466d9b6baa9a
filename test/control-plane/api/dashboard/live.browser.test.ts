/** The live page: pictures, captions, and a feed that continues after a restart of the service. */
import type { Page } from 'playwright'
import { beforeEach, expect, test } from 'vitest'

import { openCommands } from '../../../../control-plane/store/bots/commands.ts'
import { freshMeet } from '../reporting.ts'
import { type BotInMeeting, HOSTILE, LONG, lineOf, openBrowserWorld, pictureOf } from './browser-world.ts'

let team: Awaited<ReturnType<typeof world.team>>
let page: Page
let problems: string[]

const world = await openBrowserWorld()
beforeEach(async () => {
  team = await world.team()
  return () => page.context().close()
})

async function signIn(...[role, options]: [Parameters<typeof world.signIn>[1]?, Parameters<typeof world.signIn>[2]?]) {
  ;({ page, problems } = await world.signIn(team, role, options))
}
const card = (name: string) => page.locator('.card', { has: page.getByRole('heading', { name }) })
const openOf = ({ id }: BotInMeeting) => openCommands(world.database, [id])

/** The page has asked, and the bot answers with this picture. */
async function show(bot: BotInMeeting, picture: Uint8Array | string): Promise<void> {
  await expect.poll(async () => (await openOf(bot)).length, LONG).toBe(1)
  await world.storeFile(bot, 'screenshots/live.png', picture)
  await world.answerPictures(bot.id, { ok: true })
}
const letAsk = (bot: BotInMeeting) => world.change('live_pictures', { bot_id: bot.id }, { asked_at: new Date(0) })

test('an open page asks for a picture and shows it with its age, without moving anything', async () => {
  await signIn('viewer')
  const bot = await world.botInMeeting(team, 'Minutes')
  await card('Minutes').getByText('Waiting for the screenshot …').waitFor(LONG)
  const before = await card('Minutes').boundingBox()
  await show(bot, await pictureOf(page, 'teal'))
  const picture = card('Minutes').getByRole('img', { name: 'Screenshot of the meeting of Minutes' })
  await picture.waitFor(LONG)
  await expect.poll(() => picture.evaluate((img) => (img as HTMLImageElement).naturalWidth), LONG).toBe(1280)
  await card('Minutes')
    .getByText(/^\d+ s ago/)
    .waitFor(LONG)
  expect(await card('Minutes').boundingBox()).toEqual(before)
  // A viewer's page asks within the common limit, and offers no more.
  expect(await card('Minutes').getByRole('button').count()).toBe(0)
  const address = await picture.getAttribute('src')
  // An address expires at a whole second, and the page asks within less of one: it has to be another second.
  await page.waitForTimeout(1100)
  await letAsk(bot)
  await show(bot, await pictureOf(page, 'maroon', 300, 900))
  await expect.poll(() => picture.getAttribute('src'), LONG).not.toBe(address)
  expect(await card('Minutes').boundingBox()).toEqual(before)
  expect(problems).toEqual([])
})

test('a member asks for a new picture; a failure says why, and the last picture stays', async () => {
  await signIn('member')
  const bot = await world.botInMeeting(team, 'Minutes')
  await show(bot, await pictureOf(page, 'teal'))
  await card('Minutes').getByRole('img').waitFor(LONG)
  await letAsk(bot)
  await card('Minutes').getByRole('button', { name: 'New screenshot of Minutes' }).click()
  await card('Minutes')
    .getByText(/Screenshot requested|a moment ago/)
    .waitFor(LONG)
  await expect.poll(async () => (await openOf(bot)).length, LONG).toBe(1)
  await world.answerPictures(bot.id, { ok: false, code: 'COMMAND_FAILED', message: 'The page does not answer.' })
  await card('Minutes').getByText('the bot could not take one. The page does not answer.').waitFor(LONG)
  await card('Minutes').getByRole('img').waitFor(LONG)
})

test('files that are no picture, cut off or empty do not break the page', async () => {
  const files: [string, Uint8Array | string][] = [
    ['no picture', '<svg xmlns="http://www.w3.org/2000/svg"><script>document.title="owned"</script></svg>'],
    ['cut off', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
    ['empty', ''],
  ]
  await signIn('viewer')
  const picture = await pictureOf(page, 'teal')
  await Promise.all(
    files.map(async ([what, content]) => {
      const bot = await world.botInMeeting(team, `${what} ${HOSTILE}`)
      await show(bot, content)
      await card(what).getByText('The screenshot is damaged.').waitFor(LONG)
      expect(await card(what).getByRole('img').count(), what).toBe(0)
      // The next one is tried.
      await letAsk(bot)
      await show(bot, picture)
      await card(what).getByRole('img').waitFor(LONG)
    }),
  )
  expect(await page.title()).not.toBe('owned')
  expect(problems).toEqual([])
})

test('a bot in the waiting room says why it has no picture, and is not asked', async () => {
  await signIn('member')
  const bot = await world.botInMeeting(team, 'Waiting')
  await bot.report({ type: 'status_change', status: 'in_waiting_room' })
  await world.set(bot.id, { status: 'in_waiting_room' })
  await card('Waiting').getByText('No screenshot: the bot is in the waiting room.').waitFor(LONG)
  expect(await card('Waiting').getByRole('button').count()).toBe(0)
})

test('bots in meetings come before those that are not inside yet', async () => {
  await signIn('viewer')
  await world.botInMeeting(team, 'Inside')
  await world.bot(team, { bot_name: 'Queued', meeting_url: freshMeet() })
  await card('Queued').waitFor(LONG)
  await card('Inside').waitFor(LONG)
  expect(await page.locator('.card h2').allTextContents()).toEqual(['Inside', 'Queued'])
})

test('a page in the background asks for nothing', async () => {
  await signIn('viewer')
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })
    document.dispatchEvent(new Event('visibilitychange'))
  })
  let asked = 0
  page.on('request', (request) => {
    if (/\/live/.test(request.url())) asked += 1
  })
  const bot = await world.botInMeeting(team, 'Minutes')
  await card('Minutes').waitFor(LONG)
  const atFirst = asked
  // A page that is looked at reads every 0.3 s here.
  await page.waitForTimeout(1500)
  expect(asked).toBe(atFirst)
  expect(await openOf(bot)).toEqual([])
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => false })
    document.dispatchEvent(new Event('visibilitychange'))
  })
  await expect.poll(() => asked, LONG).toBeGreaterThan(atFirst)
})

test('the last line of captions is shown with its speaker', async () => {
  await signIn('viewer')
  const bot = await world.botInMeeting(team, 'Minutes')
  await bot.report(lineOf('Ana Kovač', 'The first line', 1, 2))
  await card('Minutes').getByText('The first line').waitFor(LONG)
  await bot.report(lineOf(HOSTILE, 'قال مرحبا 😀', 3, 4))
  await card('Minutes').locator('.captions', { hasText: 'قال مرحبا 😀' }).waitFor(LONG)
  expect(await card('Minutes').locator('.captions b').textContent()).toBe(HOSTILE)
  expect(await page.title()).not.toBe('owned')
})

test('after a restart of the service a change reaches the open page without a reload', async () => {
  await signIn('viewer')
  const bot = await world.botInMeeting(team, 'Minutes')
  await card('Minutes').getByText('Recording').waitFor(LONG)
  await page.getByText('Live updates').waitFor(LONG)
  await page.evaluate(() => document.body.setAttribute('data-mark', 'same page'))
  await world.stop()
  await page.getByText('Connection lost').waitFor(LONG)
  await world.startAgain()
  await page.getByText('Live updates').waitFor(LONG)
  await bot.report({ type: 'status_change', status: 'recording_paused' })
  await card('Minutes').getByText('Paused', { exact: true }).waitFor(LONG)
  await bot.report({ type: 'status_change', status: 'recording_resumed' })
  await card('Minutes').getByText('Recording').waitFor(LONG)
  expect(await page.locator('body').getAttribute('data-mark')).toBe('same page')
})
