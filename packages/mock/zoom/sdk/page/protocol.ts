/** The messages between the stub's page and its server, in addition to those of the web client. Types only. */
import type { FromPage, ToPage, UiSettings } from '../../page/protocol.ts'

export type ToSdkPage =
  | ToPage
  /** The visit has entered this state of the mock. */
  | { do: 'sdkState'; state: string }
  /**
   * The page goes to the leave address; the SDK reports this reason before
   * (docs/platform-notes/zoom.md#leaving-reasons).
   */
  | { do: 'sdkLeave'; reasonCode: number; reason: string }
  /** The host's answer to a request, or a right given or taken unasked. */
  | { do: 'sdkPermission'; allow: boolean }
  /** The status of a lost connection carries this number. */
  | { do: 'sdkStatus'; errorCode: number; errorMessage: string }

export type FromSdkPage = FromPage | { say: 'sdkRequest' } | { say: 'sdkCapture'; what: string }

/** How the server answers the stub's POST of a `join`. */
export type JoinAnswer =
  | { is: 'error'; phase: 'web' | 'gateway'; code: number; text: string; inStatus: boolean }
  | {
      is: 'welcome'
      /** Opens once. */
      socket: string
      settings: UiSettings & { workletPath: string }
      recording: RecordingSettings
      self: number
      /** The person on whose behalf the bot came; null for none. */
      authorizer: string | null
    }

export interface RecordingSettings {
  /** Local recording is on for the account and the meeting. */
  isEnabled: boolean
  /** How long after the request the host allows it; null: no answer. Milliseconds at speed 1. */
  allowsAfterMs: number | null
}
