/** All instances of one series in a window, complete. */
import { ProviderError } from '../../../platform/ports.ts'
import type { Changes, ProviderEvent, Window } from '../../ports.ts'
import { segment } from '../responses.ts'
import { type GraphCalendar, rangeOf, readItem, readItems } from './calendar.ts'
import { readGraphPages } from './calls.ts'
import type { GraphItem } from './events.ts'

export async function readSeries(
  calendar: GraphCalendar,
  id: string,
  window: Window,
): Promise<{ events: ProviderEvent[]; unreadable: Changes['unreadable'] }> {
  const { settings, accessToken, url } = calendar
  const instances = `${url}/events/${segment(id)}/instances?${rangeOf(window)}&$top=50`
  try {
    const { items } = await readGraphPages(settings, accessToken, 'the instances of a series', instances)
    const master = items.some(isStub) ? await readItem(calendar, id) : null
    const complete = items.map((item) => (master !== null && isStub(item) ? completed(item, master) : item))
    return await readItems(complete, settings)
  } catch (error) {
    // The series is gone, and its instances with it.
    if (error instanceof ProviderError && error.kind === 'not_found') return { events: [], unreadable: [] }
    throw error
  }
}

/** Id, times and the series, and nothing else. */
function isStub(item: unknown): item is GraphItem {
  return typeof item === 'object' && item !== null && !('subject' in item) && 'seriesMasterId' in item
}

/** Fields that the stub lacks are those of the series. */
function completed(stub: GraphItem, master: GraphItem): GraphItem {
  const { recurrence: _, '@odata.context': __, ...shared } = master
  return { ...shared, ...stub, type: stub.type ?? 'occurrence' }
}
