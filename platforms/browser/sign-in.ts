/** A person signs in with a visible browser, whose storage state is the session of the account. */

import { rm } from 'node:fs/promises'
import type { StorageState } from '@standin/wire/account-session.ts'
import { CHILD_PATH } from '@standin/wire/process/child-path.ts'
import { executableOf } from '@standin/wire/process/chromium.ts'
import { sandboxObstacle } from '@standin/wire/process/chromium-sandbox.ts'
import type { Page } from 'playwright'
import { loadPlaywright } from './browser.ts'
import { makeBrowserHome } from './home.ts'
import { type MappedHost, mappedHostArguments } from './mapped-hosts.ts'

export interface SignInOptions {
  /** Where the browser starts. */
  url: string
  /** Where the window is shown; null: without a window. */
  display: { DISPLAY: string; XAUTHORITY: string } | null
  chromium: string | null
  mappedHosts: readonly MappedHost[]
  signal: AbortSignal
  /** Resolves when the person has signed in. */
  whenSignedIn(page: Page): Promise<void>
}

/** Rejects if the browser does not start, or was closed before. Leaves no file behind. */
export async function signInByHand(options: SignInOptions): Promise<StorageState> {
  const { url, display, mappedHosts, signal, whenSignedIn } = options
  const home = await makeBrowserHome()
  try {
    const { chromium } = await loadPlaywright()
    const browser = await chromium.launch({
      executablePath: executableOf(options.chromium, true),
      headless: display === null,
      chromiumSandbox: (await sandboxObstacle()) === null,
      args: ['--lang=en-US', ...(await mappedHostArguments(mappedHosts, signal))],
      // Platforms refuse a sign-in in a browser that says it is automated.
      ignoreDefaultArgs: ['--enable-automation'],
      env: { PATH: CHILD_PATH, HOME: home, LANG: 'en_US.UTF-8', ...display },
    })
    try {
      const context = await browser.newContext({ viewport: null })
      const page = await context.newPage()
      await page.goto(url)
      await whenSignedIn(page)
      const { cookies, origins } = await context.storageState()
      return {
        cookies: cookies.map((cookie) => ({ ...cookie })),
        origins: origins.map((origin) => ({
          ...origin,
          localStorage: [...origin.localStorage].map((item) => ({ ...item })),
        })),
      }
    } finally {
      await browser.close()
    }
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}
