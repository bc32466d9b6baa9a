/** The page about alerts in Chromium, with a real receiver and a real SMTP server behind it. */
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sendTestAlert } from '../../../../control-plane/alerts/evaluate.ts'
import { createAlertMail } from '../../../../control-plane/alerts/mail.ts'
import { signInAddress } from '../../../../control-plane/api/dashboard/addresses.ts'
import { createGuardedClient } from '../../../../control-plane/outgoing/guarded-client.ts'
import { createMailer } from '../../../../control-plane/outgoing/mailer.ts'
import { createRule } from '../../../../control-plane/store/alerts/rules.ts'
import { createPerson, type Role } from '../../../../control-plane/store/people/people.ts'
import { createSignInLink } from '../../../../control-plane/store/people/sessions.ts'
import { startDispatcher } from '../../../../control-plane/webhooks/dispatcher.ts'
import { packageRoot } from '../../../../core/process/page-scripts.ts'
import { HEADLESS_SHELL } from '../../../headless-shell.ts'
import { startSmtp } from '../../outgoing/smtp-server.ts'
import { answer, startReceiver } from '../../webhooks/receiver.ts'
import { openApiWorld, quiet } from '../world.ts'

const LONG = { timeout: 60_000 }
const HOSTILE = `<img src=x onerror="document.title='owned'"> "&amp; ${'long'.repeat(10)}`
const settings = { publicUrl: 'http://127.0.0.1', dashboardFolder: join(packageRoot, 'dist/dashboard') }
/** A folder; if it is set, pictures of the page are written there. */
const PICTURES = process.env.STANDIN_TEST_PICTURES

let world: Awaited<ReturnType<typeof openApiWorld>>
let address: string
let browser: Browser
let team: string
let page: Page
let problems: string[]
let smtp: Awaited<ReturnType<typeof startSmtp>>
let receiver: Awaited<ReturnType<typeof startReceiver>>
let closeDispatcher: () => Promise<void>

beforeAll(async () => {
  const client = createGuardedClient({ allowPrivate: true })
  world = await openApiWorld({ dependencies: { client, settings } })
  address = await world.app.listen({ host: '127.0.0.1', port: 0 })
  smtp = await startSmtp()
  receiver = await startReceiver((request, response, count) =>
    answer(503, {}, `<b onmouseover="document.title='owned'">busy</b>`)(request, response, count),
  )
  const { database } = world
  const { seals, links } = world.dependencies
  const mail = createAlertMail(createMailer(smtp.server), settings.publicUrl)
  const dispatcher = startDispatcher({ database, client, seals, links, mail, clock: Date, log: quiet })
  closeDispatcher = async () => {
    await dispatcher.close()
    await client.close()
  }
  browser = await chromium.launch({ executablePath: HEADLESS_SHELL })
})
afterAll(async () => {
  await browser?.close()
  await closeDispatcher?.()
  await smtp?.close()
  await receiver?.close()
  await world.close()
})

beforeEach(async () => {
  team = (await world.team()).teamId
  problems = []
  return () => page.context().close()
})

async function signIn(role: Role, options: Parameters<Browser['newContext']>[0] = {}, at = address): Promise<void> {
  const personId = (await createPerson(world.database, { teamId: team, name: 'Ada', email: null, role }))!
  page = await (await browser.newContext(options)).newPage()
  page.on('pageerror', ({ message }) => problems.push(message))
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) problems.push(message.text())
  })
  await page.goto(signInAddress(at, await createSignInLink(world.database, personId)))
  const menu = page.getByRole('button', { name: 'Menu' })
  await page.getByRole('heading', { name: 'Bots in meetings' }).waitFor(LONG)
  if (await menu.isVisible()) await menu.click()
  await page.getByRole('link', { name: 'Alerts' }).click()
  await page.getByRole('heading', { name: 'Alerts' }).waitFor(LONG)
}

/** With `only`, of one rule. */
const seriousOf = async (only?: string) => {
  const axe = new AxeBuilder({ page })
  const { violations } = await (only === undefined ? axe : axe.withRules(only)).analyze()
  return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id }) => id)
}
const picture = async (name: string) => {
  if (PICTURES) await page.screenshot({ path: join(PICTURES, `alerts-${name}.png`), fullPage: true })
}
const button = (name: string) => page.getByRole('button', { name, exact: true })

