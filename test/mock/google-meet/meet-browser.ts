import type { Page } from 'playwright'
import { type MockGoogleMeet, startMockGoogleMeet } from '../../../mock/google-meet/index.ts'
import type { GoogleMeetMeeting } from '../../../mock/google-meet/meeting.ts'
import { launchFor, MockBrowser } from '../mock-browser.ts'

export class MeetBrowser extends MockBrowser<MockGoogleMeet, GoogleMeetMeeting> {
  protected override readonly viewport = { width: 960, height: 640 }

  static async start(): Promise<MeetBrowser> {
    const mock = await startMockGoogleMeet()
    return new MeetBrowser(mock, await launchFor(mock))
  }

  protected addressOf(meeting: GoogleMeetMeeting): string {
    return meeting.url
  }

  protected askToJoin(page: Page, meeting: GoogleMeetMeeting): Promise<void> {
    return askToJoin(page, meeting)
  }
}

/** Types the name and clicks until the page moves on: clicks may be swallowed. */
export async function askToJoin(page: Page, meeting: GoogleMeetMeeting, name = 'Test Visitor'): Promise<void> {
  const box = page.getByLabel('Your name')
  const button = page.locator('button[jsname="Qx7uuf"]')
  for (let attempt = 0; attempt < 20 && meeting.state === 'greenRoom'; attempt++) {
    if ((await box.count()) > 0 && (await box.inputValue()) !== name) await box.fill(name)
    // The page may move on between the check and the click.
    await button.click({ timeout: 2000 }).catch(() => {})
    await meeting.whenState('joining', 300).catch(() => {})
  }
}
