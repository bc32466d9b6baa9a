/**
 * Fixtures of the suite: a mock platform, drivers in real Chromium, and whole worker runs with a recorder that only
 * counts.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readMeeting } from '@standin/wire/meeting-links/index.ts'
import { afterAll, afterEach, beforeAll } from 'vitest'
import type { MeetingEvent, MeetingTarget } from '../../../packages/core/meeting/meeting.ts'
import type { MeetingDriver, OpenMeeting } from '../../../packages/core/ports.ts'
import type { MockMeeting, MockMeetingOptions, MockServer } from '../../../packages/mock/types.ts'
import { type DriverOptions, openDriver } from '../../../platforms/index.ts'
import { SMALL_PICTURES } from '../../packages/mock/small-pictures.ts'
import { eventOf } from '../attempts.ts'
import { guestOptions } from '../driver-options.ts'
import { sharedChromium } from '../shared-chromium.ts'
import { type WorkerMocks, workerMocks } from '../worker-mocks.ts'
import { BotLife } from './bot-life.ts'
import { BOT_NAME, SILENT_STAGE, waitsAt } from './ground.ts'
import type { PlatformUnderTest } from './platforms.ts'

/** A driver in a meeting, with everything it told. */
export interface Session {
  meeting: MockMeeting
  driver: MeetingDriver
  events: MeetingEvent[]
  stop: AbortController
  /** Joins and, if there is a waiting room, waits for admission. */
  enter(): Promise<void>
  /** The first event that fits, of the past too. */
  event<Type extends MeetingEvent['type']>(
    type: Type,
    fits?: (event: Extract<MeetingEvent, { type: Type }>) => boolean,
  ): Promise<Extract<MeetingEvent, { type: Type }>>
}

export interface Rig {
  /** For what a test wants to keep until its end. */
  folder: string
  mock(): MockServer
  meeting(scenario: string, options?: MockMeetingOptions): MockMeeting
  /** Closed after the test, or with `keep` after the suite. */
  session(meeting: MockMeeting, options?: Partial<DriverOptions>, keep?: 'keep'): Promise<Session>
  life(meeting: MockMeeting, job?: Record<string, unknown>): BotLife
}

/** To be called once at the top of the suite; what a test opened is closed after it. */
export function conformanceRig(platform: PlatformUnderTest): Rig {
  let mocks: WorkerMocks
  const mock = (): MockServer => mocks[platform.platform]
  const folder = mkdtempSync(join(tmpdir(), 'standin-conformance-'))
  const undo: (() => Promise<unknown>)[] = []
  const undoAtEnd: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    mocks = await workerMocks()
  })
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step()
  })
  afterAll(async () => {
    for (const step of undoAtEnd.splice(0).reverse()) await step()
    rmSync(folder, { recursive: true, force: true })
  })

  const targetOf = ({ url }: MockMeeting): MeetingTarget => {
    const target = readMeeting(url, { jitsiHosts: platform.platform === 'jitsi' ? mock().hosts : [] })
    if ('problem' in target) throw new Error(target.problem)
    return target
  }
  const optionsOf = (more: Partial<DriverOptions>): DriverOptions => ({
    ...guestOptions(mock()),
    hostMap: mocks.hostMap,
    openBrowser: sharedChromium.open,
    botName: BOT_NAME,
    waits: waitsAt(platform.speed),
    ...platform.driver,
    ...more,
  })

  return {
    folder,
    mock,
    meeting: (scenario, options) =>
      mock().open(scenario, { seed: 1, speed: platform.speed, media: SMALL_PICTURES, ...options }),
    async session(meeting, options = {}, keep) {
      const stop = new AbortController()
      const driver = await openDriver(optionsOf(options))(targetOf(meeting), SILENT_STAGE, stop.signal)
      const close = () => driver.close().then(() => mock().forget(meeting))
      ;(keep ? undoAtEnd : undo).push(close)
      const events: MeetingEvent[] = []
      driver.watch((event) => events.push(event))
      return {
        meeting,
        driver,
        events,
        stop,
        async enter() {
          if ((await driver.join(stop.signal)) === 'waiting_room') await driver.waitForAdmission(stop.signal)
        },
        event: (type, fits = () => true) => eventOf(events, type, fits),
      }
    },
    life(meeting, job = {}) {
      const open = (recordingMode: DriverOptions['recordingMode']): OpenMeeting => {
        const openIn = openDriver(optionsOf({ recordingMode }))
        return async (target, environment, signal) => openIn(target, await environment, signal)
      }
      const life = new BotLife(
        targetOf(meeting),
        { bot_name: BOT_NAME, recording_mode: 'audio_only', ...job },
        open,
        folder,
      )
      undo.push(() => life.dispose().then(() => mock().forget(meeting)))
      return life
    },
  }
}
