/**
 * Events of a Microsoft calendar, and changes since a delta link.
 *
 * A delta is only a hint: its occurrences are stubs, a deleted occurrence may be missing in it, and events outside of its
 * range arrive as removed. So every series that appears in it is read completely, each removed event is read once more,
 * and a full sync reads the plain view.
 */
import { ProviderError } from '../../../platform/ports.ts'
import type { Changes, ProviderEvent, Window } from '../../ports.ts'
import { eachOf } from '../pages.ts'
import { segment } from '../responses.ts'
import { AT_ONCE, type GraphCalendar, rangeOf, readItem, readItems } from './calendar.ts'
import { isOfGraph, NAME, readGraphPages } from './calls.ts'
import type { GraphItem } from './events.ts'

export async function readChanges(
  calendar: GraphCalendar,
  { cursor, window }: { cursor: string | null; window: Window },
): Promise<Changes> {
  return cursor === null ? await readAll(calendar, window) : await readDelta(calendar, cursor, window)
}

/** The delta link is taken first, so that what changes meanwhile is in the next delta. */
async function readAll(calendar: GraphCalendar, window: Window): Promise<Changes> {
  const { settings, accessToken, url } = calendar
  const range = rangeOf(window)
  const start = `${url}/calendarView/delta?${range}`
  const { deltaLink } = await readGraphPages(settings, accessToken, 'the changes', start)
  const view = await readGraphPages(settings, accessToken, 'the list of events', `${url}/calendarView?${range}&$top=50`)
  const { events, unreadable } = await readItems(view.items, settings)
  return { isFull: true, events, removedIds: [], wholeSeries: [], unreadable, cursor: deltaLink }
}

/** More removals or series than these in one delta are settled by reading everything, which costs fewer requests. */
const MAX_REMOVALS = 500
const MAX_SERIES = 200

async function readDelta(calendar: GraphCalendar, cursor: string, window: Window): Promise<Changes> {
  const { settings, accessToken } = calendar
  if (!isOfGraph(settings, cursor)) throw new ProviderError('cursor_gone', 'The stored link leads to another host')
  const { items, deltaLink } = await readGraphPages(settings, accessToken, 'the changes', cursor, true)
  if (deltaLink === null) throw new ProviderError('cursor_gone', `${NAME}'s list of changes ends without a link`)
  const found = sortOut(items)
  if (found.removed.size > MAX_REMOVALS)
    throw new ProviderError('cursor_gone', `${NAME} names more than ${MAX_REMOVALS} removed events`)
  const removed = await eachOf([...found.removed], AT_ONCE, async (id) => ({ id, item: await readItem(calendar, id) }))
  const gone = removed.flatMap(({ id, item }) => (item === null ? [id] : []))
  const present = removed.flatMap(({ item }) => (item === null ? [] : [item]))
  const confirmed = sortOut(present)
  const seriesIds = [...new Set([...found.series, ...confirmed.series])]
  if (seriesIds.length > MAX_SERIES)
    throw new ProviderError('cursor_gone', `${NAME} names more than ${MAX_SERIES} changed series`)
  const series = await eachOf(seriesIds, AT_ONCE, (id) => readSeries(calendar, id, window))
  const singles = await readItems(
    [...found.singles.values(), ...confirmed.singles.values(), ...found.nameless, ...confirmed.nameless],
    settings,
  )
  return {
    isFull: false,
    events: [...singles.events, ...series.flatMap(({ events }) => events)],
    removedIds: [...gone, ...singles.skipped],
    // An id that is gone may be that of a series; Graph does not report its instances.
    wholeSeries: [...seriesIds, ...gone],
    unreadable: [...singles.unreadable, ...series.flatMap(({ unreadable }) => unreadable)],
    cursor: deltaLink,
  }
}

/** The last entry of each id counts: one delta may name an event several times. */
function sortOut(items: readonly unknown[]) {
  const singles = new Map<string, GraphItem>()
  const series = new Set<string>()
  const removed = new Set<string>()
  const nameless: unknown[] = []
  for (const item of items) {
    const { id, type, seriesMasterId, '@removed': removal } = (item ?? {}) as GraphItem
    if (typeof id !== 'string' || id === '' || id.length > 1024) {
      nameless.push(item)
      continue
    }
    removed.delete(id)
    singles.delete(id)
    if (removal !== undefined) removed.add(id)
    else if (type === 'seriesMaster') series.add(id)
    else if (typeof seriesMasterId === 'string' && seriesMasterId !== '') series.add(seriesMasterId)
    else singles.set(id, item as GraphItem)
  }
  return { singles, series, removed, nameless }
}

/** All instances of one series in the window, complete. */
async function readSeries(
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
