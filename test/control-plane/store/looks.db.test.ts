/** The queries of idle loops. */
import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { hasLateBots, hasOpenAttempts, lookForDue } from '../../../control-plane/store/bots/claims.ts'
import { hasLeftDeliveries, lookForDeliveries } from '../../../control-plane/store/webhooks/deliveries.ts'
import { openWorld } from '../world.ts'

let team: string
const world = await openWorld({ webhooks: true })
beforeEach(async () => {
  await world.reset()
  team = await world.teamId()
})

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000)
const look = () => lookForDue(world.database, 15, 60)
const bot = (phase: string, dueIn: number) => world.addBot(team, { phase, due_at: inSeconds(dueIn) })

test('a launcher gets the due bots, and the time of the next one', async () => {
  expect(await look()).toEqual({ scheduled: false, due: false, next_in: null })
  await bot('scheduled', 15 + 3600)
  await bot('running', 1)
  expect(await look()).toEqual({ scheduled: false, due: false, next_in: null })
  await bot('scheduled', 15 + 50)
  await bot('due', 30)
  const { next_in } = await look()
  expect(next_in).toBeGreaterThan(0)
  expect(next_in).toBeLessThanOrEqual(30)
  await bot('scheduled', 10)
  expect(await look()).toMatchObject({ scheduled: true, due: false })
  await bot('due', -1)
  expect(await look()).toMatchObject({ scheduled: true, due: true })
})

test('late bots are seen: those that wait for two minutes, and those whose time is over', async () => {
  await world.addBot(team, { phase: 'due', queued_at: inSeconds(-60), give_up_at: inSeconds(60) })
  expect(await hasLateBots(world.database)).toBe(false)
  const late = await world.addBot(team, { phase: 'launching', queued_at: inSeconds(-130) })
  expect(await hasLateBots(world.database)).toBe(true)
  await world.database.deleteFrom('bots').where('id', '=', late).execute()
  await world.addBot(team, { phase: 'due', queued_at: inSeconds(-10), give_up_at: inSeconds(-1) })
  expect(await hasLateBots(world.database)).toBe(true)
})

test('a reconciler sees attempts of its launcher, and launches that were left', async () => {
  const id = await bot('running', -10)
  const launch = { bot_id: id, attempt: 1, launcher: 'docker', token_hash: Buffer.from(randomUUID()) }
  await world.insert('launches', launch)
  expect(await hasOpenAttempts(world.database, 'process')).toBe(false)
  expect(await hasOpenAttempts(world.database, 'docker')).toBe(true)
  await world.change('launches', {}, { cleaned_at: new Date() })
  expect(await hasOpenAttempts(world.database, 'docker')).toBe(false)
  await world.addBot(team, { phase: 'launching', lease_until: inSeconds(-1) })
  expect(await hasOpenAttempts(world.database, 'docker')).toBe(true)
})

test('a dispatcher sees deliveries that are due, that came back and that are not wanted any more', async () => {
  const id = await world.addBot(team)
  const { id: endpoint } = await world.endpoint({ teamId: team, kind: 'team', url: 'http://127.0.0.1:1' })
  const looked = () => lookForDeliveries(world.database, 70)
  const seen = async () => [(await looked()).is_due, await hasLeftDeliveries(world.database)]
  const change = (values: object) => world.change('deliveries', {}, values)
  expect(await seen()).toEqual([false, false])
  await world.send(team, id, 1)
  expect(await seen()).toEqual([true, false])
  expect((await looked()).next_in).toBeNull()
  await change({ next_at: inSeconds(3600) })
  expect(await looked()).toEqual({ is_due: false, next_in: null })
  await change({ next_at: inSeconds(60) })
  expect(await seen()).toEqual([false, false])
  const { next_in } = await looked()
  expect(next_in).toBeGreaterThan(0)
  expect(next_in).toBeLessThanOrEqual(60)
  await world.change('endpoints', { id: endpoint }, { disabled_at: new Date() })
  expect(await seen()).toEqual([false, true])
  await world.change('endpoints', { id: endpoint }, { disabled_at: null })
  await change({ state: 'sending', lease_until: inSeconds(60) })
  expect(await seen()).toEqual([false, false])
  await change({ lease_until: inSeconds(-1) })
  expect(await seen()).toEqual([false, true])
})
