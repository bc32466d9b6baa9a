/** A mock Zoom and a driver in a real, headless Chromium; times are shortened on both sides by the same factor. */

import { readMeeting } from '@standin/wire/meeting-links/index.ts'
import { expect } from 'vitest'
import type { MeetingTarget } from '../../../packages/core/meeting/meeting.ts'
import type { ZoomMeeting } from '../../../packages/mock/zoom/meeting.ts'
import { meetingScript } from '../../../platforms/shared/page-access/meeting-page.ts'
import { scriptConfig } from '../../../platforms/shared/page-access/script-config.ts'
import { openMeetingPage } from '../../../platforms/shared/platform-driver.ts'
import { REAL_WAITS, type Waits } from '../../../platforms/shared/waits.ts'
import { labelSources } from '../../../platforms/shared/words.ts'
import { openZoom, type ZoomOptions } from '../../../platforms/zoom/driver.ts'
import { ZOOM_PACES, ZOOM_WAITS, type ZoomPaces } from '../../../platforms/zoom/paces.ts'
import type { ElementName, PageConfig, PageSnapshot } from '../../../platforms/zoom/page/types.ts'
import { webClientClassifier } from '../../../platforms/zoom/web-client/page-classifier.ts'
import { SELECTORS, WORDS } from '../../../platforms/zoom/words.ts'
import { type Attempt, attempts, type AttemptOptions as Options } from '../attempts.ts'
import { pageReader } from '../page-reader.ts'

export { SILENT_STAGE, until } from '../conformance/ground.ts'

export const SPEED = 6
export const BOT_NAME = 'Notes for Ann'

/** Waits for the page's own times shrink with it; waits for the machine stay. */
const SHRUNK: readonly (keyof Waits)[] = [
  'unknownPageMs',
  'holdAfterLobbyMs',
  'holdWithoutLobbyMs',
  'holdWithRosterMs',
  'captchaMs',
  'reconnectMs',
  'callErrorMs',
  'unknownInCallMs',
]
const SHRUNK_PACES: readonly (keyof ZoomPaces)[] = ['deadLinkRetryMs', 'deadLinkMs', 'blankMs', 'stallMs', 'onHoldMs']

function testWaits(speed: number): Waits {
  const waits = { ...REAL_WAITS, ...ZOOM_WAITS, pollEveryMs: 120, callPollEveryMs: 250, preJoinMs: 90_000 }
  for (const name of SHRUNK) waits[name] = Math.round(waits[name] / speed)
  // A slow machine needs its time to draw a page, at any speed.
  waits.unknownPageMs = Math.max(waits.unknownPageMs, 40_000)
  waits.unknownInCallMs = Math.max(waits.unknownInCallMs, 40_000)
  return waits
}

function testPaces(speed: number): ZoomPaces {
  const paces = { ...ZOOM_PACES, keyMs: 5, controlMs: 1500 }
  for (const name of SHRUNK_PACES) paces[name] = Math.round(paces[name] / speed)
  paces.blankMs = Math.max(paces.blankMs, 5000)
  paces.stallMs = Math.max(paces.stallMs, 8000)
  return paces
}

export type { Attempt } from '../attempts.ts'

export interface AttemptOptions extends Omit<Options<ZoomMeeting>, 'driver' | 'retarget'> {
  driver?: Partial<ZoomOptions>
  paces?: Partial<ZoomPaces>
  /** Goes to the meeting's own link instead of the address that the driver makes of it. */
  asGiven?: boolean
}

/** To be called once in a test file: closes what each of its tests opened. */
export function zoomHarness() {
  const { mock, mocks, attempt, insideTogether } = attempts({
    serverOf: (mocks) => mocks.zoom,
    openDriver: openZoom,
    targetOf: ({ url }) => readMeeting(url) as MeetingTarget,
    speed: SPEED,
    waitsAt: testWaits,
  })
  const optionsOf = ({ driver, paces, asGiven, ...options }: AttemptOptions = {}): Options<ZoomMeeting> => {
    const zoom: Partial<ZoomOptions> = { paces: { ...testPaces(options.speed ?? SPEED), ...paces }, ...driver }
    return {
      ...options,
      driver: zoom,
      retarget: (target, meeting) => (asGiven ? { ...target, url: meeting.url } : target),
    }
  }
  return {
    mock,
    mocks,
    attempt: (scenario: string, options?: AttemptOptions): Promise<Attempt> => attempt(scenario, optionsOf(options)),
    insideTogether: (scenario: string, options?: AttemptOptions): (() => Attempt) =>
      insideTogether(scenario, optionsOf(options)),
  }
}

export function clicksOn({ meeting }: Attempt, target: string): number {
  return meeting.log.filter((entry) => entry.event === 'click' && entry.target === target).length
}

/** The bot is in under its name, by clicks of a pointer, and asked with both devices off. */
export function expectJoinedWithoutDevices({ meeting }: Attempt): void {
  expect(meeting.state).toBe('call')
  expect(meeting.botName).toBe(BOT_NAME)
  const clicks = meeting.log.filter(({ event, target }) => event === 'click' && /^join/i.test(target))
  expect(clicks.every(({ trusted }) => trusted)).toBe(true)
  // Also where the form has no switches for them.
  const joins = meeting.log.filter(({ event, target }) => event === 'rpc' && target === 'join')
  expect(joins.map(({ detail }) => detail)).toEqual(joins.map(() => 'microphone off, camera off'))
  expect(joins.length).toBeGreaterThan(0)
}

/** Waits until the screen shows another picture than before. */
export async function untilItMoves({ driver }: Attempt): Promise<void> {
  const before = Buffer.from(await driver.screenshot())
  await expect
    .poll(async () => before.equals(Buffer.from(await driver.screenshot())), { message: 'The picture stood still' })
    .toBe(false)
}

/** To be called once in a `describe`: reads pages of the web client without joining. */
export function zoomReader(harness: Pick<ReturnType<typeof zoomHarness>, 'mock' | 'mocks'>) {
  return pageReader(harness, {
    openPage: (environment, signal, options) =>
      openMeetingPage<PageSnapshot, ElementName>(environment, signal, options, {
        script: meetingScript<PageConfig>('page/zoom', {
          ...scriptConfig(options, environment),
          meetingHosts: ['app.zoom.us', 'zoom.us'],
          selectors: SELECTORS,
          labels: labelSources(WORDS.labels),
        }),
        mediaOrigins: ['https://app.zoom.us'],
      }),
    classifier: webClientClassifier(REAL_WAITS, ZOOM_PACES),
    addressOf: ({ url }) => (readMeeting(url) as MeetingTarget).url,
  })
}
