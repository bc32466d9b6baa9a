/** Opens a Zoom meeting: through the Meeting SDK where its credentials are given, otherwise as a guest of the web client. */
import type { MeetingTarget } from '../../core/meeting/meeting.ts'
import type { CaptureEnvironment, MeetingDriver } from '../../core/ports.ts'
import type { ZoomSdkOptions } from './meeting-sdk/driver.ts'
import { openWebClient, type WebClientOptions } from './web-client/driver.ts'

export type ZoomOptions = WebClientOptions &
  Partial<Omit<ZoomSdkOptions, 'conf'>> & { conf?: ZoomSdkOptions['conf'] | null }

/** Rejects with a BotError when the browser does not start. */
export async function openZoom(
  target: MeetingTarget,
  environment: CaptureEnvironment,
  signal: AbortSignal,
  options: ZoomOptions,
): Promise<MeetingDriver> {
  const { conf } = options
  if (!conf) return openWebClient(target, environment, signal, options)
  // Loaded only if it is needed: the SDK is an optional package.
  const { openZoomSdk } = await import('./meeting-sdk/driver.ts')
  return openZoomSdk(target, environment, signal, { ...options, conf })
}
