/** Calendars of a world, on the providers' stand-ins. */
import type { CalendarPatch } from '@standin/control-plane/store/rows/index.ts'
import { sql } from 'kysely'
import type { BotRequest } from '../../../control-plane/bots/request.ts'
import { type Calendars, openCalendars } from '../../../control-plane/calendars/index.ts'
import type { BotTarget, CalendarName, Notification } from '../../../control-plane/calendars/operations.ts'
import type { CalendarProvider, Changes } from '../../../control-plane/calendars/ports.ts'
import { ProviderError, type ProviderErrorKind } from '../../../control-plane/platform/ports.ts'
import type { StandInCalendar } from '../../../packages/mock/calendars/calendar.ts'
import type { NewEvent } from '../../../packages/mock/calendars/model.ts'
import { atEnd } from '../../fakes/at-end.ts'
import { type Base, MEET, seals } from '../world.ts'
import { DAY, openReceiver, openStandIns } from './stand-ins.ts'

export const botOf = (values: Partial<BotRequest> = {}): BotRequest => ({
  bot_name: 'Bot',
  recording_mode: 'speaker_view',
  extra: null,
  ...values,
})

export const inMinutes = (minutes: number) => new Date(Math.floor(Date.now() / 1000) * 1000 + minutes * 60_000)
export const later = (time: Date, minutes: number) => new Date(time.getTime() + minutes * 60_000)
export const days = (time: Date, count: number) => new Date(time.getTime() + count * DAY)

/** An event with a link, an hour long, in so many minutes. */
export const meeting = (id: string, minutes: number, values: Partial<NewEvent> = {}) => ({
  ...{ id, title: `Event ${id}`, start: inMinutes(minutes), link: MEET },
  ...values,
})
export const daily = (id: string, minutes: number, count: number, values: Partial<NewEvent> = {}) =>
  meeting(id, minutes, { repeats: { every: 'day', count }, ...values })

/** The series gets this many occurrences. */
export function grow(calendar: StandInCalendar, id: string, count: number): void {
  calendar.events.get(id)!.schedules.at(-1)!.count = count
  calendar.change(id, {})
}

const CALLS = ['refresh', 'listCalendars', 'changes', 'watch', 'renew', 'unwatch'] as const
type Call = (typeof CALLS)[number]

/** The adapter, whose calls are counted, and which a test can make fail or wait. */
function watched(adapter: CalendarProvider) {
  const provider = {
    platform: adapter.platform,
    calls: Object.fromEntries(CALLS.map((call) => [call, 0])) as Record<Call, number>,
    /** The next calls of this kind reject, each with one of these. */
    failures: new Map<Call, ProviderErrorKind[]>(),
    /** Runs when everything was read, before it is given back. */
    afterChanges: null as ((changes: Changes) => unknown) | null,
    /** Holds the next answer with changes. `read` resolves when it is there; the other two let it go on, or end it. */
    hold() {
      const held = Promise.withResolvers<void>()
      const { promise: read, resolve: isRead } = Promise.withResolvers<void>()
      provider.afterChanges = () => {
        provider.afterChanges = null
        isRead()
        return held.promise
      }
      return { read, release: held.resolve, crash: () => held.reject(new Error('The process is dead')) }
    },
  }
  const callOf = (call: Call) => async (first: never, second: never, third: never, fourth: never) => {
    provider.calls[call]++
    const failure = provider.failures.get(call)?.shift()
    if (failure !== undefined) throw new ProviderError(failure, `The provider says ${failure}`)
    const answer = await adapter[call](first, second, third, fourth)
    if (call === 'changes') await provider.afterChanges?.(answer as Changes)
    return answer
  }
  return Object.assign(
    provider,
    Object.fromEntries(CALLS.map((call) => [call, callOf(call)])),
  ) as unknown as typeof provider & CalendarProvider
}

interface Options {
  generation?: 'v2' | 'older'
  platform?: 'google' | 'microsoft'
  isCompat?: boolean
  /** In the calendar before it is connected. */
  events?: readonly NewEvent[]
  /** Null: providers cannot notify. */
  publicUrl?: null
}

interface Parts {
  base: Base
  standIns: Awaited<ReturnType<typeof openStandIns>>
  receiver: Awaited<ReturnType<typeof openReceiver>>
}

export async function openCalendarParts(base: Base) {
  const parts: Parts = { base, standIns: await openStandIns(), receiver: await openReceiver() }
  return {
    ...parts.standIns,
    receiver: parts.receiver,
    unconnected: (options: Options = {}) => unconnected(parts, options),
    connected,
    /** A calendar that is connected and synced. */
    async calendar(options: Options = {}) {
      const set = await unconnected(parts, options)
      return { ...set, ...(await connected(set, set.open())) }
    },
  }
}

/** A calendar that is not connected yet. */
async function unconnected(
  { base, standIns, receiver }: Parts,
  { generation = 'v2', platform = 'google', isCompat = false, ...given }: Options = {},
) {
  const { database } = base
  const standIn = standIns[platform]
  const account = standIn.addAccount()
  const calendar = account.primary
  for (const event of given.events ?? []) calendar.create(event)
  const provider = watched(standIns.providers[platform])
  const teamId = await base.teamId()
  const kind = generation === 'v2' ? 'team' : 'account'
  await base.endpoint({ teamId, kind, url: 'https://example.com/hook' })
  const opened: Calendars[] = []
  const logged: string[] = []
  const note = (_fields: object, message: string) => void logged.push(message)
  const open = (values: Partial<Parameters<typeof openCalendars>[0]> = {}): Calendars => {
    const calendars = openCalendars({
      ...{ database, seals, log: { info: note, warn: note, error: note }, jitsiHosts: [] },
      providers: { google: provider, microsoft: provider },
      publicUrl: given.publicUrl === null ? null : receiver.url,
      ...values,
    })
    opened.push(calendars)
    return calendars
  }
  atEnd(async () => {
    await Promise.all(opened.map((one) => one.close()))
    await database.updateTable('calendars').set({ deleted_at: new Date() }).where('team_id', '=', teamId).execute()
  })
  const caller = { teamId, apiKeyId: null, generation, isCompat }
  return { base, database, standIns, standIn, platform, account, calendar, provider, teamId, caller, logged, open }
}

