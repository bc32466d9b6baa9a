/** The calendars as the settings want them. */
import { type CalendarSettings, type Calendars, openCalendars } from '../../calendars/index.ts'
import { openCalendarProviders } from '../../calendars/providers/index.ts'
import { createGuardedClient } from '../../platform/outgoing/guarded-client.ts'
import type { ServiceConfig } from '../config/config.ts'
import { completeBy, zoomAppOf } from './consents.ts'

/** `publicUrl`: where the service is reached; providers push there if they can. */
export function openServiceCalendars(
  config: Pick<ServiceConfig, 'providers' | 'apps' | 'prefersLocation' | 'jitsiHosts' | 'allowPrivateAddresses'>,
  {
    publicUrl,
    ...parts
  }: Pick<CalendarSettings, 'database' | 'acrossTeams' | 'seals' | 'log' | 'meters'> & { publicUrl: string },
): Calendars {
  // The operator named the providers' addresses; addresses of callers never reach this client. Graph's links hold its
  // state.
  const http = createGuardedClient({ allowPrivate: true, maxUrlLength: 15_000 })
  const callers = createGuardedClient({ allowPrivate: config.allowPrivateAddresses })
  const isReachable = callers.problemOf(publicUrl) === null
  const opened = openCalendarProviders({
    http,
    clock: { now: Date.now },
    addresses: config.providers,
    prefersLocation: config.prefersLocation,
    jitsiHosts: config.jitsiHosts,
  })
  const completed = (platform: keyof typeof opened) => {
    const { refresh, ...rest } = opened[platform]
    const complete = completeBy(config.apps[platform])
    return { ...rest, refresh: (credentials: Parameters<typeof refresh>[0]) => refresh(complete(credentials)) }
  }
  const providers = { google: completed('google'), microsoft: completed('microsoft') }
  const calendars = openCalendars({
    ...parts,
    providers,
    publicUrl: isReachable ? publicUrl.replace(/\/$/, '') : null,
    jitsiHosts: config.jitsiHosts,
    hasZoomApp: zoomAppOf(config) !== null,
  })
  return {
    ...calendars,
    async close() {
      await calendars.close()
      await Promise.all([http.close(), callers.close()])
    },
  }
}
