/** The list of events: full with a window, incremental with a sync token, in pages. */
import { randomUUID } from 'node:crypto'
import type { Reply } from '../../shared/scripted-server.ts'
import type { StandInAccount } from '../account.ts'
import type { StandInCalendar } from '../calendar.ts'
import { type Instance, instancesOf } from '../model.ts'
import { itemOf } from './items.ts'
import { refusal, syncTokenGone } from './refusals.ts'

const DEFAULT_PAGE = 250
const MAX_PAGE = 2500
/** Far enough for every test; a real calendar has no bounds. */
const FOREVER = { start: new Date(Date.UTC(1990, 0)), end: new Date(Date.UTC(2100, 0)) }
const AROUND_MS = 30 * 24 * 3600_000

interface SyncState {
  calendar: StandInCalendar
  revision: number
  window: { start: Date; end: Date }
  /** The parameters that have to be the same in the next request. */
  shape: string
}

interface PageState {
  calendar: StandInCalendar
  rest: unknown[]
  next: SyncState
}

/** Parameters that a request with a sync token must not have. */
const REFUSED_WITH_TOKEN = [
  'iCalUID',
  'orderBy',
  'privateExtendedProperty',
  'q',
  'sharedExtendedProperty',
  'timeMin',
  'timeMax',
  'updatedMin',
]
const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/

export class EventLists {
  /** Most entries on a page, even when a request asks for more. */
  pageSize = MAX_PAGE
  /** Whether a single event that became a series is listed as cancelled, beside the instances of the series. */
  listsConverted = false
  private readonly tokens = new Map<string, SyncState>()
  private readonly pages = new Map<string, PageState>()

  /** From now on, every issued sync token is answered with 410. */
  forgetTokens(): void {
    this.tokens.clear()
  }

  answer(query: URLSearchParams, calendar: StandInCalendar, account: StandInAccount): Reply {
    const problem = problemOf(query)
    if (problem !== null) return problem
    const pageToken = query.get('pageToken')
    if (pageToken !== null) return this.followingPage(pageToken, query, calendar, account)
    const syncToken = query.get('syncToken')
    const shape = shapeOf(query)
    if (syncToken === null) {
      const window = {
        start: new Date(query.get('timeMin') ?? FOREVER.start),
        end: new Date(query.get('timeMax') ?? FOREVER.end),
      }
      const state = { calendar, revision: calendar.revision, window, shape }
      return this.page(everything(query, state, account), state, query, account)
    }
    const state = this.tokens.get(syncToken)
    if (state === undefined) return syncTokenGone()
    if (state.calendar !== calendar || state.shape !== shape)
      return refusal(400, 'invalid', 'Sync token cannot be used with these request parameters.')
    const next = { ...state, revision: calendar.revision }
    return this.page(changes(state, account, this.listsConverted), next, query, account)
  }

  private followingPage(token: string, query: URLSearchParams, calendar: StandInCalendar, account: StandInAccount) {
    const state = this.pages.get(token)
    if (state?.calendar !== calendar) return refusal(400, 'invalid', 'Invalid page token value.')
    return this.page(state.rest, state.next, query, account)
  }

  private page(items: unknown[], next: SyncState, query: URLSearchParams, account: StandInAccount): Reply {
    const size = Math.min(Number(query.get('maxResults') ?? DEFAULT_PAGE), MAX_PAGE, this.pageSize)
    const rest = items.slice(size)
    const { calendar } = next
    const body: Record<string, unknown> = {
      kind: 'calendar#events',
      summary: calendar.name,
      timeZone: calendar.timezone,
      accessRole: account.calendars.includes(calendar) ? 'owner' : 'reader',
      items: items.slice(0, size),
    }
    const token = randomUUID()
    if (rest.length > 0) {
      this.pages.set(token, { calendar, rest, next })
      body.nextPageToken = token
    } else {
      // Only the last page has it.
      this.tokens.set(token, next)
      body.nextSyncToken = token
    }
    return { status: 200, body }
  }
}

function problemOf(query: URLSearchParams): Reply | null {
  // Series with their rules are not made here.
  if (query.get('singleEvents') !== 'true') return refusal(400, 'badRequest', 'Only single events are listed here.')
  const withToken = query.has('syncToken') && REFUSED_WITH_TOKEN.find((name) => query.has(name))
  if (withToken) return refusal(400, 'invalid', `Sync token cannot be used with ${withToken}.`)
  if (query.has('syncToken') && query.get('showDeleted') === 'false')
    return refusal(400, 'invalid', 'Deleted events cannot be hidden in a request with a sync token.')
  for (const name of ['timeMin', 'timeMax'])
    if (query.has(name) && !RFC_3339.test(query.get(name)!)) return refusal(400, 'badRequest', 'Bad Request')
  if (query.has('timeMin') && query.has('timeMax') && query.get('timeMin')! >= query.get('timeMax')!)
    return refusal(400, 'timeRangeEmpty', 'The specified time range is empty.')
  const size = query.get('maxResults')
  if (size !== null && !(Number(size) >= 1)) return refusal(400, 'invalidParameter', 'Invalid value for maxResults.')
  return null
}

const shapeOf = (query: URLSearchParams) =>
  ['singleEvents', 'eventTypes', 'timeZone'].map((name) => query.getAll(name).join(',')).join('|')

function everything(query: URLSearchParams, { calendar, window }: SyncState, account: StandInAccount): unknown[] {
  const gone = query.get('showDeleted') === 'true'
  const item = (instance: Instance) => itemOf(instance, account, calendar)
  const isShown = ({ existence }: Instance) => gone || existence === 'live'
  return calendar.between(window.start, window.end, { gone }).filter(isShown).map(item)
}

/** With entries outside of the window too: only far instances of series without an end are left out. */
function changes(
  { calendar, window, revision }: SyncState,
  account: StandInAccount,
  listsConverted: boolean,
): unknown[] {
  const item = (instance: Instance) => itemOf(instance, account, calendar)
  const wide = {
    start: new Date(window.start.getTime() - AROUND_MS),
    end: new Date(window.end.getTime() + AROUND_MS),
  }
  const isNew = (instance: Instance) => instance.revision > revision
  return [...calendar.events.values()].flatMap((event) =>
    instancesOf(event, wide, { gone: true, everywhere: true })
      .filter(isNew)
      .filter(
        ({ event, originalStart, isException }) =>
          (originalStart === null && (listsConverted || !event.isSeries)) ||
          isException ||
          (originalStart !== null && originalStart >= wide.start && originalStart <= wide.end),
      )
      .map(item),
  )
}
