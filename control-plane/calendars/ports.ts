/** The interface of the calendars to a provider and to the API. Each provider has one adapter. */

import type { TokenAnswer } from '../platform/ports.ts'

export type CalendarPlatform = 'google' | 'microsoft'

/** The caller's own OAuth client and the refresh token of one of its users. */
export interface OAuthCredentials {
  clientId: string
  clientSecret: string
  refreshToken: string
  /** Microsoft only: `common`, `organizations`, `consumers`, a GUID or a domain. */
  tenantId: string
}

export interface RawCalendar {
  id: string
  name: string
  /** Address of the account. */
  email: string
  isPrimary: boolean
}

export interface Attendee {
  email: string
  name: string | null
  responseStatus: 'accepted' | 'declined' | 'tentative' | 'needsAction'
  isOrganizer: boolean
  /** False for Microsoft, which does not say: the sync marks the address of the account. */
  isSelf: boolean
  isResource: boolean
}

/**
 * One event or one occurrence of a series, in the service's terms (docs/calendars.md#events-of-calendars and
 * #links-of-events).
 */
export interface ProviderEvent {
  providerId: string
  /** The provider's id of the series; the event's own id for a single event. */
  seriesProviderId: string
  isRecurring: boolean
  isException: boolean
  /** Where the series' rule puts the occurrence; null for a single event. */
  originalStart: Date | null
  title: string
  description: string | null
  location: string | null
  start: Date
  end: Date
  timezone: string | null
  isAllDay: boolean
  /** `cancelled` also if the owner declined. */
  status: 'confirmed' | 'cancelled' | 'tentative'
  organizerEmail: string | null
  organizerName: string | null
  isOrganizer: boolean
  attendees: Attendee[]
  meetingUrl: string | null
  updatedAt: Date
  /** As the provider sent it. */
  raw: Record<string, unknown>
}

export interface Window {
  start: Date
  end: Date
}

/** Changes since a cursor, or everything in the window. All pages, gathered outside of any transaction. */
export interface Changes {
  isFull: boolean
  /** After a cursor, an event that left the window is here too, with its new times: it may be stored. */
  events: ProviderEvent[]
  /** Gone at the provider, verified where its report alone is not enough (Microsoft); unknown ids may be among them. */
  removedIds: string[]
  /** Series whose whole set in the window is in `events`: stored occurrences that are missing there are gone. */
  wholeSeries: string[]
  /** Events that the provider sent in a form that is not understood: their stored rows stay unchanged. */
  unreadable: UnreadableEvent[]
  cursor: string | null
}

interface UnreadableEvent {
  /** Null if even that could not be read. */
  providerId: string | null
  problem: string
}

/** A subscription to changes. Google: a channel; Microsoft: a subscription. */
export interface Subscription {
  /** The id in notifications: Google's channel id, Microsoft's subscription id. */
  id: string
  /** Google only. */
  resourceId: string | null
  expiresAt: Date
}

export interface WatchRequest {
  /** Ours, unique; Google takes it as the channel's id. */
  channelId: string
  /** Comes back with each notification and proves it. */
  token: string
  address: string
  /** Microsoft only. */
  lifecycleAddress: string
}

/** The verbs of one calendar provider. Every one may reject with `ProviderError`. No state is kept between calls. */
export interface CalendarProvider {
  readonly platform: CalendarPlatform
  refresh(credentials: OAuthCredentials): Promise<TokenAnswer>
  listCalendars(accessToken: string): Promise<RawCalendar[]>
  /** With a cursor: what changed since; without: everything in the window. Rejects with `cursor_gone` for a dead cursor. */
  changes(accessToken: string, calendarId: string, from: { cursor: string | null; window: Window }): Promise<Changes>
  watch(accessToken: string, calendarId: string, request: WatchRequest): Promise<Subscription>
  /** Google makes a new channel (`request`) and the caller stops the old one; Microsoft prolongs the one that is there. */
  renew(
    accessToken: string,
    calendarId: string,
    subscription: Subscription,
    request: WatchRequest,
  ): Promise<Subscription>
  /** Fine if the subscription is gone already. */
  unwatch(accessToken: string, subscription: Subscription): Promise<void>
}
