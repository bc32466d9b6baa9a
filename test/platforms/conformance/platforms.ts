/** Every platform that the suite runs against: its mock, and what is its own about the common scenarios. */

import type { ErrorCode } from '@standin/wire/codes.ts'
import type { PlatformName } from '../../../core/meeting/meeting.ts'
import type { MockServer } from '../../../mock/types.ts'
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
  /** The bot fills in a form; it calls a function elsewhere. */
  hasForm: boolean
  /** The platform itself gives up the waiting at some time, as the scenario `request-timeout` has it. */
  givesUpWaiting: boolean
  /** The code of a link to a meeting that does not exist, if the platform can tell. */
  invalidLink: ErrorCode
  /** A cookie of an account, without which the mock's `signed-in-join` shows a wall; absent if its mock has none. */
  session?: { name: string; domain: string }
  /** The field of the job that the platform's wall would open for; `browser_state` if nothing is said. */
  accountHint?: string
  /** More options of its driver. */
  driver?: Partial<DriverOptions>
  /** The page names the participant who shares a screen. Without it, the page shows only that a screen is shared. */
  namesSharer: boolean
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
  start: async () => (await import('../../../mock/google-meet/index.ts')).startMockGoogleMeet(),
  speed: 6,
  hasForm: true,
  givesUpWaiting: true,
  invalidLink: 'INVALID_MEETING_URL',
  namesSharer: true,
  chat: ['reactions', 'hands'],
}

export const MICROSOFT_TEAMS: PlatformUnderTest = {
  name: 'Microsoft Teams',
  platform: 'teams',
  start: async () => (await import('../../../mock/microsoft-teams/index.ts')).startMockMicrosoftTeams(),
  speed: 6,
  hasForm: true,
  givesUpWaiting: false,
  invalidLink: 'INVALID_MEETING_URL',
  namesSharer: true,
  chat: ['named links', 'edits', 'deletions', 'files', 'answers', 'message reactions', 'hands'],
}

export const ZOOM: PlatformUnderTest = {
  name: 'Zoom',
  platform: 'zoom',
  start: async () => (await import('../../../mock/zoom/index.ts')).startMockZoom(),
  speed: 6,
  hasForm: true,
  givesUpWaiting: false,
  // Zoom reports the same for an unknown number and for a meeting that was not started, so the bot waits.
  invalidLink: 'INVALID_MEETING_URL',
  namesSharer: false,
  chat: ['named links', 'edits', 'deletions', 'direct'],
  session: { name: '_zm_ssid', domain: '.zoom.us' },
}

/** From the place where the mock serves its stub; with the credentials that the mock knows. */
const ZOOM_SDK_DRIVER: Partial<ZoomSdkOptions> = { conf: CONF, sdkBase: 'https://source.zoom.us/6.2.0' }

/** Cookies of the web client mean nothing to the SDK. */
const { session: _ofWebClient, ...WITHOUT_SESSION } = ZOOM

/** The same meetings, joined through the Meeting SDK. */
export const ZOOM_SDK: PlatformUnderTest = {
  ...WITHOUT_SESSION,
  name: 'Zoom, Meeting SDK',
  // The error numbers of the SDK distinguish the two.
  invalidLink: 'INVALID_MEETING_URL',
  hasForm: false,
  driver: ZOOM_SDK_DRIVER,
  accountHint: 'conf_access_token_url',
  namesSharer: true,
  chat: ['files', 'direct', 'hands'],
}

export const JITSI: PlatformUnderTest = {
  name: 'Jitsi Meet',
  platform: 'jitsi',
  start: async () => (await import('../../../mock/jitsi/index.ts')).startMockJitsi(),
  speed: 6,
  hasForm: true,
  givesUpWaiting: false,
  // A room exists as soon as a participant asks for it. Only a name that is not valid for a room is refused.
  invalidLink: 'INVALID_MEETING_URL',
  namesSharer: true,
  chat: ['edits', 'files', 'direct', 'answers', 'message reactions', 'reactions', 'hands'],
}
