/** A mock Zoom and a driver in a real, headless Chromium; times are shortened on both sides by the same factor. */
import { afterAll, afterEach, beforeAll } from 'vitest'
import type { MockMeeting, MockMeetingOptions } from '../../../mock/types.ts'
import { startMockZoom } from '../../../mock/zoom/index.ts'
import { REAL_WAITS, type Waits } from '../../../platforms/shared/waits.ts'
import { openZoom, type ZoomOptions } from '../../../platforms/zoom/driver.ts'
import { ZOOM_PACES, ZOOM_WAITS, type ZoomPaces } from '../../../platforms/zoom/paces.ts'
import { recognizeZoom } from '../../../platforms/zoom/url.ts'
import { silentLogger } from '../../../src/logger.ts'
import type { MeetingEvent, MeetingTarget } from '../../../src/meeting.ts'
import type { Admission, MeetingDriver, Stage } from '../../../src/ports.ts'

export const SPEED = 6
export const BOT_NAME = 'Notes for Ann'

/** Sound goes nowhere: no Pulse server is there. */
export const SILENT_STAGE: Stage = {
  display: null,
  pulseServer: '/nonexistent/pulse',
  pulseSink: 'none',
  width: 1280,
  height: 720,
}

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

export interface Attempt {
  meeting: MockMeeting
  driver: MeetingDriver
  events: MeetingEvent[]
  /** Aborts what the driver waits for. */
  stop: AbortController
  signal: AbortSignal
  /** Joins, waits for admission, and starts to gather events. */
  enter(): Promise<Admission>
  /** Resolves with the first event that fits, of the past too. */
  event<Type extends MeetingEvent['type']>(
    type: Type,
    fits?: (event: Extract<MeetingEvent, { type: Type }>) => boolean,
    deadlineMs?: number,
  ): Promise<Extract<MeetingEvent, { type: Type }>>
}

export interface AttemptOptions extends MockMeetingOptions {
  driver?: Partial<ZoomOptions>
  waits?: Partial<Waits>
  paces?: Partial<ZoomPaces>
  /** Goes to the meeting's own link, whatever it is, instead of the address that the driver makes of it. */
  asGiven?: boolean
}

/** To be called once in a test file: serves the mock for all its tests and closes what each of them opened. */
export function zoomHarness() {
  let mock: Awaited<ReturnType<typeof startMockZoom>>
  const open = new Set<MeetingDriver>()
  beforeAll(async () => {
    mock = await startMockZoom()
  })
  afterEach(async () => {
    for (const driver of open) await driver.close()
    open.clear()
  })
  afterAll(async () => {
    await mock.close()
  })

  return {
    mock: () => mock,
    async attempt(scenario: string, options: AttemptOptions = {}): Promise<Attempt> {
      const { driver: driverOptions, waits, paces, asGiven, ...meetingOptions } = options
      const speed = meetingOptions.speed ?? SPEED
      const meeting = mock.open(scenario, { seed: 1, speed, ...meetingOptions })
      const stop = new AbortController()
      const recognized = recognizeZoom(meeting.url) as MeetingTarget
      const driver = await openZoom(
        asGiven ? { ...recognized, url: meeting.url } : recognized,
        SILENT_STAGE,
        stop.signal,
        {
          botName: BOT_NAME,
          botImage: null,
          recordingMode: 'audio_only',
          recordingConsent: 'accept',
          hostMap: mock.hosts.map((host) => ({ host, address: mock.address })),
          chromium: null,
          browserPlugins: [],
          logger: silentLogger,
          waits: { ...testWaits(speed), ...waits },
          paces: { ...testPaces(speed), ...paces },
          ...driverOptions,
        },
      )
      open.add(driver)
      const events: MeetingEvent[] = []
      const attempt: Attempt = {
        meeting,
        driver,
        events,
        stop,
        signal: stop.signal,
        async enter() {
          const admission = await driver.join(stop.signal)
          if (admission === 'waiting_room') await driver.waitForAdmission(stop.signal)
          driver.watch((event) => events.push(event))
          return admission
        },
        async event(type, fits = () => true, deadlineMs = 60_000) {
          const deadline = Date.now() + deadlineMs
          for (;;) {
            const found = events.find(
              (event): event is Extract<MeetingEvent, { type: typeof type }> =>
                event.type === type && fits(event as Extract<MeetingEvent, { type: typeof type }>),
            )
            if (found) return found
            if (Date.now() > deadline) {
              const told = events.filter((event) => event.type !== 'heartbeat').map((event) => JSON.stringify(event))
              throw new Error(`No event ${type} came; told were:\n${told.join('\n')}`)
            }
            await new Promise((resolve) => setTimeout(resolve, 50))
          }
        },
      }
      return attempt
    },
  }
}

/** Waits for what has to become true; a page on a busy machine needs its time. */
export async function until(condition: () => boolean, what: string, deadlineMs = 60_000): Promise<void> {
  const deadline = Date.now() + deadlineMs
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`It did not come about in time: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
