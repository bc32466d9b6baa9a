/** One sync at a time, nothing lost, nothing twice. */
import { describe, expect, test } from 'vitest'
import { nextFull } from '../../../control-plane/calendars/sync-times.ts'
import { MEET, openWorld } from '../world.ts'
import { DAY } from './stand-ins.ts'
import { botOf, daily, days, grow, inMinutes, later, meeting } from './world.ts'

const world = await openWorld({ calendars: true })

/** A calendar with the event `a` and the daily series `s` of three. */
async function withCalendar(options: Parameters<typeof world.calendar>[0] = {}) {
  const series = daily('s', 90, 3, { title: 'Series s' })
  const set = await world.calendar({ events: [meeting('a', 60), series], ...options })
  const day = (count: number) => days(series.start, count)
  /** What takes place: the event, and occurrences by their number. */
  const shown = async () =>
    (await set.places())
      .filter(({ status }) => status !== 'cancelled')
      .map((row) => (row.series === 's' ? `s${(+row.original_start! - +series.start) / DAY}` : row.series))
  return { ...set, day, shown }
}

describe('what is stored', () => {
  test('the first sync stores the window, with series and cursor', async () => {
    const { id, shown, row, database } = await withCalendar()
    expect(await shown()).toEqual(['a', 's0', 's1', 's2'])
    expect(await row()).toMatchObject({
      ...{ status: 'active', sync_status: 'success', syncs: expect.any(Number) },
      ...{ cursor: expect.any(String), sync_lease_owner: null },
    })
    const series = await database
      .selectFrom('calendar_series')
      .select(['provider_id', 'event_type'])
      .where('calendar_id', '=', id)
      .orderBy('provider_id')
      .execute()
    expect(series).toEqual([
      { provider_id: 'a', event_type: 'one_off' },
      { provider_id: 's', event_type: 'recurring' },
    ])
  })

  test('a full sync removes what it did not see, and keeps what is over', async () => {
    const { calendar, name, places, engine, database, eventId } = await withCalendar({
      events: [meeting('a', 60), meeting('b', 70), meeting('c', 80)],
    })
    const over = { starts_at: new Date(0), ends_at: new Date(1) }
    await database
      .updateTable('calendar_events')
      .set(over)
      .where('id', '=', await eventId('b'))
      .execute()
    // Without a trace.
    for (const id of ['a', 'b']) calendar.events.delete(id)
    await engine.operations.sync(name)
    expect(await places()).toMatchObject([
      { series: 'b', removed_at: null },
      { series: 'a', status: 'cancelled', removed_at: expect.any(Date) },
      { series: 'c', status: 'confirmed' },
    ])
  })

  test('a dead cursor is answered with one full sync', async () => {
    const { calendar, standIn, provider, poll, shown, day } = await withCalendar()
    calendar.delete('s', day(1))
    standIn.forgetCursors()
    const before = provider.calls.changes
    await poll()
    expect(provider.calls.changes - before).toBe(2)
    expect(await shown()).toEqual(['a', 's0', 's2'])
  })

  test('an event keeps its id through changes, cancellation and return', async () => {
    const { calendar, name, poll, eventId, engine } = await withCalendar()
    const id = await eventId('a')
    calendar.change('a', { title: 'Another' })
    await poll()
    calendar.delete('a')
    await poll()
    calendar.restore('a')
    await engine.operations.sync(name)
    expect(await eventId('a')).toBe(id)
  })

  test('Microsoft: an occurrence that is missing from its series is gone, without being named', async () => {
    const { calendar, poll, shown, day } = await withCalendar({ platform: 'microsoft' })
    calendar.delete('s', day(1))
    await poll()
    expect(await shown()).toEqual(['a', 's0', 's2'])
  })

  test('an event that cannot be read stays as it is stored, and the sync says so until it can', async () => {
    const { calendar, name, provider, poll, shown, row, engine } = await withCalendar()
    calendar.delete('a')
    provider.afterChanges = (changes) =>
      changes.unreadable.push(
        { providerId: 'a', problem: 'the event has no start' },
        { providerId: null, problem: 'the event has no id' },
      )
    await engine.operations.sync(name)
    expect(await shown()).toContain('a')
    const { sync_status, sync_error, status } = await row()
    expect([sync_status, status]).toEqual(['partial', 'active'])
    expect(sync_error).toMatch(/2 events .* a: the event has no start/)
    provider.afterChanges = null
    await engine.operations.sync(name)
    await poll()
    expect(await shown()).not.toContain('a')
    expect(await row()).toMatchObject({ sync_status: 'success', sync_error: null })
  })

  test('the owner of the account is marked among the attendees, in any case of the letters', async () => {
    const { calendar, account, poll, events } = await withCalendar({ platform: 'microsoft' })
    calendar.change('a', { attendees: [{ email: account.email.toUpperCase() }, { email: 'other@example.com' }] })
    await poll()
    const [event] = await events()
    expect(event!.attendees).toMatchObject([{ isSelf: true }, { isSelf: false, email: 'other@example.com' }])
  })

  test('text that PostgreSQL cannot hold is stored without it', async () => {
    const { poll, events, calendar, provider } = await withCalendar()
    calendar.change('a', { title: 'Another' })
    const odd = { title: 'A\u0000B\ud800', description: '\u0000', raw: { '\u0000': '\udfff' } }
    provider.afterChanges = ({ events: [event] }) => Object.assign(event!, odd)
    await poll()
    const [event] = await events()
    expect(event!.title).toBe('A\uFFFDB\uFFFD')
  })
})

