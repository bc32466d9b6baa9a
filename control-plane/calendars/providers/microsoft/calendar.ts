/** One calendar of Microsoft: its address, one of its events, and the events in its answers. */
import { ProviderError } from '../../../platform/ports.ts'
import type { Changes, ProviderEvent, Window } from '../../ports.ts'
import { eachInTurn } from '../pages.ts'
import { segment } from '../responses.ts'
import { type MicrosoftSettings, NAME, sendToGraph } from './calls.ts'
import { type GraphItem, readGraphEvent } from './events.ts'

export interface GraphCalendar {
  settings: MicrosoftSettings
  accessToken: string
  calendarId: string
  /** The address of the calendar, without a slash at its end. */
  url: string
}

export function graphCalendar(settings: MicrosoftSettings, accessToken: string, calendarId: string): GraphCalendar {
  return { settings, accessToken, calendarId, url: `${settings.graph}/v1.0/me/calendars/${segment(calendarId)}` }
}

/** A mailbox answers four requests at once. */
export const AT_ONCE = 3

export const rangeOf = ({ start, end }: Window): string =>
  new URLSearchParams({ startDateTime: start.toISOString(), endDateTime: end.toISOString() }).toString()

export async function readItems(items: readonly unknown[], settings: MicrosoftSettings) {
  const events: ProviderEvent[] = []
  const unreadable: Changes['unreadable'] = []
  const skipped: string[] = []
  for (const read of await eachInTurn(items, (item) => readGraphEvent(item, settings))) {
    if (read.kind === 'event') events.push(read.event)
    else if (read.kind === 'skipped') skipped.push(read.id)
    else unreadable.push({ providerId: read.id, problem: read.problem })
  }
  return { events, unreadable, skipped }
}

/** Null if there is no such event. */
export async function readItem({ settings, accessToken, url }: GraphCalendar, id: string): Promise<GraphItem | null> {
  const what = 'one event'
  try {
    const response = await sendToGraph(settings.http, { what, url: `${url}/events/${segment(id)}`, accessToken })
    if (typeof response.json === 'object' && response.json !== null) return response.json as GraphItem
    throw new ProviderError('unavailable', `${NAME}'s answer to ${what} is no object`)
  } catch (error) {
    if (error instanceof ProviderError && error.kind === 'not_found') return null
    throw error
  }
}
