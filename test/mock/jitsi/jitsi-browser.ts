import type { Page } from 'playwright'
import { type MockJitsi, startMockJitsi } from '../../../mock/jitsi/index.ts'
import type { JitsiMeeting } from '../../../mock/jitsi/meeting.ts'
import { clickUntil, launchFor, MockBrowser } from '../mock-browser.ts'

const JOIN = '[data-testid="prejoin.joinMeeting"]'

export class JitsiBrowser extends MockBrowser<MockJitsi, JitsiMeeting> {
  static async start(): Promise<JitsiBrowser> {
    const mock = await startMockJitsi()
    return new JitsiBrowser(mock, await launchFor(mock))
  }

  /** Without the page that offers an app. */
  protected addressOf(meeting: JitsiMeeting): string {
    return `${meeting.url}#config.disableDeepLinking=true`
  }

  protected async askToJoin(page: Page, meeting: JitsiMeeting): Promise<void> {
    await page.getByLabel('Enter your name').fill('Test Visitor')
    await clickUntil(page, JOIN, () => meeting.state !== 'greenRoom')
  }
}
