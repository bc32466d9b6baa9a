/** The only list of platforms: maps a link to its meeting, and a meeting to its driver. */

import { MAX_MEETING_URL_LENGTH } from '@standin/wire/job.ts'
import type { MeetingTarget, PlatformName } from '../core/meeting/meeting.ts'
import type { CaptureEnvironment, MeetingDriver, OpenMeeting } from '../core/ports.ts'
import { openGoogleMeet } from './google-meet/driver.ts'
import { recognizeGoogleMeet } from './google-meet/url.ts'
import { openJitsi } from './jitsi/driver.ts'
import { recognizeJitsi } from './jitsi/url.ts'
import { openMicrosoftTeams } from './microsoft-teams/driver.ts'
import { recognizeMicrosoftTeams } from './microsoft-teams/url.ts'
import type { DriverOptions } from './shared/driver-options.ts'
import { openZoom } from './zoom/driver.ts'
import { recognizeZoom } from './zoom/url.ts'

export type { DriverOptions }

/** An operator's additions to the links that are recognized. */
export interface Recognition {
  /** Hosts of the operator's servers that run Jitsi Meet. */
  jitsiHosts?: readonly string[]
}

interface Platform {
  /**
   * Null when the text has no link of this platform. For a link that can never be a meeting: a sentence that says why.
   */
  recognize(text: string, recognition: Recognition): MeetingTarget | { problem: string } | null
  open(
    target: MeetingTarget,
    stage: CaptureEnvironment,
    signal: AbortSignal,
    options: DriverOptions,
  ): Promise<MeetingDriver>
  /**
   * The page receives the meeting's sound in WebRTC tracks; on other platforms the page decodes the sound itself, where
   * the bot cannot read it.
   */
  hasSoundInTracks: boolean
}

const PLATFORMS: Readonly<Record<PlatformName, Platform>> = {
  meet: { recognize: recognizeGoogleMeet, open: openGoogleMeet, hasSoundInTracks: true },
  teams: { recognize: recognizeMicrosoftTeams, open: openMicrosoftTeams, hasSoundInTracks: true },
  // One of Zoom's three audio paths has tracks; which one it uses is known only in the meeting
  // (docs/platform-notes/zoom.md#audio-paths).
  zoom: { recognize: recognizeZoom, open: openZoom, hasSoundInTracks: false },
  jitsi: {
    recognize: (text, { jitsiHosts }) => recognizeJitsi(text, jitsiHosts ?? []),
    open: openJitsi,
    hasSoundInTracks: true,
  },
}

/** Pure. A link that can never be a meeting is answered with one sentence for the person who gave it. */
export function recognizeMeeting(text: string, recognition: Recognition = {}): MeetingTarget | { problem: string } {
  if (text.length > MAX_MEETING_URL_LENGTH)
    return { problem: `The text is longer than ${MAX_MEETING_URL_LENGTH} characters; give the meeting link alone.` }
  const found = Object.values(PLATFORMS).flatMap(({ recognize }) => recognize(text, recognition) ?? [])
  const targets = found.filter((item) => 'url' in item)
  if (targets.length > 1) return { problem: 'The text holds links of several platforms; give one of them.' }
  return (
    targets[0] ??
    found[0] ?? { problem: 'This is not a meeting link; give one such as https://meet.google.com/abc-defg-hij.' }
  )
}

/** Whether the page of a meeting gives the sound of all participants together; see `DriverOptions.audioTap`. */
export function hasSoundInTracks(platform: PlatformName): boolean {
  return PLATFORMS[platform].hasSoundInTracks
}

/** Makes the function that the worker run calls for each attempt to join. */
export function openDriver(options: DriverOptions): OpenMeeting {
  const expectsAccount = options.expectsAccount ?? Boolean(options.browserState)
  return (target, stage, signal) =>
    PLATFORMS[target.platform].open(target, stage, signal, { ...options, expectsAccount })
}
