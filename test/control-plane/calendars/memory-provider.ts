/**
 * A provider of calendars in memory, as fast as a test can edit it. It keeps what the adapters promise: cursors that die,
 * refresh tokens that rotate and then are the only ones that work, whole series in a difference, subscriptions.
 */
import type {
  CalendarPlatform,
  CalendarProvider,
  Changes,
  OAuthCredentials,
  ProviderEvent,
  Subscription,
  WatchRequest,
  Window,
} from '../../../control-plane/calendars/ports.ts'
import { ProviderError, type ProviderErrorKind, type TokenAnswer } from '../../../control-plane/platform/ports.ts'

interface Held {
  event: ProviderEvent
  isDeleted: boolean
  /** Of the calendar, when it was last edited. */
  version: number
}

export class MemoryCalendar {
  readonly id: string
  readonly email: string
  readonly events = new Map<string, Held>()
  version = 1
  /** Cursors older than this are dead. */
  deadBefore = 0
  subscriptions = new Map<string, { token: string; address: string; resourceId: string | null }>()
  refreshToken = 'refresh-0'
  rotations = 0
  /** Whether each refresh gives another refresh token. */
  rotates = false
  accessTokens = new Set<string>()
  isRevoked = false

  constructor(id: string, email = `${id}@example.com`) {
    this.id = id
    this.email = email
  }

  put(event: ProviderEvent): ProviderEvent {
    this.events.set(event.providerId, { event, isDeleted: false, version: ++this.version })
    return event
  }

  change(id: string, patch: Partial<ProviderEvent>): void {
    const held = this.events.get(id)!
    this.put({ ...held.event, ...patch, updatedAt: new Date(held.event.updatedAt.getTime() + 1000) })
  }

  /** Gone without a trace but for the next difference. */
  delete(id: string): void {
    const held = this.events.get(id)!
    this.events.set(id, { ...held, isDeleted: true, version: ++this.version })
  }

  killCursors(): void {
    this.deadBefore = ++this.version
  }

  within(window: Window): ProviderEvent[] {
    return [...this.events.values()]
      .filter(({ event, isDeleted }) => !isDeleted && event.start < window.end && event.end > window.start)
      .map(({ event }) => event)
  }
}

export interface Calls {
  refresh: number
  list: number
  changes: number
  watch: number
  renew: number
  unwatch: number
}

export class MemoryProvider implements CalendarProvider {
  readonly platform: CalendarPlatform
  readonly calendars = new Map<string, MemoryCalendar>()
  /** Comes with every answer. */
  unreadable: Changes['unreadable'] = []
  readonly calls: Calls = { refresh: 0, list: 0, changes: 0, watch: 0, renew: 0, unwatch: 0 }
  readonly unwatched: string[] = []
  /** The next calls of this kind reject, each with one of these. */
  readonly failures = new Map<keyof Calls, ProviderErrorKind[]>()
  /** Runs when everything was read, before it is given back. */
  afterChanges: ((calendar: MemoryCalendar) => Promise<void>) | null = null
  afterRefresh: (() => Promise<void>) | null = null
  /** Seconds. */
  tokenLife = 3600
  subscriptionMs = 7 * 86_400_000

  constructor(platform: CalendarPlatform = 'google') {
    this.platform = platform
  }

  add(id: string): MemoryCalendar {
    const calendar = new MemoryCalendar(id)
    this.calendars.set(id, calendar)
    return calendar
  }

  credentialsOf(calendar: MemoryCalendar): OAuthCredentials {
    return { clientId: calendar.id, clientSecret: 'secret', refreshToken: calendar.refreshToken, tenantId: 'common' }
  }

