/** Every platform that the suite runs against: its mock, and what is its own about the common scenarios. */

import type { PlatformName } from '@standin/wire/platforms.ts'
import type { MockServer } from '../../../packages/mock/types.ts'
import type { DriverOptions } from '../../../platforms/shared/driver-options.ts'
import type { ZoomSdkOptions } from '../../../platforms/zoom/meeting-sdk/driver.ts'
import { CONF } from '../zoom/meeting-sdk/conf.ts'

export interface PlatformUnderTest {
  name: string
  platform: PlatformName
  /** Loaded by its own test file only. */
  start(): Promise<MockServer>
  /** Divides the mock's own times and the driver's waits for them. */
  speed: number
  /** The bot calls a function, and fills in no form. */
  hasNoForm?: true
  /** The platform itself gives up the waiting at some time, as the scenario `request-timeout` has it. */
  givesUpWaiting?: true
  /** A cookie of an account, without which the mock's `signed-in-join` shows a wall; absent if its mock has none. */
  session?: { name: string; domain: string }
  /** The field of the job that the platform's wall would open for; `browser_state` if nothing is said. */
  accountHint?: string
  /** More options of its driver. */
  driver?: Partial<DriverOptions>
  /** The page shows only that a screen is shared, and not by whom. */
  hidesSharer?: true
  /** Parts of a chat that the platform has and its page shows. */
  chat: readonly ChatPart[]
}

export type ChatPart =
  | 'named links'
  | 'edits'
  | 'deletions'
  | 'files'
  | 'direct'
  | 'answers'
  | 'message reactions'
  | 'reactions'
  | 'hands'

export const GOOGLE_MEET: PlatformUnderTest = {
  name: 'Google Meet',
  platform: 'meet',
  start: async () => (await import('../../../packages/mock/google-meet/index.ts')).startMockGoogleMeet(),
  speed: 6,
  givesUpWaiting: true,
  chat: ['reactions', 'hands'],
}

export const MICROSOFT_TEAMS: PlatformUnderTest = {
  name: 'Microsoft Teams',
  platform: 'teams',
  start: async () => (await import('../../../packages/mock/microsoft-teams/index.ts')).startMockMicrosoftTeams(),
  speed: 6,
  chat: ['named links', 'edits', 'deletions', 'files', 'answers', 'message reactions', 'hands'],
}

export const ZOOM: PlatformUnderTest = {
  name: 'Zoom',
  platform: 'zoom',
  start: async () => (await import('../../../packages/mock/zoom/index.ts')).startMockZoom(),
  speed: 6,
  hidesSharer: true,
  chat: ['named links', 'edits', 'deletions', 'direct'],
  session: { name: '_zm_ssid', domain: '.zoom.us' },
}

/** From the place where the mock serves its stub; with the credentials that the mock knows. */
const ZOOM_SDK_DRIVER: Partial<ZoomSdkOptions> = { conf: CONF, sdkBase: 'https://source.zoom.us/6.2.0' }

/** The same meetings, joined through the Meeting SDK. */
export const ZOOM_SDK: PlatformUnderTest = {
  ...ZOOM,
  // Cookies of the web client mean nothing to the SDK.
  session: undefined,
  name: 'Zoom, Meeting SDK',
  hasNoForm: true,
  driver: ZOOM_SDK_DRIVER,
  accountHint: 'conf_access_token_url',
  hidesSharer: undefined,
  chat: ['files', 'direct', 'hands'],
}

export const JITSI: PlatformUnderTest = {
  name: 'Jitsi Meet',
  platform: 'jitsi',
  start: async () => (await import('../../../packages/mock/jitsi/index.ts')).startMockJitsi(),
  speed: 6,
  chat: ['edits', 'files', 'direct', 'answers', 'message reactions', 'reactions', 'hands'],
}
