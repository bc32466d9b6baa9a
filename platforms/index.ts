/** The only list of platforms: maps a meeting to its driver. */

import type { PlatformName } from '@standin/wire/platforms.ts'
import type { MeetingTarget } from '../packages/core/meeting/meeting.ts'
import type { CaptureEnvironment, MeetingDriver } from '../packages/core/ports.ts'
import { openGoogleMeet } from './google-meet/driver.ts'
import { openJitsi } from './jitsi/driver.ts'
import { openMicrosoftTeams } from './microsoft-teams/driver.ts'
import type { DriverOptions, OpenDriver } from './shared/driver-options.ts'
import { openZoom } from './zoom/driver.ts'

export { useWords } from './shared/words.ts'
export type { DriverOptions }

interface Platform {
  open: OpenDriver
  /**
   * The page receives the meeting's sound in WebRTC tracks; on other platforms the page decodes the sound itself, where
   * the bot cannot read it.
   */
  hasSoundInTracks: boolean
}

const PLATFORMS: Readonly<Record<PlatformName, Platform>> = {
  meet: { open: openGoogleMeet, hasSoundInTracks: true },
  teams: { open: openMicrosoftTeams, hasSoundInTracks: true },
  // One of Zoom's three audio paths has tracks; which one it uses is known only in the meeting
  // (docs/platform-notes/zoom.md#audio-paths).
  zoom: { open: openZoom, hasSoundInTracks: false },
  jitsi: { open: openJitsi, hasSoundInTracks: true },
}

/** Whether the page of a meeting gives the sound of all participants together; see `DriverOptions.audioTap`. */
export function hasSoundInTracks(platform: PlatformName): boolean {
  return PLATFORMS[platform].hasSoundInTracks
}

/** Makes the function that the worker run calls for each attempt to join. */
export function openDriver(options: DriverOptions) {
  const expectsAccount = options.expectsAccount ?? Boolean(options.browserState)
  return (target: MeetingTarget, environment: CaptureEnvironment, signal: AbortSignal): Promise<MeetingDriver> =>
    PLATFORMS[target.platform].open(target, environment, signal, { ...options, expectsAccount })
}
