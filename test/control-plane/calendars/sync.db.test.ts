/** One sync at a time, nothing lost, nothing twice. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nextFull } from '../../../control-plane/calendars/sync-times.ts'
import { eventOf, seriesOf } from './memory-provider.ts'
import { botOf, type CalendarWorld, openCalendarWorld } from './world.ts'

let world: CalendarWorld
beforeAll(async () => {
  world = await openCalendarWorld()
})
afterAll(() => world.close())

async function withCalendar(options: Parameters<CalendarWorld['setting']>[0] = {}) {
  const set = await world.setting(options)
  const calendar = set.provider.add(`c${set.newId()}`)
  calendar.put(eventOf('a', 60))
  for (const event of seriesOf('s', 90, 3)) calendar.put(event)
  const name = await set.connect(calendar)
  return { ...set, calendar, name }
}

const idsOf = (events: readonly { provider_id: string; status: string }[]) =>
  events.filter(({ status }) => status !== 'cancelled').map(({ provider_id: id }) => id)

/** Holds the next answer of the provider. `read` resolves when the answer is ready; `release` sends it. */
function holdNext(provider: { afterChanges: unknown }) {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const read = new Promise<void>((resolve) => {
    provider.afterChanges = () => {
      provider.afterChanges = null
      resolve()
      return held
    }
  })
  return { read, release: () => release() }
}

describe('what is stored', () => {
  test('the first sync stores the window, with series and cursor', async () => {
    const { calendar, name, events, row, database } = await withCalendar()
    expect(idsOf(await events(name))).toEqual(['a', 's_0', 's_1', 's_2'])
    expect(await row(name.calendarId)).toMatchObject({
      status: 'active',
      sync_status: 'success',
      syncs: expect.any(Number),
      cursor: String(calendar.version),
      sync_lease_owner: null,
    })
    const series = await database
      .selectFrom('calendar_series')
      .select(['provider_id', 'event_type'])
      .where('calendar_id', '=', name.calendarId)
      .orderBy('provider_id')
      .execute()
    expect(series).toEqual([
      { provider_id: 'a', event_type: 'one_off' },
      { provider_id: 's', event_type: 'recurring' },
    ])
  })

  test('a full sync removes what it did not see, and keeps what is over', async () => {
    const { calendar, name, events, engine, database, eventId } = await withCalendar()
    const over = { starts_at: new Date(0), ends_at: new Date(1) }
    await database
      .updateTable('calendar_events')
      .set(over)
      .where('id', '=', await eventId(name, 's_0'))
      .execute()
    calendar.events.delete('a')
    calendar.events.delete('s_0')
    await engine.operations.sync(name)
    expect(await events(name)).toMatchObject([
      { provider_id: 's_0', removed_at: null },
      { provider_id: 'a', status: 'cancelled', removed_at: expect.any(Date) },
      { provider_id: 's_1', status: 'confirmed' },
      { provider_id: 's_2', status: 'confirmed' },
    ])
  })

  test('a dead cursor is answered with one full sync', async () => {
    const { calendar, name, provider, poll, events } = await withCalendar()
    calendar.events.delete('s_1')
    calendar.killCursors()
    const before = provider.calls.changes
    await poll(name)
    expect(provider.calls.changes - before).toBe(2)
    expect(idsOf(await events(name))).toEqual(['a', 's_0', 's_2'])
  })

  test('an event keeps its id through changes, cancellation and return', async () => {
    const { calendar, name, poll, eventId, engine } = await withCalendar()
    const id = await eventId(name, 'a')
    calendar.change('a', { title: 'Another' })
    await poll(name)
    calendar.delete('a')
    await poll(name)
    calendar.put(eventOf('a', 200))
    await engine.operations.sync(name)
    expect(await eventId(name, 'a')).toBe(id)
  })

  test('Microsoft: an occurrence that is missing from its series is gone, without being named', async () => {
    const { calendar, name, poll, events } = await withCalendar({ platform: 'microsoft' })
    calendar.delete('s_1')
    await poll(name)
    expect(idsOf(await events(name))).toEqual(['a', 's_0', 's_2'])
  })

  test('an event that cannot be read stays as it is stored, and the sync says so until it can', async () => {
    const { calendar, name, provider, poll, events, row, engine } = await withCalendar()
    calendar.delete('a')
    provider.unreadable = [
      { providerId: 'a', problem: 'the event has no start' },
      { providerId: null, problem: 'the event has no id' },
    ]
    await engine.operations.sync(name)
    expect(idsOf(await events(name))).toContain('a')
    const { sync_status, sync_error, status } = await row(name.calendarId)
    expect([sync_status, status]).toEqual(['partial', 'active'])
    expect(sync_error).toMatch(/2 events .* a: the event has no start/)
    provider.unreadable = []
    await engine.operations.sync(name)
    await poll(name)
    expect(idsOf(await events(name))).not.toContain('a')
    expect(await row(name.calendarId)).toMatchObject({ sync_status: 'success', sync_error: null })
  })

  test('the owner of the account is marked among the attendees, in any case of the letters', async () => {
    const { calendar, name, poll, events } = await withCalendar({ platform: 'microsoft' })
    const person = {
      name: null,
      responseStatus: 'accepted' as const,
      isOrganizer: false,
      isSelf: false,
      isResource: false,
    }
    const attendees = [calendar.email.toUpperCase(), 'other@example.com'].map((email) => ({ ...person, email }))
    calendar.change('a', { attendees })
    await poll(name)
    const [event] = await events(name)
    expect(event!.attendees).toEqual([{ ...attendees[0], isSelf: true }, attendees[1]])
  })

  test('text that PostgreSQL cannot hold is stored without it', async () => {
    const { calendar, name, poll, events } = await withCalendar()
    calendar.change('a', { title: 'A\u0000B\ud800', description: '\u0000', raw: { '\u0000': '\udfff' } })
    await poll(name)
    const [event] = await events(name)
    expect(event!.title).toBe('A\uFFFDB\uFFFD')
  })
})

