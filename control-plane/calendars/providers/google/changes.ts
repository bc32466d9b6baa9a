/** Events of a Google calendar, and changes since a sync token. */
import { z } from 'zod'
import type { MeetingUrlOptions } from '../../meeting-url.ts'
import type { Changes, ProviderEvent, Window } from '../../ports.ts'
import { longText, shortText } from '../fields.ts'
import { eachInTurn, PageBounds } from '../pages.ts'
import { bodyOf, segment } from '../responses.ts'
import type { ProviderHttp } from '../transport.ts'
import { type GoogleAddresses, NAME, sendToGoogle } from './calls.ts'
import { readGoogleItem } from './events.ts'
import { withExceptions } from './exceptions.ts'

export interface Place extends GoogleAddresses, MeetingUrlOptions {
  http: ProviderHttp
}

const eventList = z.object({
  items: z.array(z.unknown()).optional(),
  nextPageToken: longText,
  nextSyncToken: longText,
  timeZone: shortText,
})

const WHAT = 'the list of events'

export async function readChanges(
  place: Place,
  accessToken: string,
  calendarId: string,
  { cursor, window }: { cursor: string | null; window: Window },
): Promise<Changes> {
  const pages = await readPages(place, accessToken, calendarId, cursor, window)
  const { items, zone, syncToken } = pages
  const read = await eachInTurn(items, (item) => readGoogleItem(item, zone, place))
  const events = read.flatMap((item) => (item.kind === 'event' ? [item.event] : []))
  const isFull = cursor === null
  const kept = isFull ? events.filter((event) => isIn(window, event)) : events
  return {
    isFull,
    events: await withExceptions(place, accessToken, calendarId, kept),
    // Of a full reading, what is absent is gone.
    removedIds: isFull
      ? []
      : read.flatMap((item) => (item.kind === 'removed' || item.kind === 'skipped' ? [item.id] : [])),
    wholeSeries: [],
    unreadable: read.flatMap((item) =>
      item.kind === 'unreadable' ? [{ providerId: item.id, problem: item.problem }] : [],
    ),
    cursor: syncToken,
  }
}

async function readPages(place: Place, accessToken: string, calendarId: string, cursor: string | null, window: Window) {
  const bounds = new PageBounds(NAME, WHAT, cursor !== null)
  const items: unknown[] = []
  let zone = 'UTC'
  let pageToken: string | null = null
  while (true) {
    const query: URLSearchParams = new URLSearchParams({
      // The same in every request of one chain of sync tokens.
      singleEvents: 'true',
      showDeleted: 'true',
      maxResults: '250',
      ...(cursor === null
        ? { timeMin: window.start.toISOString(), timeMax: window.end.toISOString() }
        : { syncToken: cursor }),
      ...(pageToken !== null && { pageToken }),
    })
    const url = `${place.google}/calendar/v3/calendars/${segment(calendarId)}/events?${query}`
    const response = await sendToGoogle(place.http, { what: WHAT, url, accessToken, usesCursor: cursor !== null })
    const body = bodyOf(response, eventList, NAME, WHAT)
    items.push(...(body.items ?? []))
    zone = body.timeZone ?? zone
    bounds.count(response, body.items?.length ?? 0, body.nextPageToken)
    pageToken = body.nextPageToken
    // Without a token at the end, each reading is a full one.
    if (pageToken === null) return { items, zone, syncToken: body.nextSyncToken }
  }
}

function isIn(window: Window, { start, end }: ProviderEvent): boolean {
  return start < window.end && (end > window.start || start >= window.start)
}
