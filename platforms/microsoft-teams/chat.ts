/**
 * The chat's pane and box. Rows exist only while the pane is open, so it stays open for the whole meeting, below the
 * recorded picture.
 */
import { type ChatSteps, usualChatSteps } from '../shared/in-call/chat-sender.ts'
import type { TeamsPage } from './page-script.ts'

/** The button opens and closes the pane; while the pane mounts, a second press would close it again. Milliseconds. */
const OPEN_EVERY_MS = 5000

export interface TeamsChat {
  steps: ChatSteps
  /** Opens the pane again after people, or the page itself, closed it. */
  keepOpen(isOpen: boolean): Promise<void>
}

export function teamsChat(page: TeamsPage): TeamsChat {
  let pressedAt = Number.NEGATIVE_INFINITY
  let wasOpen = false
  const usual = usualChatSteps(page)
  const open = async () => {
    if (page.clock.now() - pressedAt < OPEN_EVERY_MS) return
    pressedAt = page.clock.now()
    await usual.open()
  }
  return {
    steps: {
      ...usual,
      open,
      async close() {},
      fill: (text) => write(page, text),
      // Enter alone sends in the full client only (docs/platform-notes/microsoft-teams.md#chat).
      async send(again) {
        await (again ? page.pressKey('chatBox', 'Control+Enter') : page.press('send'))
      },
    },
    async keepOpen(isOpen) {
      if (!isOpen && wasOpen) await open()
      wasOpen ||= isOpen
    },
  }
}

/** The box is an editor with its own state: it reacts to keys only, and a line end is a separate key. */
async function write(page: TeamsPage, text: string): Promise<boolean> {
  const [first = '', ...more] = text.split(/\r?\n/)
  if (!(await page.fill('chatBox', first))) return false
  if (more.length === 0) return true
  return page.inTurn(async () => {
    const box = await page.element('chatBox')
    if (!box) return false
    try {
      const { keyboard } = page.browser.page
      for (const line of more) {
        await box.press('Shift+Enter', { timeout: page.waits.clickMs })
        await keyboard.insertText(line)
      }
      return true
    } catch (error) {
      page.logger.debug('The message box did not take its text', { error })
      return false
    } finally {
      await box.dispose().catch(() => {})
    }
  })
}
