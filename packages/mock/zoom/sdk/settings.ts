/** The settings of a scenario for joins through the SDK, in addition to those of the meeting. */

import type { RecordingSettings } from './page/protocol.ts'

export const SDK_DEFAULTS = {
  /**
   * The app's account compared with the meeting's: `foreign` requires a token, `unpublished` refuses every join
   * (docs/platform-notes/zoom.md#which-token-a-meeting-needs).
   */
  account: 'own' as 'own' | 'foreign' | 'unpublished',
  /** Signed-in people only: with an access key the bot is one. */
  needsAccount: false,
  /** A public number (docs/platform-notes/zoom.md#sdk-error-numbers) that this many joins end with; 0 for none. */
  error: 0,
  errorTimes: Number.POSITIVE_INFINITY,
  /** The SDK's own page of "not started": level 4, then 5. */
  waitsForHost: false,
  recording: {
    isEnabled: true,
    allowsAfterMs: 2000,
  } as RecordingSettings,
  /** The end dialog closes by itself after five seconds, so that only the SDK reports the reason. */
  endClosesItself: false,
  /** Preview page with its own Join button, which takes a trusted click only. */
  preview: false,
}
export type SdkSettings = typeof SDK_DEFAULTS
