/** Subscriptions: opened, renewed, replaced without double events, stopped; and the polling without them. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { CalendarProvider } from '../../../control-plane/calendars/ports.ts'
import { openWorld } from '../world.ts'
import { PLATFORMS } from './stand-ins.ts'
import { meeting } from './world.ts'

const world = await openWorld({ calendars: true })

async function withCalendar(options: Parameters<typeof world.calendar>[0] = {}) {
  const set = await world.calendar({ events: [meeting('a', 60)], ...options })
  const pushDue = async () => {
    await set.alter({ push_due_at: new Date(0) })
    await set.engine.settle()
  }
  return { ...set, pushDue }
}

test('a connection has a subscription whose token is stored as a hash, renewed at half of its life', async () => {
  const { watches, channels, row, database } = await withCalendar()
  const [{ id: channelId, token, address }] = watches() as [ReturnType<typeof watches>[0]]
  expect(address).toBe(`${world.receiver.url}/hooks/google`)
  // The engine may renew it at once, if its round begins while the connection is made; then the first one is stopped.
  const open = async () => (await channels()).filter(({ stopped_at }) => stopped_at === null)
  await expect
    .poll(open, { timeout: 20_000 })
    .toMatchObject([{ provider_id: channelId, resource_id: expect.any(String) }])
  const { push_state, push_due_at: due } = await row()
  expect(push_state).toBe('on')
  const half = 3.5 * 86_400_000
  expect(due.getTime() - Date.now()).toBeGreaterThan(half - 60_000)
  expect(due.getTime() - Date.now()).toBeLessThanOrEqual(half)
  const stored = await database.selectFrom('calendar_channels').selectAll().execute()
  expect(JSON.stringify(stored)).not.toContain(token)
})

test('Google: a renewal opens a new channel and stops the old one; pushes of either are one sync', async () => {
  const { calendar, watches, channels, pushDue, engine, provider, due, messages, pushOf } = await withCalendar()
  const oldId = watches()[0]!.id
  const old = pushOf()
  provider.failures.set('unwatch', ['unavailable'])
  await pushDue()
  // The old one could not be stopped yet: both deliver.
  expect(watches()).toHaveLength(2)
  const newId = watches()[1]!.id
  calendar.change('a', { title: 'Another' })
  for (const push of [old, pushOf(1)]) expect(await engine.operations.notified(push)).toBe('known')
  const before = provider.calls.changes
  await due()
  await engine.settle()
  expect(provider.calls.changes - before).toBe(1)
  expect((await messages()).filter(({ event }) => event === 'calendar.event_updated')).toHaveLength(1)
  await world.database
    .updateTable('calendar_channels')
    .set({ stop_due_at: new Date(0) })
    .where('provider_id', '=', oldId)
    .execute()
  await engine.renew()
  expect(watches().map(({ id }) => id)).toEqual([newId])
  // An earlier one may be there, see above.
  const stops = new Map((await channels()).map(({ provider_id, stopped_at }) => [provider_id, stopped_at]))
  expect([stops.get(oldId), stops.get(newId)]).toEqual([expect.any(Date), null])
  expect(await engine.operations.notified(old)).toBe('unknown')
})

test('Microsoft: a renewal prolongs the one that is there', async () => {
  const { watches, channels, pushDue, provider, row } = await withCalendar({ platform: 'microsoft' })
  const [before] = await channels()
  await pushDue()
  expect(provider.calls).toMatchObject({ watch: 1, renew: 1, unwatch: 0 })
  const [after, ...others] = await channels()
  expect(others).toEqual([])
  expect(after!.expires_at.getTime()).toBeGreaterThanOrEqual(before!.expires_at.getTime())
  expect(watches()).toHaveLength(1)
  expect((await row()).push_state).toBe('on')
})

test.each(PLATFORMS)(
  '%s: a renewal that loses its claim leaves the stored one; the next is claimed later',
  async (platform) => {
    const [set, next] = [await withCalendar({ platform }), await withCalendar({ platform })]
    const before = set.watches().map(({ id }) => id)
    for (const [place, { alter }] of [set, next].entries()) await alter({ push_due_at: new Date(place) })
    const claimed: unknown[] = []
    const renew: CalendarProvider['renew'] = async (...asked) => {
      const renewed = await set.provider.renew(...asked)
      claimed.push((await next.row()).push_lease_owner)
      await set.alter({ push_lease_owner: randomUUID() })
      return renewed
    }
    const slow = { ...set.provider, renew }
    await set.open({ providers: { google: slow, microsoft: slow } }).renew()
    expect(claimed).toEqual([null, expect.any(String)])
    expect(set.watches().map(({ id }) => id)).toEqual(before)
  },
)

test('Microsoft: one that is gone is made again, with a full sync', async () => {
  const { watches, pushDue, engine, row, due } = await withCalendar({ platform: 'microsoft' })
  const { full_synced_at: before } = await row()
  world.microsoft.subscriptions.lifecycle('subscriptionRemoved')
  await pushDue()
  await due()
  await engine.settle()
  expect(watches()).toHaveLength(1)
  expect((await row()).full_synced_at!.getTime()).toBeGreaterThan(before!.getTime())
})

test('Microsoft: notifications about a subscription itself', async () => {
  const { watches, engine, row, channels } = await withCalendar({ platform: 'microsoft' })
  const { id: subscriptionId, token } = watches()[0]!
  const notified = (kind: 'missed' | 'reauthorize' | 'removed' | 'changed') =>
    engine.operations.notified({ platform: 'microsoft', subscriptionId, token, kind })
  const settled = await row()
  expect(await notified('missed')).toBe('known')
  expect((await row()).hinted_at!.getTime()).toBeGreaterThan(settled.hinted_at!.getTime())
  expect(await notified('reauthorize')).toBe('known')
  expect((await row()).push_due_at.getTime()).toBeLessThanOrEqual(Date.now())
  await engine.settle()
  world.microsoft.subscriptions.lifecycle('subscriptionRemoved')
  expect(await notified('removed')).toBe('known')
  await engine.settle()
  expect(watches()).toHaveLength(1)
  expect(await channels()).toMatchObject([{ stopped_at: expect.any(Date) }, { stopped_at: null }])
  expect((await row()).full_synced_at!.getTime()).toBeGreaterThan(settled.full_synced_at!.getTime())
  expect(await notified('changed')).toBe('unknown')
})

test('without an address that providers reach nothing is subscribed to, and the calendar says so and is polled', async () => {
  const set = await withCalendar({ publicUrl: null })
  const { calendar, provider, row, name, poll, events, engine, open, watches } = set
  expect(provider.calls.watch).toBe(0)
  const push_message = expect.stringContaining('polled every 15 minutes')
  expect(await row()).toMatchObject({ push_state: 'off', push_message })
  expect((await row()).sync_due_at.getTime() - Date.now()).toBeLessThanOrEqual(15 * 60_000)
  calendar.create(meeting('b', 90))
  await poll()
  expect(await events()).toHaveLength(2)
  expect(await engine.operations.resubscribe(name)).toMatchObject({ problem: push_message })
  // A start with such an address makes up for it.
  open({ publicUrl: world.receiver.url }).start()
  await expect.poll(watches).toHaveLength(1)
  await expect.poll(async () => (await row()).push_message).toBeNull()
})

test('a calendar that cannot be watched is polled, and not asked again soon', async () => {
  const set = await world.unconnected()
  set.provider.failures.set('watch', ['push_not_supported'])
  const row = await (await world.connected(set, set.open())).row()
  expect(row).toMatchObject({ status: 'active', push_state: 'off', push_message: expect.stringContaining('polled') })
  expect(row.push_due_at.getTime() - Date.now()).toBeGreaterThan(6 * 86_400_000)
})

test('a subscription that fails is tried again, and the status stays', async () => {
  const set = await world.unconnected()
  // The engine's own rounds may try again at once, so all of them fail until it was looked at.
  set.provider.failures.set('watch', Array(1000).fill('unavailable'))
  const { row, alter, engine, watches } = await world.connected(set, set.open())
  expect(await row()).toMatchObject({ status: 'active', push_state: 'wanted' })
  set.provider.failures.delete('watch')
  await alter({ push_due_at: new Date(0) })
  await engine.renew()
  await expect.poll(row).toMatchObject({ status: 'active', push_state: 'on' })
  expect(watches()).toHaveLength(1)
  expect(await engine.renew()).toEqual({ renewed: 0, failed: 0, polled: 0 })
})

test('a caller subscribes again: the old one is stopped', async () => {
  const { watches, name, engine, provider } = await withCalendar()
  const [old] = watches()
  expect(await engine.operations.resubscribe(name)).toEqual({ resubscribedAt: expect.any(Date), problem: null })
  expect(watches()).toMatchObject([{ id: expect.not.stringMatching(old!.id) }])
  provider.failures.set('watch', ['permission_denied'])
  await expect(engine.operations.resubscribe(name)).rejects.toMatchObject({ kind: 'permission_denied' })
})

test('with a push a change is stored within seconds, by a process that only looks for what is due', async () => {
  const { calendar, engine, events, pushOf } = await withCalendar()
  engine.start()
  calendar.create(meeting('b', 90))
  await engine.operations.notified(pushOf())
  await expect.poll(async () => (await events()).length).toBe(2)
})
