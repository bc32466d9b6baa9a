import type { Browser } from 'playwright'
import { expect, test } from 'vitest'
import { createPerson } from '../../../control-plane/store/people/people.ts'
import { openSession } from '../../../control-plane/store/people/sessions.ts'
import { freePort } from '../../servers/free-port.ts'
import { openWorld } from '../world.ts'
import { openBrowser } from './dashboard/pages.ts'

const port = await freePort()
const origin = `http://127.0.0.1:${port}`
const world = await openWorld({ api: { settings: { publicUrl: origin, version: '1.2.3' } } })
await world.app.listen({ host: '127.0.0.1', port })
const browser = await openBrowser()

/** Opens the page at the operation that creates a bot. */
async function openPage(cookies: Parameters<Awaited<ReturnType<Browser['newContext']>>['addCookies']>[0] = []) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  await context.addCookies(cookies)
  const page = await context.newPage()
  await page.goto(`${origin}/docs/`)
  await page.getByText('Send a bot into a meeting').first().waitFor({ timeout: 60_000 })
  return page
}

/** Presses "Test Request" and "Send" of the first operation. Resolves with what was sent and answered. */
async function sendFirst(page: Awaited<ReturnType<typeof openPage>>) {
  // An operation is drawn once it is near the visible part.
  await page.getByText('Send a bot into a meeting').first().click()
  await page.getByText('@standin/client').first().waitFor({ timeout: 60_000 })
  await page
    .getByRole('button', { name: /^Test Request/ })
    .first()
    .click({ timeout: 60_000 })
  const answered = page.waitForResponse((answer) => answer.url() === `${origin}/v2/bots`, { timeout: 60_000 })
  await page.getByRole('button', { name: /^Send/ }).first().click({ timeout: 60_000 })
  const answer = await answered
  return { status: answer.status(), sent: answer.request().postDataJSON(), body: await answer.json() }
}

test('the page shows introduction, operations and webhooks, with an empty field for the key, and asks no other host', async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const page = await context.newPage()
  const foreign: string[] = []
  const refused: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !/^(?:data|blob):/.test(request.url())) foreign.push(request.url())
  })
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) refused.push(message.text())
  })
  await page.goto(`${origin}/docs/`)
  for (const text of ['Send a bot into a meeting', 'Answers and errors', 'v1.2.3', 'Webhooks'])
    await page.getByText(text).first().waitFor({ timeout: 60_000 })
  const passwords = await page
    .locator('input[type=password], input[placeholder]')
    .evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value))
  expect(passwords.join('')).toBe('')
  await context.close()
  expect(foreign).toEqual([])
  expect(refused).toEqual([])
})

test('a person who is signed in to the dashboard sends the example at the first click', async () => {
  const { teamId } = await world.team()
  const person = { teamId, name: 'Ada', email: null, role: 'member' as const, passwordHash: null }
  const personId = (await createPerson(world.database, person))!
  const value = await openSession(world.database, personId)
  const page = await openPage([{ name: 'standin_session', value, url: origin, httpOnly: true, sameSite: 'Lax' }])
  const { status, sent, body } = await sendFirst(page)
  expect({ status, body }).toEqual({ status: 201, body: { success: true, data: { bot_id: expect.any(String) } } })
  // No other field is sent.
  expect(sent).toEqual({ meeting_url: 'https://meet.google.com/abc-defg-hij', bot_name: 'Notes for Ann' })
  await page.context().close()
})

test('without a session the answer says that the key is missing', async () => {
  const page = await openPage()
  const { status, body } = await sendFirst(page)
  expect({ status, message: body.message }).toEqual({ status: 401, message: expect.stringContaining('is missing') })
  await page.context().close()
})