  #count(call: keyof Calls): void {
    this.calls[call]++
    const failure = this.failures.get(call)?.shift()
    if (failure !== undefined) throw new ProviderError(failure, `The provider says ${failure}`)
  }

  /** The calendar of a token, which every call needs. */
  #of(accessToken: string, calendarId: string): MemoryCalendar {
    const calendar = this.calendars.get(calendarId)
    if (calendar === undefined) throw new ProviderError('not_found', 'There is no such calendar')
    if (!calendar.accessTokens.has(accessToken)) throw new ProviderError('token_refused', 'The token is refused')
    return calendar
  }

  async refresh(credentials: OAuthCredentials): Promise<TokenAnswer> {
    this.#count('refresh')
    const calendar = this.calendars.get(credentials.clientId)
    if (calendar === undefined) throw new ProviderError('client_refused', 'The OAuth client is unknown')
    if (calendar.isRevoked || credentials.refreshToken !== calendar.refreshToken)
      throw new ProviderError('revoked', 'The refresh token is refused')
    const value = `access-${calendar.id}-${this.calls.refresh}`
    calendar.accessTokens.add(value)
    if (calendar.rotates) calendar.refreshToken = `refresh-${++calendar.rotations}`
    const refreshToken = calendar.rotates ? calendar.refreshToken : null
    await this.afterRefresh?.()
    return { accessToken: value, accessTokenSeconds: this.tokenLife, refreshToken, scopes: null }
  }

  async listCalendars(accessToken: string) {
    this.#count('list')
    return [...this.calendars.values()]
      .filter(({ accessTokens }) => accessTokens.has(accessToken))
      .map(({ id, email }) => ({ id, name: `Calendar ${id}`, email, isPrimary: true }))
  }

  async changes(
    accessToken: string,
    calendarId: string,
    { cursor, window }: { cursor: string | null; window: Window },
  ): Promise<Changes> {
    this.#count('changes')
    const calendar = this.#of(accessToken, calendarId)
    const next = String(calendar.version)
    const changes =
      cursor === null ? this.#everything(calendar, window, next) : this.#since(calendar, cursor, window, next)
    await this.afterChanges?.(calendar)
    return changes
  }

  #everything(calendar: MemoryCalendar, window: Window, cursor: string): Changes {
    return {
      isFull: true,
      events: calendar.within(window),
      removedIds: [],
      wholeSeries: [],
      unreadable: this.unreadable,
      cursor,
    }
  }

  #since(calendar: MemoryCalendar, cursor: string, window: Window, next: string): Changes {
    const since = Number(cursor)
    if (since < calendar.deadBefore) throw new ProviderError('cursor_gone', 'The cursor is dead')
    const edited = [...calendar.events.values()].filter(({ version }) => version > since)
    if (this.platform === 'google')
      return {
        isFull: false,
        events: edited.filter(({ isDeleted }) => !isDeleted).map(({ event }) => event),
        removedIds: edited.filter(({ isDeleted }) => isDeleted).map(({ event }) => event.providerId),
        wholeSeries: [],
        unreadable: this.unreadable,
        cursor: next,
      }
    // An occurrence that is deleted comes with its series only.
    const inWindow = new Set(calendar.within(window).map(({ providerId }) => providerId))
    const series = new Set(edited.filter(({ event }) => event.isRecurring).map(({ event }) => event.seriesProviderId))
    const isReported = ({ event, isDeleted, version }: Held) =>
      event.isRecurring
        ? inWindow.has(event.providerId) && series.has(event.seriesProviderId)
        : version > since && !isDeleted
    return {
      isFull: false,
      events: [...calendar.events.values()].filter(isReported).map(({ event }) => event),
      removedIds: edited
        .filter(({ event, isDeleted }) => isDeleted && !event.isRecurring)
        .map(({ event }) => event.providerId),
      wholeSeries: [...series],
      unreadable: this.unreadable,
      cursor: next,
    }
  }

  async watch(accessToken: string, calendarId: string, request: WatchRequest): Promise<Subscription> {
    this.#count('watch')
    const calendar = this.#of(accessToken, calendarId)
    const resourceId = this.platform === 'google' ? `resource-${calendarId}` : null
    calendar.subscriptions.set(request.channelId, { token: request.token, address: request.address, resourceId })
    return { id: request.channelId, resourceId, expiresAt: new Date(Date.now() + this.subscriptionMs) }
  }

  async renew(
    accessToken: string,
    calendarId: string,
    subscription: Subscription,
    request: WatchRequest,
  ): Promise<Subscription> {
    this.#count('renew')
    const calendar = this.#of(accessToken, calendarId)
    if (this.platform === 'google') {
      this.calls.watch--
      return this.watch(accessToken, calendarId, request)
    }
    if (!calendar.subscriptions.has(subscription.id)) throw new ProviderError('not_found', 'It is gone')
    return { ...subscription, expiresAt: new Date(Date.now() + this.subscriptionMs) }
  }

  async unwatch(accessToken: string, { id }: Subscription): Promise<void> {
    this.#count('unwatch')
    this.unwatched.push(id)
    for (const calendar of this.calendars.values())
      if (calendar.accessTokens.has(accessToken)) calendar.subscriptions.delete(id)
  }
}

const HOUR = 3_600_000

/** A single event, an hour long, in so many minutes. */
export function eventOf(id: string, inMinutes: number, values: Partial<ProviderEvent> = {}): ProviderEvent {
  const start = new Date(Math.floor(Date.now() / 1000) * 1000 + inMinutes * 60_000)
  return {
    providerId: id,
    seriesProviderId: id,
    isRecurring: false,
    isException: false,
    originalStart: null,
    title: `Event ${id}`,
    description: null,
    location: null,
    start,
    end: new Date(start.getTime() + HOUR),
    timezone: 'UTC',
    isAllDay: false,
    status: 'confirmed',
    organizerEmail: 'ada@example.com',
    organizerName: 'Ada',
    isOrganizer: true,
    attendees: [],
    meetingUrl: 'https://meet.google.com/abc-defg-hij',
    updatedAt: new Date(start.getTime() - HOUR),
    raw: { id },
    ...values,
  }
}

/** Daily occurrences of a series, the first one in so many minutes. */
export function seriesOf(
  id: string,
  inMinutes: number,
  count: number,
  values: Partial<ProviderEvent> = {},
): ProviderEvent[] {
  return Array.from({ length: count }, (_, day) => {
    const event = eventOf(`${id}_${day}`, inMinutes + day * 1440)
    return {
      ...event,
      seriesProviderId: id,
      isRecurring: true,
      originalStart: event.start,
      title: `Series ${id}`,
      ...values,
    }
  })
}
