import { chromium } from 'playwright'
import { expect, test } from 'vitest'
import { SELECTORS as GOOGLE_MEET } from '../../../platforms/google-meet/words.ts'
import { SELECTORS as JITSI } from '../../../platforms/jitsi/words.ts'
import { SELECTORS as MICROSOFT_TEAMS } from '../../../platforms/microsoft-teams/words.ts'
import { SELECTORS as ZOOM } from '../../../platforms/zoom/words.ts'
import { HEADLESS_SHELL } from '../../headless-shell.ts'

test('the browser understands every selector of every platform', async () => {
  await using browser = await chromium.launch({ executablePath: HEADLESS_SHELL })
  const named = Object.entries({ GOOGLE_MEET, MICROSOFT_TEAMS, ZOOM, JITSI }).flatMap(([platform, selectors]) =>
    Object.entries(selectors).map(([name, selector]) => [`${platform}.${name}`, selector] as const),
  )
  const page = await browser.newPage()
  const wrong = await page.evaluate((all) => {
    const isWrong = (selector: string) => {
      try {
        document.querySelector(selector)
      } catch {
        return true
      }
    }
    return all.filter(([, selector]) => isWrong(selector)).map(([name]) => name)
  }, named)
  expect(wrong).toEqual([])
})
