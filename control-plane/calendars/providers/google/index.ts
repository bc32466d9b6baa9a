/** Google Calendar. */
import { z } from 'zod'
import { type Clock, ProviderError } from '../../../platform/ports.ts'
import type { MeetingUrlOptions } from '../../meeting-url.ts'
import type { CalendarProvider, RawCalendar, Subscription, WatchRequest } from '../../ports.ts'
import { flag, shortText } from '../fields.ts'
import { PageBounds } from '../pages.ts'
import { bodyOf, refreshAt, segment } from '../responses.ts'
import type { ProviderHttp } from '../transport.ts'
import { type GoogleAddresses, NAME, sendToGoogle } from './calls.ts'
import { readChanges } from './changes.ts'
import { googleTokenProblem } from './problems.ts'

export interface GoogleSettings extends GoogleAddresses, MeetingUrlOptions {
  http: ProviderHttp
  clock: Clock
}

export function createGoogleCalendars(settings: GoogleSettings): CalendarProvider {
  return {
    platform: 'google',
    refresh: (credentials) =>
      refreshAt(settings.http, { provider: NAME, url: settings.googleToken }, credentials, googleTokenProblem),
    listCalendars: (token) => listCalendars(settings, token),
    changes: (token, calendarId, from) => readChanges(settings, token, calendarId, from),
    watch: (token, calendarId, request) => watch(settings, token, calendarId, request),
    renew: (token, calendarId, _old, request) => watch(settings, token, calendarId, request),
    unwatch: (token, subscription) => unwatch(settings, token, subscription),
  }
}

const calendarList = z.object({ items: z.array(z.unknown()).optional(), nextPageToken: shortText })
const calendarItem = z.object({
  id: z.string().min(1).max(1024),
  summary: shortText,
  summaryOverride: shortText,
  primary: flag,
  deleted: flag,
})

async function listCalendars(settings: GoogleSettings, accessToken: string): Promise<RawCalendar[]> {
  const what = 'the list of calendars'
  const bounds = new PageBounds(NAME, what)
  const found: z.output<typeof calendarItem>[] = []
  let pageToken: string | null = null
  do {
    const query: URLSearchParams = new URLSearchParams({ maxResults: '250', ...(pageToken && { pageToken }) })
    const url = `${settings.google}/calendar/v3/users/me/calendarList?${query}`
    const response = await sendToGoogle(settings.http, { what, url, accessToken })
    const { items = [], nextPageToken } = bodyOf(response, calendarList, NAME, what)
    bounds.count(response, items.length, nextPageToken)
    found.push(...items.flatMap((item) => calendarItem.safeParse(item).data ?? []))
    pageToken = nextPageToken
  } while (pageToken !== null)
  const calendars = found.filter(({ deleted }) => !deleted)
  // The id of the primary calendar is the address of the account.
  const account = calendars.find(({ primary }) => primary)?.id ?? ''
  return calendars.map(({ id, summary, summaryOverride, primary }) => ({
    id,
    name: summaryOverride ?? summary ?? id,
    email: account !== '' ? account : id,
    isPrimary: primary,
  }))
}

const MAX_CHANNEL_SECONDS = 604_800

const channel = z.object({
  id: z.string().min(1),
  resourceId: z.string().min(1).max(1024),
  expiration: z.union([z.string().regex(/^\d{1,15}$/), z.number().int().positive()]).optional(),
})

async function watch(
  settings: GoogleSettings,
  accessToken: string,
  calendarId: string,
  request: WatchRequest,
): Promise<Subscription> {
  const what = 'the subscription to changes'
  const response = await sendToGoogle(settings.http, {
    what,
    url: `${settings.google}/calendar/v3/calendars/${segment(calendarId)}/events/watch`,
    method: 'POST',
    accessToken,
    json: {
      id: request.channelId,
      type: 'web_hook',
      address: request.address,
      token: request.token,
      params: { ttl: String(MAX_CHANNEL_SECONDS) },
    },
    secrets: [request.token],
  })
  const { resourceId, expiration } = bodyOf(response, channel, NAME, what)
  const latest = settings.clock.now() + MAX_CHANNEL_SECONDS * 1000
  const expiresAt = new Date(Math.min(Number(expiration ?? latest), latest))
  return { id: request.channelId, resourceId, expiresAt }
}

async function unwatch(settings: GoogleSettings, accessToken: string, { id, resourceId }: Subscription): Promise<void> {
  try {
    await sendToGoogle(settings.http, {
      what: 'the end of the subscription',
      url: `${settings.google}/calendar/v3/channels/stop`,
      method: 'POST',
      accessToken,
      json: { id, resourceId },
    })
  } catch (error) {
    if (!(error instanceof ProviderError) || !['not_found', 'cursor_gone'].includes(error.kind)) throw error
  }
}
