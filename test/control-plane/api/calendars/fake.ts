/** Calendars in the database without providers, and operations that note what the API asked of them. */

import { randomUUID } from 'node:crypto'
import { apart, type BotRequest } from '../../../../control-plane/bots/request.ts'
import type { CalendarOperations } from '../../../../control-plane/calendars/operations.ts'
import { entryOf } from '../../../../control-plane/store/audit-log.ts'
import type { Database } from '../../../../control-plane/store/database.ts'

type Name = keyof CalendarOperations
type Answers = { [Operation in Name]: Awaited<ReturnType<CalendarOperations[Operation]>> }

export interface FakeCalendars {
  operations: CalendarOperations
  /** The calls, in order. */
  calls: { name: Name; arguments: unknown[] }[]
  /** The answer of every later call; an error is thrown. */
  answer<Operation extends Name>(name: Operation, answer: Answers[Operation] | Error): void
}

/** The API expects that these are in the audit log. */
const CHANGES = { connect: 'calendar.connect', update: 'calendar.change', disconnect: 'calendar.disconnect' } as const

export function fakeCalendars(): FakeCalendars {
  const calls: FakeCalendars['calls'] = []
  const answers = new Map<Name, unknown>()
  const operations = new Proxy({} as CalendarOperations, {
    get:
      (_operations, name: Name) =>
      async (...given: unknown[]) => {
        calls.push({ name, arguments: given })
        const answer = answers.get(name)
        if (answer instanceof Error) throw answer
        if (answer === undefined && name !== 'disconnect') throw new Error(`No answer for ${name}`)
        if (name in CHANGES) entryOf({ teamId: '', action: CHANGES[name as keyof typeof CHANGES], target: null })
        return answer
      },
  })
  return { operations, calls, answer: (name, answer) => void answers.set(name, answer) }
}

const HOUR_MS = 3_600_000
/** From now. */
export const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS)

let count = 0

export async function addCalendar(
  db: Database,
  owner: { teamId: string; generation?: 'v2' | 'older' },
  fields: Record<string, unknown> = {},
) {
  count++
  return db
    .insertInto('calendars')
    .values({
      team_id: owner.teamId,
      generation: owner.generation ?? 'v2',
      platform: 'google',
      raw_calendar_id: `calendar-${count}@example.com`,
      name: 'Ann',
      account_email: `ann-${count}@example.com`,
      is_primary: true,
      ...fields,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function addSeries(db: Database, calendarId: string, eventType: 'one_off' | 'recurring' = 'one_off') {
  count++
  return db
    .insertInto('calendar_series')
    .values({ calendar_id: calendarId, provider_id: `series-${count}`, event_type: eventType })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** An event in an hour, in a new series if none is named. */
export async function addEvent(
  db: Database,
  calendarId: string,
  { seriesId, ...fields }: { seriesId?: string; [column: string]: unknown } = {},
) {
  count++
  return db
    .insertInto('calendar_events')
    .values({
      calendar_id: calendarId,
      series_id: seriesId ?? (await addSeries(db, calendarId)).id,
      provider_id: `event-${count}`,
      is_recurring: false,
      is_exception: false,
      title: 'Weekly',
      starts_at: inHours(1),
      ends_at: inHours(2),
      is_all_day: false,
      status: 'confirmed',
      is_organizer: false,
      provider_updated_at: new Date(),
      raw: {},
      content_hash: 'x',
      ...fields,
      ...('attendees' in fields && { attendees: JSON.stringify(fields.attendees) }),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export const plainBot = (fields: Partial<BotRequest> = {}): BotRequest => ({
  bot_name: 'Notes',
  recording_mode: 'speaker_view',
  extra: null,
  ...fields,
})

/** A bot that is wanted for the event, and scheduled. */
export async function addIntent(db: Database, event: { id: string; calendar_id: string }, bot = plainBot()) {
  const { request } = apart(bot)
  const calendar = await db
    .selectFrom('calendars')
    .select(['team_id', 'generation'])
    .where('id', '=', event.calendar_id)
    .executeTakeFirstOrThrow()
  const bot_id = randomUUID()
  await db
    .insertInto('bots')
    .values({
      ...calendar,
      id: bot_id,
      phase: 'scheduled',
      status: 'queued',
      bot_name: bot.bot_name,
      meeting_url: 'https://meet.google.com/abc-defg-hij',
      meeting_key: 'meet',
      meeting_platform: 'meet',
      recording_mode: bot.recording_mode,
      request: JSON.stringify(request),
    } as never)
    .execute()
  await db
    .insertInto('calendar_intents')
    .values({
      calendar_id: event.calendar_id,
      event_id: event.id,
      state: 'wanted',
      bot: JSON.stringify(request),
      bot_id,
    })
    .execute()
}
