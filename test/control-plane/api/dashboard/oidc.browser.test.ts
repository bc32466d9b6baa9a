/** Signing in through an OpenID provider in Chromium, under the page's Content Security Policy. */
import { afterAll, expect, test } from 'vitest'
import { createOidcProvider } from '../../../../control-plane/connections/sign-in/oidc.ts'
import { createGuardedClient } from '../../../../control-plane/platform/outgoing/guarded-client.ts'
import { changePerson, createPerson } from '../../../../control-plane/store/people/people.ts'
import { freePort } from '../../../servers/free-port.ts'
import { CLIENT_ID, CLIENT_SECRET, startProvider } from '../../connections/sign-in/provider.ts'
import { openWorld } from '../../world.ts'
import { agree, DASHBOARD_FOLDER, LONG, openBrowser, seriousOf } from './pages.ts'

const port = await freePort()
const address = `http://127.0.0.1:${port}`
const provider = await startProvider(`${address}/dashboard/api/oidc/callback`)
const client = createGuardedClient({ allowPrivate: true })
const settings = { issuer: provider.issuer, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, client }
const world = await openWorld({
  api: {
    oidc: { ...createOidcProvider(settings), name: 'Acme', domains: [] },
    settings: { publicUrl: address, dashboardFolder: DASHBOARD_FOLDER },
  },
})
await world.app.listen({ host: '127.0.0.1', port })
const browser = await openBrowser()
afterAll(async () => {
  await client.close()
  await provider.close()
})

test('a stranger reads why, an invited person enters, signs out, and stays out until they come back', async () => {
  const { teamId } = await world.team()
  const context = await browser.newContext()
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) problems.push(message.text())
  })
  const account = { id: 'ada', email: 'ada@example.com', email_verified: true, name: 'Ada' }
  provider.use(account)
  await page.goto(`${address}/dashboard/`)
  await page.getByRole('link', { name: 'Sign in with Acme' }).click(LONG)
  await page.getByText('Your e-mail address was not invited.').waitFor(LONG)
  expect(page.url()).toBe(`${address}/dashboard/sign-in`)
  expect(await seriousOf(page)).toEqual([])

  await createPerson(world.database, { teamId, name: 'Ada', email: 'Ada@Example.com', role: 'owner' })
  await page.getByRole('link', { name: 'Sign in with Acme' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Bots in meetings' }).waitFor(LONG)
  expect(page.url()).toBe(`${address}/dashboard/`)
  expect(await page.evaluate(() => document.cookie)).toBe('')

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor(LONG)
  await page.reload()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor(LONG)
  await page.getByRole('link', { name: 'Sign in with Acme' }).click()
  await page.getByRole('heading', { name: 'Bots in meetings' }).waitFor(LONG)
  expect(problems).toEqual([])
  await context.close()
})

test('an owner confirms the address that a member gave', async () => {
  const { teamId } = await world.team()
  await createPerson(world.database, { teamId, name: 'Ola', email: 'ola@example.com', role: 'owner' })
  const member = await createPerson(world.database, { teamId, name: 'Bo', email: null, role: 'member' })
  await changePerson(world.database, teamId, member!, { email: 'bo@example.com' })
  const context = await browser.newContext()
  const page = await context.newPage()
  provider.use({ id: 'bo', email: 'bo@example.com', email_verified: true })
  await page.goto(`${address}/dashboard/`)
  await page.getByRole('link', { name: 'Sign in with Acme' }).click(LONG)
  await page.getByText('has to confirm your e-mail address').waitFor(LONG)
  await context.clearCookies()
  provider.use({ id: 'ola', email: 'ola@example.com', email_verified: true })
  await page.getByRole('link', { name: 'Sign in with Acme' }).click(LONG)
  await page.getByRole('link', { name: 'Team', exact: true }).click(LONG)
  await page.getByRole('button', { name: 'Confirm address' }).click(LONG)
  await agree(page, 'Confirm address')
  await page.getByRole('button', { name: 'Confirm address' }).waitFor({ state: 'detached', ...LONG })
  await context.clearCookies()
  provider.use({ id: 'bo', email: 'bo@example.com', email_verified: true })
  await page.goto(`${address}/dashboard/`)
  await page.getByRole('link', { name: 'Sign in with Acme' }).click(LONG)
  await page.getByText('Bo · Member').waitFor(LONG)
  await context.close()
})

test('a person of two teams chooses one', async () => {
  for (const name of ['Cy of the first', 'Cy of the second']) {
    const { teamId } = await world.team()
    await createPerson(world.database, { teamId, name, email: 'cy@example.com', role: 'viewer' })
  }
  const context = await browser.newContext()
  const page = await context.newPage()
  provider.use({ id: 'cy', email: 'cy@example.com', email_verified: true })
  await page.goto(`${address}/dashboard/`)
  await page.getByRole('link', { name: 'Sign in with Acme' }).click(LONG)
  await page.getByText('You are a person of several teams.').waitFor(LONG)
  await expect.poll(() => page.url()).toBe(`${address}/dashboard/sign-in`)
  expect(await seriousOf(page)).toEqual([])
  await page.getByRole('button', { name: 'A team' }).nth(1).click()
  await page.getByText('Cy of the second · Viewer').waitFor(LONG)
  await context.close()
})
