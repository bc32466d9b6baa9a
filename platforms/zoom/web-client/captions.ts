/**
 * Turns on the guest's captions. They show initials beside the text and no names
 * (docs/platform-notes/zoom.md#captions).
 */
import type { ZoomPage } from './page.ts'

/** The first use asks for the spoken language, and proposes one. */
const LANGUAGE_MS = 2_000
const POLL_MS = 150

export async function turnOnCaptions(page: ZoomPage): Promise<boolean> {
  await page.wakePointer()
  if (!(await page.press('captions'))) return false
  const deadline = page.clock.now() + LANGUAGE_MS
  while (page.clock.now() < deadline) {
    if (await page.press('captionsSave')) break
    await page.clock.sleep(POLL_MS)
  }
  return true
}