test('a rule is made, tested, edited, turned off and deleted; the page says what was answered', async () => {
  await signIn('member')
  await page.getByText('There are no rules yet.').waitFor(LONG)
  await button('New rule').click()
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('name')), LONG).toBe('name')
  await page.getByLabel('Name').fill(HOSTILE)
  await page.getByLabel('Type').selectOption({ label: 'Bots that crashed' })
  await page.getByLabel('Count', { exact: true }).fill('3')
  await page.getByLabel('Callback URL').fill('https://user:pass@example.com/')
  await page.getByLabel('E-mail addresses').fill('ada@example.com\nbob@example.com')
  await button('Save').click()
  // A refused rule stays in the form, with the reason in words.
  await page.locator('.field .problem', { hasText: 'Callback URL' }).waitFor(LONG)
  expect(await page.getByLabel('Name').inputValue()).toBe(HOSTILE)
  await page.getByLabel('Callback URL').fill(receiver.url)
  await page.getByLabel('Secret for the header').fill('very-secret')
  await button('Save').click()
  await page.getByText('Saved.').waitFor(LONG)
  await page.getByText('Bots that crashed: at least 3 in 15 min.').waitFor(LONG)

  await button('Send a test alert').click()
  await page.getByText('Test alert sent').waitFor(LONG)
  const firing = page.locator('.timeline li', { hasText: 'This is a test. 0 bots crashed' })
  await firing.getByText('Delivered').first().waitFor(LONG)
  expect(await firing.getByText('ada@example.com').count()).toBe(1)
  await firing.getByText('<b onmouseover').waitFor(LONG)
  expect(smtp.taken.map(({ to }) => to[0]).sort()).toEqual(['ada@example.com', 'bob@example.com'])
  expect(receiver.received[0]!.headers['x-service-alert-secret']).toBe('very-secret')
  await button('Send a test alert').click()
  await page.locator('.notice.bad', { hasText: 'tested just now' }).waitFor(LONG)
  expect(await seriousOf()).toEqual([])

  await button('Edit').click()
  expect(await page.content()).not.toContain('very-secret')
  expect(await page.getByLabel('Name').inputValue()).toBe(HOSTILE)
  expect(await page.getByLabel('E-mail addresses').inputValue()).toBe('ada@example.com\nbob@example.com')
  await page.getByLabel('Name').fill('Crashes')
  await page.getByLabel('Remove the secret').check()
  await page.getByLabel('E-mail addresses').fill('')
  expect(await seriousOf()).toEqual([])
  await button('Save').click()
  await page.getByRole('heading', { name: 'Crashes On' }).waitFor(LONG)
  await page.getByText(`Sends to ${receiver.url}.`).waitFor(LONG)
  await button('Turn off').click()
  await page.getByRole('heading', { name: 'Crashes Off' }).waitFor(LONG)
  await button('Edit').click()
  await button('Cancel').click()

  page.once('dialog', (dialog) => dialog.accept())
  await button('Delete').click()
  await page.getByText('There are no rules yet.').waitFor(LONG)
  await firing.waitFor(LONG)
  expect(await page.title()).toBe('Alerts · Standin')
  expect(problems).toEqual([])
})

test('a threshold type asks on which side it fires', async () => {
  await signIn('owner')
  await button('New rule').click()
  expect(await page.getByLabel('Triggers when the value is').count()).toBe(0)
  await page.getByLabel('Name').fill('Tokens run out')
  await page.getByLabel('Type').selectOption({ label: 'Token balance' })
  await page.getByLabel('Triggers when the value is').selectOption({ label: 'at most' })
  await page.getByLabel('Threshold').fill('12.5')
  await page.getByLabel('Cooldown in minutes').fill('60')
  await page.getByLabel('E-mail addresses').fill('ada@example.com')
  await button('Save').click()
  await page.getByText('Token balance: at most 12.5, reported at most every 60 min.').waitFor(LONG)
})

test('a viewer sees rules and firings, and no controls', async () => {
  await makeRule(HOSTILE)
  await signIn('viewer')
  await page.getByRole('heading', { name: /onerror/ }).waitFor(LONG)
  for (const name of ['New rule', 'Edit', 'Send a test alert', 'Turn off', 'Delete'])
    expect(await button(name).count()).toBe(0)
  expect(await page.title()).toBe('Alerts · Standin')
})

test('without a mail server the page and the form say so', async () => {
  const { database, acrossTeams, keyDatabase, seals } = world.dependencies
  const bare = await openApiWorld({
    dependencies: {
      ...{ database, acrossTeams, keyDatabase, seals },
      settings,
      alerts: { sendsMail: false, sendTest: async () => 'sent' },
    },
  })
  try {
    const at = await bare.app.listen({ host: '127.0.0.1', port: 0 })
    await signIn('member', {}, at)
    await page.getByText('No mail server is configured').waitFor(LONG)
    await button('New rule').click()
    expect(await page.getByText('No mail server is configured').count()).toBe(2)
    expect(await page.getByLabel('E-mail addresses').count()).toBe(0)
    expect(await seriousOf()).toEqual([])
  } finally {
    // A connection that the browser opened in advance and never used keeps a server from closing.
    await page.context().close()
    await bare.close()
  }
})

async function makeRule(name: string, type: 'bot_crash' | 'token_balance' = 'bot_crash'): Promise<string> {
  const { database } = world
  const { seals } = world.dependencies
  const id = await createRule(database, seals, {
    teamId: team,
    name,
    type,
    operator: type === 'bot_crash' ? '>=' : '<=',
    threshold: 3,
    cooldownMinutes: 60,
    isEnabled: type === 'bot_crash',
    callbackUrl: receiver.url,
    callbackSecret: 's',
    emails: ['ada@example.com', `a.rather.long.address.of.somebody@${'subdomain.'.repeat(8)}example.com`],
  })
  await sendTestAlert(database, id!)
  return id!
}

test('nothing that axe finds serious, light or dark, and the page fits its width, wide or on a phone', async () => {
  await makeRule(HOSTILE)
  await makeRule('Tokens run out', 'token_balance')
  await signIn('member', { viewport: { width: 1280, height: 900 } })
  await page.getByText('Delivered').first().waitFor(LONG)
  for (const part of ['rules', 'form']) {
    if (part === 'form') await button('Edit').first().click()
    expect(await seriousOf(), part).toEqual([])
    await picture(`${part}-light`)
    // The theme changes colors alone.
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await seriousOf('color-contrast'), `${part}, dark`).toEqual([])
    await picture(`${part}-dark`)
    await page.emulateMedia({ colorScheme: 'light' })
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await picture(`${part}-${width}`)
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(overflow, `${part}, ${width}`).toBeLessThanOrEqual(0)
    }
    await page.setViewportSize({ width: 1280, height: 900 })
  }
  expect(problems).toEqual([])
})
