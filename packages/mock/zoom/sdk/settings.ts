/** The settings of a scenario for joins through the SDK, in addition to those of the meeting. */

import type { RecordingSettings } from './page/protocol.ts'

export interface SdkSettings {
  /**
   * The app's account compared with the meeting's: `foreign` requires a token, `unpublished` refuses every join
   * (docs/platform-notes/zoom.md#which-token-a-meeting-needs).
   */
  account: 'own' | 'foreign' | 'unpublished'
  /** Signed-in people only: with an access key the bot is one. */
  needsAccount: boolean
  /** A public number (docs/platform-notes/zoom.md#sdk-error-numbers) that this many joins end with; 0 for none. */
  error: number
  errorTimes: number
  /** The SDK's own page of "not started": level 4, then 5. */
  waitsForHost: boolean
  recording: RecordingSettings
  /** The end dialog closes by itself after five seconds, so that only the SDK reports the reason. */
  endClosesItself: boolean
  /** Preview page with its own Join button, which takes a trusted click only. */
  preview: boolean
}

export const SDK_DEFAULTS: SdkSettings = {
  account: 'own',
  needsAccount: false,
  error: 0,
  errorTimes: Number.POSITIVE_INFINITY,
  waitsForHost: false,
  endClosesItself: false,
  preview: false,
  recording: {
    isEnabled: true,
    allowsAfterMs: 2000,
  },
}
