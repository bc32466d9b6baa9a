import { whileHeld } from '@standin/control-plane/platform/lease.ts'
import { expect, test } from 'vitest'

const SECONDS = 0.03

/** A lease whose renewals end as the list says, then well, and work until its signal is aborted or `renewals` were made. */
async function hold(ends: ('kept' | 'away' | 'lost')[], renewals: number, signal = new AbortController().signal) {
  const warnings: object[] = []
  const log = { info() {}, error() {}, warn: (fields: object) => void warnings.push(fields) }
  const { promise: done, resolve } = Promise.withResolvers<void>()
  let count = 0
  const keep = async () => {
    count += 1
    if (count === renewals) setTimeout(resolve, 5)
    if (ends[count - 1] === 'away') throw new Error('away')
    return ends[count - 1] !== 'lost'
  }
  const reason = await whileHeld({ seconds: SECONDS, keep, log, fields: { bot: 'b' }, signal }, async (leased) => {
    await Promise.race([done, new Promise((end) => leased.addEventListener('abort', end))])
    return leased.aborted ? (leased.reason as Error).message : null
  })
  return { reason, count, warnings }
}

test('three renewals that fail in a row end the work', async () => {
  const { reason, warnings } = await hold(['away', 'away', 'away'], 100)
  expect(reason).toBe('The lease was lost')
  expect(warnings.slice(0, 3)).toEqual([1, 2, 3].map((misses) => ({ bot: 'b', misses, error: 'Error: away' })))
})

test('a lease that another has taken ends the work at once', async () => {
  expect(await hold(['kept', 'lost'], 100)).toMatchObject({ reason: 'The lease was lost', count: 2 })
})

test('fewer failures, and failures with a renewal between them, do not', async () => {
  const { reason, warnings } = await hold(['away', 'away', 'kept', 'away', 'away', 'kept'], 6)
  expect(reason).toBeNull()
  expect(warnings).toHaveLength(4)
})

test('the signal of the caller ends the work, and no lease is renewed afterwards', async () => {
  const control = new AbortController()
  let renewals = 0
  const log = { info() {}, warn() {}, error() {} }
  const keep = async () => {
    renewals += 1
    return true
  }
  await whileHeld({ seconds: SECONDS, keep, log, fields: {}, signal: control.signal }, async (leased) => {
    control.abort()
    expect(leased.aborted).toBe(true)
  })
  const before = renewals
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(renewals).toBe(before)
})
