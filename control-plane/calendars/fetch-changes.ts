/** Every page of the changes of a calendar, fetched outside of any transaction. */
import { type Log, ProviderError } from '../platform/ports.ts'
import type { CalendarRow } from '../store/rows/index.ts'
import type { CalendarPlatform, CalendarProvider, Changes, ProviderEvent, Window } from './ports.ts'
import type { Tokens } from './tokens.ts'

const WINDOW_DAYS = 30

export interface FetchTools {
  providers: Readonly<Record<CalendarPlatform, CalendarProvider>>
  tokens: Tokens
  log: Log
}

export interface FetchedChanges extends Changes {
  /** The days that a full reading has all events of. */
  window: Window
}

/** `calendar` as it was claimed. Rejects with `ProviderError`. */
export async function fetchChanges(tools: FetchTools, calendar: CalendarRow): Promise<FetchedChanges> {
  const window = windowOf(calendar)
  const provider = tools.providers[calendar.platform as CalendarPlatform]
  const read = async (cursor: string | null) => {
    const changes = await tools.tokens.withToken(calendar.id, (token) =>
      provider.changes(token, calendar.raw_calendar_id, { cursor, window }),
    )
    return { ...changes, events: changes.events.map((event) => withSelf(event, calendar.account_email)), window }
  }
  const cursor = isFullDue(calendar) ? null : calendar.cursor
  try {
    return await read(cursor)
  } catch (problem) {
    const isGone = problem instanceof ProviderError && problem.kind === 'cursor_gone'
    if (!isGone || cursor === null) throw problem
    tools.log.info(
      { team: calendar.team_id, calendar: calendar.id },
      'Calendar sync token expired; reading all events again',
    )
    return read(null)
  }
}

/** From the database's time at the claim on. */
function windowOf({ sync_started_at: startedAt }: CalendarRow): Window {
  const start = startedAt ?? new Date()
  return { start, end: new Date(start.getTime() + WINDOW_DAYS * 86_400_000) }
}

function isFullDue({ full_due_at: dueAt, sync_started_at: startedAt }: CalendarRow): boolean {
  return startedAt === null || dueAt <= startedAt
}

/** Google marks the owner among the attendees, Microsoft does not. */
function withSelf(event: ProviderEvent, account: string): ProviderEvent {
  const own = account.toLowerCase()
  const attendees = event.attendees.map((person) =>
    person.email.toLowerCase() === own ? { ...person, isSelf: true } : person,
  )
  return { ...event, attendees }
}
