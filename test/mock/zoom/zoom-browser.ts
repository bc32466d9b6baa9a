import type { Page } from 'playwright'
import { type MockZoom, startMockZoom, type ZoomMeeting } from '../../../mock/zoom/index.ts'
import { launchFor, MockBrowser } from '../mock-browser.ts'

export class ZoomBrowser extends MockBrowser<MockZoom, ZoomMeeting> {
  static async start(): Promise<ZoomBrowser> {
    const mock = await startMockZoom()
    return new ZoomBrowser(mock, await launchFor(mock))
  }

  protected addressOf(meeting: ZoomMeeting): string {
    return clientUrl(meeting)
  }

  protected askToJoin(page: Page): Promise<void> {
    return askToJoin(page)
  }
}

/** The best address for a guest: the web client, without the launch page. */
export function clientUrl(meeting: ZoomMeeting): string {
  const link = new URL(meeting.url)
  const host = link.host === 'acme.zoom.us' ? link.host : 'app.zoom.us'
  return `https://${host}/wc/${meeting.code}/join${link.search}`
}

/** Types the name with real keys and clicks Join until the form is gone. */
export async function askToJoin(page: Page, name = 'Test Visitor'): Promise<void> {
  await page.locator('#input-for-name').focus()
  await page.keyboard.type(name)
  const join = page.locator('.preview-join-button')
  await join.and(page.locator(':not(.disabled)')).waitFor({ timeout: 20_000 })
  // A click may have no effect; by the time the page has moved on the button is gone.
  for (let attempt = 0; attempt < 20 && (await join.count()) > 0; attempt++) {
    await join.click({ timeout: 1000 }).catch(() => {})
    await join.waitFor({ state: 'detached', timeout: 500 }).catch(() => {})
  }
}
