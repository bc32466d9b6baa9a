import type { OpenDriver } from '../shared/driver-options.ts'
import type { ZoomSdkOptions } from './meeting-sdk/driver.ts'
import { openWebClient, type WebClientOptions } from './web-client/driver.ts'

export type ZoomOptions = WebClientOptions &
  Partial<Omit<ZoomSdkOptions, 'conf'>> & { conf?: ZoomSdkOptions['conf'] | null }

/** Rejects with a BotError when the browser does not start. */
export const openZoom: OpenDriver<ZoomOptions> = async (target, environment, signal, options) => {
  const { conf } = options
  if (!conf) return openWebClient(target, environment, signal, options)
  // Loaded only if it is needed: the SDK is an optional package.
  const { openZoomSdk } = await import('./meeting-sdk/driver.ts')
  return openZoomSdk(target, environment, signal, { ...options, conf })
}