type Unconnected = Awaited<ReturnType<typeof unconnected>>
export type CalendarSetting = Unconnected & Awaited<ReturnType<typeof connected>>

/** Connects the calendar and waits for its first sync. */
async function connected(set: Unconnected, engine: Calendars) {
  const { base, database, standIns, platform, account, calendar, teamId, caller } = set
  const credentials = () => standIns.credentialsOf(platform, account)
  const connection = { platform, credentials: credentials(), rawCalendarId: calendar.id }
  const { id } = await engine.operations.connect(caller, connection)
  await engine.settle()
  const name: CalendarName = { teamId, generation: caller.generation, calendarId: id }
  const alter = (patch: CalendarPatch) => database.updateTable('calendars').set(patch).where('id', '=', id).execute()
  const due = ({ full = false } = {}) => alter({ sync_due_at: new Date(0), ...(full && { full_due_at: new Date(0) }) })
  const rowsOf = <T extends 'calendar_events' | 'calendar_series'>(table: T) =>
    database.selectFrom(table as 'calendar_events').where(`${table as 'calendar_events'}.calendar_id`, '=', id)

  /** Events with the provider's id of their series. */
  const places = () =>
    rowsOf('calendar_events')
      .innerJoin('calendar_series as s', 's.id', 'calendar_events.series_id')
      .selectAll('calendar_events')
      .select('s.provider_id as series')
      .orderBy('starts_at')
      .execute()
  /** The channels or subscriptions that are open at the provider. */
  const watches = () => {
    const { google, microsoft } = standIns
    const all =
      platform === 'google'
        ? google.channels.live
        : microsoft.subscriptions.live.map((one) => ({ ...one, token: one.clientState, address: one.notificationUrl }))
    return all
      .filter((one) => one.calendar === calendar)
      .map(({ id, token, address }) => ({ id, token: token!, address }))
  }

  return {
    engine,
    name,
    id,
    alter,
    due,
    places,
    watches,
    credentials,
    row: () => database.selectFrom('calendars').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    events: () => rowsOf('calendar_events').selectAll().orderBy('starts_at').orderBy('provider_id').execute(),
    channels: () =>
      database
        .selectFrom('calendar_channels')
        .selectAll()
        .where('calendar_id', '=', id)
        .orderBy('created_at')
        .execute(),
    /** Of the single event, or of the occurrence at this place of its series. */
    async eventId(series: string, original?: Date): Promise<string> {
      const isIt = (row: { series: string; original_start: Date | null }) =>
        row.series === series && row.original_start?.getTime() === original?.getTime()
      return (await places()).find(isIt)!.id
    },
    seriesId: async (series: string): Promise<string> =>
      (await rowsOf('calendar_series').select('id').where('provider_id', '=', series).executeTakeFirstOrThrow()).id,
    target: (values: Partial<BotTarget>): BotTarget => ({
      ...{ ...name, seriesId: null, eventId: null, allOccurrences: false },
      ...values,
    }),
    /** The notification of a change, by the subscription in this place. */
    pushOf(place = 0): Notification {
      const { id, token } = watches()[place]!
      return platform === 'google'
        ? { platform, channelId: id, token, state: 'exists' }
        : { platform, subscriptionId: id, token, kind: 'changed' }
    },
    /** As if the time of the next poll had come. Resolves once it was made, also if another process makes it. */
    async poll(by: Calendars = engine): Promise<void> {
      await due()
      for (;;) {
        await by.settle()
        const { rows } = await sql`
          select from calendars where id = ${id} and deleted_at is null
            and (sync_lease_owner is not null or sync_due_at <= now())`.execute(database)
        if (rows.length === 0) return
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
    /** Every bot of the calendar, oldest first. */
    bots: () =>
      database
        .selectFrom('calendar_bots')
        .innerJoin('bots', 'bots.id', 'calendar_bots.bot_id')
        .selectAll('bots')
        .where('calendar_bots.calendar_id', '=', id)
        .orderBy('calendar_bots.created_at')
        .execute(),
    /** As a launcher would have it a while after its start. */
    spawn: (botId: string) =>
      base.set(botId, {
        ...{
          phase: 'running',
          status: 'in_call_recording',
          schedule_status: 'completed',
          attempt: 1,
          joined_attempt: 1,
        },
        ...{ queued_at: new Date(), joined_at: new Date(), recording_started_at: new Date() },
      }),
    messages: (): Promise<{ id: string; event: string; body: { data: Record<string, unknown> } }[]> =>
      database
        .selectFrom('messages')
        .select(['id', 'event', 'body'])
        .where('team_id', '=', teamId)
        .where('event', 'like', 'calendar.%')
        .orderBy('created_at')
        .orderBy('event')
        .execute() as never,
    deliveries: () => database.selectFrom('deliveries').select(['message_id']).where('team_id', '=', teamId).execute(),
  }
}
