import type { Page } from 'playwright'

const DEADLINE_MS = 60_000

/** Clicks something that may be hidden by an idle toolbar or not be listening yet, until the condition holds. */
export async function clickUntil(page: Page, selector: string, done: () => Promise<boolean>): Promise<void> {
  for (const until = Date.now() + DEADLINE_MS; Date.now() < until; ) {
    await page.mouse.move(300 + (Date.now() % 40), 300)
    // Covered or hidden just then; the next attempt moves the pointer again.
    await page
      .locator(selector)
      .first()
      .click({ timeout: 5000 })
      .catch(() => {})
    for (let wait = 0; wait < 10; wait++) {
      if (await done()) return
      await page.waitForTimeout(60)
    }
  }
  throw new Error(`Clicking ${selector} came to nothing`)
}
