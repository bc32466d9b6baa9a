/** The view of a calendar and its changes, with the faults that Graph has. */
import { randomUUID } from 'node:crypto'
import type { Reply } from '../../shared/scripted-server.ts'
import type { StandInAccount } from '../account.ts'
import type { StandInCalendar } from '../calendar.ts'
import { instancesOf, type StoredEvent } from '../model.ts'
import { instanceId, itemOf, masterOf, stubOf } from './items.ts'
import { badRequest, goneState } from './refusals.ts'

interface DeltaState {
  calendar: StandInCalendar
  /** -1 for the first round, in which everything is new. */
  revision: number
  window: { start: Date; end: Date }
}

interface PageState {
  calendar: StandInCalendar
  rest: unknown[]
  next: DeltaState | null
}

const REFUSED = ['$select', '$filter', '$expand', '$orderby', '$search']
const DEFAULT_PAGE = 10

export class Views {
  /** Most entries on a page, even when a request asks for more. */
  pageSize = 1000
  /** Each is a fault that was seen; a test may turn one off. */
  readonly faults = {
    /** A deleted occurrence is missing in the delta; its series is there. */
    missingRemovals: true,
    /** Items that were created or changed outside of the range are listed as removed. */
    outsideAsRemoved: true,
    /** An event that did not change comes again. */
    replays: true,
    /** The instances of a series are stubs as well. */
    stubInstances: false,
  }
  private readonly states = new Map<string, DeltaState>()
  private readonly pages = new Map<string, PageState>()

  /** From now on, every issued delta link is answered with 410. */
  forgetStates(): void {
    this.states.clear()
  }

  delta(url: URL, size: number | null, calendar: StandInCalendar, account: StandInAccount): Reply {
    const query = url.searchParams
    const refused = REFUSED.find((name) => query.has(name))
    if (refused) return badRequest(`The query parameter ${refused} is not supported with change tracking.`)
    const page = this.following(url, size, calendar)
    if (page !== null) return page
    const token = query.get('$deltatoken')
    const known = token === null ? null : this.states.get(token)
    if (known === undefined || (known !== null && known.calendar !== calendar)) return goneState(bare(url))
    const state = known ?? firstState(query, calendar)
    if (state === null) return badRequest('startDateTime and endDateTime are required, with an offset or in UTC.')
    const items = state.revision < 0 ? everything(state, account) : this.changes(state, account)
    return this.page(url, items, size, { ...state, revision: calendar.revision }, calendar)
  }

  view(url: URL, size: number | null, calendar: StandInCalendar, account: StandInAccount): Reply {
    const page = this.following(url, size, calendar)
    if (page !== null) return page
    const window = windowOf(url.searchParams)
    if (window === null) return badRequest('startDateTime and endDateTime are required.')
    const items = calendar.between(window.start, window.end).map((instance) => itemOf(instance, account))
    return this.page(url, items, size, null, calendar)
  }

  instances(
    url: URL,
    size: number | null,
    event: StoredEvent,
    calendar: StandInCalendar,
    account: StandInAccount,
  ): Reply {
    const page = this.following(url, size, calendar)
    if (page !== null) return page
    const window = windowOf(url.searchParams)
    if (window === null) return badRequest('startDateTime and endDateTime are required.')
    const items = instancesOf(event, window).map((instance) =>
      this.faults.stubInstances && !instance.isException && instance.existence === 'live'
        ? stubOf(instance)
        : itemOf(instance, account),
    )
    return this.page(url, items, size, null, calendar)
  }

  private following(url: URL, size: number | null, calendar: StandInCalendar): Reply | null {
    const token = url.searchParams.get('$skiptoken')
    if (token === null) return null
    const state = this.pages.get(token)
    if (state?.calendar !== calendar) return badRequest('The skip token is not valid.')
    return this.page(url, state.rest, size, state.next, calendar)
  }

