/** Which instances of a series differ from it. Google marks none, so each is compared with the series itself. */
import { ProviderError } from '../../../platform/ports.ts'
import type { ProviderEvent } from '../../ports.ts'
import { eachOf } from '../pages.ts'
import { segment } from '../responses.ts'
import { sendToGoogle } from './calls.ts'
import type { Place } from './changes.ts'
import { readGoogleItem } from './events.ts'

/** Series of one reading that are looked up; instances of further ones are judged by their start alone. */
const MAX_SERIES = 100
const AT_ONCE = 4

export async function withExceptions(
  place: Place,
  accessToken: string,
  calendarId: string,
  events: readonly ProviderEvent[],
): Promise<ProviderEvent[]> {
  const series = [...new Set(events.flatMap((event) => (event.isRecurring ? [event.seriesProviderId] : [])))]
  const masters = new Map<string, ProviderEvent | null>()
  await eachOf(series.slice(0, MAX_SERIES), AT_ONCE, async (id) => {
    masters.set(id, await masterOf(place, accessToken, calendarId, id))
  })
  return events.map((event) => {
    const master = masters.get(event.seriesProviderId)
    return master && differs(event, master) ? { ...event, isException: true } : { ...event }
  })
}

/** Null if it is not available: it is only needed for a mark, and the sync continues without it. */
async function masterOf(
  place: Place,
  accessToken: string,
  calendarId: string,
  id: string,
): Promise<ProviderEvent | null> {
  try {
    const url = `${place.google}/calendar/v3/calendars/${segment(calendarId)}/events/${segment(id)}`
    const response = await sendToGoogle(place.http, { what: 'a series', url, accessToken })
    const item = readGoogleItem(response.json, 'UTC', place)
    return item.kind === 'event' ? item.event : null
  } catch (error) {
    if (error instanceof ProviderError && error.kind !== 'token_refused') return null
    throw error
  }
}

function differs(event: ProviderEvent, master: ProviderEvent): boolean {
  return (['title', 'location', 'description', 'meetingUrl'] as const).some((field) => event[field] !== master[field])
}
