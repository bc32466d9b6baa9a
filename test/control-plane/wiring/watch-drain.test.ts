import { askForDrain, databaseTime } from '@standin/control-plane/store/drain.ts'
import { watchDrain } from '@standin/control-plane/wiring/watch-drain.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../postgres.ts'

const log = { info: () => {}, warn: () => {}, error: () => {} }
let db: TestDatabase

beforeAll(async () => {
  db = await openTestDatabase()
})

afterAll(() => db.close())

test('a drain during the run of the service is handled once; an earlier one is not', async () => {
  await askForDrain(db.database)
  let drained = 0
  const stop = watchDrain(
    db.database,
    await databaseTime(db.database),
    async () => {
      drained++
    },
    log,
  )
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  expect(drained).toBe(0)
  await askForDrain(db.database)
  await expect.poll(() => drained).toBe(1)
  await askForDrain(db.database)
  await stop()
  expect(drained).toBe(1)
})