describe('at once', () => {
  test('two syncers that both have the answer: one stores it, the other one nothing', async () => {
    const { calendar, name, provider, open, due, engine, events, row, alter } = await withCalendar()
    calendar.change('a', { title: 'First' })
    const { read, release } = holdNext(provider)
    const slow = open()
    await due(name.calendarId)
    void slow.settle()
    await read
    const slowly = slow.close()
    // Its process is suspended for longer than its lease.
    await alter(name.calendarId, { sync_lease_until: new Date(0) })
    calendar.change('a', { title: 'Second' })
    await due(name.calendarId)
    const fast = engine.settle()
    await expect.poll(async () => (await events(name))[0]!.title).toBe('Second')
    const { syncs, cursor } = await row(name.calendarId)
    release()
    await slowly
    await fast
    expect((await events(name))[0]!.title).toBe('Second')
    expect(await row(name.calendarId)).toMatchObject({ syncs, cursor })
  })

  test('a cursor that another one moved keeps an old answer out, even under the lease', async () => {
    const { calendar, name, provider, due, engine, events, row, alter } = await withCalendar()
    calendar.change('a', { title: 'First' })
    const { read, release } = holdNext(provider)
    await due(name.calendarId)
    const settled = engine.settle()
    await read
    await alter(name.calendarId, { cursor: '999999' })
    release()
    await settled
    expect((await events(name))[0]!.title).toBe('Event a')
    // The lease was given back at once: the next sync continued from the stored cursor.
    expect(await row(name.calendarId)).toMatchObject({ sync_lease_owner: null, cursor: String(calendar.version) })
  })

  test('a process that crashes between the last page and the commit leaves nothing but its lease', async () => {
    const { calendar, name, provider, open, due, engine, bots, target, seriesId, messages, alter } =
      await withCalendar()
    const all = target(name, { seriesId: await seriesId(name, 's'), allOccurrences: true })
    await engine.operations.scheduleBots(all, botOf(), null)
    const reported = (await messages()).length
    calendar.put(seriesOf('s', 90, 5)[4]!)
    const { read, release } = holdNext(provider)
    const dying = open()
    await due(name.calendarId)
    void dying.settle()
    await read
    void dying.close()
    expect(await bots(name)).toHaveLength(3)
    expect(await messages()).toHaveLength(reported)
    await due(name.calendarId)
    await engine.settle()
    expect(await bots(name)).toHaveLength(3)
    await alter(name.calendarId, { sync_lease_until: new Date(0) })
    await engine.settle()
    expect(await bots(name)).toHaveLength(4)
    expect(await messages()).toHaveLength(reported + 1)
    release()
  })

  test('a transaction that fails in its middle leaves nothing, and is made again', async () => {
    const { calendar, name, due, engine, events, row, messages, alter } = await withCalendar()
    calendar.put(eventOf('b', 100))
    const reported = (await messages()).length
    const before = await row(name.calendarId)
    // The last write of the transaction is refused: the number is as large as its column can hold.
    await alter(name.calendarId, { syncs: 2_147_483_647 })
    await due(name.calendarId)
    await engine.settle()
    expect(idsOf(await events(name))).not.toContain('b')
    expect(await messages()).toHaveLength(reported)
    expect(await row(name.calendarId)).toMatchObject({ cursor: before.cursor, sync_status: 'failed' })
    await alter(name.calendarId, { syncs: before.syncs })
    await due(name.calendarId)
    await engine.settle()
    expect(idsOf(await events(name))).toContain('b')
  })

  test('pushes during a sync make one more, however many they are', async () => {
    const { calendar, name, provider, due, engine, row, pushOf } = await withCalendar()
    const { read, release } = holdNext(provider)
    await due(name.calendarId)
    const settled = engine.settle()
    await read
    const before = provider.calls.changes
    for (let count = 0; count < 5; count++) expect(await engine.operations.notified(pushOf(calendar))).toBe('known')
    release()
    await settled
    const { sync_due_at: again, synced_at: at } = await row(name.calendarId)
    expect(again.getTime() - at!.getTime()).toBeLessThanOrEqual(2_000)
    await due(name.calendarId)
    await engine.settle()
    expect(provider.calls.changes - before).toBe(1)
    const { sync_due_at: next, full_due_at: full } = await row(name.calendarId)
    expect(next.getTime()).toBeGreaterThan(Math.min(Date.now() + 600_000, full.getTime() - 1000))
  })

  test('a push is a hint for in two seconds, and the next ones do not put it off', async () => {
    const { calendar, name, engine, row, pushOf } = await withCalendar()
    const push = pushOf(calendar)
    await engine.operations.notified(push)
    const first = (await row(name.calendarId)).sync_due_at
    await engine.operations.notified(push)
    expect((await row(name.calendarId)).sync_due_at).toEqual(first)
    expect(first.getTime() - Date.now()).toBeLessThanOrEqual(2_000)
  })

  test('a push whose token is another one, or that is only the greeting of a channel, does nothing', async () => {
    const { calendar, name, engine, row, pushOf } = await withCalendar()
    const before = await row(name.calendarId)
    const push = pushOf(calendar)
    const others = [{ token: 'another' }, { channelId: 'another' }, { state: 'sync' }]
    const answers = others.map((other) => engine.operations.notified({ ...push, ...other } as typeof push))
    expect(await Promise.all(answers)).toEqual(['unknown', 'unknown', 'known'])
    expect((await row(name.calendarId)).sync_due_at).toEqual(before.sync_due_at)
  })
})

