/** Adapters on the real client, in front of the stand-ins. */

import type { CalendarProvider, ProviderEvent } from '@standin/control-plane/calendars/ports.ts'
import { openCalendarProviders } from '@standin/control-plane/calendars/providers/index.ts'
import { accessTokenOf } from '@standin/control-plane/connections/token-answer.ts'
import { createGuardedClient } from '@standin/control-plane/platform/outgoing/guarded-client.ts'
import type { ProviderError } from '@standin/control-plane/platform/ports.ts'
import { StandInClock, startMockGoogleCalendar, startMockMicrosoftCalendar } from '@standin/mock/calendars/index.ts'

export const DAY = 24 * 3600_000
export const HOUR = 3600_000

/** A Tuesday; the stand-ins' time starts here. */
export const NOW = new Date('2026-11-24T09:00:00Z')
export const WINDOW = { start: NOW, end: new Date(NOW.getTime() + 30 * DAY) }
export const at = (text: string) => new Date(text)

export async function openWorld(clock = new StandInClock(NOW)) {
  const [google, microsoft] = await Promise.all([
    startMockGoogleCalendar({ clock }),
    startMockMicrosoftCalendar({ clock }),
  ])
  const http = createGuardedClient({ allowPrivate: true, maxUrlLength: 15_000 })
  const providers = openCalendarProviders({
    http,
    clock,
    addresses: {
      google: google.url,
      googleToken: google.tokenUrl,
      graph: microsoft.url,
      microsoftLogin: microsoft.loginUrl,
    },
  })
  return {
    clock,
    google,
    microsoft,
    providers,
    http,
    close: async () => {
      await http.close()
      await Promise.all([google.close(), microsoft.close()])
    },
  }
}

/** An account with its access token; `all` and `since` read its primary calendar. */
export async function connect(
  provider: CalendarProvider,
  standIn: Pick<Awaited<ReturnType<typeof startMockGoogleCalendar>>, 'addAccount' | 'tokens'>,
) {
  const account = standIn.addAccount({ email: 'ann@example.com', name: 'Ann Example' })
  const calendar = account.primary
  const credentials = {
    clientId: standIn.tokens.clientId,
    clientSecret: standIn.tokens.clientSecret,
    refreshToken: standIn.tokens.consent(account),
    tenantId: 'common',
  }
  const token = accessTokenOf(await provider.refresh(credentials))
  const read = (cursor: string | null, window = WINDOW) => provider.changes(token, calendar.id, { cursor, window })
  return { account, calendar, credentials, token, all: (window = WINDOW) => read(null, window), since: read }
}

/** The content of a store that follows the rules of `Changes`; status `gone` is left out. */
export class Follower {
  readonly events = new Map<string, ProviderEvent>()
  cursor: string | null = null
  private readonly read: (cursor: string | null) => ReturnType<CalendarProvider['changes']>

  constructor(read: (cursor: string | null) => ReturnType<CalendarProvider['changes']>) {
    this.read = read
  }

  async follow(window = WINDOW): Promise<this> {
    const changes = await this.read(this.cursor)
    if (changes.isFull) this.events.clear()
    for (const id of changes.removedIds) this.events.delete(id)
    for (const [id, { seriesProviderId }] of this.events)
      if (changes.wholeSeries.includes(seriesProviderId)) this.events.delete(id)
    for (const event of changes.events) {
      const isInside = event.start < window.end && event.end > window.start
      if (isInside || this.events.has(event.providerId)) this.events.set(event.providerId, event)
    }
    this.cursor = changes.cursor
    return this
  }

  /** Title and start of what takes place, by start. */
  get agenda(): string[] {
    return [...this.events.values()]
      .filter(({ status }) => status !== 'cancelled')
      .sort((one, other) => one.start.getTime() - other.start.getTime())
      .map(({ title, start }) => `${start.toISOString().slice(5, 16)} ${title}`)
  }
}

/** The problem that the work is refused with; fails where it is not refused, or with anything else. */
export async function problemOf(work: Promise<unknown>): Promise<ProviderError> {
  const error = await work.then(
    () => new Error('It was not refused'),
    (reason: unknown) => reason,
  )
  if ((error as Error).name !== 'ProviderError') throw error
  return error as ProviderError
}