  /** `next`: the state of the delta link of the last page; null for plain lists. */
  private page(
    url: URL,
    items: unknown[],
    asked: number | null,
    next: DeltaState | null,
    calendar: StandInCalendar,
  ): Reply {
    const size = Math.min(asked ?? DEFAULT_PAGE, this.pageSize)
    const rest = items.slice(size)
    const body: Record<string, unknown> = {
      '@odata.context': `${url.origin}/v1.0/$metadata#Collection(event)`,
      value: items.slice(0, size),
    }
    const token = randomUUID()
    if (rest.length > 0) {
      this.pages.set(token, { calendar, rest, next })
      body['@odata.nextLink'] = `${bare(url)}?$skiptoken=${token}`
    } else if (next !== null) {
      this.states.set(token, next)
      body['@odata.deltaLink'] = `${bare(url)}?$deltatoken=${token}`
    }
    return { status: 200, body }
  }

  private changes(state: DeltaState, account: StandInAccount): unknown[] {
    const items = [...state.calendar.events.values()].flatMap((event) =>
      event.isSeries ? this.changesOfSeries(event, state, account) : this.changesOfSingle(event, state, account),
    )
    const unchanged = [...state.calendar.events.values()].find(
      (event) => !event.isSeries && event.revision <= state.revision && instancesOf(event, state.window).length > 0,
    )
    if (!this.faults.replays || unchanged === undefined || items.length === 0) return items
    return [...items, ...instancesOf(unchanged, state.window).map((instance) => itemOf(instance, account))]
  }

  private changesOfSingle(event: StoredEvent, { window, revision }: DeltaState, account: StandInAccount): unknown[] {
    if (event.revision <= revision) return []
    const [inside] = instancesOf(event, window)
    if (inside) return [itemOf(inside, account)]
    if (event.existence === 'deleted') return [removedItem(event.id)]
    return this.faults.outsideAsRemoved ? [removedItem(event.id)] : []
  }

  private changesOfSeries(event: StoredEvent, { window, revision }: DeltaState, account: StandInAccount): unknown[] {
    const instances = instancesOf(event, window, { gone: true, everywhere: true })
      .filter((instance) => instance.revision > revision)
      .filter(({ originalStart, start }) => isIn(window, originalStart!) || isIn(window, start))
    const isChanged = event.revision > revision || instances.length > 0
    if (!isChanged) return []
    if (event.existence === 'deleted') {
      const occurrences = this.faults.missingRemovals
        ? []
        : instances.map((instance) => removedItem(instanceId(instance)))
      return [removedItem(event.id), ...occurrences]
    }
    // Another instance may have the id of one that is gone.
    const live = new Set(instances.filter(({ existence }) => existence !== 'deleted').map(instanceId))
    const items = instances.flatMap((instance) => {
      if (instance.existence === 'deleted' && live.has(instanceId(instance))) return []
      if (instance.existence === 'deleted' || !isIn(window, instance.start))
        return this.faults.missingRemovals ? [] : [removedItem(instanceId(instance))]
      return [instance.isException ? itemOf(instance, account) : stubOf(instance)]
    })
    return [masterOf(event, account), ...items]
  }
}

const isIn = (window: { start: Date; end: Date }, instant: Date) => instant >= window.start && instant < window.end

const removedItem = (id: string) => ({ '@odata.type': '#microsoft.graph.event', id, '@removed': { reason: 'deleted' } })

function everything({ calendar, window }: DeltaState, account: StandInAccount): unknown[] {
  return [...calendar.events.values()].flatMap((event) => {
    const instances = instancesOf(event, window)
    if (!event.isSeries) return instances.map((instance) => itemOf(instance, account))
    if (instances.length === 0) return []
    const items = instances.map((instance) => (instance.isException ? itemOf(instance, account) : stubOf(instance)))
    return [masterOf(event, account), ...items]
  })
}

function firstState(query: URLSearchParams, calendar: StandInCalendar): DeltaState | null {
  const window = windowOf(query)
  return window === null ? null : { calendar, revision: -1, window }
}

function windowOf(query: URLSearchParams): DeltaState['window'] | null {
  const start = new Date(query.get('startDateTime') ?? '')
  const end = new Date(query.get('endDateTime') ?? '')
  return start < end ? { start, end } : null
}

const bare = (url: URL) => `${url.origin}${url.pathname}`
