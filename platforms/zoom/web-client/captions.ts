/**
 * Turns on the guest's captions. They show initials beside the text and no names
 * (docs/platform-notes/zoom.md#captions).
 */
import type { ZoomPage } from './page.ts'

/** A menu opens a moment after the click. Milliseconds. */
const MENU_MS = 1_500
/** The first use asks for the spoken language, and proposes one; a second dialog may follow. */
const LANGUAGE_MS = 2_000
const NEXT_DIALOG_MS = 600
const MAX_DIALOGS = 3
const POLL_MS = 150

export async function turnOnCaptions(page: ZoomPage): Promise<boolean> {
  await page.wakePointer()
  if (!(await page.press('captions')) && !(await pressInMenu(page))) return false
  let left = MAX_DIALOGS
  let deadline = page.clock.now() + LANGUAGE_MS
  while (left > 0 && page.clock.now() < deadline) {
    if (await page.press('captionsSave')) {
      left -= 1
      deadline = page.clock.now() + NEXT_DIALOG_MS
    }
    await page.clock.sleep(POLL_MS)
  }
  return true
}

/** Before the first use captions are in the More menu, in some builds one menu further. */
async function pressInMenu(page: ZoomPage): Promise<boolean> {
  if (!(await page.press('more'))) return false
  const deadline = page.clock.now() + MENU_MS
  let hasOpened = false
  while (page.clock.now() < deadline) {
    if (await page.press('captions')) return true
    if (!hasOpened) hasOpened = await page.press('captionsMenu')
    await page.clock.sleep(POLL_MS)
  }
  // The menu would stay over the page.
  await page.press('more')
  return false
}