describe('problems', () => {
  test.each([
    ['permission_denied', 'permission_denied'],
    ['no_mailbox', 'permission_denied'],
    ['not_found', 'error'],
  ] as const)('%s makes the status %s, is reported once, and recovers', async (problem, status) => {
    const { name, provider, poll, row, messages } = await withCalendar()
    for (let round = 0; round < 2; round++) {
      provider.failures.set('changes', [problem])
      await poll(name)
    }
    expect(await row(name.calendarId)).toMatchObject({ status, sync_status: 'failed', sync_error: expect.any(String) })
    await poll(name)
    expect(await row(name.calendarId)).toMatchObject({ status: 'active', status_message: null, sync_error: null })
    const reported = (await messages()).map(({ event }) => event)
    expect(reported.filter((event) => event === 'calendar.connection_error')).toHaveLength(1)
    expect(reported.filter((event) => event === 'calendar.connection_updated')).toHaveLength(1)
  })

  test('what may pass is tried again soon, and is an error after several times only', async () => {
    const { name, provider, poll, row } = await withCalendar()
    for (let round = 1; round <= 5; round++) {
      provider.failures.set('changes', ['unavailable'])
      await poll(name)
      const { status, sync_due_at: next } = await row(name.calendarId)
      expect(status).toBe(round < 5 ? 'active' : 'error')
      expect(next.getTime() - Date.now()).toBeLessThanOrEqual(15 * 60_000)
    }
  })

  test('full syncs of many calendars are spread over the day', () => {
    const now = new Date()
    const times = Array.from({ length: 500 }, (_, index) => nextFull(`calendar ${index}`, now).getTime())
    expect(Math.min(...times)).toBeGreaterThan(now.getTime())
    expect(Math.max(...times)).toBeLessThanOrEqual(now.getTime() + 86_400_000)
    const hours = new Set(times.map((time) => Math.floor(time / 3_600_000)))
    expect(hours.size).toBeGreaterThanOrEqual(24)
  })
})

