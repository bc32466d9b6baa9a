/** A database, a provider in memory, and as many openings of the calendars as a test needs. */
import { randomUUID } from 'node:crypto'
import type { BotRow, CalendarPatch, CalendarRow } from '@standin/control-plane/store/rows/index.ts'
import { sql } from 'kysely'
import { onTestFinished } from 'vitest'
import type { BotRequest } from '../../../control-plane/bots/request.ts'
import { type Calendars, openCalendars } from '../../../control-plane/calendars/index.ts'
import type { BotTarget, CalendarName, Notification } from '../../../control-plane/calendars/operations.ts'
import { createSeals, newSealKey, parseSealKeys } from '../../../control-plane/platform/secrets/seals.ts'
import { createEndpoint } from '../../../control-plane/store/webhooks/endpoints.ts'
import { openDatabaseWithClock, openTestDatabase } from '../postgres.ts'
import { type MemoryCalendar, MemoryProvider } from './memory-provider.ts'

export const seals = createSeals(parseSealKeys(newSealKey('test')))
export const quiet = { info() {}, warn() {}, error() {} }

export const botOf = (values: Partial<BotRequest> = {}): BotRequest => ({
  bot_name: 'Bot',
  recording_mode: 'speaker_view',
  extra: null,
  ...values,
})

export async function openCalendarWorld(hasOwnClock = false) {
  const { database, url, close } = await (hasOwnClock ? openDatabaseWithClock(12) : openTestDatabase(12))

  async function setting(
    options: { generation?: 'v2' | 'older'; platform?: 'google' | 'microsoft'; isCompat?: boolean } = {},
  ) {
    const { generation = 'v2', platform = 'google', isCompat = false } = options
    const google = new MemoryProvider('google')
    const microsoft = new MemoryProvider('microsoft')
    const provider = platform === 'google' ? google : microsoft
    const { id: teamId } = await database
      .insertInto('teams')
      .values({ name: 'T' })
      .returning('id')
      .executeTakeFirstOrThrow()
    const kind = generation === 'v2' ? 'team' : 'account'
    await createEndpoint(database, seals, { teamId, kind, url: 'https://example.com/hook' })
    const opened: Calendars[] = []
    const logged: string[] = []
    const open = (values: Partial<Parameters<typeof openCalendars>[0]> = {}): Calendars => {
      const note = (_fields: object, message: string) => void logged.push(message)
      const calendars = openCalendars({
        database,
        seals,
        log: { info: note, warn: note, error: note },
        providers: { google, microsoft },
        publicUrl: 'https://bots.example.com',
        jitsiHosts: [],
        ...values,
      })
      opened.push(calendars)
      return calendars
    }
    onTestFinished(async () => {
      await Promise.all(opened.map((one) => one.close()))
      await database.updateTable('calendars').set({ deleted_at: new Date() }).where('team_id', '=', teamId).execute()
    })
    const engine = open()
    const caller = { teamId, apiKeyId: null, generation, isCompat }

    const row = (id: string): Promise<CalendarRow> =>
      database.selectFrom('calendars').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const alter = (id: string, patch: CalendarPatch) =>
      database.updateTable('calendars').set(patch).where('id', '=', id).execute()
    const due = (id: string, values: { full?: boolean } = {}) =>
      alter(id, { sync_due_at: new Date(0), ...(values.full && { full_due_at: new Date(0) }) })
    const oneOf = (table: 'calendar_events' | 'calendar_series') => async (name: CalendarName, providerId: string) => {
      const rows = database.selectFrom(table).select('id').where('calendar_id', '=', name.calendarId)
      return (await rows.where('provider_id', '=', providerId).executeTakeFirstOrThrow()).id
    }

    return {
      database,
      url,
      teamId,
      caller,
      provider,
      engine,
      open,
      logged,
      row,
      alter,
      due,
      eventId: oneOf('calendar_events'),
      seriesId: oneOf('calendar_series'),
      /** The notification of a change, by the subscription in this place. */
      pushOf({ subscriptions }: MemoryCalendar, place = 0): Notification {
        const [channelId, { token }] = [...subscriptions][place]!
        return platform === 'google'
          ? { platform, channelId, token, state: 'exists' }
          : { platform, subscriptionId: channelId, token, kind: 'changed' }
      },
      /** Connects a calendar and waits for its first sync. */
      async connect(calendar: MemoryCalendar, by: Calendars = engine): Promise<CalendarName> {
        const credentials = provider.credentialsOf(calendar)
        const connected = await by.operations.connect(caller, { platform, credentials, rawCalendarId: calendar.id })
        await by.settle()
        return { teamId, generation, calendarId: connected.id }
      },
      /** As if the time of the next poll had come. Resolves once it was made, also if another process makes it. */
      async poll(name: CalendarName, by: Calendars = engine): Promise<void> {
        await due(name.calendarId)
        for (;;) {
          await by.settle()
          const { rows } = await sql`
            select from calendars where id = ${name.calendarId} and deleted_at is null
              and (sync_lease_owner is not null or sync_due_at <= now())`.execute(database)
          if (rows.length === 0) return
          await new Promise((resolve) => setTimeout(resolve, 5))
        }
      },
      target: (name: CalendarName, values: Partial<BotTarget>): BotTarget => ({
        ...name,
        seriesId: null,
        eventId: null,
        allOccurrences: false,
        ...values,
      }),
      events: ({ calendarId }: CalendarName) =>
        database
          .selectFrom('calendar_events')
          .selectAll()
          .where('calendar_id', '=', calendarId)
          .orderBy('starts_at')
          .orderBy('provider_id')
          .execute(),
      /** Every bot of the calendar, oldest first. */
      async bots(name: CalendarName): Promise<BotRow[]> {
        return database
          .selectFrom('calendar_bots')
          .innerJoin('bots', 'bots.id', 'calendar_bots.bot_id')
          .selectAll('bots')
          .where('calendar_bots.calendar_id', '=', name.calendarId)
          .orderBy('calendar_bots.created_at')
          .execute()
      },
      /** As a launcher would have it a while after its start. */
      async spawn(botId: string): Promise<void> {
        await database
          .updateTable('bots')
          .set({
            phase: 'running',
            status: 'in_call_recording',
            schedule_status: 'completed',
            queued_at: new Date(),
            joined_at: new Date(),
            recording_started_at: new Date(),
            attempt: 1,
            joined_attempt: 1,
          })
          .where('id', '=', botId)
          .execute()
      },
      commands: (botId: string) =>
        database.selectFrom('bot_commands').select('command').where('bot_id', '=', botId).execute(),
      async messages(): Promise<{ id: string; event: string; body: { data: Record<string, unknown> } }[]> {
        return database
          .selectFrom('messages')
          .select(['id', 'event', 'body'])
          .where('team_id', '=', teamId)
          .where('event', 'like', 'calendar.%')
          .orderBy('created_at')
          .orderBy('event')
          .execute() as never
      },
      deliveries: () =>
        database.selectFrom('deliveries').select(['message_id']).where('team_id', '=', teamId).execute(),
      newId: randomUUID,
    }
  }

  return { database, setting, close }
}
export type CalendarWorld = Awaited<ReturnType<typeof openCalendarWorld>>
export type CalendarSetting = Awaited<ReturnType<CalendarWorld['setting']>>
