/**
 * Attempts to be in a mock meeting, with a driver in the headless Chromium of the test worker: what the tests of every
 * platform need.
 */

import { afterAll, afterEach, beforeAll } from 'vitest'
import type { MeetingEvent, MeetingTarget } from '../../packages/core/meeting/meeting.ts'
import type { Admission, CaptureEnvironment, MeetingDriver } from '../../packages/core/ports.ts'
import type { MockMeeting, MockMeetingOptions, MockServer } from '../../packages/mock/types.ts'
import type { DriverOptions } from '../../platforms/shared/driver-options.ts'
import type { Waits } from '../../platforms/shared/waits.ts'
import { HEADLESS_SHELL } from '../headless-shell.ts'
import { SMALL_PICTURES } from '../packages/mock/small-pictures.ts'
import { SILENT_STAGE, until } from './conformance/ground.ts'
import { guestOptions } from './driver-options.ts'
import { sharedChromium } from './shared-chromium.ts'
import { type WorkerMocks, workerMocks } from './worker-mocks.ts'

export interface Attempt<Meeting extends MockMeeting = MockMeeting> {
  meeting: Meeting
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

export interface AttemptOptions<Meeting extends MockMeeting = MockMeeting> extends MockMeetingOptions {
  driver?: Partial<DriverOptions>
  waits?: Partial<Waits>
  /** A further attempt in this meeting. */
  meeting?: Meeting
  /** Another address than the driver makes of the meeting's link. */
  retarget?(target: MeetingTarget, meeting: Meeting): MeetingTarget
}

/** A platform's mock server, reduced to the meetings that it creates. */
type AnyServer = Omit<MockServer, 'open'> & { open(scenario: string, options?: MockMeetingOptions): MockMeeting }
type MeetingOf<Server extends AnyServer> = ReturnType<Server['open']>

interface Opened {
  drivers: Set<MeetingDriver>
  meetings: Set<MockMeeting>
}

/** The values that differ from platform to platform. */
export interface AttemptSetting<Server extends AnyServer> {
  serverOf(mocks: WorkerMocks): Server
  openDriver(
    target: MeetingTarget,
    environment: CaptureEnvironment,
    signal: AbortSignal,
    options: DriverOptions,
  ): Promise<MeetingDriver>
  targetOf(meeting: MeetingOf<Server>): MeetingTarget
  /** Divides the mock's own times, and the waits for them. */
  speed: number
  waitsAt(speed: number): Partial<Waits>
}

/** To be called once in a test file: closes what each of its tests opened. */
export function attempts<Server extends AnyServer>(setting: AttemptSetting<Server>) {
  type Meeting = MeetingOf<Server>
  let mocks: WorkerMocks
  let mock: Server
  const opened: Opened = { drivers: new Set(), meetings: new Set() }
  beforeAll(async () => {
    mocks = await workerMocks()
    mock = setting.serverOf(mocks)
  })
  afterEach(() => close(opened))
  afterAll(async () => {
    if ((await sharedChromium.contexts()) > 0) throw new Error('A test of this file has left a browser context open')
  })

  async function close({ drivers, meetings }: Opened): Promise<void> {
    await Promise.all([...drivers].map((driver) => driver.close()))
    await Promise.all([...meetings].map((meeting) => mock.forget(meeting)))
    drivers.clear()
    meetings.clear()
  }

  async function attempt(
    scenario: string,
    options: AttemptOptions<Meeting> = {},
    closedLater = opened,
  ): Promise<Attempt<Meeting>> {
    const { driver: driverOptions, waits, meeting: known, retarget, ...meetingOptions } = options
    const speed = meetingOptions.speed ?? setting.speed
    // A slow machine must not miss the waiting room that it is to report.
    const { promise: hostReady, resolve: saidWhereItIs } = Promise.withResolvers<void>()
    const meeting =
      known ?? (mock.open(scenario, { seed: 1, speed, hostReady, media: SMALL_PICTURES, ...meetingOptions }) as Meeting)
    closedLater.meetings.add(meeting)
    const stop = new AbortController()
    const target = setting.targetOf(meeting)
    const driver = await setting.openDriver(retarget?.(target, meeting) ?? target, SILENT_STAGE, stop.signal, {
      ...guestOptions(mock),
      hostMap: mocks.hostMap,
      chromium: HEADLESS_SHELL,
      openBrowser: sharedChromium.open,
      waits: { ...setting.waitsAt(speed), ...waits },
      ...driverOptions,
    })
    closedLater.drivers.add(driver)
    const join = driver.join.bind(driver)
    driver.join = (signal, gate) => join(signal, gate).finally(saidWhereItIs)
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
      event: (type, fits, deadlineMs) => eventOf(events, type, fits, deadlineMs),
    }
  }

  return {
    mock: () => mock,
    mocks: () => mocks,
    attempt: (scenario: string, options?: AttemptOptions<Meeting>) => attempt(scenario, options),
    /** Every test that only needs to be in begins like this. */
    async inside(scenario: string, options?: AttemptOptions<Meeting>): Promise<Attempt<Meeting>> {
      const made = await attempt(scenario, options)
      await made.enter()
      return made
    },
    /** In one meeting for all tests of a `describe`, in their order: for what ends nothing. */
    insideTogether(scenario: string, options?: AttemptOptions<Meeting>): () => Attempt<Meeting> {
      const own: Opened = { drivers: new Set(), meetings: new Set() }
      let made: Attempt<Meeting> | null = null
      beforeAll(async () => {
        made = await attempt(scenario, options, own)
        await made.enter()
      })
      afterAll(() => close(own))
      return () => made!
    },
  }
}

/** The first event that fits, past or to come. The failure lists the events that arrived instead. */
export async function eventOf<Type extends MeetingEvent['type']>(
  events: readonly MeetingEvent[],
  type: Type,
  fits: (event: Extract<MeetingEvent, { type: Type }>) => boolean = () => true,
  deadlineMs?: number,
): Promise<Extract<MeetingEvent, { type: Type }>> {
  type Wanted = Extract<MeetingEvent, { type: Type }>
  const find = () => events.find((event): event is Wanted => event.type === type && fits(event as Wanted))
  const reported = () => events.filter((event) => event.type !== 'heartbeat').map((event) => JSON.stringify(event))
  const what = () => `the event ${type}; reported were:\n${reported().join('\n')}`
  await until(() => find() !== undefined, what, deadlineMs)
  return find()!
}