describe('webhooks', () => {
  test('the whole window once after the first sync, then changes by series', async () => {
    const { calendar, name, poll, messages, engine, seriesId, target, deliveries, eventId } = await withCalendar()
    const [created, synced] = await messages()
    expect(created).toMatchObject({
      event: 'calendar.connection_created',
      body: { data: { calendar_id: name.calendarId, calendar_platform: 'google', status: 'active' } },
    })
    expect(synced).toMatchObject({ event: 'calendar.events_synced', body: { data: { calendar_id: name.calendarId } } })
    const windows = (synced!.body.data as { events: { event_type: string; instances: unknown[] }[] }).events
    expect(windows.map(({ event_type, instances }) => [event_type, instances.length])).toEqual([
      ['one_off', 1],
      ['recurring', 3],
    ])
    const series = await seriesId(name, 's')
    await engine.operations.scheduleBots(target(name, { seriesId: series, allOccurrences: true }), botOf(), null)
    const late = calendar.put(seriesOf('s', 90, 4)[3]!)
    calendar.change('s_0', { title: 'Moved', isException: true })
    calendar.delete('a')
    await poll(name)
    const news = (await messages()).slice(2)
    expect(news.map(({ event }) => event).sort()).toEqual([
      'calendar.event_cancelled',
      'calendar.event_created',
      'calendar.event_updated',
    ])
    expect(news.find(({ event }) => event === 'calendar.event_created')!.body.data).toEqual({
      calendar_id: name.calendarId,
      event_type: 'recurring',
      series_id: series,
      series_bot_scheduled: true,
      instances: [
        {
          event_id: await eventId(name, 's_3'),
          start: late.start.toISOString(),
          end: late.end.toISOString(),
          title: 'Series s',
          status: 'confirmed',
          is_all_day: false,
          is_exception: false,
          bot_scheduled: true,
          meeting_url: late.meetingUrl,
          meeting_platform: 'meet',
        },
      ],
    })
    expect(news.find(({ event }) => event === 'calendar.event_updated')!.body.data).toMatchObject({
      is_exception: true,
      affected_instances: [{ title: 'Moved', bot_scheduled: true }],
    })
    expect(news.find(({ event }) => event === 'calendar.event_cancelled')!.body.data).toMatchObject({
      event_type: 'one_off',
      cancelled_instances: [{ status: 'cancelled', bot_scheduled: false }],
    })
    expect(await deliveries()).toHaveLength(5)
  })

  test('a sync that changes nothing sends nothing, also a full one', async () => {
    const { name, poll, messages, engine } = await withCalendar()
    const before = await messages()
    await poll(name)
    await engine.operations.sync(name)
    expect(await messages()).toEqual(before)
  })

  test('the older generation has one message for each sync that changed anything', async () => {
    const { calendar, name, poll, messages, eventId, deliveries } = await withCalendar({ generation: 'older' })
    calendar.change('a', { title: 'Another' })
    calendar.delete('s_1')
    await poll(name)
    await poll(name)
    const reported = await messages()
    expect(reported.map(({ event }) => event)).toEqual(['calendar.sync_events', 'calendar.sync_events'])
    expect(reported[0]!.body.data.affected_event_uuids).toHaveLength(4)
    expect(reported[1]!.body.data).toEqual({
      calendar_id: name.calendarId,
      last_updated_ts: expect.stringMatching(/^\d{4}-.*Z$/),
      affected_event_uuids: [await eventId(name, 'a'), await eventId(name, 's_1')],
    })
    expect(await deliveries()).toHaveLength(2)
  })

  test('public names: the error of a connection names its platform too', async () => {
    const { name, provider, poll, messages } = await withCalendar({ isCompat: true })
    provider.failures.set('changes', ['permission_denied'])
    await poll(name)
    expect((await messages()).at(-1)!.body.data).toEqual({
      calendar_id: name.calendarId,
      calendar_platform: 'google',
      platform: 'google',
      status: 'permission_denied',
      error: 'The provider says permission_denied',
    })
  })
})
