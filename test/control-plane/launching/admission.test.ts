import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admitDue } from '../../../control-plane/launching/admission.ts'
import { lockBot } from '../../../control-plane/store/bots.ts'
import { writeLedger } from '../../../control-plane/store/ledger.ts'
import { type LaunchingWorld, openLaunchingWorld } from './world.ts'

let world: LaunchingWorld
beforeAll(async () => {
  world = await openLaunchingWorld()
})
afterAll(() => world.close())

test('the admission of a bot and a change of it that moves tokens do not wait for each other', async () => {
  const { database, bot, row, teamId } = await world.setting()
  const id = await bot({}, { joinAt: new Date(Date.now() + 1000) })
  const waiting = async () =>
    (await sql<{ count: number }>`select count(*) as count from pg_locks where not granted`.execute(database)).rows[0]!
      .count
  let admission: Promise<number> | undefined
  await database.transaction().execute(async (tx) => {
    await lockBot(tx, id)
    admission = admitDue(database, 60)
    admission.catch(() => {})
    await expect.poll(waiting).toBeGreaterThan(0)
    const source = `test:${id}`
    await writeLedger(tx, [{ teamId, botId: id, kind: 'charge', meter: null, amount: 1, source }])
  })
  expect(await admission).toBe(1)
  expect((await row(id)).phase).toBe('due')
})
