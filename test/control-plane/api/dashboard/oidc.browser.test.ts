/** Signing in through an OpenID provider in Chromium, under the page's Content Security Policy. */
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, chromium } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGuardedClient } from '../../../../control-plane/outgoing/guarded-client.ts'
import { createOidcProvider } from '../../../../control-plane/sign-in/oidc.ts'
import { changePerson, createPerson } from '../../../../control-plane/store/people/people.ts'
import { packageRoot } from '../../../../core/process/page-scripts.ts'
import { HEADLESS_SHELL } from '../../../headless-shell.ts'
import { freePort } from '../../../servers/free-port.ts'
import { CLIENT_ID, CLIENT_SECRET, startProvider } from '../../sign-in/provider.ts'
import { openApiWorld } from '../world.ts'

const LONG = { timeout: 60_000 }

let provider: Awaited<ReturnType<typeof startProvider>>
let world: Awaited<ReturnType<typeof openApiWorld>>
let client: ReturnType<typeof createGuardedClient>
let browser: Browser
let address: string

beforeAll(async () => {
  const port = await freePort()
  address = `http://127.0.0.1:${port}`
  provider = await startProvider(`${address}/dashboard/api/oidc/callback`)
  client = createGuardedClient({ allowPrivate: true })
  const settings = { issuer: provider.issuer, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, client }
  world = await openApiWorld({
    dependencies: {
      oidc: { ...createOidcProvider(settings), name: 'Acme', domains: [] },
      settings: { publicUrl: address, dashboardFolder: join(packageRoot, 'dist/dashboard') },
    },
  })
  await world.app.listen({ host: '127.0.0.1', port })
  browser = await chromium.launch({ executablePath: HEADLESS_SHELL })
})
afterAll(async () => {
  await browser?.close()
  await world?.close()
  await client?.close()
  await provider?.close()
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
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([])

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
  page.once('dialog', (dialog) => dialog.accept())
  await page.getByRole('button', { name: 'Confirm address' }).click(LONG)
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
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([])
  await page.getByRole('button', { name: 'A team' }).nth(1).click()
  await page.getByText('Cy of the second · Viewer').waitFor(LONG)
  await context.close()
})
