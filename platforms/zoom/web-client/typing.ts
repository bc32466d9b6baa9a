/**
 * Types as a person does: Zoom's form accepts text from key presses only (docs/platform-notes/zoom.md#pre-join-page).
 */
import type { ElementName } from '../page/types.ts'
import type { ZoomPage } from './page.ts'

/** Replaces the content of the box. The typed text is never logged: it may be a passcode. */
export function typeInto(page: ZoomPage, name: ElementName, text: string, keyMs: number): Promise<boolean> {
  return page.inTurn(async () => {
    const box = await page.element(name)
    if (!box) return false
    const { keyboard } = page.browser.page
    try {
      await box.click({ timeout: page.waits.clickMs }).catch(() => box.focus())
      await keyboard.press('Control+A')
      await keyboard.press('Delete')
      await keyboard.type(text, { delay: keyMs })
      return true
    } catch {
      // The page may have replaced the box meanwhile; the next poll shows the result.
      page.logger.debug('A box of the form did not take its text', { box: name })
      return false
    } finally {
      await box.dispose().catch(() => {})
    }
  })
}

/** Types into the chat's editor, where Enter would send and a new line has another key. */
export function writeLines(page: ZoomPage, name: ElementName, text: string): Promise<boolean> {
  return page.inTurn(async () => {
    const box = await page.element(name)
    if (!box) return false
    const { keyboard } = page.browser.page
    try {
      await box.focus()
      await keyboard.press('Control+A')
      await keyboard.press('Delete')
      for (const [index, line] of text.split(/\r?\n/).entries()) {
        if (index > 0) await keyboard.press('Shift+Enter')
        await keyboard.insertText(line)
      }
      return true
    } catch (error) {
      page.logger.debug('The chat editor did not take its text', { error })
      return false
    } finally {
      await box.dispose().catch(() => {})
    }
  })
}
