import { expect, test } from 'vitest'
import { silentLogger } from '../../../core/logger.ts'
import { openBrowser } from '../../../platforms/browser/browser.ts'
import { SELECTORS as GOOGLE_MEET } from '../../../platforms/google-meet/words.ts'
import { SELECTORS as JITSI } from '../../../platforms/jitsi/words.ts'
import { SELECTORS as MICROSOFT_TEAMS } from '../../../platforms/microsoft-teams/words.ts'
import { SELECTORS as ZOOM } from '../../../platforms/zoom/words.ts'
import { SILENT_STAGE } from './ground.ts'

test('the browser understands every selector of every platform', async () => {
  const browser = await openBrowser(SILENT_STAGE, { logger: silentLogger }, new AbortController().signal)
  try {
    const named = Object.entries({ GOOGLE_MEET, MICROSOFT_TEAMS, ZOOM, JITSI }).flatMap(([platform, selectors]) =>
      Object.entries(selectors).map(([name, selector]) => [`${platform}.${name}`, selector] as const),
    )
    const wrong = await browser.page.evaluate(
      (all) =>
        all.flatMap(([name, selector]) => {
          try {
            document.querySelector(selector)
            return []
          } catch {
            return [name]
          }
        }),
      named,
    )
    expect(wrong).toEqual([])
  } finally {
    await browser.close()
  }
})
