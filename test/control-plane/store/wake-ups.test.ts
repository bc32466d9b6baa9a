/** Hints that something is due: none is missed for longer than its connection is away. */
import { randomUUID } from 'node:crypto'
import { createHint, listenForWakeUps, sendHint } from '@standin/control-plane/store/wake-ups.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../postgres.ts'

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened.close())

/** Kills the listener's connection, as a restart of the database does. Resolves with how many there were. */
async function breakConnection(): Promise<number> {
  const { rows } = await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'standin wake-ups' and datname = current_database()`.execute(opened.database)
  return rows.length
}

test('a hint wakes, and so does each connection, because hints may have been lost before it', async () => {
  let wakes = 0
  const errors: Error[] = []
  const listening = listenForWakeUps(
    opened.url,
    'bots',
    () => {
      wakes += 1
    },
    (error) => errors.push(error),
  )
  onTestFinished(() => listening.close())
  const sleepMs = () => listening.maxSleepMs(100)
  expect(sleepMs()).toBe(100)
  await expect.poll(() => wakes).toBe(1)
  expect(sleepMs()).toBe(10_000)
  await sendHint(opened.database, 'bots')
  await expect.poll(() => wakes).toBe(2)

  expect(await breakConnection()).toBe(1)
  // Whoever sleeps for ten seconds is woken, and looks more often from then on.
  await expect.poll(() => wakes).toBe(3)
  expect(sleepMs()).toBe(100)
  await expect.poll(() => wakes).toBe(4)
  expect(sleepMs()).toBe(10_000)
  expect(errors).toHaveLength(1)
  await sendHint(opened.database, 'bots')
  await expect.poll(() => wakes).toBe(5)

  await listening.close()
  await sendHint(opened.database, 'bots')
  await expect.poll(breakConnection).toBe(0)
  expect(wakes).toBe(5)
})

test('many hints at once are few, the last one is sent, and each kind has its own listeners', async () => {
  const wakes = { bots: 0, deliveries: 0 }
  for (const due of ['bots', 'deliveries'] as const) {
    const onWake = () => void wakes[due]++
    const listening = listenForWakeUps(opened.url, due, onWake, () => {})
    onTestFinished(() => listening.close())
  }
  await expect.poll(() => wakes).toEqual({ bots: 1, deliveries: 1 })
  const hint = createHint(opened.database, 'deliveries', () => {})
  for (let count = 0; count < 1000; count++) hint()
  // The first at once, and one for all others.
  await expect.poll(() => wakes).toEqual({ bots: 1, deliveries: 3 })
})

test('hints name what is due; too many names mean anything', async () => {
  const heard: (readonly string[])[] = []
  const listening = listenForWakeUps(
    opened.url,
    'events',
    (ids) => void heard.push(ids),
    () => {},
  )
  onTestFinished(() => listening.close())
  await expect.poll(() => heard).toEqual([[]])
  const hint = createHint(opened.database, 'events', () => {})
  hint('a')
  hint('b', 'c')
  hint('c')
  await expect.poll(() => heard).toEqual([[], ['a'], ['b', 'c']])
  hint(...Array.from({ length: 300 }, () => randomUUID()))
  await expect.poll(() => heard.slice(3)).toEqual([[]])
})
