/** The providers of calendars, each behind the same interface. */
import type { Clock } from '../../platform/ports.ts'
import type { MeetingUrlOptions } from '../meeting-url.ts'
import type { CalendarPlatform, CalendarProvider } from '../ports.ts'
import { createGoogleCalendars } from './google/index.ts'
import { createMicrosoftCalendars } from './microsoft/index.ts'
import type { ProviderHttp } from './transport.ts'

export interface ProviderSettings extends MeetingUrlOptions {
  /** A client that may use private addresses, because the operator named these. */
  http: ProviderHttp
  clock: Clock
  /** As the service's settings have them. */
  addresses: { google: string; googleToken: string; graph: string; microsoftLogin: string }
}

export function openCalendarProviders(settings: ProviderSettings): Record<CalendarPlatform, CalendarProvider> {
  const { addresses, ...shared } = settings
  return {
    google: createGoogleCalendars({ ...shared, ...addresses }),
    microsoft: createMicrosoftCalendars({ ...shared, ...addresses }),
  }
}
