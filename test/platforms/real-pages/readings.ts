/** Loads the pages of `pages.json` and their kind as a platform's real address, and reads them as its driver does. */
import type { CaptureEnvironment } from '../../../packages/core/ports.ts'
import { meetClassifier } from '../../../platforms/google-meet/page-classifier.ts'
import { meetScript } from '../../../platforms/google-meet/page-script.ts'
import { teamsClassifier } from '../../../platforms/microsoft-teams/page-classifier.ts'
import { teamsScript } from '../../../platforms/microsoft-teams/page-script.ts'
import type { CommonSnapshot, PageEvent } from '../../../platforms/shared/page/types.ts'
import { type MeetingPage, meetingScript } from '../../../platforms/shared/page-access/meeting-page.ts'
import { scriptConfig } from '../../../platforms/shared/page-access/script-config.ts'
import type { PageClassifier } from '../../../platforms/shared/page-state.ts'
import { openMeetingPage } from '../../../platforms/shared/platform-driver.ts'
import { REAL_WAITS } from '../../../platforms/shared/waits.ts'
import { labelSources } from '../../../platforms/shared/words.ts'
import { ZOOM_PACES } from '../../../platforms/zoom/paces.ts'
import type { PageConfig } from '../../../platforms/zoom/page/types.ts'
import { webClientClassifier } from '../../../platforms/zoom/web-client/page-classifier.ts'
import { SELECTORS as ZOOM_SELECTORS, WORDS as ZOOM_WORDS } from '../../../platforms/zoom/words.ts'
import { HEADLESS_SHELL } from '../../headless-shell.ts'
import { SILENT_STAGE } from '../conformance/ground.ts'
import { guestOptions } from '../driver-options.ts'
import { sharedChromium } from '../shared-chromium.ts'

export type Platform = 'google-meet' | 'microsoft-teams' | 'zoom'

const BOT_NAME = 'Standin Judge'
const POLL_EVERY_MS = 100
/** The page's script reads the page four times a second. */
const SETTLED_MS = 1500
/** Captions are held back for three seconds, and people until the bot is known, or for a few seconds. */
const WAITS_MS = { captions: 4500, people: 10_500 } as const

export interface SeenPage {
  events: PageEvent[]
  snapshot: Record<string, unknown>
  kind: string
  phase: string
  page: MeetingPage
}

type Options = Parameters<typeof openMeetingPage>[2]
type AnyClassifier = Pick<PageClassifier<CommonSnapshot, string>, 'stateOf' | 'phases'>

function zoomScript(options: Options, environment: CaptureEnvironment) {
  return meetingScript<PageConfig>('page/zoom', {
    ...scriptConfig(options, environment),
    meetingHosts: ['app.zoom.us', 'zoom.us'],
    selectors: ZOOM_SELECTORS,
    labels: labelSources(ZOOM_WORDS.labels),
  })
}

const PLATFORMS = {
  'google-meet': { script: meetScript, classifier: () => meetClassifier(REAL_WAITS) as unknown as AnyClassifier },
  'microsoft-teams': {
    script: teamsScript,
    classifier: () => teamsClassifier(REAL_WAITS, false) as unknown as AnyClassifier,
  },
  zoom: {
    script: zoomScript,
    classifier: () => webClientClassifier(REAL_WAITS, ZOOM_PACES) as unknown as AnyClassifier,
  },
} satisfies Record<Platform, object>

const ADDRESSES: Readonly<Record<Platform, string>> = {
  'google-meet': 'https://meet.google.com/aaa-bbbb-ccc?hl=en',
  'microsoft-teams': 'https://teams.microsoft.com/v2/',
  zoom: 'https://app.zoom.us/wc/12345678901/join',
}

interface Opened {
  page: MeetingPage
  serve(html: string): void
}

/** Pages of each platform. Tests that run at once use one each; later tests use them again. */
export class RealPages {
  readonly #free: Record<Platform, Opened[]> = { 'google-meet': [], 'microsoft-teams': [], zoom: [] }

  async close(): Promise<void> {
    for (const opened of Object.values(this.#free).flat()) await opened.page.browser.close()
  }

  /** Shows the page, and gives `check` what it says within the time that `wait` allows. */
  async read(
    platform: Platform,
    html: string,
    wait: 'captions' | 'people' | undefined,
    check: (seen: SeenPage) => Promise<void>,
  ): Promise<void> {
    const opened = this.#free[platform].pop() ?? (await this.#open(platform))
    try {
      await check(await this.#show(platform, opened, html, wait))
    } finally {
      this.#free[platform].push(opened)
    }
  }

  async #show(
    platform: Platform,
    { page, serve }: Opened,
    html: string,
    wait: 'captions' | 'people' | undefined,
  ): Promise<SeenPage> {
    serve(html)
    await page.browser.page.goto(ADDRESSES[platform], { waitUntil: 'load' })
    await page.poll()
    await page.ask('begin', Date.now())
    const events: PageEvent[] = []
    const until = Date.now() + (wait ? WAITS_MS[wait] : SETTLED_MS)
    while (Date.now() < until) {
      events.push(...((await page.poll())?.events ?? []))
      await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS))
    }
    const snapshot = page.lastSnapshot
    if (!snapshot) throw new Error('The page gave no snapshot')
    const classifier = PLATFORMS[platform].classifier()
    const { kind } = classifier.stateOf(snapshot)
    return { events, snapshot: { ...snapshot }, kind, phase: classifier.phases[kind] ?? '', page }
  }

  async #open(platform: Platform): Promise<Opened> {
    let shown = ''
    const options: Options = {
      ...guestOptions({ hosts: [], address: '' }),
      botName: BOT_NAME,
      captions: true,
      chromium: HEADLESS_SHELL,
      openBrowser: sharedChromium.open,
    }
    const page = await openMeetingPage(SILENT_STAGE, new AbortController().signal, options, {
      script: PLATFORMS[platform].script(options, SILENT_STAGE),
      mediaOrigins: [new URL(ADDRESSES[platform]).origin],
    })
    await page.browser.page.route('**/*', (route) =>
      route.fulfill({
        contentType: 'text/html; charset=utf-8',
        body: shown,
      }),
    )
    const serve = (html: string) => {
      shown = html
    }
    return { page, serve }
  }
}
