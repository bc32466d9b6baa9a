/** Chromium, and pages of people who are signed in at the dashboard. */

import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright'
import { signInAddress } from '../../../../control-plane/api/dashboard/addresses.ts'
import { createPerson, type Role } from '../../../../control-plane/store/people/people.ts'
import { createSignInLink } from '../../../../control-plane/store/people/sessions.ts'
import { packageRoot } from '../../../../packages/core/process/page-scripts.ts'
import { atEnd } from '../../../fakes/at-end.ts'
import { HEADLESS_SHELL } from '../../../headless-shell.ts'
import type { Base } from '../../world.ts'

export const DASHBOARD_FOLDER = join(packageRoot, 'dist/dashboard')
export const LONG = { timeout: 60_000 }

export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: HEADLESS_SHELL })
  atEnd(() => browser.close())
  return browser
}

interface Entering {
  browser: Browser
  world: Pick<Base, 'database'>
  address: string
  teamId: string
  role?: Role
  name?: string
  options?: BrowserContextOptions
  /** Before the page is opened. */
  prepare?(page: Page): Promise<unknown>
}

export async function enter(entering: Entering): Promise<Page> {
  const { browser, world, address, teamId, role = 'member', name = 'Ada', options, prepare } = entering
  const personId = (await createPerson(world.database, { teamId, name, email: null, role }))!
  const page = await (await browser.newContext(options)).newPage()
  await prepare?.(page)
  await page.goto(signInAddress(address, await createSignInLink(world.database, personId)))
  await page.getByRole('heading', { name: 'Bots in meetings' }).waitFor(LONG)
  return page
}

/** Agrees to the question that the page asks, by the word of its button. Resolves with the question. */
export async function agree(page: Page, action: string): Promise<string> {
  const question = page.getByRole('alertdialog')
  const text = (await question.locator('p').textContent(LONG))!
  await question.getByRole('button', { name: action, exact: true }).click(LONG)
  return text
}

/** Rules that axe finds broken and serious. */
export async function seriousOf(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id }) => id)
}
