/** A mock meeting and a driver in a real, headless Chromium; times are shortened on both sides by the same factor. */
import { afterAll, afterEach, beforeAll } from 'vitest'
import { startMockMicrosoftTeams } from '../../../mock/microsoft-teams/index.ts'
import type { MockMeeting, MockMeetingOptions } from '../../../mock/types.ts'
import { openMicrosoftTeams } from '../../../platforms/microsoft-teams/driver.ts'
import { recognizeMicrosoftTeams } from '../../../platforms/microsoft-teams/url.ts'
import { TEAMS_WAITS } from '../../../platforms/microsoft-teams/waits.ts'
import type { DriverOptions } from '../../../platforms/shared/driver-options.ts'
import { REAL_WAITS, type Waits } from '../../../platforms/shared/waits.ts'
import { silentLogger } from '../../../src/logger.ts'
import type { MeetingEvent, MeetingTarget } from '../../../src/meeting.ts'
import type { Admission, MeetingDriver, Stage } from '../../../src/ports.ts'

export const SPEED = 8

/** Sound goes nowhere: no Pulse server is there. */
export const SILENT_STAGE: Stage = {
  display: null,
  pulseServer: '/nonexistent/pulse',
  pulseSink: 'none',
  width: 1280,
  height: 720,
}

/** Waits for the page's own times shrink with it; waits for the machine stay. */
const SHRUNK: readonly (keyof Waits)[] = ['captchaMs', 'undecidedMs', 'reconnectMs']

export function testWaits(speed: number): Waits {
  const real = { ...REAL_WAITS, ...TEAMS_WAITS }
  const waits = { ...real, lookEveryMs: 150, callLookEveryMs: 250, joinClickMs: 2500, holdWithoutLobbyMs: 2000 }
  for (const name of SHRUNK) waits[name] = Math.round(real[name] / speed)
  return waits
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
  driver?: Partial<DriverOptions>
  waits?: Partial<Waits>
  /** A further attempt in this meeting. */
  meeting?: MockMeeting
}

/** As the command line does it, from the link that people get. */
export function targetOf(link: string): MeetingTarget {
  const recognized = recognizeMicrosoftTeams(link)
  if (!recognized || !('url' in recognized)) throw new Error(`This is no link of a meeting: ${link}`)
  return recognized
}

/** To be called once in a test file: serves the mock for all its tests and closes what each of them opened. */
export function teamsHarness() {
  let mock: Awaited<ReturnType<typeof startMockMicrosoftTeams>>
  const open = new Set<MeetingDriver>()
  beforeAll(async () => {
    mock = await startMockMicrosoftTeams()
  })
  afterEach(async () => {
    await Promise.all([...open].map((driver) => driver.close()))
    open.clear()
  })
  afterAll(async () => {
    await mock.close()
  })

  return {
    mock: () => mock,
    async attempt(scenario: string, options: AttemptOptions = {}): Promise<Attempt> {
      const { driver: driverOptions, waits, meeting: known, ...meetingOptions } = options
      const speed = meetingOptions.speed ?? SPEED
      const meeting = known ?? mock.open(scenario, { seed: 1, speed, ...meetingOptions })
      const stop = new AbortController()
      const driver = await openMicrosoftTeams(targetOf(meeting.url), SILENT_STAGE, stop.signal, {
        botName: 'Notes for Ann',
        botImage: null,
        recordingMode: 'audio_only',
        recordingConsent: 'accept',
        hostMap: mock.hosts.map((host) => ({ host, address: mock.address })),
        chromium: null,
        browserPlugins: [],
        logger: silentLogger,
        waits: { ...testWaits(speed), ...waits },
        ...driverOptions,
      })
      open.add(driver)
      const events: MeetingEvent[] = []
      return {
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
        async event(type, fits = () => true, deadlineMs = 45_000) {
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
    },
  }
}

/** Waits for what has to become true; a page on a busy machine needs its time. */
export async function until(condition: () => boolean, what: string, deadlineMs = 30_000): Promise<void> {
  const deadline = Date.now() + deadlineMs
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`It did not come about in time: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
