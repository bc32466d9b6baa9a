/**
 * The right to record, as the SDK's `mediaCapture` and `mediaCapturePermission` know it. Pure. Source:
 * docs/platform-notes/zoom.md#recording-permission.
 */
import type { RecordingSettings } from './protocol.ts'

/** The state of the page when the request is made. */
export interface RecordingView {
  settings: RecordingSettings
  /** The host gave the bot the right. */
  canRecord: boolean
  isOwnHost: boolean
  hasHost: boolean
}

const STATUS: Readonly<Record<string, 0 | 1 | 2>> = { stop: 0, start: 1, pause: 2 }

/** The status to report, or the SDK's refusal; `asksHost` opens the modal that sends to the host. */
export function capture(
  record: unknown,
  { settings, canRecord, isOwnHost }: RecordingView,
): { status: 0 | 1 | 2 } | { error: string; asksHost?: boolean } {
  const status = STATUS[String(record)]
  if (status === undefined) return { error: 'params need to be start | stop| pause' }
  if (!settings.isEnabled) return { error: 'not enable local record' }
  if (!isOwnHost && !canRecord) return { error: 'no local record permission', asksHost: true }
  return { status }
}

/** Null if the request goes to the host. Throws as the SDK does if there is no host to look at. */
export function requestProblem(operate: unknown, view: RecordingView): string | null {
  const { settings, canRecord, isOwnHost, hasHost } = view
  if (!settings.isEnabled) return 'not enable local record'
  if (operate !== 'request') return 'operate params error'
  if (canRecord || isOwnHost) return 'you already have local record permission'
  if (!hasHost) throw new TypeError("Cannot read properties of undefined (reading 'caps')")
  return null
}
