/** A mock meeting and a driver in a real, headless Chromium; times are shortened on both sides by the same factor. */
import { afterAll, afterEach, beforeAll } from 'vitest'
import { type MockJitsi, startMockJitsi } from '../../../mock/jitsi/index.ts'
import type { JitsiMeeting } from '../../../mock/jitsi/meeting.ts'
import type { MockMeetingOptions } from '../../../mock/types.ts'
import { openJitsi } from '../../../platforms/jitsi/driver.ts'
import type { DriverOptions } from '../../../platforms/shared/driver-options.ts'
import type { Waits } from '../../../platforms/shared/waits.ts'
import { silentLogger } from '../../../src/logger.ts'
import type { MeetingEvent } from '../../../src/meeting.ts'
import type { Admission, MeetingDriver } from '../../../src/ports.ts'
import { SILENT_STAGE, until, waitsAt } from '../conformance/ground.ts'

export { SILENT_STAGE, until }

const SPEED = 6

export interface Attempt {
  meeting: JitsiMeeting
  driver: MeetingDriver
  events: MeetingEvent[]
  signal: AbortSignal
  /** Joins and waits for admission. */
  enter(): Promise<Admission>
  /** Resolves with the first event that fits, of the past too. */
  event<Type extends MeetingEvent['type']>(
    type: Type,
    fits?: (event: Extract<MeetingEvent, { type: Type }>) => boolean,
  ): Promise<Extract<MeetingEvent, { type: Type }>>
}

export interface AttemptOptions extends MockMeetingOptions {
  driver?: Partial<DriverOptions>
  waits?: Partial<Waits>
  passcode?: string
  /** Behind the address of the room. */
  query?: string
}

/** To be called once in a test file: serves the mock for all its tests and closes what each of them opened. */
export function jitsiHarness() {
  let mock: MockJitsi
  const open = new Set<MeetingDriver>()
  beforeAll(async () => {
    mock = await startMockJitsi()
  })
  afterEach(async () => {
    for (const driver of open) await driver.close()
    open.clear()
  })
  afterAll(async () => {
    await mock.close()
  })

  async function attempt(scenario: string, options: AttemptOptions = {}): Promise<Attempt> {
    const { driver: driverOptions, waits, passcode, query = '', ...meetingOptions } = options
    const speed = meetingOptions.speed ?? SPEED
    const meeting = mock.open(scenario, { seed: 1, speed, ...meetingOptions })
    const { signal } = new AbortController()
    const { host, pathname } = new URL(meeting.url)
    const driver = await openJitsi(
      { platform: 'jitsi', url: meeting.url + query, meetingId: host + pathname, ...(passcode ? { passcode } : {}) },
      SILENT_STAGE,
      signal,
      {
        botName: 'Notes for Ann',
        botImage: null,
        recordingMode: 'audio_only',
        recordingConsent: 'accept',
        hostMap: mock.hosts.map((name) => ({ host: name, address: mock.address })),
        chromium: null,
        browserPlugins: [],
        logger: silentLogger,
        waits: { ...waitsAt(speed), ...waits },
        ...driverOptions,
      },
    )
    open.add(driver)
    const events: MeetingEvent[] = []
    driver.watch((event) => events.push(event))
    return {
      meeting,
      driver,
      events,
      signal,
      async enter() {
        const admission = await driver.join(signal)
        if (admission === 'waiting_room') await driver.waitForAdmission(signal)
        return admission
      },
      async event(type, fits = () => true) {
        type Wanted = Extract<MeetingEvent, { type: typeof type }>
        const find = () => events.find((event): event is Wanted => event.type === type && fits(event as Wanted))
        const told = () => events.filter((event) => event.type !== 'heartbeat').map((event) => JSON.stringify(event))
        await until(
          () => find() !== undefined,
          () => `the event ${type}; told were:\n${told().join('\n')}`,
        )
        return find()!
      },
    }
  }

  return {
    attempt,
    /** Every test that only needs to be in begins like this. */
    async inside(scenario: string, options: AttemptOptions = {}): Promise<Attempt> {
      const made = await attempt(scenario, options)
      await made.enter()
      return made
    },
  }
}

/** What the page was asked for by the driver, by the name of the target. */
export function pressed(meeting: JitsiMeeting): string[] {
  return meeting.log
    .filter(({ event, detail }) => event === 'click' && detail !== 'swallowed')
    .map(({ target }) => target)
}

/** What the server was asked for. */
export function asked(meeting: JitsiMeeting): string[] {
  return meeting.log.filter(({ event }) => event === 'rpc').map(({ target }) => target)
}
