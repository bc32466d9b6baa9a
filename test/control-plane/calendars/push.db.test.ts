/** Subscriptions: opened, renewed, replaced without double events, stopped; and the polling without them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventOf, type MemoryCalendar } from './memory-provider.ts'
import { type CalendarWorld, openCalendarWorld } from './world.ts'

let world: CalendarWorld
beforeAll(async () => {
  world = await openCalendarWorld()
})
afterAll(() => world.close())

function subscriptionOf({ subscriptions }: MemoryCalendar, place = 0) {
  const [channelId, subscription] = [...subscriptions][place]!
  return { channelId, ...subscription }
}

async function withCalendar(platform: 'google' | 'microsoft' = 'google', publicUrl?: null) {
  const set = await world.setting({ platform })
  const calendar = set.provider.add(`c${set.newId()}`)
  calendar.put(eventOf('a', 60))
  const engine = publicUrl === null ? set.open({ publicUrl }) : set.engine
  const name = await set.connect(calendar, engine)
  const channels = () =>
    set.database
      .selectFrom('calendar_channels')
      .selectAll()
      .where('calendar_id', '=', name.calendarId)
      .orderBy('created_at')
      .execute()
  const pushDue = async () => {
    await set.alter(name.calendarId, { push_due_at: new Date(0) })
    await engine.settle()
  }
  return { ...set, engine, calendar, name, id: name.calendarId, channels, pushDue }
}

test('a connection has a subscription whose token is stored as a hash, renewed at half of its life', async () => {
  const { calendar, id, channels, row, provider, database } = await withCalendar()
  const { channelId, token, address } = subscriptionOf(calendar)
  expect(address).toBe('https://bots.example.com/hooks/google')
  // The engine may renew it at once, if its round begins while the connection is made; then the first one is stopped.
  const open = async () => (await channels()).filter(({ stopped_at }) => stopped_at === null)
  await expect
    .poll(open, { timeout: 20_000 })
    .toMatchObject([{ provider_id: channelId, resource_id: expect.any(String) }])
  const { push_state, push_due_at: due } = await row(id)
  expect(push_state).toBe('on')
  expect(due.getTime() - Date.now()).toBeGreaterThan(provider.subscriptionMs / 2 - 60_000)
  expect(due.getTime() - Date.now()).toBeLessThanOrEqual(provider.subscriptionMs / 2)
  const stored = await database.selectFrom('calendar_channels').selectAll().execute()
  expect(JSON.stringify(stored)).not.toContain(token)
})

test('Google: a renewal opens a new channel and stops the old one; pushes of either are one sync', async () => {
  const { calendar, channels, pushDue, engine, provider, due, id, messages, pushOf } = await withCalendar()
  const { channelId: oldId } = subscriptionOf(calendar)
  const old = pushOf(calendar)
  provider.failures.set('unwatch', ['unavailable'])
  await pushDue()
  // The old one could not be stopped yet: both deliver.
  expect(calendar.subscriptions.size).toBe(2)
  const { channelId: newId } = subscriptionOf(calendar, 1)
  calendar.change('a', { title: 'Another' })
  for (const push of [old, pushOf(calendar, 1)]) expect(await engine.operations.notified(push)).toBe('known')
  const before = provider.calls.changes
  await due(id)
  await engine.settle()
  expect(provider.calls.changes - before).toBe(1)
  expect((await messages()).filter(({ event }) => event === 'calendar.event_updated')).toHaveLength(1)
  await world.database
    .updateTable('calendar_channels')
    .set({ stop_due_at: new Date(0) })
    .where('provider_id', '=', oldId)
    .execute()
  await engine.renew()
  expect([...calendar.subscriptions.keys()]).toEqual([newId])
  // An earlier one may be there, see above.
  const stops = new Map((await channels()).map(({ provider_id, stopped_at }) => [provider_id, stopped_at]))
  expect([stops.get(oldId), stops.get(newId)]).toEqual([expect.any(Date), null])
  expect(await engine.operations.notified(old)).toBe('unknown')
})

test('Microsoft: a renewal prolongs the one that is there', async () => {
  const { calendar, channels, pushDue, provider, row, id } = await withCalendar('microsoft')
  const [before] = await channels()
  await pushDue()
  expect(provider.calls).toMatchObject({ watch: 1, renew: 1, unwatch: 0 })
  const [after, ...others] = await channels()
  expect(others).toEqual([])
  expect(after!.expires_at.getTime()).toBeGreaterThanOrEqual(before!.expires_at.getTime())
  expect(calendar.subscriptions.size).toBe(1)
  expect((await row(id)).push_state).toBe('on')
})

test('Microsoft: one that is gone is made again, with a full sync', async () => {
  const { calendar, pushDue, engine, row, id, due } = await withCalendar('microsoft')
  const { full_synced_at: before } = await row(id)
  calendar.subscriptions.clear()
  await pushDue()
  await due(id)
  await engine.settle()
  expect(calendar.subscriptions.size).toBe(1)
  expect((await row(id)).full_synced_at!.getTime()).toBeGreaterThan(before!.getTime())
})

test('Microsoft: notifications about a subscription itself', async () => {
  const { calendar, engine, row, id, channels } = await withCalendar('microsoft')
  const { channelId: subscriptionId, token } = subscriptionOf(calendar)
  const said = { platform: 'microsoft', subscriptionId, token } as const
  const settled = await row(id)
  expect(await engine.operations.notified({ ...said, kind: 'missed' })).toBe('known')
  expect((await row(id)).hinted_at!.getTime()).toBeGreaterThan(settled.hinted_at!.getTime())
  expect(await engine.operations.notified({ ...said, kind: 'reauthorize' })).toBe('known')
  expect((await row(id)).push_due_at.getTime()).toBeLessThanOrEqual(Date.now())
  await engine.settle()
  calendar.subscriptions.clear()
  expect(await engine.operations.notified({ ...said, kind: 'removed' })).toBe('known')
  await engine.settle()
  expect(calendar.subscriptions.size).toBe(1)
  expect(await channels()).toMatchObject([{ stopped_at: expect.any(Date) }, { stopped_at: null }])
  expect((await row(id)).full_synced_at!.getTime()).toBeGreaterThan(settled.full_synced_at!.getTime())
  expect(await engine.operations.notified({ ...said, kind: 'changed' })).toBe('unknown')
})

test('without an address that providers reach nothing is subscribed to, and the calendar says so and is polled', async () => {
  const { calendar, provider, row, id, name, poll, events, engine, open } = await withCalendar('google', null)
  expect(provider.calls.watch).toBe(0)
  expect(await row(id)).toMatchObject({
    push_state: 'off',
    push_message: expect.stringContaining('polled every 15 minutes'),
  })
  expect((await row(id)).sync_due_at.getTime() - Date.now()).toBeLessThanOrEqual(15 * 60_000)
  calendar.put(eventOf('b', 90))
  await poll(name, engine)
  expect(await events(name)).toHaveLength(2)
  const { problem } = await engine.operations.resubscribe(name)
  expect(problem).toContain('polled every 15 minutes')
  // A start with such an address makes up for it.
  const reachable = open()
  reachable.start()
  await expect.poll(() => calendar.subscriptions.size).toBe(1)
  await expect.poll(async () => (await row(id)).push_message).toBeNull()
})

test('a calendar that cannot be watched is polled, and not asked again soon', async () => {
  const set = await world.setting()
  const calendar = set.provider.add(`c${set.newId()}`)
  set.provider.failures.set('watch', ['push_not_supported'])
  const { calendarId } = await set.connect(calendar)
  const row = await set.row(calendarId)
  expect(row).toMatchObject({ status: 'active', push_state: 'off', push_message: expect.stringContaining('polled') })
  expect(row.push_due_at.getTime() - Date.now()).toBeGreaterThan(6 * 86_400_000)
})

test('a subscription that fails is tried again, and the status stays', async () => {
  const set = await world.setting()
  const calendar = set.provider.add(`c${set.newId()}`)
  // The engine's own rounds may try again at once, so all of them fail until it was looked at.
  set.provider.failures.set('watch', Array(1000).fill('unavailable'))
  const name = await set.connect(calendar)
  expect(await set.row(name.calendarId)).toMatchObject({ status: 'active', push_state: 'wanted' })
  set.provider.failures.delete('watch')
  await set.alter(name.calendarId, { push_due_at: new Date(0) })
  await set.engine.renew()
  await expect.poll(() => set.row(name.calendarId)).toMatchObject({ status: 'active', push_state: 'on' })
  expect(calendar.subscriptions.size).toBe(1)
  expect(await set.engine.renew()).toEqual({ renewed: 0, failed: 0, polled: 0 })
})

test('a caller subscribes again: the old one is stopped', async () => {
  const { calendar, name, engine, provider } = await withCalendar()
  const { channelId: oldId } = subscriptionOf(calendar)
  expect(await engine.operations.resubscribe(name)).toEqual({ resubscribedAt: expect.any(Date), problem: null })
  expect(provider.unwatched).toEqual([oldId])
  expect(calendar.subscriptions.size).toBe(1)
  provider.failures.set('watch', ['permission_denied'])
  await expect(engine.operations.resubscribe(name)).rejects.toMatchObject({ kind: 'permission_denied' })
})

test('with a push a change is stored within seconds, by a process that only looks for what is due', async () => {
  const { calendar, name, engine, events, pushOf } = await withCalendar()
  engine.start()
  calendar.put(eventOf('b', 90))
  await engine.operations.notified(pushOf(calendar))
  await expect.poll(async () => (await events(name)).length).toBe(2)
})