describe('at once', () => {
  test('two syncers that both have the answer: one stores it, the other one nothing', async () => {
    const { calendar, provider, open, due, engine, events, row, alter } = await withCalendar()
    calendar.change('a', { title: 'First' })
    const { read, release } = provider.hold()
    const slow = open()
    await due()
    void slow.settle()
    await read
    const slowly = slow.close()
    // Its process is suspended for longer than its lease.
    await alter({ sync_lease_until: new Date(0) })
    calendar.change('a', { title: 'Second' })
    await due()
    const fast = engine.settle()
    await expect.poll(async () => (await events())[0]!.title).toBe('Second')
    const { syncs, cursor } = await row()
    release()
    await slowly
    await fast
    expect((await events())[0]!.title).toBe('Second')
    expect(await row()).toMatchObject({ syncs, cursor })
  })

  test('a cursor that another one moved keeps an old answer out, even under the lease', async () => {
    const { calendar, standIn, provider, credentials, due, engine, events, row, alter } = await withCalendar()
    calendar.change('a', { title: 'First' })
    const { accessToken } = standIn.tokens.exchange(credentials().refreshToken)!
    const window = { start: inMinutes(0), end: inMinutes(600) }
    const { cursor } = await provider.changes(accessToken, calendar.id, { cursor: null, window })
    const { read, release } = provider.hold()
    await due()
    const settled = engine.settle()
    await read
    await alter({ cursor })
    release()
    await settled
    // The lease was given back at once: the next sync continued from the stored cursor, after which nothing changed.
    expect((await events())[0]!.title).toBe('Event a')
    expect(await row()).toMatchObject({ sync_lease_owner: null, cursor: expect.not.stringMatching(cursor!) })
  })

  test('a process that crashes between the last page and the commit leaves nothing but its lease', async () => {
    const { calendar, provider, open, due, engine, bots, target, seriesId, messages, alter } = await withCalendar()
    const all = target({ seriesId: await seriesId('s'), allOccurrences: true })
    await engine.operations.scheduleBots(all, botOf(), null)
    const reported = (await messages()).length
    grow(calendar, 's', 4)
    const { read, release } = provider.hold()
    const dying = open()
    await due()
    void dying.settle()
    await read
    void dying.close()
    expect(await bots()).toHaveLength(3)
    expect(await messages()).toHaveLength(reported)
    await due()
    await engine.settle()
    expect(await bots()).toHaveLength(3)
    await alter({ sync_lease_until: new Date(0) })
    await engine.settle()
    expect(await bots()).toHaveLength(4)
    expect(await messages()).toHaveLength(reported + 1)
    release()
  })

  test('a transaction that fails in its middle leaves nothing, and is made again', async () => {
    const { calendar, shown, due, engine, row, messages, alter } = await withCalendar()
    calendar.create(meeting('b', 100))
    const reported = (await messages()).length
    const before = await row()
    // The last write of the transaction is refused: the number is as large as its column can hold.
    await alter({ syncs: 2_147_483_647 })
    await due()
    await engine.settle()
    expect(await shown()).not.toContain('b')
    expect(await messages()).toHaveLength(reported)
    expect(await row()).toMatchObject({ cursor: before.cursor, sync_status: 'failed' })
    await alter({ syncs: before.syncs })
    await due()
    await engine.settle()
    expect(await shown()).toContain('b')
  })

  test('a caller does not wait for a slow provider for ever, and the sync goes on', async () => {
    const { provider, open, name, row } = await withCalendar()
    const { syncs } = await row()
    const { release } = provider.hold()
    const late = { kind: 'unavailable', message: expect.stringContaining('did not end in time') }
    await expect(open({ patienceMs: 100 }).operations.sync(name)).rejects.toMatchObject(late)
    release()
    await expect.poll(async () => (await row()).syncs).toBeGreaterThan(syncs)
  })

  test('pushes during a sync make one more, however many they are', async () => {
    const { provider, due, engine, row, pushOf } = await withCalendar()
    const { read, release } = provider.hold()
    await due()
    const settled = engine.settle()
    await read
    const before = provider.calls.changes
    for (let count = 0; count < 5; count++) expect(await engine.operations.notified(pushOf())).toBe('known')
    release()
    await settled
    const { sync_due_at: again, synced_at: at } = await row()
    expect(again.getTime() - at!.getTime()).toBeLessThanOrEqual(2_000)
    await due()
    await engine.settle()
    expect(provider.calls.changes - before).toBe(1)
    const { sync_due_at: next, full_due_at: full } = await row()
    expect(next.getTime()).toBeGreaterThan(Math.min(Date.now() + 600_000, full.getTime() - 1000))
  })

  test('a push is a hint for in two seconds, and the next ones do not put it off', async () => {
    const { engine, row, pushOf } = await withCalendar()
    const push = pushOf()
    await engine.operations.notified(push)
    const first = (await row()).sync_due_at
    await engine.operations.notified(push)
    expect((await row()).sync_due_at).toEqual(first)
    expect(first.getTime() - Date.now()).toBeLessThanOrEqual(2_000)
  })

  test('a push whose token is another one, or that is only the greeting of a channel, does nothing', async () => {
    const { engine, row, pushOf } = await withCalendar()
    const before = await row()
    const push = pushOf()
    const others = [{ token: 'another' }, { channelId: 'another' }, { state: 'sync' }]
    const answers = others.map((other) => engine.operations.notified({ ...push, ...other } as typeof push))
    expect(await Promise.all(answers)).toEqual(['unknown', 'unknown', 'known'])
    expect((await row()).sync_due_at).toEqual(before.sync_due_at)
  })
})

