import type { Page } from 'playwright'
import { type MockMicrosoftTeams, startMockMicrosoftTeams } from '../../../mock/microsoft-teams/index.ts'
import type { TeamsMeeting } from '../../../mock/microsoft-teams/meeting.ts'
import type { MockMeetingOptions } from '../../../mock/types.ts'
import {
  clickUntil as clickUntilIt,
  DEADLINE_MS,
  launchFor,
  MockBrowser,
  type PageOptions,
  type TestPage,
} from '../mock-browser.ts'

export const tid = (name: string) => `[data-tid="${name}"]`

export class TeamsBrowser extends MockBrowser<MockMicrosoftTeams, TeamsMeeting> {
  static async start(): Promise<TeamsBrowser> {
    const mock = await startMockMicrosoftTeams()
    return new TeamsBrowser(mock, await launchFor(mock))
  }

  override async page(options?: PageOptions): Promise<TestPage> {
    const page = await super.page(options)
    await page.addInitScript(refuseApps)
    return page
  }

  override async enter(scenario: string, options: MockMeetingOptions = {}, init?: () => void) {
    const joined = await super.enter(scenario, options, init)
    await joined.page.locator('#hangup-button').waitFor({ state: 'attached', timeout: DEADLINE_MS })
    return joined
  }

  /** Past the documents that lead from the link to it. */
  protected addressOf(meeting: TeamsMeeting): string {
    return `https://${meeting.ids.host}${meeting.lightPath()}`
  }

  protected askToJoin(page: Page, meeting: TeamsMeeting): Promise<void> {
    return askToJoin(page, meeting)
  }
}

/**
 * The launcher's frame opens the app by a custom scheme. Chromium asks a person whether to open it, outside of the
 * document, and no click reaches the page meanwhile.
 */
function refuseApps(): void {
  const native = Element.prototype.setAttribute
  Element.prototype.setAttribute = function (name, value) {
    if (!(this instanceof HTMLIFrameElement && name === 'src' && /^msteams:/.test(value)))
      native.call(this, name, value)
  }
}

/** Types the name until it holds, then presses the button until the page moves on: both may have no effect. */
export async function askToJoin(page: Page, meeting: TeamsMeeting, name = 'Test Visitor'): Promise<void> {
  const box = page.locator(tid('prejoin-display-name-input'))
  for (const until = Date.now() + DEADLINE_MS; meeting.state === 'greenRoom'; ) {
    if (Date.now() > until) throw new Error('Joining came to nothing')
    try {
      if ((await box.count()) > 0 && (await box.inputValue()) !== name) {
        // A click reaches the field only when the page listens to it; what is typed before is lost.
        await box.click({ timeout: 2000 })
        await box.fill(name, { timeout: 2000 })
      }
      await page.locator(tid('prejoin-join-button')).click({ timeout: 2000 })
    } catch (error) {
      // Covered, or the page moved on between the check and the click.
      if (!(error instanceof Error && /Timeout|detached|navigat|context/i.test(error.message))) throw error
    }
    await meeting.whenState('joining', 300).catch(() => {})
  }
}

/** Panes of Teams open and close by the same button, so the effect of a click has to last. */
export function clickUntil(page: Page, selector: string, done: () => boolean | Promise<boolean>): Promise<void> {
  return clickUntilIt(page, selector, done, 300)
}
