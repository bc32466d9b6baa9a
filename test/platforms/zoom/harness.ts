/** A mock Zoom and a driver in a real, headless Chromium; times are shortened on both sides by the same factor. */
import { startMockZoom } from '../../../mock/zoom/index.ts'
import type { ZoomMeeting } from '../../../mock/zoom/meeting.ts'
import { REAL_WAITS, type Waits } from '../../../platforms/shared/waits.ts'
import { openZoom, type ZoomOptions } from '../../../platforms/zoom/driver.ts'
import { ZOOM_PACES, ZOOM_WAITS, type ZoomPaces } from '../../../platforms/zoom/paces.ts'
import { recognizeZoom } from '../../../platforms/zoom/url.ts'
import type { MeetingTarget } from '../../../src/meeting.ts'
import { type Attempt, attempts, type AttemptOptions as Options } from '../attempts.ts'

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

export function testWaits(speed: number): Waits {
  const waits = { ...REAL_WAITS, ...ZOOM_WAITS, lookEveryMs: 120, callLookEveryMs: 250, preJoinMs: 90_000 }
  for (const name of SHRUNK) waits[name] = Math.round(waits[name] / speed)
  // A slow machine needs its time to draw a page, at any speed.
  waits.unknownPageMs = Math.max(waits.unknownPageMs, 40_000)
  waits.unknownInCallMs = Math.max(waits.unknownInCallMs, 40_000)
  return waits
}

export function testPaces(speed: number): ZoomPaces {
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
  /** Goes to the meeting's own link, whatever it is, instead of the address that the driver makes of it. */
  asGiven?: boolean
}

/** To be called once in a test file: serves the mock for all its tests and closes what each of them opened. */
export function zoomHarness() {
  const { mock, attempt } = attempts({
    start: () => startMockZoom(),
    openDriver: openZoom,
    targetOf: ({ url }) => recognizeZoom(url) as MeetingTarget,
    speed: SPEED,
    waitsAt: testWaits,
  })
  return {
    mock,
    attempt(scenario: string, { driver, paces, asGiven, ...options }: AttemptOptions = {}): Promise<Attempt> {
      const zoom: Partial<ZoomOptions> = { paces: { ...testPaces(options.speed ?? SPEED), ...paces }, ...driver }
      return attempt(scenario, {
        ...options,
        driver: zoom,
        retarget: (target, meeting) => (asGiven ? { ...target, url: meeting.url } : target),
      })
    },
  }
}