describe('problems', () => {
  test.each([
    ['permission_denied', 'permission_denied'],
    ['no_mailbox', 'permission_denied'],
    ['not_found', 'error'],
  ] as const)('%s makes the status %s, is reported once, and recovers', async (problem, status) => {
    const { provider, poll, row, messages } = await withCalendar()
    for (let round = 0; round < 2; round++) {
      provider.failures.set('changes', [problem])
      await poll()
    }
    expect(await row()).toMatchObject({ status, sync_status: 'failed', sync_error: expect.any(String) })
    await poll()
    expect(await row()).toMatchObject({ status: 'active', status_message: null, sync_error: null })
    const reported = (await messages()).map(({ event }) => event)
    expect(reported.filter((event) => event === 'calendar.connection_error')).toHaveLength(1)
    expect(reported.filter((event) => event === 'calendar.connection_updated')).toHaveLength(1)
  })

  test('what may pass is tried again soon, and is an error after several times only', async () => {
    const { provider, poll, row } = await withCalendar()
    for (let round = 1; round <= 5; round++) {
      provider.failures.set('changes', ['unavailable'])
      await poll()
      const { status, sync_due_at: next } = await row()
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
    const { calendar, name, poll, messages, engine, seriesId, target, deliveries, eventId, day } = await withCalendar()
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
    const series = await seriesId('s')
    await engine.operations.scheduleBots(target({ seriesId: series, allOccurrences: true }), botOf(), null)
    grow(calendar, 's', 4)
    calendar.change('s', { title: 'Moved' }, day(0))
    calendar.delete('a')
    await poll()
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
          event_id: await eventId('s', day(3)),
          start: day(3).toISOString(),
          end: later(day(3), 60).toISOString(),
          title: 'Series s',
          status: 'confirmed',
          is_all_day: false,
          is_exception: false,
          bot_scheduled: true,
          meeting_url: MEET,
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
    await poll()
    await engine.operations.sync(name)
    expect(await messages()).toEqual(before)
  })

  test('the older generation has one message for each sync that changed anything', async () => {
    const { calendar, name, poll, messages, eventId, deliveries, day } = await withCalendar({ generation: 'older' })
    calendar.change('a', { title: 'Another' })
    calendar.delete('s', day(1))
    await poll()
    await poll()
    const reported = await messages()
    expect(reported.map(({ event }) => event)).toEqual(['calendar.sync_events', 'calendar.sync_events'])
    expect(reported[0]!.body.data.affected_event_uuids).toHaveLength(4)
    expect(reported[1]!.body.data).toEqual({
      calendar_id: name.calendarId,
      last_updated_ts: expect.stringMatching(/^\d{4}-.*Z$/),
      affected_event_uuids: [await eventId('a'), await eventId('s', day(1))],
    })
    expect(await deliveries()).toHaveLength(2)
  })

  test('public names: the error of a connection names its platform too', async () => {
    const { name, provider, poll, messages } = await withCalendar({ isCompat: true })
    provider.failures.set('changes', ['permission_denied'])
    await poll()
    expect((await messages()).at(-1)!.body.data).toEqual({
      calendar_id: name.calendarId,
      calendar_platform: 'google',
      platform: 'google',
      status: 'permission_denied',
      error: 'The provider says permission_denied',
    })
  })
})
