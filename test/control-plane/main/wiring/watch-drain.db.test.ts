import { watchDrain } from '@standin/control-plane/main/wiring/watch-drain.ts'
import { askForDrain, databaseTime } from '@standin/control-plane/store/drain.ts'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openTestDatabase } from '../../postgres.ts'

const log = { info: () => {}, warn: () => {}, error: () => {} }
/** The watch looks this often. */
const LOOK_MS = 2_000

// One connection, so that a query of the test comes after those that were begun before it.
const db = await openTestDatabase(1)

test('a drain during the run of the service is handled once; an earlier one is not', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  await askForDrain(db.database)
  const asked = await databaseTime(db.database)
  let since = asked
  // A drain of the same millisecond would count.
  while (since === asked) since = await databaseTime(db.database)
  let drained = 0
  const drain = async () => void drained++
  const stop = watchDrain(db.database, since, drain, log)
  /** Until the watch has looked once more. */
  const looked = async () => {
    await vi.advanceTimersByTimeAsync(LOOK_MS)
    await databaseTime(db.database)
  }
  await looked()
  expect(drained).toBe(0)
  await askForDrain(db.database)
  await looked()
  await expect.poll(() => drained).toBe(1)
  await askForDrain(db.database)
  await stop()
  expect(drained).toBe(1)
})
